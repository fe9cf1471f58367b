import { type AnswerCase, accept, cutOff, head, line, refuse } from './answer-case.ts';

const CHUNKED = head('Transfer-Encoding: chunked');
const EMPTY = head('Content-Length: 0');

const statusLines: readonly AnswerCase[] = [
  accept('a status line', 'RFC 9112 §4', line('HTTP/1.1 200 OK'), { reason: 'OK', version: '1.1' }),
  accept('a reason of several words', 'RFC 9112 §4', line('HTTP/1.1 404 Not Found'), {
    status: 404,
    reason: 'Not Found',
  }),
  accept('an empty reason', 'RFC 9112 §4', line('HTTP/1.1 200 '), { reason: '' }),
  accept('no reason and no space', 'RFC 9112 §4', line('HTTP/1.1 200'), { reason: '' }),
  accept('a reason with a tab and bytes above 0x80', 'RFC 9112 §4', line('HTTP/1.1 200 \xe9\tt\xff'), {
    reason: '\xe9\tt\xff',
  }),
  accept('a reason that looks like a field', 'RFC 9112 §4', line('HTTP/1.1 200 Content-Length: 5'), {
    reason: 'Content-Length: 5',
  }),
  accept('HTTP/1.0', 'RFC 9112 §9.3', line('HTTP/1.0 200 OK'), { version: '1.0', mayBeReused: false }),
  accept('a status that nobody registered', 'RFC 9110 §15', line('HTTP/1.1 599 x'), { status: 599 }),
  accept('a status of a class that does not exist', 'RFC 9110 §15', line('HTTP/1.1 999 x'), { status: 999 }),
  ...['HTTP/2.0 200 OK', 'HTTP/1.2 200 OK', 'HTTP/0.9 200 OK'].map((text) =>
    refuse(`the line ${text}`, 'RFC 9110 §2.5', line(text), 'version-unsupported'),
  ),
  ...[
    'http/1.1 200 OK',
    'HTTP/1.1200 OK',
    'HTTP/1.1\t200 OK',
    'HTTP/11 200 OK',
    'HTTP/1.x 200 OK',
    'HTTP 200 OK',
    'ICY 200 OK',
    ' HTTP/1.1 200 OK',
    'GET / HTTP/1.1',
    'SSH-2.0-OpenSSH_9.6',
    '\x16\x03\x01\x02\x00',
    '{"text":"Success"}',
  ].map((text) =>
    refuse(`the line ${JSON.stringify(text)}`, 'RFC 9112 §4', line(text), 'status-line-invalid'),
  ),
  ...[
    'HTTP/1.1  200 OK',
    'HTTP/1.1 20 OK',
    'HTTP/1.1 2000 OK',
    'HTTP/1.1 099 OK',
    'HTTP/1.1 2x0 OK',
    'HTTP/1.1 -20 OK',
    'HTTP/1.1 OK',
    'HTTP/1.1 200OK',
    'HTTP/1.1 200\tOK',
    'HTTP/1.1 200,OK',
  ].map((text) => refuse(`the line ${JSON.stringify(text)}`, 'RFC 9112 §4', line(text), 'status-invalid')),
  refuse('a control in the reason', 'RFC 9112 §4', line('HTTP/1.1 200 O\0K'), 'status-line-invalid'),
  refuse(
    'an LF alone behind the status line',
    'RFC 9112 §2.2',
    'HTTP/1.1 200 OK\nContent-Length: 0\r\n\r\n',
    'bare-lf',
  ),
  refuse('an LF alone behind a bare status', 'RFC 9112 §2.2', 'HTTP/1.1 200\nA: b\r\n\r\n', 'bare-lf'),
  refuse('a CR alone in the status line', 'RFC 9112 §2.2', line('HTTP/1.1 200 O\rK'), 'bare-cr'),
  refuse('an empty line before the answer', 'RFC 9112 §2.2', `\r\n${EMPTY}`, 'status-line-invalid'),
];

