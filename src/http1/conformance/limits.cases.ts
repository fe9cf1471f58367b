import { accept, get, headOf, line, post, refuse, refuseBody } from './case.ts';

const CHUNKED = post('Transfer-Encoding: chunked');
const sizedHead = (byteCount: number) => get(`X: ${'a'.repeat(byteCount - get('X: ').length)}`);
const fieldsOf = (count: number) => Array.from({ length: count - 1 }, () => 'X: y');
const trailersOf = (byteCount: number) => `T: ${'t'.repeat(byteCount - 5)}\r\n`;

export const limitCases = [
  accept(
    'a method as long as allowed',
    'RFC 9112 §3',
    line('METHOD / HTTP/1.1'),
    { method: 'METHOD' },
    { limits: { maxMethodBytes: 6 } },
  ),
  refuse('a method longer than allowed', 'RFC 9112 §3', line('METHODS / HTTP/1.1'), '501 method-too-long', {
    limits: { maxMethodBytes: 6 },
  }),
  refuse(
    'a method of 129 bytes',
    'RFC 9112 §3',
    line(`${'M'.repeat(129)} / HTTP/1.1`),
    '501 method-too-long',
  ),
  accept(
    'a target as long as allowed',
    'RFC 9112 §3',
    line('GET /234567890 HTTP/1.1'),
    { target: '/234567890' },
    { limits: { maxTargetBytes: 10 } },
  ),
  refuse(
    'a target longer than allowed',
    'RFC 9112 §3',
    line('GET /2345678901 HTTP/1.1'),
    '414 target-too-long',
    { limits: { maxTargetBytes: 10 } },
  ),
  refuse(
    'a target longer than the whole head may be',
    'RFC 9112 §3',
    line(`GET /${'a'.repeat(500)} HTTP/1.1`),
    '414 target-too-long',
    {
      limits: { maxTargetBytes: 100, maxHeadBytes: 200 },
    },
  ),
  refuse(
    'a target of 16 KiB and a byte',
    'RFC 9112 §3',
    line(`GET /${'a'.repeat(16_384)} HTTP/1.1`),
    '414 target-too-long',
  ),
  accept('a head as large as allowed', 'RFC 6585 §5', sizedHead(300), {}, { limits: { maxHeadBytes: 300 } }),
  refuse('a head a byte larger than allowed', 'RFC 6585 §5', sizedHead(301), '431 head-too-large', {
    limits: { maxHeadBytes: 300 },
  }),
  refuse(
    'a head that grows without end',
    'RFC 6585 §5',
    `GET / HTTP/1.1\r\nHost: a\r\n${'X: y\r\n'.repeat(100)}`,
    '431 head-too-large',
    {
      limits: { maxHeadBytes: 300 },
    },
  ),
  refuse(
    'a field that grows without end',
    'RFC 6585 §5',
    `GET / HTTP/1.1\r\nHost: a\r\nX: ${'y'.repeat(600)}`,
    '431 head-too-large',
    {
      limits: { maxHeadBytes: 300 },
    },
  ),
  refuse(
    'an LF alone before the limit of a head that exceeds it',
    'RFC 9112 §2.2',
    `GET / HTTP/1.1\nHost: a\r\nX: ${'y'.repeat(600)}\r\n\r\n`,
    '400 bare-lf',
    { limits: { maxHeadBytes: 300 } },
  ),
  refuse(
    'an LF alone behind the limit of a head that exceeds it',
    'RFC 6585 §5',
    `GET / HTTP/1.1\r\nHost: a\r\nX: ${'y'.repeat(600)}\n\r\n\r\n`,
    '431 head-too-large',
    { limits: { maxHeadBytes: 300 } },
  ),
  accept(
    'as many fields as allowed',
    'RFC 6585 §5',
    get(...fieldsOf(10)),
    {},
    { limits: { maxHeaderCount: 10 } },
  ),
  refuse('a field more than allowed', 'RFC 6585 §5', get(...fieldsOf(11)), '431 too-many-headers', {
    limits: { maxHeaderCount: 10 },
  }),
  refuse(
    '257 fields',
    'RFC 6585 §5',
    headOf('GET / HTTP/1.1', 'Host: a', ...Array(256).fill('X:')),
    '431 too-many-headers',
  ),
  refuseBody(
    'a trailer more than allowed',
    'RFC 6585 §5',
    `${CHUNKED}0\r\n${'X: y\r\n'.repeat(11)}\r\n`,
    '431 too-many-headers',
    {
      limits: { maxHeaderCount: 10 },
    },
  ),
  accept(
    'trailers as large as allowed',
    'RFC 6585 §5',
    `${CHUNKED}0\r\n${trailersOf(100)}\r\n`,
    { method: 'POST', trailers: ['T', 't'.repeat(95)] },
    {
      limits: { maxTrailerBytes: 101 },
    },
  ),
  refuseBody(
    'trailers larger than allowed',
    'RFC 6585 §5',
    `${CHUNKED}0\r\n${trailersOf(102)}\r\n`,
    '431 trailers-too-large',
    {
      limits: { maxTrailerBytes: 100 },
    },
  ),
  refuseBody(
    'trailers that grow without end',
    'RFC 6585 §5',
    `${CHUNKED}0\r\n${'X: y\r\n'.repeat(100)}`,
    '431 trailers-too-large',
    {
      limits: { maxTrailerBytes: 100 },
    },
  ),
  accept(
    'extensions as long as allowed',
    'RFC 9112 §7.1.1',
    `${CHUNKED}1;${'e'.repeat(49)}\r\na\r\n0;${'e'.repeat(49)}\r\n\r\n`,
    { method: 'POST', body: 'a' },
    {
      limits: { maxChunkExtensionBytes: 100 },
    },
  ),
  refuseBody(
    'an extension longer than allowed',
    'RFC 9112 §7.1.1',
    `${CHUNKED}1;${'e'.repeat(100)}\r\na\r\n0\r\n\r\n`,
    '413 chunk-extension-too-long',
    {
      limits: { maxChunkExtensionBytes: 100 },
    },
  ),
  refuseBody(
    'extensions that are too long together',
    'RFC 9112 §7.1.1',
    `${CHUNKED}${'1;extension\r\na\r\n'.repeat(11)}0\r\n\r\n`,
    '413 chunk-extension-too-long',
    {
      limits: { maxChunkExtensionBytes: 100 },
    },
  ),
  refuseBody(
    'an extension that grows without end',
    'RFC 9112 §7.1.1',
    `${CHUNKED}1;${'e'.repeat(300)}`,
    '413 chunk-extension-too-long',
    {
      limits: { maxChunkExtensionBytes: 100 },
    },
  ),
  accept(
    'as many empty lines as allowed',
    'RFC 9112 §2.2',
    `\r\n${get()}`,
    {},
    { limits: { maxLeadingEmptyLines: 1 } },
  ),
  refuse('an empty line more than allowed', 'RFC 9112 §2.2', `\r\n\r\n${get()}`, '400 request-line-invalid', {
    limits: { maxLeadingEmptyLines: 1 },
  }),
];
