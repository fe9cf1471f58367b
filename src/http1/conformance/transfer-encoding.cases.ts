import { accept, get, headOf, post, refuse } from './case.ts';

const codingIs = (...values: string[]) => post(...values.map((value) => `Transfer-Encoding: ${value}`));
const EMPTY_CHUNKED = '0\r\n\r\n';

const codings = [
  accept(
    'chunked',
    'RFC 9112 §6.1',
    `${headOf('PUT / HTTP/1.1', 'Host: a', 'Transfer-Encoding: chunked')}${EMPTY_CHUNKED}`,
    { method: 'PUT' },
  ),
  accept('chunked in any case', 'RFC 9112 §7', `${codingIs('ChUnKeD')}${EMPTY_CHUNKED}`, { method: 'POST' }),
  accept('blanks around chunked', 'RFC 9112 §5.1', `${codingIs('\t chunked \t')}${EMPTY_CHUNKED}`, {
    method: 'POST',
  }),
  accept(
    'a GET with a chunked body',
    'RFC 9112 §6.3',
    `${get('Transfer-Encoding: chunked')}1\r\na\r\n${EMPTY_CHUNKED}`,
    { body: 'a' },
  ),
  accept(
    'a field that only resembles it',
    'RFC 9112 §6.1',
    `${post('Transfer_Encoding: chunked', 'Content-Length: 2')}ab`,
    {
      method: 'POST',
      body: 'ab',
    },
  ),
  accept('TE, which is about answers', 'RFC 9110 §10.1.4', get('TE: chunked, trailers', 'Connection: TE')),
  accept(
    'a Content-Encoding, which frames nothing',
    'RFC 9110 §8.4',
    `${post('Content-Encoding: chunked', 'Content-Length: 2')}ab`,
    {
      method: 'POST',
      body: 'ab',
    },
  ),
  ...[
    'gzip',
    'identity',
    'xchunked',
    'chunkedx',
    'chunked;q=1',
    '"chunked"',
    'chunked gzip',
    'chunked, gzip',
    'chunked, identity',
    'x',
    'chunk\xe9d',
    'chunked\x80',
  ].map((value) =>
    refuse(
      `the coding ${value}`,
      'RFC 9112 §6.3',
      `${codingIs(value)}${EMPTY_CHUNKED}`,
      '400 transfer-encoding-not-final-chunked',
    ),
  ),
  ...['gzip, chunked', 'identity, chunked', 'gzip,deflate,chunked', 'x;y=z, chunked'].map((value) =>
    refuse(
      `the codings ${value}`,
      'RFC 9112 §6.1',
      `${codingIs(value)}${EMPTY_CHUNKED}`,
      '501 transfer-encoding-unsupported',
    ),
  ),
  refuse(
    'codings on two lines',
    'RFC 9112 §6.1',
    `${codingIs('gzip', 'chunked')}${EMPTY_CHUNKED}`,
    '501 transfer-encoding-unsupported',
  ),
  refuse(
    'codings on two lines, chunked first',
    'RFC 9112 §6.3',
    `${codingIs('chunked', 'gzip')}${EMPTY_CHUNKED}`,
    '400 transfer-encoding-not-final-chunked',
  ),
  refuse(
    'chunked twice',
    'RFC 9112 §6.1',
    `${codingIs('chunked, chunked')}${EMPTY_CHUNKED}`,
    '400 transfer-encoding-repeated-chunked',
  ),
  refuse(
    'chunked on two lines',
    'RFC 9112 §6.1',
    `${codingIs('chunked', 'chunked')}${EMPTY_CHUNKED}`,
    '400 transfer-encoding-repeated-chunked',
  ),
  refuse(
    'chunked, then gzip, then chunked',
    'RFC 9112 §6.1',
    `${codingIs('chunked, gzip, chunked')}${EMPTY_CHUNKED}`,
    '400 transfer-encoding-repeated-chunked',
  ),
  ...['', ',', ' , ', ',chunked', 'chunked,', 'chunked, ,'].map((value) =>
    refuse(
      `the codings ${JSON.stringify(value)}`,
      'RFC 9112 §6.1',
      `${codingIs(value)}${EMPTY_CHUNKED}`,
      '400 transfer-encoding-invalid',
    ),
  ),
  refuse(
    'an empty line of codings beside chunked',
    'RFC 9112 §6.1',
    `${codingIs('', 'chunked')}${EMPTY_CHUNKED}`,
    '400 transfer-encoding-invalid',
  ),
  refuse(
    'a vertical tab before chunked',
    'RFC 9110 §5.5',
    `${codingIs('\x0bchunked')}${EMPTY_CHUNKED}`,
    '400 header-value-invalid',
  ),
  refuse(
    'a form feed behind chunked',
    'RFC 9110 §5.5',
    `${codingIs('chunked\x0c')}${EMPTY_CHUNKED}`,
    '400 header-value-invalid',
  ),
  refuse(
    'a NUL behind chunked',
    'RFC 9110 §5.5',
    `${codingIs('chunked\0')}${EMPTY_CHUNKED}`,
    '400 header-value-invalid',
  ),
  refuse(
    'a coding in HTTP/1.0',
    'RFC 9112 §6.1',
    `${headOf('POST / HTTP/1.0', 'Transfer-Encoding: chunked')}${EMPTY_CHUNKED}`,
    '400 transfer-encoding-in-http10',
  ),
];

const BOTH = '400 transfer-encoding-with-content-length';
const both = [
  refuse(
    'a length and chunked',
    'RFC 9112 §6.1',
    `${post('Content-Length: 5', 'Transfer-Encoding: chunked')}${EMPTY_CHUNKED}`,
    BOTH,
  ),
  refuse(
    'chunked and a length',
    'RFC 9112 §6.1',
    `${post('Transfer-Encoding: chunked', 'Content-Length: 5')}${EMPTY_CHUNKED}`,
    BOTH,
  ),
  refuse(
    'a length of zero and chunked',
    'RFC 9112 §6.1',
    `${post('Content-Length: 0', 'Transfer-Encoding: chunked')}${EMPTY_CHUNKED}`,
    BOTH,
  ),
  refuse(
    'a bad length and chunked',
    'RFC 9112 §6.1',
    `${post('Content-Length: x', 'Transfer-Encoding: chunked')}${EMPTY_CHUNKED}`,
    BOTH,
  ),
  refuse(
    'a length and identity',
    'RFC 9112 §6.1',
    `${post('Content-Length: 5', 'Transfer-Encoding: identity')}hello`,
    BOTH,
  ),
  refuse(
    'a length and an empty coding',
    'RFC 9112 §6.1',
    `${post('Content-Length: 5', 'Transfer-Encoding:')}hello`,
    BOTH,
  ),
  refuse(
    'both in HTTP/1.0',
    'RFC 9112 §6.1',
    `${headOf('POST / HTTP/1.0', 'Content-Length: 5', 'Transfer-Encoding: chunked')}${EMPTY_CHUNKED}`,
    BOTH,
  ),
];

export const transferEncodingCases = [...codings, ...both];
