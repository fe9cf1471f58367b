import { accept, headOf, line, refuse, shown } from './case.ts';

const METHODS = ['HEAD', 'PUT', 'DELETE', 'OPTIONS', 'TRACE', 'PATCH', 'QUERY', 'M-SEARCH'];
const DELIMITERS = [...'(),/:;<=>?@[\\]{}"'];

const methods = [
  ...METHODS.map((method) =>
    accept(`the method ${method}`, 'RFC 9110 §9.1', line(`${method} / HTTP/1.1`), { method }),
  ),
  accept('a method nobody knows', 'RFC 9110 §9.1', line('BREW /pot HTTP/1.1'), {
    method: 'BREW',
    target: '/pot',
  }),
  accept('a method in lower case, kept as sent', 'RFC 9110 §9.1', line('get / HTTP/1.1'), { method: 'get' }),
  accept('a method of one letter', 'RFC 9110 §9.1', line('M / HTTP/1.1'), { method: 'M' }),
  accept('a method of digits', 'RFC 9110 §5.6.2', line('42 / HTTP/1.1'), { method: '42' }),
  accept('a method of token signs', 'RFC 9110 §5.6.2', line("!#$%&'*+-.^_`|~ / HTTP/1.1"), {
    method: "!#$%&'*+-.^_`|~",
  }),
  accept('PRI, which means nothing in HTTP/1.1', 'RFC 9113 §3.4', line('PRI / HTTP/1.1'), { method: 'PRI' }),
  ...DELIMITERS.map((sign) =>
    refuse(`a method with ${sign}`, 'RFC 9110 §5.6.2', line(`GE${sign}T / HTTP/1.1`), '400 method-invalid'),
  ),
  ...['\0', '\x01', '\t', '\x0b', '\x1f', '\x7f', '\x80', '\xff'].map((sign) =>
    refuse(
      `a method with ${shown(sign)}`,
      'RFC 9110 §5.6.2',
      line(`GE${sign}T / HTTP/1.1`),
      '400 method-invalid',
    ),
  ),
  refuse('a space before the method', 'RFC 9112 §3', line(' GET / HTTP/1.1'), '400 method-invalid'),
  refuse('a tab before the method', 'RFC 9112 §3', line('\tGET / HTTP/1.1'), '400 method-invalid'),
  refuse(
    'a byte order mark before the method',
    'RFC 9112 §3',
    line('\xef\xbb\xbfGET / HTTP/1.1'),
    '400 method-invalid',
  ),
  refuse(
    'the beginning of a TLS handshake',
    'RFC 9112 §3',
    '\x16\x03\x01\x02\x00\x01\x00\x01',
    '400 method-invalid',
  ),
  refuse('a method and nothing else', 'RFC 9112 §3', line('GET'), '400 request-line-invalid'),
  refuse('a method and a space', 'RFC 9112 §3', line('GET '), '400 request-line-invalid'),
];

const originForms = [
  ['a path', '/a/b/c'],
  ['an empty query', '/?'],
  ['a query with question marks', '/a?b=c?d'],
  ['two slashes at the beginning, which are no authority', '//a.example/b'],
  ['empty segments', '/a//b/'],
  ['dot segments, which nobody removes here', '/a/./../b'],
  ['encoded bytes, which nobody decodes here', '/%2e%2E/%00/%2f'],
  ['a percent sign without digits', '/%/%z/%1'],
  ['parameters', '/a;b=c;d'],
  ['an asterisk in a path', '/*'],
  ['an address as a path', '/http://b.example/'],
  ['a fragment, kept as sent', '/a#b'],
  [
    'every visible character',
    `/${Array.from({ length: 0x5e }, (_, at) => String.fromCharCode(0x21 + at)).join('')}`,
  ],
  ['bytes beyond ASCII, kept as sent', '/\xc5\x9f?\xff\x80'],
  ['a long path', `/${'a'.repeat(8000)}`],
] as const;

