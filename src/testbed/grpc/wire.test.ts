import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';
import { deflateSync, gzipSync } from 'node:zlib';
import { connectHttp2 } from '../../kernel/testing/http2-client.ts';
import { rawRequest } from '../../kernel/testing/raw-client.ts';
import { type StartedTestbed, startTestbed } from '../testing/start-testbed.ts';
import { compressedFrame, framed } from './framing.ts';
import { decoded, encoded, rawCall, requestFrame } from './testing/raw-call.ts';

const UNARY = '/testservice.v1.Echo/Unary';
const ECHO_REQUEST = 'testservice.v1.EchoRequest';
const hello = requestFrame(ECHO_REQUEST, { message: 'hi' });

let testbed: StartedTestbed;
before(async () => {
  testbed = await startTestbed();
});
after(async () => {
  await testbed.close();
  assert.deepEqual(testbed.errors, [], 'nothing unforeseen may be logged');
});

describe('bounds of a call', () => {
  test('its messages together are bounded', async () => {
    await using narrow = await startTestbed({ settings: { limits: { maxMessagesBytes: 100 } } });
    const asked = (count: number) =>
      rawCall(narrow.port, '/testservice.v1.Echo/ClientStream', {
        body: Buffer.concat(Array(count).fill(hello)),
      });
    const { headers, trailers } = await asked(20);
    const { 'grpc-status': status, 'grpc-message': message } = { ...headers, ...trailers };
    assert.deepEqual([status, message], ['8', 'the messages of a call may have 100 bytes in all']);
    assert.equal((await asked(5)).trailers['grpc-status'], '0');
  });

  test('a client that says nothing for the longest delay is let go', async () => {
    await using impatient = await startTestbed({ settings: { limits: { maxDelayMs: 100 } } });
    const session = connectHttp2(impatient.port);
    const head = {
      ':method': 'POST',
      ':path': '/testservice.v1.Echo/Bidi',
      'content-type': 'application/grpc',
    };
    const stream = session.request(head);
    const [answer] = await once(stream, 'response');
    assert.equal(answer['grpc-status'], '4');
    session.destroy();
  });
});

