import assert from 'node:assert/strict';
import { once } from 'node:events';
import http2 from 'node:http2';
import net from 'node:net';
import { after, before, test } from 'node:test';
import { rawRequest } from '../../kernel/testing/raw-client.ts';
import { type StartedTestbed, startTestbed } from '../testing/start-testbed.ts';

let testbed: StartedTestbed;
before(async () => {
  testbed = await startTestbed();
});
after(() => testbed.close());

test('a client that waits for its 100 gets it, and the body is read after it', async () => {
  const socket = net.connect(testbed.port, '127.0.0.1');
  socket.setEncoding('latin1');
  const fields = 'Host: a\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Length: 5';
  socket.write(`POST /proxy-test/headers/expect HTTP/1.1\r\n${fields}\r\n\r\n`);
  const [interim] = await once(socket, 'data');
  assert.equal(interim, 'HTTP/1.1 100 Continue\r\n\r\n');
  socket.write('hello');
  let answer = '';
  for await (const chunk of socket) answer += chunk;
  assert.match(answer, /^HTTP\/1\.1 200 OK\r\n/);
  assert.match(answer, /"expect": "100-continue",\s+"mode": "continue",\s+"received": 5/);
});

test('the delayed 100 comes late', async () => {
  const socket = net.connect(testbed.port, '127.0.0.1');
  const fields = 'Host: a\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Length: 1';
  const startedAtMs = performance.now();
  socket.write(`POST /proxy-test/headers/expect?mode=delay&delay=120 HTTP/1.1\r\n${fields}\r\n\r\n`);
  const [interim] = await once(socket, 'data');
  assert.match(String(interim), /^HTTP\/1\.1 100 /);
  assert.ok(performance.now() - startedAtMs >= 115);
  socket.destroy();
});

test('white space around values is no part of them', async () => {
  const request =
    'GET /proxy-test/headers/echo HTTP/1.1\r\nHost:a\r\nConnection:  close\t\r\nX-Inner: a  b \r\n\r\n';
  const answer = await rawRequest(testbed.port, request);
  const { rawHeaders } = JSON.parse(answer.body.toString());
  assert.deepEqual(rawHeaders, [
    ['Host', 'a'],
    ['Connection', 'close'],
    ['X-Inner', 'a  b'],
  ]);
});

test('two thousand fields are sent', async () => {
  const request = 'GET /proxy-test/headers/many?count=2000 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
  const answer = await rawRequest(testbed.port, request);
  assert.equal(answer.headers.filter(([name]) => name.startsWith('X-Many-')).length, 2000);
});

test('HTTP/1.0 gets no interim answers and no trailers', async () => {
  const hints = await rawRequest(testbed.port, 'GET /proxy-test/headers/early-hints HTTP/1.0\r\n\r\n');
  assert.deepEqual([hints.status, hints.interim], [200, []]);
  const trailers = await rawRequest(testbed.port, 'GET /proxy-test/headers/trailers HTTP/1.0\r\n\r\n');
  assert.deepEqual([trailers.status, trailers.header('trailer')], [200, undefined]);
});

test('every endpoint of the group answers HTTP/2 as well', async () => {
  const session = http2.connect(`http://127.0.0.1:${testbed.port}`);
  const ask = async (path: string, headers: http2.OutgoingHttpHeaders = {}) => {
    const stream = session.request({ ':path': `/proxy-test${path}`, ...headers });
    const [fields] = await once(stream, 'response');
    let text = '';
    for await (const chunk of stream) text += chunk;
    assert.equal(fields[':status'], 200, `${path}: ${text}`);
    return JSON.parse(text);
  };
  try {
    const { ok, leaked } = await ask('/headers/hop-by-hop', { te: 'trailers' });
    assert.deepEqual([ok, leaked], [true, []]);
    assert.equal((await ask('/verdict', { 'x-expect-version': '2', 'x-expect-framing': 'none' })).ok, true);
    assert.equal((await ask('/headers/early-hints')).sent, 1);
    for (const path of [
      'special',
      'duplicate',
      'security',
      'trailers',
      'host',
      'forwarded',
      'large',
      'many',
    ]) {
      await ask(`/headers/${path}`);
    }
  } finally {
    session.close();
  }
  assert.deepEqual(testbed.errors, []);
});