const fields: readonly AnswerCase[] = [
  accept(
    'fields as they were sent',
    'RFC 9110 §5.3',
    head('X-a: 1', 'x-A:2', 'Content-Length: 0', 'X-a: \t3 '),
    {
      headers: ['X-a', '1', 'x-A', '2', 'Content-Length', '0', 'X-a', '3'],
    },
  ),
  accept('an empty value', 'RFC 9110 §5.5', head('A:', 'Content-Length: 0'), {
    headers: ['A', '', 'Content-Length', '0'],
  }),
  refuse('a space before the colon', 'RFC 9112 §5.1', head('Content-Length : 0'), 'space-before-colon'),
  refuse('a folded value', 'RFC 9112 §5.2', head('A: b', ' c', 'Content-Length: 0'), 'obs-fold'),
  refuse('a space before the first field', 'RFC 9112 §2.2', head(' A: b'), 'leading-whitespace'),
  refuse('a name that is no token', 'RFC 9110 §5.1', head('A(b): c'), 'header-name-invalid'),
  refuse('a line without a colon', 'RFC 9110 §5.1', head('Content-Length'), 'header-name-invalid'),
  refuse('an empty name', 'RFC 9110 §5.1', head(': b'), 'header-name-invalid'),
  refuse('a NUL in a value', 'RFC 9110 §5.5', head('A: \0'), 'header-value-invalid'),
  refuse('a CR alone in a value', 'RFC 9112 §2.2', head('A: b\rc'), 'bare-cr'),
  refuse(
    'an LF alone behind a field',
    'RFC 9112 §2.2',
    'HTTP/1.1 200 OK\r\nA: b\nContent-Length: 0\r\n\r\n',
    'bare-lf',
  ),
  refuse(
    'a head that only LFs end',
    'RFC 9112 §2.2',
    'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\n',
    'bare-lf',
  ),
];

const lengths: readonly AnswerCase[] = [
  accept('a body by its length', 'RFC 9112 §6.3', `${head('Content-Length: 5')}hello`, { body: 'hello' }),
  accept('a length of zero', 'RFC 9112 §6.3', EMPTY),
  accept('zeros before a length', 'RFC 9112 §6.3', `${head('Content-Length: 005')}hello`, { body: 'hello' }),
  accept('any bytes', 'RFC 9112 §6.3', `${head('Content-Length: 6')}\0\xff\r\n\r\n`, {
    body: '\0\xff\r\n\r\n',
  }),
  accept('the same length twice', 'RFC 9112 §6.3', `${head('Content-Length: 5', 'Content-Length: 5')}hello`, {
    body: 'hello',
  }),
  accept('the same length as a list', 'RFC 9112 §6.3', `${head('Content-Length: 5, 5')}hello`, {
    body: 'hello',
  }),
  accept('content of a 404', 'RFC 9112 §6.3', 'HTTP/1.1 404 \r\nContent-Length: 2\r\n\r\nno', {
    status: 404,
    body: 'no',
  }),
  accept(
    'content of a redirect, which is not followed',
    'RFC 9110 §15.4',
    'HTTP/1.1 302 Found\r\nLocation: /b\r\nContent-Length: 2\r\n\r\nno',
    { status: 302, body: 'no' },
  ),
  ...['5, 6', '6, 5', '5,6,5'].map((value) =>
    refuse(
      `the lengths ${value}`,
      'RFC 9112 §6.3',
      `${head(`Content-Length: ${value}`)}hello!`,
      'duplicate-content-length',
    ),
  ),
  refuse(
    'two lengths that differ',
    'RFC 9112 §6.3',
    `${head('Content-Length: 5', 'content-length: 6')}hello!`,
    'duplicate-content-length',
  ),
  refuse(
    'two lengths that differ in writing only',
    'RFC 9112 §6.3',
    `${head('Content-Length: 5', 'Content-Length: 05')}hello`,
    'duplicate-content-length',
  ),
  ...['-5', '+5', '5.0', '0x5', 'five', '', '5 5', '5a', '99999999999999999999', ','].map((value) =>
    refuse(
      `the length ${JSON.stringify(value)}`,
      'RFC 9112 §6.3',
      `${head(`Content-Length: ${value}`)}hello`,
      'content-length-invalid',
    ),
  ),
];

