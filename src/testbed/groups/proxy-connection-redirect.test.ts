import assert from 'node:assert/strict';
import { once } from 'node:events';
import net from 'node:net';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { rawRequest } from '../../kernel/testing/raw-client.ts';
import { startTestbed } from '../testing/start-testbed.ts';

const BASE = '/proxy-test/connection';
const get = (path: string, ...fields: string[]) =>
  `GET ${path} HTTP/1.1\r\nHost: test\r\n${fields.map((field) => `${field}\r\n`).join('')}\r\n`;
const last = 'Connection: close';

describe('one connection for several requests', () => {
  test('info counts them and says that it was used before', async () => {
    await using testbed = await startTestbed();
    const { wire } = await rawRequest(testbed.port, get(`${BASE}/info`) + get(`${BASE}/keep-alive`, last));
    const answers = wire
      .toString('latin1')
      .match(/\{[^}]*\}/g)
      ?.map((text) => JSON.parse(text));
    assert.deepEqual(
      answers?.map(({ requestNo, reused }) => [requestNo, reused]),
      [
        [1, false],
        [2, true],
      ],
    );
    assert.equal(answers?.[0].connectionId, answers?.[1].connectionId);
  });

  test('close-after closes with the n-th answer', async () => {
    await using testbed = await startTestbed();
    const { wire, ended } = await rawRequest(testbed.port, get(`${BASE}/close-after?n=3`).repeat(5));
    const text = wire.toString('latin1');
    assert.equal(text.match(/HTTP\/1\.1 200 OK/g)?.length, 3);
    assert.equal(text.match(/"closesNow": true/g)?.length, 1);
    assert.equal(ended, 'close');
  });

  test('a request that crosses the FIN of idle-close gets no answer', async () => {
    await using testbed = await startTestbed();
    const socket = net.connect({ port: testbed.port, host: '127.0.0.1' });
    let received = '';
    socket.on('data', (bytes) => {
      received += bytes.toString('latin1');
    });
    socket.write(get(`${BASE}/idle-close?ms=100`));
    await once(socket, 'data');
    socket.write(get(`${BASE}/info`));
    await once(socket, 'end');
    socket.destroy();
    assert.equal(received.match(/HTTP\/1\.1 200 OK/g)?.length, 1);
  });
});

test('an HTTP/1.0 client gets no interim answers', async () => {
  await using testbed = await startTestbed();
  const { interim, status } = await rawRequest(testbed.port, `GET ${BASE}/1xx/103 HTTP/1.0\r\n\r\n`);
  assert.equal(interim.length, 0);
  assert.equal(status, 200);
});

test('after the upgrade every byte comes back, until the client ends', async () => {
  await using testbed = await startTestbed();
  const socket = net.connect({ port: testbed.port, host: '127.0.0.1' });
  let received = '';
  socket.on('data', (bytes) => {
    received += bytes.toString('latin1');
  });
  socket.write(`${get(`${BASE}/upgrade`, 'Connection: keep-alive, Upgrade', 'Upgrade: raw-echo')}early`);
  await once(socket, 'data');
  socket.end('\x00late\xff', 'latin1');
  await once(socket, 'end');
  assert.match(received, /^HTTP\/1\.1 101 /);
  assert.equal(received.slice(received.indexOf('\r\n\r\n') + 4), 'early\x00late\xff');
});

describe('max-conn', () => {
  test('serves as many at a time as allowed, and others again afterwards', async () => {
    await using testbed = await startTestbed();
    const ask = () => rawRequest(testbed.port, get(`${BASE}/max-conn?id=a&limit=2&ms=150`, last));
    const answers = await Promise.all([ask(), ask(), ask(), ask()]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 200, 503, 503]);
    assert.equal((await ask()).status, 200);
  });

  test('a client that leaves gives its place back', async () => {
    await using testbed = await startTestbed();
    const path = `${BASE}/max-conn?id=a&limit=1&ms=60000`;
    const socket = net.connect({ port: testbed.port, host: '127.0.0.1' });
    await once(socket, 'connect');
    socket.write(get(path));
    await delay(50);
    assert.equal((await rawRequest(testbed.port, get(path, last))).status, 503);
    socket.resetAndDestroy();
    await delay(50);
    const { status } = await rawRequest(testbed.port, get(`${BASE}/max-conn?id=a&limit=1&ms=0`, last));
    assert.equal(status, 200);
  });
});

test('a seed of flaky gives the same sequence in every service, near the rate asked for', async () => {
  const outcomes = async () => {
    await using testbed = await startTestbed();
    const statuses: Array<number | undefined> = [];
    for (let draw = 0; draw < 60; draw++) {
      const { status } = await rawRequest(testbed.port, get(`${BASE}/flaky?seed=x&rate=0.3`, last));
      statuses.push(status);
    }
    return statuses;
  };
  const first = await outcomes();
  assert.deepEqual(await outcomes(), first);
  const failures = first.filter((status) => status === 503).length;
  assert.ok(failures > 8 && failures < 28, `${failures} of 60 failed`);
});
