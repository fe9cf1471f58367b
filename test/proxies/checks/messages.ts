import { type CheckGroup, changed, unchanged } from '../proxy-check.ts';
import { chunked, get, HOST, post } from '../request-bytes.ts';
import { framingOf, jsonOf, linesOf } from '../verdicts.ts';

const EXPECT = ['Expect: 100-continue', 'Content-Length: 5'];

export const messages: CheckGroup = {
  name: 'Proxy Header Passthrough: interim answers, expectations, trailers',
  checks: [
    {
      id: 'expect.forwarded',
      asks: 'Expect: 100-continue reaches the backend',
      request: post('/proxy-test/headers/expect', '', ...EXPECT),
      later: { afterMs: 700, bytes: 'hello' },
      direct: { status: 200, json: { expect: '100-continue', received: 5 } },
      verdict: ({ answer }) =>
        jsonOf(answer).expect === '100-continue' ? unchanged() : changed('answered by the proxy'),
    },
    {
      id: 'expect.interim',
      asks: 'the client gets 100 before it sends its body',
      request: post('/proxy-test/headers/expect', '', ...EXPECT),
      later: { afterMs: 700, bytes: 'hello' },
      direct: { status: 200, wire: /^HTTP\/1\.1 100 Continue\r\n/, json: { received: 5 } },
      verdict: ({ answer }) =>
        answer.interim.some(({ status }) => status === 100) && answer.firstByteMs! < 600
          ? unchanged()
          : changed('no 100 in time'),
    },
    {
      id: 'expect.final',
      asks: '417 instead of 100',
      request: post('/proxy-test/headers/expect?mode=417', '', ...EXPECT),
      later: { afterMs: 700, bytes: 'hello' },
      direct: { status: 417, wire: /^HTTP\/1\.1 417 / },
      verdict: ({ answer }) => {
        if (answer.status !== 417) return changed(`status ${answer.status}`);
        return answer.interim.length === 0 ? unchanged() : changed('417 after a 100');
      },
    },
    {
      id: 'interim.early-hints',
      asks: '103 Early Hints',
      note: 'A backend that is spoken to in HTTP/1.0 must not send interim answers, and the test service then does not.',
      request: get('/proxy-test/headers/early-hints?count=2'),
      direct: {
        status: 200,
        json: { sent: 2 },
        wire: /^(HTTP\/1\.1 103 Early Hints\r\nLink: .*\r\n\r\n){2}/,
      },
      verdict: ({ answer }) => {
        const hints = answer.interim.filter(({ status }) => status === 103).length;
        if (hints === 2) return unchanged();
        return changed(hints === 0 ? 'none arrives' : `${hints} of 2`);
      },
    },
    {
      id: 'interim.unknown',
      asks: 'an unknown interim status, 199',
      request: get('/proxy-test/connection/1xx/199'),
      direct: { status: 200, json: { interim: 199 }, wire: /^HTTP\/1\.1 199 / },
      verdict: ({ answer }) =>
        answer.interim.some(({ status }) => status === 199) ? unchanged() : changed('none arrives'),
    },
    {
      id: 'interim.storm',
      asks: 'a thousand interim answers',
      note: 'Sent whatever the version. Who does not know interim answers takes the first for the final one and all that follows for its content.',
      request: get('/proxy-test/connection/interim-storm'),
      waitMs: 2_000,
      direct: {
        status: 200,
        length: 100,
        wire: /^(HTTP\/1\.1 102 Processing\r\n\r\n){1000}HTTP\/1\.1 200 OK/,
      },
      verdict: ({ answer }) => {
        // Nobody but the proxy gave the first of them header fields, as a final answer has.
        if (answer.interim.some(({ headers }) => headers.length > 0)) return changed('one taken for final');
        return answer.interim.length === 1000 ? unchanged() : changed(`${answer.interim.length} passed on`);
      },
    },
    {
      id: 'trailers.request',
      asks: 'request trailers',
      request: post(
        '/proxy-test/headers/trailers',
        chunked('hello', [5], ['X-Sum: 12']),
        ...['Transfer-Encoding: chunked', 'Trailer: X-Sum'],
      ),
      direct: { status: 200, json: { announced: ['X-Sum'], received: [['X-Sum', '12']] } },
      verdict: ({ answer }) => {
        const { received } = jsonOf(answer) as { received: string[][] };
        return received.length > 0 ? unchanged() : changed('dropped');
      },
    },
    {
      id: 'trailers.response',
      asks: 'response trailers',
      request: get('/proxy-test/headers/trailers', 'TE: trailers', 'Connection: close, TE'),
      direct: { status: 200, wire: /\r\n0\r\nX-Trailer-Checksum: [0-9a-f]{64}\r\n/ },
      verdict: ({ answer }) => {
        if (answer.trailers.some(([name]) => /^x-trailer-checksum$/i.test(name))) return unchanged();
        return changed(linesOf(answer, 'X-Trailer-Checksum').length > 0 ? 'made header fields' : 'dropped');
      },
    },
    {
      id: 'trailers.te',
      asks: 'TE: trailers, which gRPC needs',
      request: get('/proxy-test/headers/trailers', 'TE: trailers', 'Connection: close, TE'),
      direct: { status: 200, json: { te: 'trailers' } },
      verdict: ({ answer }) => (jsonOf(answer).te === 'trailers' ? unchanged() : changed('removed')),
    },
    {
      id: 'version.old-client',
      asks: 'a client of HTTP/1.0 gets no chunks',
      request: `GET /proxy-test/timeout/slow-body?chunkDelay=0&chunks=2 HTTP/1.0\r\nHost: ${HOST}\r\n\r\n`,
      direct: { status: 200, headers: { 'transfer-encoding': null }, text: 'chunk 1 of 2\nchunk 2 of 2\n' },
      verdict: ({ answer }) => {
        if (answer.header('transfer-encoding') !== undefined) return changed('sends chunks');
        return framingOf(answer) === 'until close' ? unchanged() : changed('gives it a length');
      },
    },
    {
      id: 'version.old-backend',
      asks: 'an answer in HTTP/1.0, ended by the close',
      request: get('/proxy-test/connection/http10'),
      direct: { wire: /^HTTP\/1\.0 200 OK\r\n[\s\S]*\r\n\r\nHTTP\/1\.0 ends here\n$/, ends: 'close' },
      directVerdict: 'until close',
      verdict: ({ answer }) => {
        if (answer.body.toString() !== 'HTTP/1.0 ends here\n') return changed('other bytes');
        const framing = framingOf(answer);
        return framing === 'until close' ? unchanged(framing) : changed(framing);
      },
    },
  ],
};
