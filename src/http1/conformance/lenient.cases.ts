import {
  accept as accepted,
  type Circumstances,
  refuse as refused,
  type SeenByHandler,
  type Verdict,
} from './case.ts';

const OWN = 'the rules at parseHeadLeniently';
const LAST = '0\r\n\r\n';

const accept = (name: string, bytes: string, seen: Partial<SeenByHandler> = {}) =>
  accepted(`leniently ${name}`, OWN, bytes, seen, { isLenient: true });
const refuse = (name: string, bytes: string, verdict: Verdict, circumstances: Circumstances = {}) =>
  refused(`leniently ${name}`, OWN, bytes, verdict, { isLenient: true, ...circumstances });

const post = (fields: string, content: string) => `POST / HTTP/1.1\r\nHost: a\r\n${fields}\r\n\r\n${content}`;
const body = (text: string) => ({ method: 'POST', body: text });

const lines = [
  accept('a request as it should be', 'GET /a HTTP/1.1\r\nHost: a\r\n\r\n', {
    target: '/a',
    headers: ['Host', 'a'],
  }),
  accept('lines that end in LF alone', 'GET / HTTP/1.1\nHost: a\nX: y\n\n', {
    headers: ['Host', 'a', 'X', 'y'],
  }),
  accept('line breaks of both kinds', 'GET / HTTP/1.1\r\nHost: a\nX: y\r\n\n', {
    headers: ['Host', 'a', 'X', 'y'],
  }),
  accept('an LF alone before the request line', '\nGET / HTTP/1.1\r\nHost: a\r\n\r\n'),
  accept('a CR within a value', 'GET / HTTP/1.1\r\nX: a\rb\r\n\r\n', { headers: ['X', 'a\rb'] }),
  accept('control characters in a value', 'GET / HTTP/1.1\r\nX: a\0\x0bb\r\n\r\n', {
    headers: ['X', 'a\0\x0bb'],
  }),
  accept('a continued field, after one space', 'GET / HTTP/1.1\r\nX: a\r\n \t b\r\n\r\n', {
    headers: ['X', 'a b'],
  }),
  accept('a continuation before the first field, dropped', 'GET / HTTP/1.1\r\n X: a\r\nY: b\r\n\r\n', {
    headers: ['Y', 'b'],
  }),
  accept('blanks around a name', 'GET / HTTP/1.1\r\nX \t: a\r\n\r\n', { headers: ['X', 'a'] }),
  accept('a line without a colon', 'GET / HTTP/1.1\r\nX\r\n\r\n', { headers: ['X', ''] }),
  accept('a name that is no token', 'GET / HTTP/1.1\r\nX(y: a\r\n\r\n', { headers: ['X(y', 'a'] }),
];

const requestLines = [
  accept('runs of blanks in the request line', 'GET \t /a  b \t HTTP/1.1\r\n\r\n', { target: '/a b' }),
  accept('a request line without a version', 'GET /a\r\n\r\n', { target: '/a' }),
  accept('a request line without a target', 'GET HTTP/1.1\r\n\r\n', { target: '/' }),
  accept('a method that is no token', 'G(T / HTTP/1.1\r\n\r\n', { method: 'G(T' }),
  accept('any version but 1.0 as 1.1', 'GET / HTTP/2.0\r\n\r\n'),
  accept('HTTP/1.0', 'GET / HTTP/1.0\r\n\r\n', { version: '1.0', staysOpen: false }),
  accept('a target of no form', 'GET a@b HTTP/1.1\r\n\r\n', { target: 'a@b' }),
  accept('no Host', 'GET / HTTP/1.1\r\n\r\n', { headers: [] }),
  accept('two Hosts', 'GET / HTTP/1.1\r\nHost: a\r\nHost: b/c\r\n\r\n', {
    headers: ['Host', 'a', 'Host', 'b/c'],
  }),
  accept('an unknown expectation', 'GET / HTTP/1.1\r\nExpect: tea\r\n\r\n'),
  accept('100-continue among others', post('Expect: tea, 100-continue\r\nContent-Length: 2', 'ab'), {
    ...body('ab'),
    isContinued: true,
  }),
];

