import { accept, get, headOf, post, refuse, refuseBody } from './case.ts';

const lengthIs = (value: string) => post(`Content-Length: ${value}`);

const lengths = [
  accept('a body of its length', 'RFC 9112 §6.2', `${lengthIs('5')}hello`, { method: 'POST', body: 'hello' }),
  accept('a body of any bytes', 'RFC 9112 §6.2', `${lengthIs('6')}\0\xff\r\n\r\n`, {
    method: 'POST',
    body: '\0\xff\r\n\r\n',
  }),
  accept(
    'a body that looks like a request',
    'RFC 9112 §6.2',
    `${lengthIs('27')}GET /x HTTP/1.1\r\nHost: a\r\n\r`,
    {
      method: 'POST',
      body: 'GET /x HTTP/1.1\r\nHost: a\r\n\r',
    },
  ),
  accept('a length of zero', 'RFC 9112 §6.2', lengthIs('0'), { method: 'POST' }),
  accept('zeros before the length', 'RFC 9110 §8.6', `${lengthIs('0005')}hello`, {
    method: 'POST',
    body: 'hello',
  }),
  accept('blanks around the length', 'RFC 9112 §5.1', `${lengthIs('\t 5 \t')}hello`, {
    method: 'POST',
    body: 'hello',
  }),
  accept('the field name in any case', 'RFC 9110 §5.1', `${post('cOnTeNt-LeNgTh: 2')}ab`, {
    method: 'POST',
    body: 'ab',
  }),
  accept('a GET with a body', 'RFC 9110 §9.3.1', `${get('Content-Length: 2')}ab`, { body: 'ab' }),
  accept(
    'a HEAD with a body',
    'RFC 9110 §9.3.2',
    `${headOf('HEAD / HTTP/1.1', 'Host: a', 'Content-Length: 2')}ab`,
    {
      method: 'HEAD',
      body: 'ab',
    },
  ),
  accept(
    'a DELETE with a body',
    'RFC 9110 §9.3.5',
    `${headOf('DELETE / HTTP/1.1', 'Host: a', 'Content-Length: 2')}ab`,
    {
      method: 'DELETE',
      body: 'ab',
    },
  ),
  accept('a body in HTTP/1.0', 'RFC 9112 §6.3', `${headOf('POST / HTTP/1.0', 'Content-Length: 2')}ab`, {
    method: 'POST',
    version: '1.0',
    body: 'ab',
    staysOpen: false,
  }),
  accept('a POST without any length has no body', 'RFC 9112 §6.3', post(), { method: 'POST' }),
  accept('a larger body', 'RFC 9112 §6.2', `${lengthIs('30000')}${'b'.repeat(30_000)}`, {
    method: 'POST',
    body: 'b'.repeat(30_000),
  }),
  accept('an empty line too many behind a body', 'RFC 9112 §2.2', `${lengthIs('2')}ab\r\n`, {
    method: 'POST',
    body: 'ab',
  }),
  ...[
    '',
    '+5',
    '-5',
    '-0',
    '5.0',
    '5e0',
    '0x5',
    '5h',
    'five',
    '5 5',
    '5;',
    '"5"',
    ',5',
    '5,',
    ',',
    '\xb2',
    '1_0',
    '5\t5',
  ].map((value) =>
    refuse(
      `the length ${JSON.stringify(value)}`,
      'RFC 9112 §6.3',
      `${lengthIs(value)}hello`,
      '400 content-length-invalid',
    ),
  ),
  ...['9007199254740992', '18446744073709551616', '18446744073709551621', '9'.repeat(400)].map((value) =>
    refuse(
      `the length ${value.slice(0, 25)}`,
      'RFC 9110 §8.6',
      `${lengthIs(value)}hello`,
      '400 content-length-invalid',
    ),
  ),
  refuse('a list of lengths', 'RFC 9112 §6.3', `${lengthIs('5, 6')}hello`, '400 duplicate-content-length'),
  refuse(
    'a list of the same length',
    'RFC 9112 §6.3',
    `${lengthIs('5,5')}hello`,
    '400 duplicate-content-length',
  ),
  refuse(
    'two lengths',
    'RFC 9112 §6.3',
    `${post('Content-Length: 5', 'Content-Length: 6')}hello!`,
    '400 duplicate-content-length',
  ),
  refuse(
    'the same length twice',
    'RFC 9112 §6.3',
    `${post('Content-Length: 5', 'X: y', 'content-length: 5')}hello`,
    '400 duplicate-content-length',
  ),
  refuse(
    'a length beside an empty one',
    'RFC 9112 §6.3',
    `${post('Content-Length:', 'Content-Length: 5')}hello`,
    '400 duplicate-content-length',
  ),
  refuse(
    'two lengths of zero',
    'RFC 9112 §6.3',
    post('Content-Length: 0', 'Content-Length: 0'),
    '400 duplicate-content-length',
  ),
  refuse('a bad length of a GET', 'RFC 9112 §6.3', get('Content-Length: x'), '400 content-length-invalid'),
  refuse(
    'a bad length in HTTP/1.0',
    'RFC 9112 §6.3',
    headOf('POST / HTTP/1.0', 'Content-Length: x'),
    '400 content-length-invalid',
  ),
];

const tooMuch = [
  refuseBody(
    'a declared length above what the handler reads',
    'RFC 9110 §15.5.14',
    `${lengthIs('6')}hello!`,
    '413 body-too-large',
    { maxBodyBytes: 5 },
  ),
  refuseBody(
    'chunks above what the handler reads',
    'RFC 9110 §15.5.14',
    `${post('Transfer-Encoding: chunked')}3\r\nabc\r\n3\r\ndef\r\n0\r\n\r\n`,
    '413 body-too-large',
    { maxBodyBytes: 5 },
  ),
  accept(
    'exactly what the handler reads',
    'RFC 9110 §15.5.14',
    `${lengthIs('5')}hello`,
    { method: 'POST', body: 'hello' },
    { maxBodyBytes: 5 },
  ),
];

export const contentLengthCases = [...lengths, ...tooMuch];