describe('gRPC on the wire', { concurrency: 4 }, () => {
  test('a reply is head, framed messages and a status in the trailers', async () => {
    const reply = await rawCall(testbed.port, UNARY, { body: hello });
    assert.equal(reply.headers[':status'], 200);
    assert.equal(reply.headers['content-type'], 'application/grpc+proto');
    assert.equal(reply.headers['grpc-accept-encoding'], 'identity,deflate,gzip');
    assert.equal(reply.headers['grpc-status'], undefined);
    assert.equal(reply.body.toString('hex'), '00000000060a0268691801');
    assert.equal(reply.trailers['grpc-status'], '0');
  });

  test('a status before any message stands in the head alone', async () => {
    const reply = await rawCall(testbed.port, '/testservice.v1.Echo/None', { body: hello });
    assert.deepEqual(
      [reply.headers[':status'], reply.headers['grpc-status'], reply.headers['grpc-message']],
      [200, '12', 'there is no method /testservice.v1.Echo/None'],
    );
    assert.equal(reply.body.length, 0);
    assert.deepEqual(reply.trailers, {});
  });

  const gzipped = compressedFrame(gzipSync(encoded(ECHO_REQUEST, { message: 'hi' })));
  const bomb = compressedFrame(gzipSync(Buffer.alloc(5 * 1024 * 1024)));
  const refusals: ReadonlyArray<
    [name: string, body: Buffer, headers: object, status: string, message: RegExp]
  > = [
    ['unknown flags', framed(Buffer.alloc(0), 2), {}, '13', /unknown flags 2/],
    ['a message that ends early', Buffer.from('0000000009aa', 'hex'), {}, '13', /ends within a message/],
    ['a prefix that ends early', Buffer.from('0000', 'hex'), {}, '13', /ends within a message/],
    [
      'a message larger than the limit',
      Buffer.from('0000400001', 'hex'),
      {},
      '8',
      /4194305 bytes is larger than 4194304/,
    ],
    ['no message at all', Buffer.alloc(0), {}, '12', /no message came/],
    ['two messages for a unary method', Buffer.concat([hello, hello]), {}, '12', /more than one message/],
    [
      'bytes that are no protocol buffer',
      framed(Buffer.from('0aff', 'hex')),
      {},
      '13',
      /is no testservice.v1.EchoRequest/,
    ],
    ['compression nobody named', gzipped, {}, '13', /names no compression/],
    [
      'a compression that differs from its name',
      gzipped,
      { 'grpc-encoding': 'deflate' },
      '13',
      /not valid deflate/,
    ],
    [
      'an unknown compression',
      gzipped,
      { 'grpc-encoding': 'br' },
      '12',
      /br is not understood; send identity,deflate,gzip/,
    ],
    [
      'a compressed message that grows too large',
      bomb,
      { 'grpc-encoding': 'gzip' },
      '8',
      /larger than 4194304 bytes/,
    ],
    ['a malformed timeout', hello, { 'grpc-timeout': '10' }, '13', /grpc-timeout "10" is malformed/],
    ['metadata that is not base64', hello, { 'x-a-bin': '!!' }, '13', /x-a-bin is not base64/],
    ['an invalid journal id', hello, { 'x-test-journal': 'a b' }, '3', /X-Test-Journal must match/],
  ];
  for (const [name, body, headers, status, message] of refusals) {
    test(`${name} ends the call with the status ${status}`, async () => {
      const reply = await rawCall(testbed.port, UNARY, { body, headers: { ...headers } });
      assert.equal(reply.headers[':status'], 200);
      assert.equal(reply.headers['grpc-status'], status);
      assert.match(decodeURIComponent(String(reply.headers['grpc-message'])), message);
      assert.equal(reply.headers['grpc-accept-encoding'], 'identity,deflate,gzip');
    });
  }

  test('messages may come in frames of any size', async () => {
    const { port } = testbed;
    const body = Buffer.concat([hello, requestFrame(ECHO_REQUEST, { message: 'x'.repeat(100_000) }), hello]);
    const reply = await rawCall(port, '/testservice.v1.Echo/ClientStream', { body });
    const { count, last } = decoded('testservice.v1.ClientStreamReply', reply.body.subarray(5));
    assert.deepEqual([count, last], [3, { message: 'hi' }]);
  });

  for (const [encoding, bytes] of [
    ['gzip', gzipped],
    ['deflate', compressedFrame(deflateSync(encoded(ECHO_REQUEST, { message: 'hi' })))],
  ] as const) {
    test(`every method takes messages in ${encoding}`, async () => {
      const reply = await rawCall(testbed.port, UNARY, {
        body: bytes,
        headers: { 'grpc-encoding': encoding },
      });
      assert.equal(reply.body.toString('hex'), '00000000060a0268691801');
    });
  }

  test('a reply in gzip names its encoding and marks its message', async () => {
    const body = requestFrame('testservice.v1.CompressedRequest', { replyEncoding: 'gzip' });
    const reply = await rawCall(testbed.port, '/testservice.v1.Echo/Compressed', { body });
    assert.equal(reply.headers['grpc-encoding'], 'gzip');
    assert.equal(reply.body.toString('hex', 0, 1), '01');
    assert.equal(reply.body.toString('hex', 5, 7), '1f8b');
  });

  test('a deadline that passes ends the call with DEADLINE_EXCEEDED', async () => {
    const body = requestFrame('testservice.v1.DeadlineRequest', { waitMs: 5000 });
    const startedAt = performance.now();
    const reply = await rawCall(testbed.port, '/testservice.v1.Echo/Deadline', {
      body,
      headers: { 'grpc-timeout': '80m' },
    });
    assert.equal(reply.headers['grpc-status'], '4');
    assert.match(String(reply.headers['grpc-message']), /deadline of 80m has passed/);
    const tookMs = performance.now() - startedAt;
    assert.ok(tookMs >= 75 && tookMs < 3000, `took ${tookMs} ms`);
  });

  test('a deadline passes within a stream, and while the client still has to send', async () => {
    const { port } = testbed;
    const headers = { 'grpc-timeout': '80m' };
    const slow = requestFrame('testservice.v1.SlowRequest', { count: 5, intervalMs: 5000 });
    const stream = await rawCall(port, '/testservice.v1.Echo/Slow', { body: slow, headers });
    assert.equal(stream.trailers['grpc-status'], '4');
    const open = await rawCall(port, '/testservice.v1.Echo/ClientStream', {
      body: hello,
      headers,
      isOpen: true,
    });
    assert.equal(open.headers['grpc-status'], '4');
  });

  test('a deadline is not kept when the client asks for that', async () => {
    const body = requestFrame('testservice.v1.DeadlineRequest', { waitMs: 60 });
    const headers = { 'grpc-timeout': '10m', 'x-test-ignore-deadline': '1' };
    const reply = await rawCall(testbed.port, '/testservice.v1.Echo/Deadline', { body, headers });
    assert.equal(reply.trailers['grpc-status'], '0');
    const { timeout, remainingMs } = decoded('testservice.v1.DeadlineReply', reply.body.subarray(5));
    assert.deepEqual([timeout, remainingMs ?? 0], ['10m', 0]);
  });

  const aborts: ReadonlyArray<[kind: number, hex: string, status: string | undefined]> = [
    [2, '', undefined],
    [3, `0000000064${'00'.repeat(10)}`, '0'],
    [4, '7f00000000', '0'],
    [5, '00000000030aff01', '0'],
  ];
  for (const [kind, hex, status] of aborts) {
    test(`Abort of the kind ${kind} sends what it says`, async () => {
      const body = requestFrame('testservice.v1.AbortRequest', { kind });
      const reply = await rawCall(testbed.port, '/testservice.v1.Echo/Abort', { body });
      assert.equal(reply.body.toString('hex'), hex);
      assert.equal(reply.trailers['grpc-status'], status);
    });
  }

  for (const http2Error of [1, 2, 7, 8, 11]) {
    test(`Abort resets with the code ${http2Error} after all its messages`, async () => {
      const body = requestFrame('testservice.v1.AbortRequest', { messages: 3, http2Error });
      const reply = await rawCall(testbed.port, '/testservice.v1.Echo/Abort', { body });
      assert.equal(reply.rstCode, http2Error);
      assert.equal(reply.body.length, 3 * 14);
    });
  }

  test('a client that keeps sending after the status is asked to stop', async () => {
    const body = Buffer.concat([framed(Buffer.alloc(0), 9), Buffer.alloc(3 * 1024 * 1024)]);
    const reply = await rawCall(testbed.port, UNARY, { body });
    assert.equal(reply.headers['grpc-status'], '13');
    assert.equal(reply.rstCode, 0);
  });

  test('a call is recorded in the journal it names', async () => {
    await rawCall(testbed.port, UNARY, { body: hello, headers: { 'x-test-journal': 'grpc-1' } });
    const journal = await rawRequest(
      testbed.port,
      'GET /journal/grpc-1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
    );
    assert.match(journal.body.toString(), /\/testservice\.v1\.Echo\/Unary/);
  });

  const http1 = (contentType: string, body = '', method = 'POST') =>
    rawRequest(
      testbed.port,
      `${method} ${UNARY} HTTP/1.1\r\nHost: a\r\nContent-Type: ${contentType}\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
    );

  test('gRPC over HTTP/1.1 is told that it needs HTTP/2', async () => {
    const answer = await http1('application/grpc');
    assert.equal(answer.status, 505);
    assert.match(answer.body.toString(), /needs an HTTP\/2 stream/);
  });

  test('a message format other than protocol buffers is answered by 415', async () => {
    for (const type of ['application/grpc+json', 'application/grpcx', 'application/grpc-web+thrift']) {
      assert.equal((await http1(type)).status, 415, type);
    }
  });

  test('a method other than POST is answered by 405', async () => {
    const answer = await http1('application/grpc-web', '', 'PUT');
    assert.deepEqual([answer.status, answer.header('allow')], [405, 'POST']);
  });
});
