import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { type CheckGroup, changed, unchanged } from '../proxy-check.ts';
import { chunked, get, post, request } from '../request-bytes.ts';
import {
  all,
  framingOf,
  judged,
  sameAnswer,
  sameBody,
  sameFields,
  sameMember,
  sameStatus,
} from '../verdicts.ts';

const MiB = 1024 * 1024;
const HELLO = 'hello, proxy';
const EVERY_BYTE = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)).toString('latin1');
const BINARY = EVERY_BYTE.repeat(MiB / 256);
const JSON_TEXT = JSON.stringify(Array.from({ length: 150_000 }, (_, n) => ({ n, half: n / 2 })));
const ZIPPED = gzipSync(HELLO).toString('latin1');

const sha256 = (text: string) => createHash('sha256').update(text, 'latin1').digest('hex');
const framing = judged(['body.framing'], ({ seen }) =>
  seen === 'length' ? 'given a length' : `sent as ${seen}`,
);
const content = judged(['body.sha-256', 'body.length'], () => 'other bytes');

export const bodyIntegrity: CheckGroup = {
  name: 'Proxy Body Integrity',
  checks: [
    {
      id: 'body.binary',
      asks: 'a request body of 1 MiB, every byte value',
      request: post('/proxy-test/body/binary/verify', BINARY, `X-Expected-Sha256: ${sha256(BINARY)}`),
      direct: { status: 200, json: { ok: true, length: MiB } },
      verdict: sameStatus,
    },
    {
      id: 'body.json',
      asks: 'a request body of 4 MB, JSON',
      request: post(
        '/proxy-test/body/large-json/verify',
        JSON_TEXT,
        'Content-Type: application/json',
        `X-Expected-Sha256: ${sha256(JSON_TEXT)}`,
      ),
      direct: { status: 200, json: { ok: true, length: JSON_TEXT.length, mistake: null } },
      verdict: sameStatus,
    },
    {
      id: 'body.echo',
      asks: 'every byte value, there and back',
      request: post('/proxy-test/body/binary/echo', EVERY_BYTE, 'Content-Type: application/octet-stream'),
      direct: { status: 200, hex: Buffer.from(EVERY_BYTE, 'latin1').toString('hex') },
      verdict: sameAnswer('Content-Type', 'Content-Length'),
    },
    {
      id: 'body.length',
      asks: 'a request body with Content-Length keeps its framing',
      request: post(
        '/proxy-test/verdict',
        HELLO,
        ...['X-Expect-Framing: length', `X-Expect-Sha256: ${sha256(HELLO)}`],
      ),
      direct: {
        status: 200,
        json: { ok: true, observed: { body: { framing: 'length', length: HELLO.length } } },
      },
      verdict: all(content, framing),
    },
    {
      id: 'body.chunked',
      asks: 'a chunked request body keeps its framing',
      request: post(
        '/proxy-test/verdict',
        chunked(HELLO, [5, 7]),
        ...['Transfer-Encoding: chunked', 'X-Expect-Framing: chunked', `X-Expect-Sha256: ${sha256(HELLO)}`],
      ),
      direct: {
        status: 200,
        json: { ok: true, observed: { body: { framing: 'chunked', chunkSizes: [5, 7] } } },
      },
      verdict: all(content, framing),
    },
    {
      id: 'body.chunk-sizes',
      asks: 'and the sizes of its chunks',
      request: post(
        '/proxy-test/verdict',
        chunked(HELLO, [1, 4, 7]),
        ...['Transfer-Encoding: chunked', 'X-Expect-Chunks: 1, 4, 7'],
      ),
      direct: { status: 200, json: { ok: true } },
      verdict: judged(['body.chunks'], ({ seen }) => {
        const sizes = seen as number[];
        return sizes.length === 0 ? 'no chunks' : 'other sizes';
      }),
    },
    {
      id: 'body.chunk-extension',
      asks: 'a chunked request body with chunk extensions',
      request: post(
        '/proxy-test/verdict',
        `5;a=b\r\nhello\r\n7;q="x;y"\r\n, proxy\r\n0\r\n\r\n`,
        ...['Transfer-Encoding: chunked', `X-Expect-Sha256: ${sha256(HELLO)}`],
      ),
      direct: { status: 200, json: { ok: true } },
      verdict: content,
    },
    {
      id: 'body.get',
      asks: 'a body of GET',
      request: request('GET', '/proxy-test/verdict', [`X-Expect-Sha256: ${sha256(HELLO)}`], HELLO),
      direct: { status: 200, json: { ok: true, observed: { body: { length: HELLO.length } } } },
      verdict: content,
    },
    {
      id: 'body.delete',
      asks: 'a body of DELETE',
      request: request('DELETE', '/proxy-test/verdict', [`X-Expect-Sha256: ${sha256(HELLO)}`], HELLO),
      direct: {
        status: 200,
        json: { ok: true, observed: { method: 'DELETE', body: { length: HELLO.length } } },
      },
      verdict: content,
    },
    {
      id: 'body.none',
      asks: 'GET without a body stays without one',
      request: get('/proxy-test/verdict', 'X-Expect-Framing: none'),
      direct: { status: 200, json: { ok: true } },
      verdict: framing,
    },
    {
      id: 'body.empty',
      asks: 'POST with Content-Length: 0',
      request: post('/proxy-test/verdict', '', 'Content-Length: 0', 'X-Expect-Length: 0'),
      direct: { status: 200, json: { ok: true, observed: { body: { length: 0, declaredLength: 0 } } } },
      verdict: ({ answer }) => {
        const { observed } = JSON.parse(answer.body.toString());
        return observed.body.declaredLength === 0 ? unchanged() : changed(`sent as ${observed.body.framing}`);
      },
    },
    {
      id: 'body.gzip',
      asks: 'a request body in gzip',
      request: post(
        '/encoding-test/request/echo',
        ZIPPED,
        'Content-Encoding: gzip',
        'Content-Type: text/plain',
      ),
      direct: { status: 200, json: { contentEncoding: ['gzip'], rawSha256: sha256(ZIPPED), text: HELLO } },
      verdict: sameMember('rawSha256', () => 'recoded'),
    },
    {
      id: 'body.streamed',
      asks: 'a request reaches the backend before its body is complete',
      request: post('/proxy-test/headers/expect?mode=final', 'begin', 'Content-Length: 10'),
      later: { afterMs: 1_000, bytes: 'later' },
      direct: { status: 200, json: { received: null } },
      directVerdict: 'streamed',
      verdict: ({ answer }) => (answer.firstByteMs! < 900 ? unchanged('streamed') : changed('buffered')),
    },
    {
      id: 'body.204',
      asks: '204 has neither content nor length',
      request: post('/proxy-test/body/empty/204', ''),
      direct: { status: 204, length: 0, headers: { 'content-length': null, 'transfer-encoding': null } },
      verdict: sameAnswer('Content-Length', 'Transfer-Encoding'),
    },
    {
      id: 'body.download',
      asks: 'an answer of 5 MiB',
      request: get(`/encoding-test/large/identity?size=${5 * MiB}`),
      direct: { status: 200, length: 5 * MiB },
      verdict: all(sameBody, sameFields('X-Original-Sha256')),
    },
    {
      id: 'body.answer-framing',
      asks: 'the framing of a chunked answer',
      request: get('/proxy-test/connection/chunked/valid'),
      direct: { status: 200, headers: { 'transfer-encoding': 'chunked' }, length: 100 },
      verdict: all(sameStatus, sameBody, ({ answer }) =>
        framingOf(answer) === 'chunked' ? unchanged() : changed(`sent as ${framingOf(answer)}`),
      ),
    },
  ],
};
