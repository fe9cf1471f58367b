import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ClientPool } from './client-pool.ts';
import { type ClientRequest, placeOf } from './client-request.ts';
import { composeRequest } from './request-head.ts';
import { failureOf } from './testing/failing.ts';
import { ok, RawTarget } from './testing/raw-target.ts';

const usual: ClientRequest = {
  origin: { protocol: 'http:', host: 'target.test', port: 80 },
  method: 'GET',
  target: '/',
  headers: [],
};

async function* parts(...texts: string[]) {
  for (const text of texts) yield Buffer.from(text);
}

describe('the head of a request', () => {
  const cases: readonly [name: string, request: Partial<ClientRequest>, head: string][] = [
    ['names the host', {}, 'GET / HTTP/1.1\r\nHost: target.test\r\n\r\n'],
    [
      'names a port that is not the usual one',
      { origin: { ...usual.origin, port: 8080 } },
      'GET / HTTP/1.1\r\nHost: target.test:8080\r\n\r\n',
    ],
    [
      'knows the usual port of https',
      { origin: { protocol: 'https:', host: 'a', port: 443 } },
      'GET / HTTP/1.1\r\nHost: a\r\n\r\n',
    ],
    [
      'puts an IPv6 address in brackets, without its zone',
      { origin: { protocol: 'http:', host: 'fe80::1%eth0', port: 81 } },
      'GET / HTTP/1.1\r\nHost: [fe80::1]:81\r\n\r\n',
    ],
    [
      'keeps order, case and repetition of the fields',
      { headers: ['x-B', '1', 'X-a', '2', 'x-b', '3'] },
      'GET / HTTP/1.1\r\nHost: target.test\r\nx-B: 1\r\nX-a: 2\r\nx-b: 3\r\n\r\n',
    ],
    [
      'leaves a given Host where it stands',
      { headers: ['A', 'b', 'host', 'other'] },
      'GET / HTTP/1.1\r\nA: b\r\nhost: other\r\n\r\n',
    ],
    [
      'says the length of a body',
      { method: 'POST', body: Buffer.from('hello') },
      'POST / HTTP/1.1\r\nHost: target.test\r\nContent-Length: 5\r\n\r\n',
    ],
    [
      'says the length of a body of several parts',
      { method: 'PUT', body: [Buffer.from('he'), Buffer.from('llo!')] },
      'PUT / HTTP/1.1\r\nHost: target.test\r\nContent-Length: 6\r\n\r\n',
    ],
    [
      'says that a POST has no body',
      { method: 'POST' },
      'POST / HTTP/1.1\r\nHost: target.test\r\nContent-Length: 0\r\n\r\n',
    ],
    [
      'says the length of an empty body',
      { method: 'DELETE', body: Buffer.alloc(0) },
      'DELETE / HTTP/1.1\r\nHost: target.test\r\nContent-Length: 0\r\n\r\n',
    ],
    [
      'leaves a given length that is right',
      { method: 'POST', headers: ['content-length', '5'], body: Buffer.from('hello') },
      'POST / HTTP/1.1\r\nHost: target.test\r\ncontent-length: 5\r\n\r\n',
    ],
    [
      'announces chunks for a stream',
      { method: 'POST', body: parts('a') },
      'POST / HTTP/1.1\r\nHost: target.test\r\nTransfer-Encoding: chunked\r\n\r\n',
    ],
    [
      'announces no chunks for a stream of known length',
      { method: 'POST', headers: ['Content-Length', '1'], body: parts('a') },
      'POST / HTTP/1.1\r\nHost: target.test\r\nContent-Length: 1\r\n\r\n',
    ],
    [
      'asks about the server as a whole',
      { method: 'OPTIONS', target: '*' },
      'OPTIONS * HTTP/1.1\r\nHost: target.test\r\n\r\n',
    ],
    [
      'sends bytes above 0x80 as they are',
      { target: '/\xe9', headers: ['A', '\xff\t'] },
      'GET /\xe9 HTTP/1.1\r\nHost: target.test\r\nA: \xff\t\r\n\r\n',
    ],
  ];
  for (const [name, request, head] of cases) {
    it(name, () => assert.equal(composeRequest({ ...usual, ...request }).head, head));
  }
});

