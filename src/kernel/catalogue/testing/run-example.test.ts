import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import zlib from 'node:zlib';
import { startScriptedServer } from '../../testing/scripted-server.ts';
import type { Expectation } from '../endpoint.ts';
import { exampleBytes } from './example-bytes.ts';
import { runExample } from './run-example.ts';

const entry = { id: 'x', methods: ['POST', 'GET'], path: '/x' };
const JSON_TEXT = '{"a":1,"list":[{"b":"x","c":2}],"s":"hello","n":null}';
const WIRE = `HTTP/1.1 200 OK\r\nX-A: 1\r\nX-A: 2\r\nContent-Length: ${JSON_TEXT.length}\r\n\r\n${JSON_TEXT}`;
const SHA256 = createHash('sha256').update(JSON_TEXT).digest('hex');

/** Runs an example against a server that answers with these bytes and closes. */
async function run(expect: Expectation, wire: string | Buffer = WIRE): Promise<void> {
  await using server = await startScriptedServer((socket) => socket.end(wire));
  await runExample(server.port, entry, { name: 'e', expect });
}

describe('expectations that hold', () => {
  const cases: Expectation[] = [
    { status: 200 },
    { headers: { 'x-a': '1, 2', 'content-length': /^\d+$/, 'x-b': null } },
    { json: { a: 1, n: null, missing: undefined } },
    { json: { list: [{ b: /^x$/ }], s: /ell/ } },
    { text: JSON_TEXT },
    { text: /"hello"/g },
    { hex: Buffer.from(JSON_TEXT).toString('hex').toUpperCase() },
    { sha256: SHA256 },
    { length: JSON_TEXT.length },
    { decodedText: JSON_TEXT },
    { wire: /^HTTP\/1\.1 200 OK\r\nX-A: 1\r\nX-A: 2\r\n/ },
    { ends: 'close', notBeforeMs: 0 },
  ];
  for (const expect of cases) test(Object.keys(expect).join(', '), () => run(expect));
});

