import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseRawAnswer } from './raw-answer.ts';
import { rawRequest } from './raw-client.ts';
import { startScriptedServer } from './scripted-server.ts';

const parse = (wire: string, method = 'GET') => parseRawAnswer(Buffer.from(wire, 'latin1'), method);

describe('taking an answer apart', () => {
  test('interim answers, status, reason and headers in wire order', () => {
    const answer = parse(
      'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 Fine\r\nB: 1\r\na: 2\r\nb:3\r\nContent-Length: 2\r\n\r\nhi',
    );
    assert.deepEqual(answer.interim, [{ status: 103, headers: [['Link', '</a>']] }]);
    assert.deepEqual([answer.status, answer.reason], [200, 'Fine']);
    assert.deepEqual(answer.headers, [
      ['B', '1'],
      ['a', '2'],
      ['b', '3'],
      ['Content-Length', '2'],
    ]);
    assert.equal(answer.header('B'), '1, 3');
    assert.equal(answer.header('missing'), undefined);
    assert.deepEqual([answer.body.toString(), answer.isComplete], ['hi', true]);
  });

  test('a field that is there but empty', () => {
    assert.equal(parse('HTTP/1.1 200 OK\r\nX:\r\n\r\n').header('x'), '');
  });

  test('chunks with extensions and trailers', () => {
    const answer = parse(
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n2;x=y\r\nab\r\nA\r\n0123456789\r\n0\r\nT: 1\r\n\r\nmore',
    );
    assert.equal(answer.body.toString(), 'ab0123456789');
    assert.deepEqual(
      [answer.trailers, answer.isComplete, answer.rest.toString()],
      [[['T', '1']], true, 'more'],
    );
  });

  test('chunks without trailers', () => {
    const answer = parse('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n');
    assert.deepEqual([answer.body.toString(), answer.trailers, answer.isComplete], ['a', [], true]);
  });

  for (const [name, wire] of [
    ['a missing last chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n'],
    ['a chunk size that is none', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\nzz\r\n'],
    ['a chunk without its end', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\naXX'],
    ['a body shorter than its length', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\na'],
  ] as const) {
    test(`${name} is incomplete, and what came is kept`, () => {
      const answer = parse(wire);
      assert.deepEqual([answer.isComplete, answer.body.toString()], [false, 'a']);
    });
  }

  test('more than the length is kept apart', () => {
    const answer = parse('HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nabc');
    assert.deepEqual([answer.body.toString(), answer.rest.toString()], ['a', 'bc']);
  });

  test('what wrongly follows a 304 or the head of a HEAD answer can be seen', () => {
    assert.equal(parse('HTTP/1.1 304 Not Modified\r\nContent-Length: 3\r\n\r\nabc').body.toString(), 'abc');
    assert.equal(parse('HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n', 'HEAD').body.length, 0);
  });

  test('a length that is none is no length', () => {
    const answer = parse('HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nhello');
    assert.deepEqual([answer.body.toString(), answer.rest.length], ['hello', 0]);
  });

  test('what is no answer at all has the status 0', () => {
    for (const wire of ['', 'garbage\r\n\r\n', 'HTTP/1.1 200 OK\r\nno end'])
      assert.equal(parse(wire).status, 0);
  });
});

describe('sending raw bytes', () => {
  test('exactly the given bytes are sent, and the answer is read until FIN', async () => {
    await using server = await startScriptedServer((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\nrest'));
    const answer = await rawRequest(server.port, 'GET /\xfe HTTP/1.1\r\n\r\n');
    assert.deepEqual(server.received, ['GET /\xfe HTTP/1.1\r\n\r\n']);
    assert.deepEqual([answer.ended, answer.body.toString()], ['close', 'rest']);
    assert.equal(answer.wire.toString('latin1'), 'HTTP/1.1 200 OK\r\n\r\nrest');
  });

  test('bytes for later follow after their pause', async () => {
    let first = '';
    await using server = await startScriptedServer((socket) => {
      first = server.received[0]!;
      setTimeout(() => socket.end(), 120);
    });
    await rawRequest(server.port, 'head', { later: { afterMs: 40, bytes: 'body' } });
    assert.deepEqual([first, server.received], ['head', ['headbody']]);
  });

  test('RST is told from FIN', async () => {
    await using server = await startScriptedServer((socket) => socket.resetAndDestroy());
    const answer = await rawRequest(server.port, 'x');
    assert.deepEqual([answer.ended, answer.status, answer.firstByteMs], ['reset', 0, undefined]);
  });

  test('a connection that stays open is left after the time waited', async () => {
    await using server = await startScriptedServer((socket) => socket.write('HTTP/1.1 200 OK\r\n\r\n'));
    const answer = await rawRequest(server.port, 'x', { waitMs: 50 });
    assert.deepEqual([answer.ended, answer.status], ['open', 200]);
  });

  test('the time to the first byte is measured from the request', async () => {
    await using server = await startScriptedServer((socket) => setTimeout(() => socket.end('late'), 60));
    const answer = await rawRequest(server.port, 'x');
    assert.ok(answer.firstByteMs! >= 55, `${answer.firstByteMs} ms`);
  });

  test('a port nobody listens on rejects', async () => {
    const server = await startScriptedServer(() => {});
    await server[Symbol.asyncDispose]();
    await assert.rejects(rawRequest(server.port, 'x'), { code: 'ECONNREFUSED' });
  });
});