const lengths = [
  accept('the first of several lengths', post('Content-Length: 2\r\nContent-Length: 3', 'ab'), body('ab')),
  accept('the first member of a list of lengths', post('Content-Length: 2, 3', 'ab'), body('ab')),
  accept('a length with a plus sign', post('Content-Length: +2', 'ab'), body('ab')),
  accept('a length with a minus sign', post('Content-Length: -2', 'ab'), body('ab')),
  accept('a hexadecimal length as 0', post('Content-Length: 0x2', ''), body('')),
  accept('a length with words behind it', post('Content-Length: 2 bytes', 'ab'), body('ab')),
  accept('a length without digits as 0', post('Content-Length: x', ''), body('')),
];

const codings = [
  accept(
    'chunked before a length',
    post('Content-Length: 5\r\nTransfer-Encoding: chunked', `2\r\nab\r\n${LAST}`),
    body('ab'),
  ),
  accept(
    'chunked anywhere in the field',
    post('Transfer-Encoding: x-chunked-y', `2\r\nab\r\n${LAST}`),
    body('ab'),
  ),
  accept(
    'chunked behind a vertical tab',
    post('Transfer-Encoding: \x0bchunked', `2\r\nab\r\n${LAST}`),
    body('ab'),
  ),
  accept(
    'chunked before another coding',
    post('Transfer-Encoding: chunked, gzip', `2\r\nab\r\n${LAST}`),
    body('ab'),
  ),
  accept('another coding, ignored', post('Transfer-Encoding: gzip\r\nContent-Length: 2', 'ab'), body('ab')),
  accept('chunked in HTTP/1.0', `POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n${LAST}`, {
    ...body('ab'),
    version: '1.0',
    staysOpen: false,
  }),
  accept(
    'blanks and 0x before a chunk size',
    post('Transfer-Encoding: chunked', ` 0x2\r\nab\r\n${LAST}`),
    body('ab'),
  ),
  accept(
    'anything behind a chunk size',
    post('Transfer-Encoding: chunked', `2 \x01;;=\r\nab\r\n${LAST}`),
    body('ab'),
  ),
  accept(
    'chunks whose lines end in LF alone',
    post('Transfer-Encoding: chunked', '2\nab\n0\n\n'),
    body('ab'),
  ),
  accept(
    'any field in the trailers',
    post('Transfer-Encoding: chunked', '0\r\nContent-Length: 5\r\nX\r\n\r\n'),
    {
      method: 'POST',
      trailers: ['Content-Length', '5', 'X', ''],
    },
  ),
];

const limits = [
  refuse('a long method all the same', `${'M'.repeat(20)} / HTTP/1.1\r\n\r\n`, '501 method-too-long', {
    limits: { maxMethodBytes: 10 },
  }),
  refuse('a long target all the same', `GET /${'a'.repeat(20)} HTTP/1.1\r\n\r\n`, '414 target-too-long', {
    limits: { maxTargetBytes: 10 },
  }),
  refuse(
    'a large head all the same',
    `GET / HTTP/1.1\r\nX: ${'a'.repeat(300)}\r\n\r\n`,
    '431 head-too-large',
    { limits: { maxHeadBytes: 200 } },
  ),
  refuse(
    'too many fields all the same',
    `GET / HTTP/1.1\r\n${'X: y\r\n'.repeat(11)}\r\n`,
    '431 too-many-headers',
    { limits: { maxHeaderCount: 10 } },
  ),
  refuse('a head that is cut off', 'GET / HTTP/1.1\r\nX: y', '400 request-incomplete', {
    closesBehind: true,
  }),
  refuse('a line of blanks', ' \r\n\r\n', '400 request-line-invalid'),
];

export const lenientCases = [...lines, ...requestLines, ...lengths, ...codings, ...limits];