const targets = [
  ...originForms.map(([name, target]) =>
    accept(`a target of ${name}`, 'RFC 9112 §3.2.1', line(`GET ${target} HTTP/1.1`), { target }),
  ),
  ...[
    'http://a.example/',
    'http://a.example',
    'http://a.example?b',
    'HTTP://A.EXAMPLE/b',
    'https://a.example:443/b?c',
    'http://[::1]:80/',
    'http://a.example/@b',
    'ftp://b@a.example/c',
    'urn:a:b',
    'x-y+z.1:c',
  ].map((target) =>
    accept(`the absolute form ${target}`, 'RFC 9112 §3.2.2', line(`GET ${target} HTTP/1.1`), { target }),
  ),
  ...['a.example:443', '127.0.0.1:1', '[::1]:443', 'a:65535'].map((target) =>
    accept(`the authority form ${target}`, 'RFC 9112 §3.2.3', line(`CONNECT ${target} HTTP/1.1`), {
      method: 'CONNECT',
      target,
    }),
  ),
  accept('the asterisk form', 'RFC 9112 §3.2.4', line('OPTIONS * HTTP/1.1'), {
    method: 'OPTIONS',
    target: '*',
  }),
  accept('OPTIONS of a path', 'RFC 9112 §3.2.4', line('OPTIONS /* HTTP/1.1'), {
    method: 'OPTIONS',
    target: '/*',
  }),
  ...['a', 'a/b', '?a', '#a', '.', '%2f', '1http://a/', '://a', '*a', '\\'].map((target) =>
    refuse(`the target ${target}`, 'RFC 9112 §3.2', line(`GET ${target} HTTP/1.1`), '400 target-invalid'),
  ),
  refuse('the asterisk form beside OPTIONS', 'RFC 9112 §3.2.4', line('GET * HTTP/1.1'), '400 target-invalid'),
  ...['/a', 'a', '*', 'a:', ':1', 'a:x', 'a:1/b', 'http://a/', 'b@a:1', '::1:1', '[::1]'].map((target) =>
    refuse(
      `CONNECT to ${target}`,
      'RFC 9112 §3.2.3',
      line(`CONNECT ${target} HTTP/1.1`),
      '400 target-invalid',
    ),
  ),
  ...[
    'http:',
    'http:a',
    'http:/a',
    'http:///a',
    'http://?a',
    'http://:80/',
    'http://b@a/',
    'https://b:c@a/',
  ].map((target) =>
    refuse(
      `an http address without a proper host: ${target}`,
      'RFC 9110 §4.2.1',
      line(`GET ${target} HTTP/1.1`),
      '400 target-invalid',
    ),
  ),
  ...['\0', '\x01', '\t', '\x0b', '\x0c', '\x1f', '\x7f'].map((sign) =>
    refuse(
      `a target with ${shown(sign)}`,
      'RFC 9112 §3.2',
      line(`GET /a${sign}b HTTP/1.1`),
      '400 target-invalid',
    ),
  ),
  refuse('a space in the target', 'RFC 9112 §3.2', line('GET /a b HTTP/1.1'), '400 request-line-invalid'),
  refuse('a CR in the target', 'RFC 9112 §2.2', line('GET /a\rb HTTP/1.1'), '400 bare-cr'),
  refuse('an LF in the target', 'RFC 9112 §2.2', line('GET /a\nb HTTP/1.1'), '400 bare-lf'),
];

const separators = [
  refuse('two spaces before the target', 'RFC 9112 §3', line('GET  / HTTP/1.1'), '400 request-line-invalid'),
  refuse('two spaces before the version', 'RFC 9112 §3', line('GET /  HTTP/1.1'), '400 request-line-invalid'),
  refuse('a tab before the target', 'RFC 9112 §3', line('GET\t/ HTTP/1.1'), '400 method-invalid'),
  refuse('a tab before the version', 'RFC 9112 §3', line('GET /\tHTTP/1.1'), '400 target-invalid'),
  refuse('a vertical tab before the version', 'RFC 9112 §3', line('GET /\x0bHTTP/1.1'), '400 target-invalid'),
  refuse('no target', 'RFC 9112 §3', line('GET HTTP/1.1'), '400 request-line-invalid'),
  refuse('a line that ends in a space', 'RFC 9112 §3', line('GET / HTTP/1.1 '), '400 request-line-invalid'),
  refuse('a line that ends in a tab', 'RFC 9112 §3', line('GET / HTTP/1.1\t'), '400 request-line-invalid'),
  refuse('a fourth part', 'RFC 9112 §3', line('GET / HTTP/1.1 x'), '400 request-line-invalid'),
  refuse('an LF alone behind the line', 'RFC 9112 §2.2', 'GET / HTTP/1.1\nHost: a\r\n\r\n', '400 bare-lf'),
  refuse('a CR alone behind the line', 'RFC 9112 §2.2', 'GET / HTTP/1.1\rHost: a\r\n\r\n', '400 bare-cr'),
  refuse('two CRs behind the line', 'RFC 9112 §2.2', 'GET / HTTP/1.1\r\r\nHost: a\r\n\r\n', '400 bare-cr'),
];