describe('expectations that do not hold fail and say why', () => {
  const cases: Array<[expect: Expectation, message: RegExp]> = [
    [{ status: 201 }, /x, example "e":\n {2}status: expected 201, got 200/],
    [{ headers: { 'x-a': '1' } }, /header x-a: expected "1", got "1, 2"/],
    [{ headers: { 'x-a': /^2/ } }, /header x-a: expected to match \/\^2\/, got "1, 2"/],
    [{ headers: { 'x-a': null } }, /header x-a: expected to be absent, got "1, 2"/],
    [{ headers: { 'x-b': '1' } }, /header x-b: expected "1", but it is absent/],
    [{ json: { a: 2 } }, /json: \/a expected 2, got 1/],
    [{ json: { a: '1' } }, /json: \/a expected "1", got 1/],
    [{ json: { a: undefined } }, /json: \/a expected undefined, got 1/],
    [{ json: { missing: null } }, /json: \/missing expected null, got undefined/],
    [{ json: { list: [] } }, /json: \/list expected an array of 0/],
    [{ json: { list: [{ b: 'y' }] } }, /json: \/list\/0\/b expected "y", got "x"/],
    [{ json: { a: {} } }, /json: \/a expected an object, got 1/],
    [{ json: { a: /1/ } }, /json: \/a expected to match \/1\/, got 1/],
    [{ json: [] }, /json: the value expected an array of 0/],
    [
      { json: { toString: undefined, constructor: {} } },
      /json: \/constructor expected an object, got undefined/,
    ],
    [{ text: 'other' }, /text: expected "other"/],
    [{ text: /other/ }, /text: expected to match \/other\//],
    [{ hex: '00' }, /hex: expected "00"/],
    [{ sha256: SHA256.replace(/./, 'g') }, /sha256: expected/],
    [{ length: 3 }, /length: expected 3, got \d+/],
    [{ decodedText: 'other' }, /decodedText: expected "other"/],
    [{ wire: /^HTTP\/1\.0/ }, /wire: expected to match/],
    [{ ends: 'reset' }, /ends: expected "reset", got "close"/],
    [{ notBeforeMs: 2000 }, /notBeforeMs: expected nothing for 2000 ms, but the first byte came after/],
  ];
  for (const [expect, message] of cases) {
    test(String(message), () => assert.rejects(run(expect), { name: 'AssertionError', message }));
  }

  test('everything that is broken is told at once, with the answer', async () => {
    await assert.rejects(run({ status: 201, length: 1 }), (error: Error) => {
      assert.match(error.message, /status: expected 201.*\n.*length: expected 1/);
      assert.ok(error.message.includes('X-A: 2'));
      return true;
    });
  });

  test('a body that is not JSON', () =>
    assert.rejects(run({ json: {} }, 'HTTP/1.1 200 OK\r\n\r\nnope'), /json: the body is not JSON .*"nope"/));

  test('an answer that never comes', () =>
    assert.rejects(run({ status: 200 }, ''), /status: expected 200, got 0/));

  test('a coding that cannot be undone', () =>
    assert.rejects(
      run({ decodedText: /./ }, 'HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\nnope'),
      /decodedText: Content-Encoding gzip could not be undone/,
    ));
});

describe('content codings are undone', () => {
  const codings: Array<[name: string, label: string, encoded: Buffer]> = [
    ['gzip', 'gzip', zlib.gzipSync('text')],
    ['deflate with its zlib wrapper', 'deflate', zlib.deflateSync('text')],
    ['raw deflate', 'deflate', zlib.deflateRawSync('text')],
    ['br', 'br', zlib.brotliCompressSync('text')],
    ['zstd', 'zstd', zlib.zstdCompressSync('text')],
    ['a chain', 'gzip, br', zlib.brotliCompressSync(zlib.gzipSync('text'))],
  ];
  for (const [name, label, encoded] of codings) {
    test(name, () =>
      run(
        { decodedText: 'text' },
        Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\nContent-Encoding: ${label}\r\n\r\n`), encoded]),
      ),
    );
  }
});

describe('the request of an example', () => {
  const sent = (example: Parameters<typeof exampleBytes>[1], one = entry) =>
    exampleBytes(one, example, 'h:1').toString('latin1');

  test('what is not given is added', () => {
    assert.equal(sent({}), 'POST /x HTTP/1.1\r\nHost: h:1\r\nConnection: close\r\n\r\n');
    assert.equal(
      sent({ body: 'ş' }),
      'POST /x HTTP/1.1\r\nHost: h:1\r\nContent-Length: 2\r\nConnection: close\r\n\r\n\xc5\x9f',
    );
  });

  test('what is given stays as it is', () => {
    const headers = ['hOst', 'a', 'Connection', 'keep-alive', 'Transfer-Encoding', 'chunked', 'X', '\xfe'];
    assert.equal(
      sent({ method: 'get', path: '/\xfe//../%2f', headers, body: '0\r\n\r\n' }),
      'get /\xfe//../%2f HTTP/1.1\r\nhOst: a\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\nX: \xfe\r\n\r\n0\r\n\r\n',
    );
  });

  test('a path of the catalogue beyond ASCII is sent percent-encoded', () => {
    assert.match(sent({}, { ...entry, path: '/ş' }), /^POST \/%C5%9F HTTP/);
  });

  test('a path with placeholders must be given, and heads hold one byte per character', () => {
    assert.throws(() => sent({}, { ...entry, path: '/{n}' }), /must say which path/);
    assert.throws(() => sent({ path: '/ş' }), /one character is one byte/);
  });

  test('requests that set up are sent first, each on a connection of its own', async () => {
    await using server = await startScriptedServer((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'));
    await runExample(server.port, entry, {
      name: 'e',
      setUp: [{ path: '/1' }, { path: '/2' }],
      expect: { status: 200 },
    });
    assert.deepEqual(
      server.received.map((request) => request.split(' ')[1]),
      ['/1', '/2', '/x'],
    );
  });

  test('an expectation that the connection stays open waits for it', async () => {
    await using server = await startScriptedServer((socket) => socket.write('HTTP/1.1 200 OK\r\n\r\n'));
    await runExample(server.port, entry, { name: 'e', expect: { ends: 'open' } });
  });
});
