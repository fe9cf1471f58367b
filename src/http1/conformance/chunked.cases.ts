import { accept, post, refuseBody, type Verdict } from './case.ts';

const HEAD = post('Transfer-Encoding: chunked');
const LAST = '0\r\n\r\n';

const read = (
  name: string,
  rfc: string,
  content: string,
  body: string,
  trailers: string[] = [],
  chunkSizes?: number[],
) =>
  accept(name, rfc, `${HEAD}${content}`, {
    method: 'POST',
    body,
    trailers,
    ...(chunkSizes && { chunkSizes }),
  });
const broken = (name: string, rfc: string, content: string, verdict: Verdict) =>
  refuseBody(name, rfc, `${HEAD}${content}`, verdict);

const sizes = [
  read('no chunk but the last', 'RFC 9112 §7.1', LAST, '', [], []),
  read('one chunk', 'RFC 9112 §7.1', `5\r\nhello\r\n${LAST}`, 'hello', [], [5]),
  read(
    'several chunks',
    'RFC 9112 §7.1',
    `1\r\na\r\n2\r\nbc\r\n3\r\ndef\r\n${LAST}`,
    'abcdef',
    [],
    [1, 2, 3],
  ),
  read('a size in lower case', 'RFC 9112 §7.1', `a\r\n0123456789\r\n${LAST}`, '0123456789', [], [10]),
  read('a size in upper case', 'RFC 9112 §7.1', `A\r\n0123456789\r\n${LAST}`, '0123456789', [], [10]),
  read(
    'a size in both cases',
    'RFC 9112 §7.1',
    `aA\r\n${'x'.repeat(170)}\r\n${LAST}`,
    'x'.repeat(170),
    [],
    [170],
  ),
  read('zeros before a size', 'RFC 9112 §7.1', `0005\r\nhello\r\n${LAST}`, 'hello', [], [5]),
  read('sixteen digits of size', 'RFC 9112 §7.1', `0000000000000005\r\nhello\r\n${LAST}`, 'hello', [], [5]),
  read('a last chunk of several zeros', 'RFC 9112 §7.1', '5\r\nhello\r\n000\r\n\r\n', 'hello'),
  read('line breaks in a chunk', 'RFC 9112 §7.1', `4\r\n\r\n\r\n\r\n${LAST}`, '\r\n\r\n'),
  read('a last chunk within a chunk', 'RFC 9112 §7.1', `5\r\n${LAST}\r\n${LAST}`, LAST),
  read('any bytes in a chunk', 'RFC 9112 §7.1', `3\r\n\0\xff\x80\r\n${LAST}`, '\0\xff\x80'),
  read(
    'a large chunk',
    'RFC 9112 §7.1',
    `4e20\r\n${'c'.repeat(20_000)}\r\n${LAST}`,
    'c'.repeat(20_000),
    [],
    [20_000],
  ),
  read('a hundred chunks', 'RFC 9112 §7.1', `${'2\r\nab\r\n'.repeat(100)}${LAST}`, 'ab'.repeat(100)),
  ...['g', 'x5', '0x5', '+5', '-5', ' 5', '\t5', '"5"', '', ';a', '\x005', '\xb25', '_', '.5'].map((size) =>
    broken(
      `the size ${JSON.stringify(size)}`,
      'RFC 9112 §7.1',
      `${size}\r\nhello\r\n${LAST}`,
      '400 chunk-size-invalid',
    ),
  ),
  ...['5 ', '5\t', '5h', '5,5', '5 5', '5.0', '5\r', '5\0', '5_', '5=', '5:'].map((size) =>
    broken(
      `the size ${JSON.stringify(size)}`,
      'RFC 9112 §7.1',
      `${size}\r\nhello\r\n${LAST}`,
      '400 chunk-size-invalid',
    ),
  ),
  ...['20000000000000', 'fffffffffffffff', 'ffffffffffffffff', '10000000000000005', '00000000000000005'].map(
    (size) =>
      broken(`the size ${size}`, 'RFC 9112 §7.1', `${size}\r\nhello\r\n${LAST}`, '400 chunk-size-invalid'),
  ),
  broken('an LF alone behind a size', 'RFC 9112 §2.2', `5\nhello\r\n${LAST}`, '400 bare-lf'),
  broken('an LF alone behind the last size', 'RFC 9112 §2.2', '0\n\r\n', '400 bare-lf'),
  broken('a CR alone behind a size', 'RFC 9112 §7.1', `5\rhello\r\n${LAST}`, '400 chunk-size-invalid'),
  broken(
    'an empty line before the first size',
    'RFC 9112 §7.1',
    `\r\n5\r\nhello\r\n${LAST}`,
    '400 chunk-size-invalid',
  ),
  broken(
    'an empty line between chunks',
    'RFC 9112 §7.1',
    `5\r\nhello\r\n\r\n${LAST}`,
    '400 chunk-size-invalid',
  ),
  broken('a body that is not chunked at all', 'RFC 9112 §7.1', 'hello', '400 chunk-size-invalid'),
];

const ends = [
  broken('a chunk longer than it says', 'RFC 9112 §7.1', `4\r\nhello\r\n${LAST}`, '400 chunk-end-invalid'),
  broken('a chunk shorter than it says', 'RFC 9112 §7.1', `6\r\nhello\r\n${LAST}`, '400 chunk-end-invalid'),
  broken('an LF alone behind a chunk', 'RFC 9112 §7.1', `5\r\nhello\n${LAST}`, '400 chunk-end-invalid'),
  broken('a CR alone behind a chunk', 'RFC 9112 §7.1', `5\r\nhello\r${LAST}`, '400 chunk-end-invalid'),
  broken('two CRs behind a chunk', 'RFC 9112 §7.1', `5\r\nhello\r\r\n${LAST}`, '400 chunk-end-invalid'),
  broken('LF and CR behind a chunk', 'RFC 9112 §7.1', `5\r\nhello\n\r${LAST}`, '400 chunk-end-invalid'),
  broken('nothing behind a chunk', 'RFC 9112 §7.1', `5\r\nhello${LAST}`, '400 chunk-end-invalid'),
  broken(
    'two bytes that are no line break behind a chunk',
    'RFC 9112 §7.1',
    `5\r\nhelloXX${LAST}`,
    '400 chunk-end-invalid',
  ),
];

