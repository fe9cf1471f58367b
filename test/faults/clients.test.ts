import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { defaultTimeouts } from '../../src/http1/limits.ts';
import { rawRequest } from '../../src/kernel/testing/raw-client.ts';
import { GatehouseProcess } from '../support/gatehouse-process.ts';
import { canSeeUsage, openSocketCount, residentBytes, until } from '../support/process-usage.ts';

const HEAD_TIMEOUT_MS = 2_000;
const STALL_TIMEOUT_MS = 1_500;

describe('clients the service cannot rely on', () => {
  const data = mkdtempSync(join(tmpdir(), 'gatehouse-clients-'));
  let service: GatehouseProcess;
  let port: number;
  let restingSocketCount = 0;

  before(async () => {
    const timeouts = ['--head-timeout', `${HEAD_TIMEOUT_MS}ms`, '--stall-timeout', `${STALL_TIMEOUT_MS}ms`];
    service = new GatehouseProcess(['testbed', '--port', '0', ...timeouts], {
      GATEHOUSE_DATA: data,
    });
    port = await service.ready();
    await answerToGet();
    if (canSeeUsage) restingSocketCount = await leastSocketCount();
  });
  after(async () => {
    service.child.kill('SIGKILL');
    await service.exitCode();
    rmSync(data, { recursive: true, force: true });
  });

  it('drops 500 that stall within a head at the head timeout, and answers others meanwhile', async () => {
    const stalled = await Promise.all(
      Array.from({ length: 500 }, () => client('GET /get HTTP/1.1\r\nHost: a\r\nX-Ha')),
    );
    const startedAtMs = performance.now();
    const drops = stalled.map(({ ended }) => ended.then(() => performance.now() - startedAtMs));
    const answersMs: number[] = [];
    let areAllDropped = false;
    const allDropped = Promise.all(drops).then((times) => {
      areAllDropped = true;
      return times;
    });
    while (!areAllDropped) {
      const askedAtMs = performance.now();
      await answerToGet();
      answersMs.push(performance.now() - askedAtMs);
      await sleep(20);
    }
    const times = await allDropped;
    assert.ok(
      Math.min(...times) > HEAD_TIMEOUT_MS - 1_000,
      `the first was dropped after ${Math.min(...times)} ms`,
    );
    assert.ok(
      Math.max(...times) < HEAD_TIMEOUT_MS + 3_000,
      `the last was dropped after ${Math.max(...times)} ms`,
    );
    assert.ok(answersMs.length > 20, `only ${answersMs.length} answers meanwhile`);
    const medianMs = answersMs.sort((a, b) => a - b)[answersMs.length >> 1]!;
    assert.ok(medianMs < 500, `an answer took ${medianMs} ms`);
    for (const { received } of stalled) assert.match(received(), /^HTTP\/1\.1 408 Request Timeout\r\n/);
    await untilAtRest();
  });

  it('forgets uploads whose clients vanish: no connection and no file stays', async () => {
    const half = Buffer.alloc(300_000, 'u');
    const head = `POST /test/fileUpload?fileName=half.bin HTTP/1.1\r\nHost: a\r\nContent-Type: application/octet-stream\r\nContent-Length: ${half.length * 2}\r\n\r\n`;
    const uploads = await Promise.all(Array.from({ length: 40 }, () => client(head)));
    for (const { socket } of uploads) socket.write(half);
    await until('the uploads are on their way', () => filesIn(data).length === uploads.length);
    for (const [index, { socket }] of uploads.entries()) {
      if (index % 2 === 0) socket.resetAndDestroy();
      else socket.destroy();
    }
    await until('the files are gone', () => filesIn(data).length === 0);
    await untilAtRest();

    const { status } = await rawRequest(
      port,
      'POST /test/fileUpload?fileName=whole.bin HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Type: application/octet-stream\r\nConnection: close\r\n\r\nabc',
    );
    assert.equal(status, 200);
    assert.deepEqual(filesIn(data), ['whole.bin']);
  });

  it('ends streams and waits whose clients vanish', async () => {
    const targets = [
      '/drip?duration=60&numbytes=1000',
      '/delay/30',
      '/stream-bytes/100000000?max=0&chunk_size=65536',
    ];
    const waiting = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        client(`GET ${targets[index % targets.length]} HTTP/1.1\r\nHost: a\r\n\r\n`),
      ),
    );
    await sleep(300);
    for (const [index, { socket }] of waiting.entries()) {
      if (index % 2 === 0) socket.resetAndDestroy();
      else socket.destroy();
    }
    // A FIN alone may come from a client that still wants its answer, and is given a grace time.
    await untilAtRest(defaultTimeouts.halfCloseMs + 5_000);
    await answerToGet();
  });

  it('drops a client that takes nothing of a large answer at the stall timeout, and keeps little for it', async () => {
    const bytesBefore = canSeeUsage ? residentBytes(service.child.pid!) : 0;
    const sleepers = await Promise.all(
      Array.from({ length: 10 }, async () => {
        const sleeper = await client('', { isReading: false });
        sleeper.socket.write(
          'GET /stream-bytes/100000000?max=0&chunk_size=65536 HTTP/1.1\r\nHost: a\r\n\r\n',
        );
        return sleeper;
      }),
    );
    const startedAtMs = performance.now();
    if (canSeeUsage) {
      await until(
        'the answers have begun',
        () => openSocketCount(service.child.pid!) >= restingSocketCount + 10,
      );
      await untilAtRest(STALL_TIMEOUT_MS * 4);
      const tookMs = performance.now() - startedAtMs;
      assert.ok(tookMs > STALL_TIMEOUT_MS / 2, `dropped after ${tookMs} ms`);
      const growthBytes = residentBytes(service.child.pid!) - bytesBefore;
      assert.ok(growthBytes < 100 * 1024 * 1024, `grew by ${growthBytes} bytes`);
    } else {
      await sleep(STALL_TIMEOUT_MS * 4);
    }
    // Each gets what the system had already taken, and then an end instead of the rest.
    for (const { socket, ended, receivedBytes } of sleepers) {
      socket.resume();
      await ended;
      assert.ok(receivedBytes() < 100_000_000);
    }
    await answerToGet();
  });

  it('leaves nothing behind that would hold up a stop', async () => {
    const startedAtMs = performance.now();
    assert.equal(await service.stop(), 0);
    assert.ok(performance.now() - startedAtMs < 8_000);
    const complaints = service.stderr
      .split('\n')
      .filter((line) => line !== '' && JSON.parse(line).level >= 40);
    assert.deepEqual(complaints, []);
  });

  async function answerToGet(): Promise<void> {
    const { status, body } = await rawRequest(
      port,
      'GET /get?a=b HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
    );
    assert.equal(status, 200);
    assert.deepEqual(JSON.parse(body.toString()).args, { a: 'b' });
  }

  /** The connection of the first request may still be closing. */
  async function leastSocketCount(): Promise<number> {
    let least = Number.POSITIVE_INFINITY;
    for (let look = 0; look < 20; look++) {
      least = Math.min(least, openSocketCount(service.child.pid!));
      await sleep(25);
    }
    return least;
  }

  async function untilAtRest(waitMs = 5_000): Promise<void> {
    if (!canSeeUsage) return;
    const { pid } = service.child;
    await until('every connection is gone', () => openSocketCount(pid!) <= restingSocketCount, waitMs);
  }

  async function client(bytes: string, { isReading = true } = {}) {
    const socket: Socket = connect({ port, host: '127.0.0.1', noDelay: true });
    let received = '';
    let receivedBytes = 0;
    socket.on('data', (chunk) => {
      receivedBytes += chunk.length;
      if (received.length < 1024) received += chunk.toString('latin1');
    });
    if (!isReading) socket.pause();
    socket.on('error', () => {});
    const ended = once(socket, 'close');
    await once(socket, 'connect');
    if (bytes !== '') socket.write(bytes, 'latin1');
    return { socket, ended, received: () => received, receivedBytes: () => receivedBytes };
  }
});

/** The names of all files below a folder. */
function filesIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}
