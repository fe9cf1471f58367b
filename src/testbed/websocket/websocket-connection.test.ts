import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type Duplex, duplexPair } from 'node:stream';
import { describe, test } from 'node:test';
import { ContentBudget } from '../../http1/content-budget.ts';
import { ClientGone } from '../../http1/exchange.ts';
import { closePayload, composeFrame, opcodes } from './frame.ts';
import { defaultWebSocketLimits } from './limits.ts';
import { WebSocketConnection, type WebSocketOptions } from './websocket-connection.ts';

const maskKey = Uint8Array.of(1, 2, 3, 4);
const fromClient = (opcode: number, payload: string | Uint8Array) =>
  composeFrame(opcode, payload, { maskKey });
const closeFrame = (code: number, reason = '') => composeFrame(opcodes.close, closePayload(code, reason));

type Given = Partial<Omit<WebSocketOptions, 'limits'>> & { limits?: Partial<WebSocketOptions['limits']> };

/** A connection and the client's end of it. */
function connected({ limits, ...options }: Given = {}): { client: Duplex; socket: WebSocketConnection } {
  const [client, server] = duplexPair();
  const stream = Object.assign(server, { reset: () => void server.destroy() });
  const socket = new WebSocketConnection(stream, {
    deflate: undefined,
    ...options,
    limits: { ...defaultWebSocketLimits, ...limits },
  });
  return { client, socket };
}

async function everything(client: Duplex): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of client) chunks.push(chunk);
  return Buffer.concat(chunks).toString('hex');
}

describe('the life of a WebSocket', () => {
  test('an idle client is told so and let go', async () => {
    const { client, socket } = connected({ limits: { idleMs: 20, closeMs: 20 } });
    const [chunk] = (await once(client, 'data')) as [Buffer];
    assert.deepEqual(chunk, closeFrame(1001, 'nothing came for too long'));
    await socket.closed;
  });

  test('a client may send only so much in all, however small its messages are', async () => {
    let messageCount = 0;
    const onMessage = () => {
      messageCount++;
      return undefined;
    };
    const { client, socket } = connected({ onMessage, limits: { maxReceivedBytes: 100 } });
    const received = everything(client);
    for (let sent = 0; sent < 12; sent++) client.write(fromClient(opcodes.text, 'abc'));
    await socket.closed;
    assert.equal(messageCount, 12);
    assert.equal(await received, closeFrame(1008, 'a client may send 100 bytes in all').toString('hex'));
  });

  test('unfinished messages of all connections together are bounded', async () => {
    const contentBudget = new ContentBudget(300_000);
    const whole = fromClient(opcodes.binary, Buffer.alloc(400_000));
    const first = connected({ contentBudget });
    first.client.write(whole.subarray(0, 390_000));
    await new Promise(setImmediate);
    assert.ok(contentBudget.takenBytes > 200_000);

    const second = connected({ contentBudget });
    const refused = everything(second.client);
    second.client.write(whole.subarray(0, 390_000));
    await second.socket.closed;
    const reason = 'too many large messages at this moment';
    assert.equal(await refused, closeFrame(1013, reason).toString('hex'));

    first.client.write(whole.subarray(390_000));
    await new Promise(setImmediate);
    assert.equal(contentBudget.takenBytes, 0, 'a whole message gives back what it took');
    first.client.resume().end();
    await first.socket.closed;
  });

  test('a client that does not answer our Close is cut off', async () => {
    const { client, socket } = connected({ limits: { closeMs: 20 } });
    client.resume();
    socket.close(4000);
    const startedAtMs = performance.now();
    await socket.closed;
    assert.ok(performance.now() - startedAtMs >= 15);
  });

  test('our Close ends with the answer of the client, and what comes in between is not delivered', async () => {
    const delivered: string[] = [];
    const { client, socket } = connected({
      onMessage: ({ data }) => void delivered.push(data.toString()) as undefined,
    });
    socket.close(1000, 'done');
    client.write(fromClient(opcodes.text, 'too late'));
    client.end(fromClient(opcodes.close, closePayload(1000)));
    assert.equal(await everything(client), closeFrame(1000, 'done').toString('hex'));
    await socket.closed;
    assert.deepEqual(delivered, []);
  });

  test('an error of our own closes with 1011 and is reported', async () => {
    const failure = new Error('a bug');
    const { client, socket } = connected({
      onMessage: async () => {
        throw failure;
      },
    });
    client.end(fromClient(opcodes.text, 'x'));
    assert.equal(await everything(client), closeFrame(1011, 'something went wrong').toString('hex'));
    await assert.rejects(socket.closed, failure);
  });

  test('sending to a client that left rejects with ClientGone, and the signal says so', async () => {
    const { client, socket } = connected();
    client.end();
    client.resume();
    await socket.closed;
    await assert.rejects(socket.send('text', 'x')!, ClientGone);
    assert.ok(socket.signal.aborted);
  });

  test('messages wait while the one before is worked on', async () => {
    const order: string[] = [];
    const { client, socket } = connected({
      onMessage: async ({ data }) => {
        order.push(`begin ${data}`);
        await new Promise((resolve) => setTimeout(resolve, 5));
        order.push(`end ${data}`);
      },
    });
    client.write(Buffer.concat([fromClient(opcodes.text, '1'), fromClient(opcodes.text, '2')]));
    client.end(fromClient(opcodes.close, closePayload(1000)));
    client.resume();
    await socket.closed;
    assert.deepEqual(order, ['begin 1', 'end 1', 'begin 2', 'end 2']);
  });

  for (const [what, opcode] of [
    ['messages', opcodes.binary],
    ['pings', opcodes.ping],
  ] as const) {
    test(`a client that does not take the answers to its ${what} is not read any further`, async () => {
      const { client, socket } = connected({
        limits: { maxControlFramesPerSecond: Number.POSITIVE_INFINITY },
        onMessage: ({ kind, data }) => socket.send(kind, data),
      });
      const frame = fromClient(opcode, Buffer.alloc(125));
      let takenBytes = 0;
      for (let count = 0; count < 10_000; count++) {
        client.write(frame, () => {
          takenBytes += frame.length;
        });
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
      const beforeReading = takenBytes;
      assert.ok(beforeReading < 700_000, `${beforeReading} bytes were taken`);
      client.resume();
      client.end();
      await socket.closed;
      assert.equal(takenBytes, 10_000 * frame.length);
    });
  }
});
