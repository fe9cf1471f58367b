import { accept, get, headOf, refuse, shown } from './case.ts';

const GET = 'GET / HTTP/1.1';
const DELIMITERS = [...'(),/;<=>?@[\\]{}"'];

const names = [
  accept('names in any case, kept as sent', 'RFC 9110 §5.1', headOf(GET, 'hOSt: a', 'X-y: b', 'x-Y: c'), {
    headers: ['hOSt', 'a', 'X-y', 'b', 'x-Y', 'c'],
  }),
  accept('a name of token signs', 'RFC 9110 §5.6.2', get("!#$%&'*+-.^_`|~0: b"), {
    headers: ['Host', 'a', "!#$%&'*+-.^_`|~0", 'b'],
  }),
  accept('a name of one letter', 'RFC 9110 §5.1', get('x:y'), { headers: ['Host', 'a', 'x', 'y'] }),
  accept('a long name', 'RFC 9110 §5.1', get(`${'n'.repeat(4000)}: v`), {
    headers: ['Host', 'a', 'n'.repeat(4000), 'v'],
  }),
  ...DELIMITERS.map((sign) =>
    refuse(`a name with ${sign}`, 'RFC 9110 §5.1', get(`X${sign}y: b`), '400 header-name-invalid'),
  ),
  ...['\0', '\x01', '\x0b', '\x1f', '\x7f', '\x80', '\xe9', '\xff'].map((sign) =>
    refuse(`a name with ${shown(sign)}`, 'RFC 9110 §5.1', get(`X${sign}: b`), '400 header-name-invalid'),
  ),
  refuse('an empty name', 'RFC 9110 §5.1', get(': b'), '400 header-name-invalid'),
  refuse('two colons at the beginning', 'RFC 9110 §5.1', get('::'), '400 header-name-invalid'),
  refuse('a line without a colon', 'RFC 9112 §5', get('X-y'), '400 header-name-invalid'),
  refuse(
    'a first line without a colon',
    'RFC 9112 §5',
    headOf(GET, 'X-y', 'Host: a'),
    '400 header-name-invalid',
  ),
  refuse('words before the colon', 'RFC 9110 §5.1', get('X y: b'), '400 header-name-invalid'),
  refuse('a space before the colon', 'RFC 9112 §5.1', get('X : b'), '400 space-before-colon'),
  refuse('a tab before the colon', 'RFC 9112 §5.1', get('X\t: b'), '400 space-before-colon'),
  refuse(
    'spaces before the colon of the length',
    'RFC 9112 §5.1',
    get('Content-Length  : 5'),
    '400 space-before-colon',
  ),
  refuse(
    'a space before the colon of the coding',
    'RFC 9112 §5.1',
    get('Transfer-Encoding : chunked'),
    '400 space-before-colon',
  ),
  refuse(
    'a space before the colon of Host',
    'RFC 9112 §5.1',
    headOf(GET, 'Host : a'),
    '400 space-before-colon',
  ),
];

const values = [
  accept('whitespace around a value', 'RFC 9112 §5.1', get('X: \t b c \t '), {
    headers: ['Host', 'a', 'X', 'b c'],
  }),
  accept('no whitespace before a value', 'RFC 9112 §5.1', get('X:b'), { headers: ['Host', 'a', 'X', 'b'] }),
  accept('an empty value', 'RFC 9110 §5.5', get('X:'), { headers: ['Host', 'a', 'X', ''] }),
  accept('a value of blanks', 'RFC 9110 §5.5', get('X: \t \t'), { headers: ['Host', 'a', 'X', ''] }),
  accept('a tab within a value', 'RFC 9110 §5.5', get('X: b\tc'), { headers: ['Host', 'a', 'X', 'b\tc'] }),
  accept('colons in a value', 'RFC 9110 §5.5', get('X:: b:'), { headers: ['Host', 'a', 'X', ': b:'] }),
  accept('bytes beyond ASCII, one character each', 'RFC 9110 §5.5', get('X: \x80\xc3\xbc\xff'), {
    headers: ['Host', 'a', 'X', '\x80\xc3\xbc\xff'],
  }),
  accept('a no-break space, which is no whitespace', 'RFC 9110 §5.6.3', get('X: \xa0b\xa0'), {
    headers: ['Host', 'a', 'X', '\xa0b\xa0'],
  }),
  accept('quotes and commas', 'RFC 9110 §5.6', get('X: "a, \\"b", c;d="e'), {
    headers: ['Host', 'a', 'X', '"a, \\"b", c;d="e'],
  }),
  accept('lines of one name, not joined', 'RFC 9110 §5.3', get('X: 1', 'x: 2', 'X: 1'), {
    headers: ['Host', 'a', 'X', '1', 'x', '2', 'X', '1'],
  }),
  accept('a long value', 'RFC 9110 §5.5', get(`X: ${'v'.repeat(20_000)}`), {
    headers: ['Host', 'a', 'X', 'v'.repeat(20_000)],
  }),
  accept(
    'a hundred fields',
    'RFC 9110 §5.4',
    get(...Array.from({ length: 100 }, (_, at) => `X-${at}: ${at}`)),
    {
      headers: ['Host', 'a', ...Array.from({ length: 100 }, (_, at) => [`X-${at}`, String(at)]).flat()],
    },
  ),
  ...['\0', '\x01', '\x08', '\x0b', '\x0c', '\x1b', '\x1f', '\x7f'].map((sign) =>
    refuse(`a value with ${shown(sign)}`, 'RFC 9110 §5.5', get(`X: b${sign}c`), '400 header-value-invalid'),
  ),
  refuse('a NUL at the end of a value', 'RFC 9110 §5.5', get('X: b\0'), '400 header-value-invalid'),
  refuse(
    'a control character in a value nobody reads',
    'RFC 9110 §5.5',
    get('User-Agent: \x07'),
    '400 header-value-invalid',
  ),
];