describe('a request that cannot be sent', () => {
  const origin = usual.origin;
  const cases: readonly [name: string, request: Partial<ClientRequest>][] = [
    ['a method with a space', { method: 'GET /x' }],
    ['a method with a line break', { method: 'GET\r\n' }],
    ['an empty method', { method: '' }],
    ['CONNECT', { method: 'CONNECT' }],
    ['a target without a slash', { target: 'x' }],
    ['an absolute target', { target: 'http://other/' }],
    ['a target for the server as a whole with GET', { target: '*' }],
    ['a target with a space', { target: '/a b' }],
    ['a target with a line break', { target: '/a\r\nX: y' }],
    ['a target with a NUL', { target: '/\0' }],
    ['a target beyond Latin-1', { target: '/\u010d' }],
    ['a name with a space', { headers: ['A b', 'c'] }],
    ['a name with a colon', { headers: ['A:', 'c'] }],
    ['a name with a line break', { headers: ['A\r\nB', 'c'] }],
    ['an empty name', { headers: ['', 'c'] }],
    ['a value with CR LF', { headers: ['A', 'b\r\nX: y'] }],
    ['a value with a CR', { headers: ['A', 'b\rc'] }],
    ['a value with an LF', { headers: ['A', 'b\nc'] }],
    ['a value with a NUL', { headers: ['A', '\0'] }],
    // 0x10a would become an LF if its upper byte were cut off.
    ['a value that Latin-1 would cut to a line break', { headers: ['A', 'b\u010dX\u010a'] }],
    ['a name without a value', { headers: ['A'] }],
    ['two Hosts', { headers: ['Host', 'a', 'host', 'b'] }],
    ['a Transfer-Encoding', { headers: ['Transfer-Encoding', 'chunked'] }],
    ['an expectation', { headers: ['Expect', '100-continue'] }],
    ['a wrong length', { method: 'POST', headers: ['Content-Length', '4'], body: Buffer.from('hello') }],
    ['a length without a body', { headers: ['Content-Length', '4'] }],
    ['two lengths', { headers: ['Content-Length', '0', 'Content-Length', '0'] }],
    ['a length that is no number', { headers: ['Content-Length', '0x0'] }],
    ['an empty host', { origin: { ...origin, host: '' } }],
    ['a host with a line break', { origin: { ...origin, host: 'a\r\nb' } }],
    ['a host with a path', { origin: { ...origin, host: 'a/b' } }],
    ['a host with a user', { origin: { ...origin, host: 'u@b' } }],
    ['port 0', { origin: { ...origin, port: 0 } }],
    ['port 65536', { origin: { ...origin, port: 65_536 } }],
    ['another protocol', { origin: { ...origin, protocol: 'ftp:' as 'http:' } }],
  ];
  for (const [name, request] of cases) {
    it(`is refused before any contact: ${name}`, async () => {
      await using target = await RawTarget.start({ onRequest: ({ socket }) => socket.write(ok()) });
      const pool = new ClientPool({ maxPerHost: 1, maxTotal: 1 });
      const failure = await failureOf(pool.send(target.request(request)));
      assert.equal(failure.reason, 'request-invalid');
      assert.equal(failure.phase, 'acquire');
      assert.equal(failure.isRequestSent, false);
      assert.equal(target.connections.length, 0);
      assert.equal(pool.usage().total, 0);
    });
  }

  it('is described without its values', async () => {
    const pool = new ClientPool({ maxPerHost: 1, maxTotal: 1 });
    const failure = await failureOf(pool.send({ ...usual, headers: ['Authorization', 'secret\n'] }));
    assert.match(failure.message, /Authorization/);
    assert.doesNotMatch(failure.message, /secret/);
  });
});

describe('the place that a URL points to', () => {
  const cases: readonly [url: string, origin: ClientRequest['origin'], target: string][] = [
    ['http://a.test', { protocol: 'http:', host: 'a.test', port: 80 }, '/'],
    ['https://a.test/b?c=d#e', { protocol: 'https:', host: 'a.test', port: 443 }, '/b?c=d'],
    ['https://u:p@a.test:8443/x%20y', { protocol: 'https:', host: 'a.test', port: 8443 }, '/x%20y'],
    ['http://[::1]:81/', { protocol: 'http:', host: '::1', port: 81 }, '/'],
  ];
  for (const [url, origin, target] of cases) {
    it(url, () => assert.deepEqual(placeOf(new URL(url)), { origin, target }));
  }
});
