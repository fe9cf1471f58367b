import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { rawRequest } from '../../kernel/testing/raw-client.ts';
import { type StartedTestbed, startTestbed } from '../testing/start-testbed.ts';
import type { ProxyEcho } from './proxy-echo.ts';

let testbed: StartedTestbed;
before(async () => {
  testbed = await startTestbed();
});
after(() => testbed.close());

async function echoOf(request: string): Promise<ProxyEcho> {
  const answer = await rawRequest(testbed.port, request, { waitMs: 300 });
  assert.equal(answer.status, 200, answer.wire.toString());
  return JSON.parse(answer.body.toString());
}

const post = (fields: string, body: string) =>
  `POST /proxy-test/methods/echo HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: ${body.length}\r\n${fields}\r\n${body}`;

test('a request with trailers is echoed whole', async () => {
  const echo = await echoOf(
    'POST /proxy-test/methods/echo?b=2&a=%C5%9F HTTP/1.1\r\nhost: shop.test\r\nX-A: 1\r\nx-a: 2\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\nX-Sum: 7\r\n\r\n',
  );
  assert.partialDeepStrictEqual(echo, {
    method: 'POST',
    path: '/proxy-test/methods/echo',
    rawQuery: 'b=2&a=%C5%9F',
    query: [
      ['b', '2'],
      ['a', 'ş'],
    ],
    scheme: 'http',
    host: 'shop.test',
    headers: { 'x-a': ['1', '2'] },
    trailers: [['X-Sum', '7']],
    body: { length: 1, transferEncoding: 'chunked', contentEncoding: null, text: 'x' },
    client: { ip: '127.0.0.1' },
    connection: { requestNo: 1, keepAlive: false },
    tls: null,
  });
  assert.deepEqual(echo.rawHeaders.slice(0, 3), [
    ['host', 'shop.test'],
    ['X-A', '1'],
    ['x-a', '2'],
  ]);
  assert.ok(!Number.isNaN(Date.parse(echo.receivedAt)));
});

const bodies: ReadonlyArray<[name: string, fields: string, body: string, shown: object]> = [
  [
    'text of a declared charset',
    'Content-Type: text/plain; charset=windows-1254\r\n',
    '\xfe\x80',
    { text: 'ş€' },
  ],
  ['UTF-8 unless told', '', '\xc5\x9f', { text: 'ş' }],
  ['bytes that are no UTF-8', '', '\xfe', { base64: '/g==' }],
  ['NUL means binary', '', 'a\0', { base64: 'YQA=' }],
  ['an unknown charset', 'Content-Type: text/plain; charset=x-none\r\n', 'a', { base64: 'YQ==' }],
];

for (const [name, fields, body, shown] of bodies) {
  test(`the body is shown as what it is: ${name}`, async () => {
    const echo = await echoOf(post(fields, body));
    assert.partialDeepStrictEqual(echo.body, { length: body.length, ...shown });
  });
}

test('a body of more than 1 MiB is described and not repeated', async () => {
  const { body } = await echoOf(post('', 'x'.repeat(1024 * 1024 + 1)));
  assert.equal(body.length, 1024 * 1024 + 1);
  assert.ok('omitted' in body && !('text' in body) && !('base64' in body));
});

test('a header named __proto__ is a header like any other', async () => {
  const echo = await echoOf(post('__proto__: evil\r\nconstructor: x\r\n', ''));
  assert.deepEqual(
    Object.entries(echo.headers).filter(([name]) => name === '__proto__'),
    [['__proto__', ['evil']]],
  );
  assert.deepEqual(echo.headers.constructor, ['x']);
});

test('whether the connection lives on depends on version and Connection', async () => {
  const target = 'GET /proxy-test/methods/echo';
  assert.equal((await echoOf(`${target} HTTP/1.1\r\nHost: a\r\n\r\n`)).connection.keepAlive, true);
  assert.equal((await echoOf(`${target} HTTP/1.0\r\n\r\n`)).connection.keepAlive, false);
  assert.equal(
    (await echoOf(`${target} HTTP/1.0\r\nConnection: keep-alive\r\n\r\n`)).connection.keepAlive,
    true,
  );
});

test('credentials are left out of a TRACE in public mode', async () => {
  await using open = await startTestbed({ settings: { isPublic: true } });
  const request =
    'TRACE /proxy-test/methods/echo HTTP/1.1\r\nHost: a\r\nCookie: s=1\r\nX-A: 1\r\nConnection: close\r\n\r\n';
  const answer = await rawRequest(open.port, request);
  assert.equal(answer.body.toString(), request.replace('Cookie: s=1\r\n', ''));
});