const lineBreaks = [
  refuse('a field that ends in LF alone', 'RFC 9112 §2.2', `${GET}\r\nHost: a\nX: b\r\n\r\n`, '400 bare-lf'),
  refuse('the last field ending in LF alone', 'RFC 9112 §2.2', `${GET}\r\nHost: a\n\r\n\r\n`, '400 bare-lf'),
  refuse('an empty line of LF alone', 'RFC 9112 §2.2', `${GET}\r\nHost: a\r\n\n`, '400 bare-lf'),
  refuse('nothing but LF', 'RFC 9112 §2.2', `${GET}\nHost: a\n\n`, '400 bare-lf'),
  refuse('a CR within a value', 'RFC 9112 §2.2', get('X: b\rc'), '400 bare-cr'),
  refuse('a CR at the end of a value', 'RFC 9112 §2.2', get('X: b\r'), '400 bare-cr'),
  refuse(
    'a CR that would begin a field',
    'RFC 9112 §2.2',
    get('X: b\rTransfer-Encoding: chunked'),
    '400 bare-cr',
  ),
  refuse('a CR before the colon', 'RFC 9112 §2.2', get('X\r: b'), '400 bare-cr'),
  refuse('a CR before a name', 'RFC 9112 §2.2', get('\rX: b'), '400 bare-cr'),
  refuse('LF and CR exchanged', 'RFC 9112 §2.2', `${GET}\n\rHost: a\n\r\n\r`, '400 bare-lf'),
  refuse('a field continued after a space', 'RFC 9112 §5.2', get('X: b', ' c'), '400 obs-fold'),
  refuse('a field continued after a tab', 'RFC 9112 §5.2', get('X: b', '\tc'), '400 obs-fold'),
  refuse('a field continued by blanks alone', 'RFC 9112 §5.2', get('X: b', '  '), '400 obs-fold'),
  refuse(
    'a continuation that looks like a field',
    'RFC 9112 §5.2',
    get('X: b', ' Content-Length: 5'),
    '400 obs-fold',
  ),
  refuse('Host continued', 'RFC 9112 §5.2', headOf(GET, 'Host: a', ' b'), '400 obs-fold'),
  refuse('a coding continued', 'RFC 9112 §5.2', get('Transfer-Encoding:', ' chunked'), '400 obs-fold'),
  refuse(
    'a space before the first field',
    'RFC 9112 §2.2',
    headOf(GET, ' Host: a'),
    '400 leading-whitespace',
  ),
  refuse('a tab before the first field', 'RFC 9112 §2.2', headOf(GET, '\tHost: a'), '400 leading-whitespace'),
  refuse('a first line of blanks', 'RFC 9112 §2.2', headOf(GET, '  ', 'Host: a'), '400 leading-whitespace'),
];

/** The first thing that is wrong is named, however the bytes were cut. */
const order = [
  refuse('a bad name before a bad value', 'RFC 9110 §5.1', get('X y: b', 'Z: \0'), '400 header-name-invalid'),
  refuse(
    'a bad value before a bad name',
    'RFC 9110 §5.5',
    get('Z: \0', 'X y: b'),
    '400 header-value-invalid',
  ),
  refuse(
    'a bad name before an LF alone',
    'RFC 9110 §5.1',
    `${GET}\r\nX y: b\r\nHost: a\n\r\n\r\n`,
    '400 header-name-invalid',
  ),
  refuse(
    'a bad method before everything',
    'RFC 9112 §3.1',
    headOf('G(T / HTTP/9.9', 'X y: \0'),
    '400 method-invalid',
  ),
  refuse(
    'a bad field before a missing Host',
    'RFC 9110 §5.1',
    headOf(GET, 'X y: b'),
    '400 header-name-invalid',
  ),
  refuse(
    'a missing Host before bad framing',
    'RFC 9112 §3.2',
    headOf(GET, 'Content-Length: x'),
    '400 host-missing',
  ),
];

const unfinished = [
  refuse('a close within the request line', 'RFC 9112 §8', 'GET / HT', '400 request-incomplete', {
    closesBehind: true,
  }),
  refuse('a close behind the request line', 'RFC 9112 §8', `${GET}\r\n`, '400 request-incomplete', {
    closesBehind: true,
  }),
  refuse('a close within a field', 'RFC 9112 §8', `${GET}\r\nHos`, '400 request-incomplete', {
    closesBehind: true,
  }),
  refuse('a close before the empty line', 'RFC 9112 §8', `${GET}\r\nHost: a\r\n`, '400 request-incomplete', {
    closesBehind: true,
  }),
  refuse(
    'a close within the empty line',
    'RFC 9112 §8',
    `${GET}\r\nHost: a\r\n\r`,
    '400 request-incomplete',
    { closesBehind: true },
  ),
  accept('a close behind the head', 'RFC 9112 §9.6', get(), { staysOpen: false }, { closesBehind: true }),
];

export const fieldCases = [...names, ...values, ...lineBreaks, ...order, ...unfinished];