const transferEncodings: readonly AnswerCase[] = [
  accept('chunks', 'RFC 9112 §7.1', `${CHUNKED}5\r\nhello\r\n1\r\n!\r\n0\r\n\r\n`, { body: 'hello!' }),
  accept('no chunk but the last', 'RFC 9112 §7.1', `${CHUNKED}0\r\n\r\n`),
  accept('chunks with extensions', 'RFC 9112 §7.1.1', `${CHUNKED}5;a="b;c"\r\nhello\r\n0;x\r\n\r\n`, {
    body: 'hello',
  }),
  accept('trailers', 'RFC 9112 §7.1.2', `${CHUNKED}1\r\na\r\n0\r\nX-Sum: 1\r\nx-b: c\r\n\r\n`, {
    body: 'a',
    trailers: ['X-Sum', '1', 'x-b', 'c'],
  }),
  accept('chunked in capitals', 'RFC 9112 §7', `${head('Transfer-Encoding: CHUNKED')}0\r\n\r\n`),
  refuse(
    'a length beside chunks',
    'RFC 9112 §6.3',
    `${head('Content-Length: 5', 'Transfer-Encoding: chunked')}0\r\n\r\n`,
    'transfer-encoding-with-content-length',
  ),
  refuse(
    'chunks beside a length',
    'RFC 9112 §6.3',
    `${head('Transfer-Encoding: chunked', 'Content-Length: 5')}0\r\n\r\n`,
    'transfer-encoding-with-content-length',
  ),
  refuse(
    'chunks in HTTP/1.0',
    'RFC 9112 §6.1',
    'HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    'transfer-encoding-in-http10',
  ),
  refuse(
    'a coding that is not chunked',
    'RFC 9112 §6.3',
    head('Transfer-Encoding: gzip'),
    'transfer-encoding-not-final-chunked',
  ),
  refuse(
    'a coding behind chunked',
    'RFC 9112 §6.3',
    head('Transfer-Encoding: chunked, gzip'),
    'transfer-encoding-not-final-chunked',
  ),
  refuse(
    'a coding before chunked',
    'RFC 9112 §6.1',
    head('Transfer-Encoding: gzip, chunked'),
    'transfer-encoding-unsupported',
  ),
  refuse(
    'chunked twice',
    'RFC 9112 §6.1',
    head('Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'),
    'transfer-encoding-repeated-chunked',
  ),
  refuse('an empty coding', 'RFC 9112 §6.1', head('Transfer-Encoding: '), 'transfer-encoding-invalid'),
  refuse(
    'a coding with a control before it',
    'RFC 9112 §6.1',
    head('Transfer-Encoding: xchunked'),
    'transfer-encoding-not-final-chunked',
  ),
  refuse('a size that is none', 'RFC 9112 §7.1', `${CHUNKED}x\r\n`, 'chunk-size-invalid'),
  refuse('a size that is too large', 'RFC 9112 §7.1', `${CHUNKED}ffffffffffffffff\r\n`, 'chunk-size-invalid'),
  refuse('an LF alone behind a size', 'RFC 9112 §2.2', `${CHUNKED}1\na\r\n0\r\n\r\n`, 'bare-lf'),
  refuse(
    'a chunk longer than it says',
    'RFC 9112 §7.1',
    `${CHUNKED}1\r\nab\r\n0\r\n\r\n`,
    'chunk-end-invalid',
  ),
  refuse('an extension that is none', 'RFC 9112 §7.1.1', `${CHUNKED}1;=\r\na`, 'chunk-extension-invalid'),
  refuse(
    'a length among the trailers',
    'RFC 9110 §6.5.1',
    `${CHUNKED}0\r\nContent-Length: 5\r\n\r\n`,
    'trailer-forbidden',
  ),
];