const VALID_EXTENSIONS = [
  ';a',
  ';a=b',
  ';a="b"',
  ';a="b;c\\"d\\\\"',
  ';a=""',
  ';a="\t \x80\xff"',
  ';a;b;c=d',
  ' ;a',
  '\t;\ta',
  ' ; a = b ; c = "d"',
  ";!#$%&'*+-.^_`|~=1",
];
const INVALID_EXTENSIONS = [
  ';',
  ';;a',
  ';a;',
  ';=',
  ';=b',
  ';a=',
  ';a=;b',
  ';a b',
  ';a=b c',
  ';a="b',
  ';a=b"',
  ';a="b"c',
  ';a="b\\',
  ';a=(b)',
  ';\xe9',
  ';a ',
  ';a\x01',
  ';a="\x01"',
  ';a="\x7f"',
  ';a\0',
  ';a\rb',
  ';a="\r"',
];

const extensions = [
  ...VALID_EXTENSIONS.map((extension) =>
    read(
      `the extension ${JSON.stringify(extension)}`,
      'RFC 9112 §7.1.1',
      `5${extension}\r\nhello\r\n${LAST}`,
      'hello',
    ),
  ),
  read('an extension of the last chunk', 'RFC 9112 §7.1.1', '5\r\nhello\r\n0;a=b\r\n\r\n', 'hello'),
  ...INVALID_EXTENSIONS.map((extension) =>
    broken(
      `the extension ${JSON.stringify(extension)}`,
      'RFC 9112 §7.1.1',
      `5${extension}\r\nhello\r\n${LAST}`,
      '400 chunk-extension-invalid',
    ),
  ),
  broken('a bad extension of the last chunk', 'RFC 9112 §7.1.1', '0;\r\n\r\n', '400 chunk-extension-invalid'),
  broken('an LF alone behind an extension', 'RFC 9112 §2.2', `5;a\nhello\r\n${LAST}`, '400 bare-lf'),
  broken('an LF within quotes', 'RFC 9112 §2.2', `5;a="\n"\r\nhello\r\n${LAST}`, '400 bare-lf'),
];

const trailers = [
  read('a trailer', 'RFC 9112 §7.1.2', '1\r\na\r\n0\r\nX-Sum: 1\r\n\r\n', 'a', ['X-Sum', '1']),
  read('trailers as sent', 'RFC 9112 §7.1.2', '0\r\nx-A:  1 \t\r\nX-a:\r\nB:\xe9\r\n\r\n', '', [
    'x-A',
    '1',
    'X-a',
    '',
    'B',
    '\xe9',
  ]),
  read('a trailer that looks like a request', 'RFC 9112 §7.1.2', '0\r\nGET: / HTTP/1.1\r\n\r\n', '', [
    'GET',
    '/ HTTP/1.1',
  ]),
  read(
    'Connection in the trailers, which governs nothing',
    'RFC 9110 §6.5.1',
    '0\r\nConnection: close\r\n\r\n',
    '',
    ['Connection', 'close'],
  ),
  ...[
    'Content-Length: 5',
    'content-length: 0',
    'Transfer-Encoding: chunked',
    'TRANSFER-ENCODING: x',
    'Host: b',
  ].map((field) =>
    broken(`${field} in the trailers`, 'RFC 9110 §6.5.1', `0\r\n${field}\r\n\r\n`, '400 trailer-forbidden'),
  ),
  broken(
    'a forbidden trailer behind others',
    'RFC 9110 §6.5.1',
    '0\r\nX: y\r\nHost: b\r\nZ: z\r\n\r\n',
    '400 trailer-forbidden',
  ),
  broken('a trailer name with a space', 'RFC 9110 §5.1', '0\r\nX y: z\r\n\r\n', '400 header-name-invalid'),
  broken('a trailer without a colon', 'RFC 9112 §5', '0\r\nX\r\n\r\n', '400 header-name-invalid'),
  broken(
    'a space before the colon of a trailer',
    'RFC 9112 §5.1',
    '0\r\nX : y\r\n\r\n',
    '400 space-before-colon',
  ),
  broken(
    'a control character in a trailer',
    'RFC 9110 §5.5',
    '0\r\nX: \0\r\n\r\n',
    '400 header-value-invalid',
  ),
  broken('a trailer continued', 'RFC 9112 §5.2', '0\r\nX: y\r\n z\r\n\r\n', '400 obs-fold'),
  broken('a space before the first trailer', 'RFC 9112 §5.2', '0\r\n X: y\r\n\r\n', '400 leading-whitespace'),
  broken('a CR alone in a trailer', 'RFC 9112 §2.2', '0\r\nX: y\rz\r\n\r\n', '400 bare-cr'),
  broken('an LF alone behind a trailer', 'RFC 9112 §2.2', '0\r\nX: y\n\r\n', '400 bare-lf'),
  broken('an LF alone behind the trailers', 'RFC 9112 §2.2', '0\r\nX: y\r\n\n', '400 bare-lf'),
  broken('an LF alone instead of trailers', 'RFC 9112 §2.2', '0\r\n\n', '400 bare-lf'),
];

export const chunkedCases = [...sizes, ...ends, ...extensions, ...trailers];