const versions = [
  accept('HTTP/1.0', 'RFC 9112 §2.3', headOf('GET /a HTTP/1.0'), {
    target: '/a',
    version: '1.0',
    staysOpen: false,
  }),
  accept('HTTP/1.2, read as 1.1', 'RFC 9110 §2.5', line('GET / HTTP/1.2')),
  accept('HTTP/1.9, read as 1.1', 'RFC 9110 §2.5', line('GET / HTTP/1.9')),
  ...['0.9', '2.0', '3.0', '9.9'].map((version) =>
    refuse(`HTTP/${version}`, 'RFC 9110 §15.6.6', line(`GET / HTTP/${version}`), '505 version-unsupported'),
  ),
  ...[
    'HTTP/1',
    'HTTP/1.',
    'HTTP/.1',
    'HTTP/11',
    'HTTP/1,1',
    'HTTP/a.b',
    'HTTP/ 1.1',
    'HTTP/+1.1',
    'HTTP/-1.1',
    'HTTP/',
  ].map((version) =>
    refuse(`the version ${version}`, 'RFC 9112 §2.3', line(`GET / ${version}`), '400 version-invalid'),
  ),
  ...[
    'http/1.1',
    'Http/1.1',
    'HTTP /1.1',
    'HTTPS/1.1',
    'RTSP/1.0',
    'ICE/1.0',
    '1.1',
    'HTTP',
    'HTTP/1.10',
    'HTTP/1.1.1',
  ].map((version) =>
    refuse(`the version ${version}`, 'RFC 9112 §2.3', line(`GET / ${version}`), '400 request-line-invalid'),
  ),
  refuse('a simple request of HTTP/0.9', 'RFC 9112 §2.3', 'GET /\r\n\r\n', '400 request-line-invalid'),
  refuse('a request line without a version', 'RFC 9112 §3', line('GET /'), '400 request-line-invalid'),
  refuse(
    'a request line without a version after a space',
    'RFC 9112 §3',
    line('GET / '),
    '400 request-line-invalid',
  ),
  refuse('the preface of HTTP/2', 'RFC 9113 §3.4', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', '400 target-invalid'),
  refuse('a status line', 'RFC 9112 §3', line('HTTP/1.1 200 OK'), '400 method-invalid'),
];

const before = [
  ...[1, 2, 4].map((count) =>
    accept(
      `${count} empty lines before the request line`,
      'RFC 9112 §2.2',
      `${'\r\n'.repeat(count)}${line('GET / HTTP/1.1')}`,
    ),
  ),
  accept(
    'four empty lines before each of two requests',
    'RFC 9112 §2.2',
    `${'\r\n'.repeat(4)}${line('GET / HTTP/1.1')}${'\r\n'.repeat(4)}`,
  ),
  refuse(
    'five empty lines before the request line',
    'RFC 9112 §2.2',
    `${'\r\n'.repeat(5)}${line('GET / HTTP/1.1')}`,
    '400 request-line-invalid',
  ),
  refuse(
    'an LF alone before the request line',
    'RFC 9112 §2.2',
    `\n${line('GET / HTTP/1.1')}`,
    '400 bare-lf',
  ),
  refuse('a CR alone before the request line', 'RFC 9112 §2.2', `\r${line('GET / HTTP/1.1')}`, '400 bare-cr'),
  refuse(
    'two CRs and an LF before the request line',
    'RFC 9112 §2.2',
    `\r\r\n${line('GET / HTTP/1.1')}`,
    '400 bare-cr',
  ),
  refuse(
    'a line of a space before the request line',
    'RFC 9112 §2.2',
    ` \r\n${line('GET / HTTP/1.1')}`,
    '400 method-invalid',
  ),
];

export const requestLineCases = [...methods, ...targets, ...separators, ...versions, ...before];