const closeDelimited: readonly AnswerCase[] = [
  accept(
    'a body until the close',
    'RFC 9112 §6.3',
    `${head()}hello`,
    { body: 'hello', mayBeReused: false },
    { closesBehind: true },
  ),
  accept(
    'an empty body until the close',
    'RFC 9112 §6.3',
    head('Connection: keep-alive'),
    { mayBeReused: false },
    { closesBehind: true },
  ),
  accept(
    'a body until the close in HTTP/1.0',
    'RFC 9112 §6.3',
    'HTTP/1.0 200 OK\r\n\r\nhello',
    { body: 'hello', version: '1.0', mayBeReused: false },
    { closesBehind: true },
  ),
  cutOff('nothing', 'RFC 9112 §9.5', ''),
  cutOff('half a status line', 'RFC 9112 §8', 'HTTP/1.1 2'),
  cutOff('half a head', 'RFC 9112 §8', 'HTTP/1.1 200 OK\r\nContent-Len'),
  cutOff('an interim answer only', 'RFC 9110 §15.2', 'HTTP/1.1 100 Continue\r\n\r\n'),
  cutOff('half a body', 'RFC 9112 §8', `${head('Content-Length: 5')}hel`),
  cutOff('no last chunk', 'RFC 9112 §8', `${CHUNKED}5\r\nhello\r\n`),
  cutOff('half a chunk', 'RFC 9112 §8', `${CHUNKED}5\r\nhel`),
  cutOff('half the trailers', 'RFC 9112 §8', `${CHUNKED}0\r\nA: b\r\n`),
];

const withoutContent: readonly AnswerCase[] = [
  accept(
    'a length without content to HEAD',
    'RFC 9112 §6.3',
    head('Content-Length: 5'),
    {},
    { method: 'HEAD' },
  ),
  accept('chunks without content to HEAD', 'RFC 9112 §6.3', CHUNKED, {}, { method: 'HEAD' }),
  accept('neither of them to HEAD', 'RFC 9112 §6.3', head(), {}, { method: 'HEAD' }),
  accept(
    'content to HEAD, which is not read',
    'RFC 9112 §6.3',
    `${head('Content-Length: 5')}hello`,
    { mayBeReused: false },
    { method: 'HEAD' },
  ),
  accept('a 204', 'RFC 9112 §6.3', 'HTTP/1.1 204 No Content\r\n\r\n', { status: 204 }),
  accept('a 204 with a length', 'RFC 9110 §8.6', 'HTTP/1.1 204 \r\nContent-Length: 5\r\n\r\nhello', {
    status: 204,
    mayBeReused: false,
  }),
  accept('a 204 with chunks', 'RFC 9112 §6.1', 'HTTP/1.1 204 \r\nTransfer-Encoding: chunked\r\n\r\n', {
    status: 204,
    mayBeReused: false,
  }),
  accept('a 304 with a length', 'RFC 9110 §8.6', 'HTTP/1.1 304 \r\nContent-Length: 5\r\n\r\n', {
    status: 304,
  }),
  accept('a 205', 'RFC 9110 §15.3.6', 'HTTP/1.1 205 \r\nContent-Length: 0\r\n\r\n', { status: 205 }),
];

const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';

