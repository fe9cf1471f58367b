import assert from 'node:assert/strict';
import { once } from 'node:events';
import net from 'node:net';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { GatehouseProcess } from '../support/gatehouse-process.ts';
import { canSeeUsage, residentBytes, until } from '../support/process-usage.ts';

const MiB = 1024 * 1024;
const piece = Buffer.alloc(MiB, 'gate');

describe('resident memory stays flat', { skip: !canSeeUsage }, () => {
  let gatehouse: GatehouseProcess;
  let port: number;

  before(async () => {
    const bodies = ['--limit-max-body', '16MiB', '--limit-max-bodies', '16MiB'];
    gatehouse = new GatehouseProcess(['testbed', '--port', '0', ...bodies]);
    port = await gatehouse.ready();
    // Code that runs for the first time takes memory of its own.
    await upload(16);
  });
  after(() => gatehouse.stop());

  test('while 256 MiB are uploaded to be verified', async () => {
    const bytesBefore = residentNow();
    const answer = await upload(256);
    assert.match(answer, /^HTTP\/1\.1 200 /);
    assert.match(answer, /"length": 268435456,/);
    assertGrewLess(bytesBefore, 100 * MiB);
  });

  test('while clients together send more for an echo than the service keeps', async () => {
    const bytesBefore = residentNow();
    const head = request('POST', '/post', `Content-Length: ${12 * MiB}`);
    let refusedCount = 0;
    const sockets = Array.from({ length: 20 }, () => net.connect(port, '127.0.0.1'));
    for (const socket of sockets) {
      socket.on('error', () => {});
      socket.once('data', (bytes) => {
        if (/^HTTP\/1\.1 503 /.test(bytes.toString('latin1'))) refusedCount++;
      });
      socket.write(head);
      for (let sent = 0; sent < 10; sent++) socket.write(piece);
    }
    await until('most are refused', () => refusedCount >= 15, 60_000);
    assertGrewLess(bytesBefore, 120 * MiB);
    for (const socket of sockets) socket.destroy();
  });

  test('while clients ask for more than they read', async () => {
    const bytesBefore = residentNow();
    const targets = [
      '/encoding-test/large/identity?size=104857600',
      '/stream-bytes/104857600/gzip',
      '/bomb/br',
    ];
    const sockets = Array.from({ length: 60 }, () => net.connect(port, '127.0.0.1').pause());
    for (const [index, socket] of sockets.entries())
      socket.write(request('GET', targets[index % targets.length]!));
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    // Time enough for gigabytes, if the service did not wait for its clients.
    await sleep(3000);
    assertGrewLess(bytesBefore, 150 * MiB);
    for (const socket of sockets) socket.destroy();
  });

  test('while clients announce a gigabyte and stop after the first of it', async () => {
    const bytesBefore = residentNow();
    const head = request('POST', '/proxy-test/body/binary/verify', 'Content-Length: 1073741824');
    const sockets = Array.from({ length: 100 }, () => net.connect(port, '127.0.0.1'));
    for (const socket of sockets) {
      socket.write(head);
      socket.write(piece.subarray(0, 256 * 1024));
    }
    await Promise.all(sockets.map((socket) => once(socket, 'drain')));
    await sleep(500);
    assertGrewLess(bytesBefore, 100 * MiB);
    for (const socket of sockets) socket.destroy();
  });

  const residentNow = () => residentBytes(gatehouse.child.pid!);

  function assertGrewLess(beforeBytes: number, limitBytes: number): void {
    const grewBytes = residentNow() - beforeBytes;
    assert.ok(grewBytes < limitBytes, `grew by ${Math.round(grewBytes / MiB)} MiB`);
  }

  function request(method: string, target: string, ...fields: string[]): string {
    return [`${method} ${target} HTTP/1.1`, 'Host: test', 'Connection: close', ...fields, '', ''].join(
      '\r\n',
    );
  }

  async function upload(megabytes: number): Promise<string> {
    const socket = net.connect(port, '127.0.0.1');
    let answer = '';
    socket.setEncoding('latin1').on('data', (text: string) => {
      answer += text;
    });
    const closed = once(socket, 'close');
    const length = `Content-Length: ${megabytes * MiB}`;
    socket.write(request('POST', '/proxy-test/body/binary/verify', length));
    for (let sent = 0; sent < megabytes; sent++) if (!socket.write(piece)) await once(socket, 'drain');
    await closed;
    return answer;
  }
});
