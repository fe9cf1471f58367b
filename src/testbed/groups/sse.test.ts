import assert from 'node:assert/strict';
import net from 'node:net';
import test from 'node:test';
import zlib from 'node:zlib';
import { type Clock, systemClock } from '../../kernel/clock.ts';
import { startTestbed } from '../testing/start-testbed.ts';

type Decoder = NodeJS.ReadWriteStream | undefined;

const decoders: Readonly<Record<string, () => Decoder>> = {
  '/sse': () => undefined,
  '/sse/gzip': () => zlib.createGunzip(),
  '/sse/deflate': () => zlib.createInflate(),
  '/sse/br': () => zlib.createBrotliDecompress(),
  '/sse/zstd': () => zlib.createZstdDecompress(),
};

/** A clock whose sleepers wait until the test lets the next one go. */
function heldClock() {
  const sleepers: (() => void)[] = [];
  const clock: Clock = {
    now: systemClock.now,
    sleep: (ms, signal) =>
      ms === 0
        ? Promise.resolve()
        : new Promise((resolve, reject) => {
            sleepers.push(resolve);
            signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
          }),
  };
  return { clock, sleepers };
}

/** A client that undoes chunks and coding piece by piece, as they arrive. HTTP/1.0 needs no chunks. */
function readingClient(port: number, path: string, decoder: Decoder) {
  let text = '';
  let head = '';
  const socket = net.connect(port, '127.0.0.1', () =>
    socket.write(`GET ${path} HTTP/1.0\r\nHost: t\r\n\r\n`),
  );
  decoder?.on('data', (piece: Buffer) => {
    text += piece.toString();
  });
  socket.on('data', (piece: Buffer) => {
    let content = piece;
    if (!head.endsWith('\r\n\r\n')) {
      const endAt = piece.indexOf('\r\n\r\n');
      head += piece.toString('latin1', 0, endAt < 0 ? piece.length : endAt + 4);
      content = endAt < 0 ? Buffer.alloc(0) : piece.subarray(endAt + 4);
    }
    if (decoder) decoder.write(content);
    else text += content.toString();
  });
  return { socket, text: () => text, head: () => head };
}

async function eventually(isTrue: () => boolean, what: string): Promise<void> {
  const deadline = Date.now() + 5000;
  while (!isTrue()) {
    if (Date.now() > deadline) assert.fail(`never happened: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

for (const [path, newDecoder] of Object.entries(decoders)) {
  test(`${path}: each event can be read before the next one is sent`, async () => {
    const { clock, sleepers } = heldClock();
    await using testbed = await startTestbed({ clock });
    const client = readingClient(testbed.port, `${path}?count=3&interval=50`, newDecoder());
    for (let id = 1; id <= 3; id++) {
      // The server stands still after each event, so what is read here was flushed with it.
      await eventually(
        () => client.text().includes(`"message":"event ${id} of 3"}\n\n`),
        `event ${id} on ${path}`,
      );
      assert.ok(!client.text().includes(`event ${id + 1} of 3`));
      if (id < 3) {
        await eventually(() => sleepers.length > 0, 'the pause');
        sleepers.shift()!();
      }
    }
    await eventually(() => client.text().includes('event: end\n'), 'the end');
    await eventually(() => client.socket.readableEnded, 'the close');
    assert.deepEqual(testbed.errors, []);
  });

  test(`${path}: a client that leaves stops the stream`, async () => {
    const { clock, sleepers } = heldClock();
    let aborted = 0;
    const watching: Clock = {
      now: clock.now,
      sleep: (ms, signal) =>
        clock.sleep(ms, signal).catch((reason) => {
          aborted++;
          throw reason;
        }),
    };
    await using testbed = await startTestbed({ clock: watching });
    const client = readingClient(testbed.port, `${path}?count=3&interval=50`, newDecoder());
    await eventually(() => sleepers.length > 0, 'the first pause');
    client.socket.resetAndDestroy();
    await eventually(() => aborted === 1, 'the abort');
    assert.deepEqual(testbed.errors, []);
  });
}