const interim: readonly AnswerCase[] = [
  accept('a 100 before the answer', 'RFC 9110 §15.2', `${CONTINUE}${head('Content-Length: 2')}ok`, {
    body: 'ok',
  }),
  accept(
    'early hints with fields',
    'RFC 8297',
    `HTTP/1.1 103 Early Hints\r\nLink: </a>\r\nContent-Length: 7\r\n\r\n${CONTINUE}${EMPTY}`,
    { headers: ['Content-Length', '0'] },
  ),
  accept('as many as are taken', 'RFC 9110 §15.2', `${CONTINUE.repeat(32)}${EMPTY}`),
  refuse('one too many', 'RFC 9110 §15.2', `${CONTINUE.repeat(33)}${EMPTY}`, 'too-many-interim-answers'),
  refuse(
    'another protocol that nobody asked for',
    'RFC 9110 §15.2.2',
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n',
    'switching-unasked',
  ),
  refuse(
    'a broken interim answer',
    'RFC 9112 §5.1',
    `HTTP/1.1 100 \r\nA : b\r\n\r\n${EMPTY}`,
    'space-before-colon',
  ),
];

const connections: readonly AnswerCase[] = [
  ...['close', 'Close', 'x, close', 'keep-alive, close'].map((value) =>
    accept(`Connection: ${value}`, 'RFC 9112 §9.6', head(`Connection: ${value}`, 'Content-Length: 0'), {
      mayBeReused: false,
    }),
  ),
  accept('Connection: keep-alive', 'RFC 9112 §9.3', head('Connection: keep-alive', 'Content-Length: 0')),
  accept(
    'HTTP/1.0 that keeps the connection',
    'RFC 9112 §9.3',
    'HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 2\r\n\r\nok',
    { version: '1.0', body: 'ok' },
  ),
  accept('bytes behind a body', 'RFC 9112 §6.3', `${head('Content-Length: 2')}okX`, {
    body: 'ok',
    mayBeReused: false,
  }),
  accept('a second answer', 'RFC 9112 §9.2', `${head('Content-Length: 2')}ok${EMPTY}`, {
    body: 'ok',
    mayBeReused: false,
  }),
  accept('a line break behind the last chunk', 'RFC 9112 §7.1', `${CHUNKED}0\r\n\r\n\r\n`, {
    mayBeReused: false,
  }),
];

const SMALL = { limits: { maxHeadBytes: 100, maxHeaderCount: 4 } };
const filled = (byteCount: number) => {
  const fixed = head('A: ', 'Content-Length: 0').length;
  return head(`A: ${'x'.repeat(byteCount - fixed)}`, 'Content-Length: 0');
};

const limits: readonly AnswerCase[] = [
  accept('the largest head', 'RFC 9110 §5.4', filled(100), {}, SMALL),
  refuse('a head that is one byte too large', 'RFC 9110 §5.4', filled(101), 'head-too-large', SMALL),
  refuse(
    'a head without an end',
    'RFC 9110 §5.4',
    `HTTP/1.1 200 ${'x'.repeat(200)}`,
    'head-too-large',
    SMALL,
  ),
  accept(
    'as many fields as are taken',
    'RFC 9110 §5.4',
    head('A: ', 'A: ', 'A: ', 'Content-Length: 0'),
    {},
    SMALL,
  ),
  refuse(
    'one field too many',
    'RFC 9110 §5.4',
    head('A: ', 'A: ', 'A: ', 'A: ', 'Content-Length: 0'),
    'too-many-headers',
    SMALL,
  ),
  refuse(
    'trailers without an end',
    'RFC 9110 §5.4',
    `${CHUNKED}0\r\nA: ${'x'.repeat(20_000)}`,
    'trailers-too-large',
  ),
  refuse(
    'chunk extensions without an end',
    'RFC 9112 §7.1.1',
    `${CHUNKED}1;${'x'.repeat(20_000)}`,
    'chunk-extension-too-long',
  ),
];

export const answerCases: Readonly<Record<string, readonly AnswerCase[]>> = {
  'status lines': statusLines,
  fields,
  'Content-Length': lengths,
  'Transfer-Encoding': transferEncodings,
  'bodies until the close': closeDelimited,
  'answers without content': withoutContent,
  'interim answers': interim,
  'the connection': connections,
  limits,
};
