import type { Random } from './random.ts';

/**
 * Bytes that a client might send to a server: mostly valid requests, each grown from the grammar and then damaged in a
 * few places, sometimes nothing but noise. One character is one byte.
 */
export function generateWire(random: Random): string {
  if (random.oneIn(50)) return noise(random);
  let wire = '';
  for (let count = 1 + random.below(3); count > 0; count--) wire += request(random);
  for (let count = random.below(3); count > 0; count--) wire = damaged(wire, random);
  return wire;
}

/** Where to cut the bytes when they arrive in pieces, in rising order. */
export function generateCuts(length: number, random: Random): number[] {
  if (random.oneIn(8)) return Array.from({ length }, (_, index) => index);
  return Array.from({ length: 1 + random.below(4) }, () => random.below(length + 1)).sort((a, b) => a - b);
}

const METHODS = ['GET', 'POST', 'PUT', 'HEAD', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'QUERY', 'M-SEARCH'];
const TARGETS = ['/', '/a?b=c', '/a/b;c=%20', '/?', '/a?b?c', '//x', '/*', '/%', '/a|b"<>^`{}\\'];
const ODD_TARGETS = [
  '*',
  'http://a.example/x',
  'https://a:1',
  'http://a?b',
  'a',
  '/a#b',
  '?x',
  'http:///',
  'a:1',
];
const ODD_VERSIONS = [
  'HTTP/1.2',
  'HTTP/2.0',
  'HTTP/0.9',
  'http/1.1',
  'HTTP/11',
  'HTTP/1.',
  'ICE/1.0',
  'RTSP/1.0',
];
const HOSTS = ['a', 'a.example:80', '[::1]', '127.0.0.1:8080', ''];
const ODD_HOSTS = ['a b', 'a/b', 'a:b', 'u@a', 'a,b', '[::1', 'a%zz'];
const FIELDS = [
  'A: b',
  'a:b',
  'Accept: */*',
  'X-Empty:',
  'X:  padded \t ',
  'X: \xe9\xff\x80',
  'Cookie: a=b; c="d"',
  "!#$%&'*+-.^_`|~: signs",
  'Expect: 100-continue',
];
const CONNECTION_FIELDS = [
  'Connection: close',
  'Connection: keep-alive',
  'Connection: Keep-Alive',
  'connection: CLOSE',
  'Connection: keep-alive, close',
  'Connection: x',
  'Connection: x, close',
  'Connection:',
  'Connection: ,close',
  'Connection: closed',
  'Proxy-Connection: close',
];
const FRAMING_FIELDS = [
  'Content-Length: 9007199254740992',
  'Content-Length: 3',
  'Content-Length: 03',
  'Content-Length: +3',
  'Content-Length: 3, 3',
  'Content-Length: 3 ',
  'Content-Length: 0x3',
  'Content-Length:',
  'Content-Length: 99999999999999999999',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: CHUNKED',
  'Transfer-Encoding: gzip, chunked',
  'Transfer-Encoding: chunked, chunked',
  'Transfer-Encoding: chunked,',
  'Transfer-Encoding: identity',
  'Transfer-Encoding: xchunked',
  'Transfer-Encoding:',
  'Transfer-Encoding: \x0bchunked',
  'Transfer_Encoding: chunked',
];
const UPGRADE_FIELDS = ['Upgrade: websocket', 'Connection: Upgrade', 'Connection: upgrade, keep-alive'];

function request(random: Random): string {
  const emptyLines = random.oneIn(20) ? '\r\n'.repeat(1 + random.below(2)) : '';
  const method = random.oneIn(40) ? random.pick(['CONNECT', 'BREW', 'get', 'PRI']) : random.pick(METHODS);
  const target = random.oneIn(30) ? random.pick(ODD_TARGETS) : random.pick(TARGETS);
  const version = random.oneIn(60) ? random.pick(ODD_VERSIONS) : random.oneIn(12) ? 'HTTP/1.0' : 'HTTP/1.1';
  const { fields: bodyFields, content } = body(random);
  const fields = [`Host: ${random.oneIn(80) ? random.pick(ODD_HOSTS) : random.pick(HOSTS)}`, ...bodyFields];
  for (let count = random.below(4); count > 0; count--) insert(fields, random.pick(FIELDS), random);
  if (random.oneIn(6)) insert(fields, random.pick(CONNECTION_FIELDS), random);
  if (random.oneIn(20)) insert(fields, random.pick(FRAMING_FIELDS), random);
  if (random.oneIn(40)) insert(fields, random.pick(UPGRADE_FIELDS), random);
  if (random.oneIn(60)) fields.splice(random.below(fields.length), 1);
  const lines = fields.map((field) => `${field}\r\n`).join('');
  return `${emptyLines}${method} ${target} ${version}\r\n${lines}\r\n${content}`;
}

function insert(fields: string[], field: string, random: Random): void {
  fields.splice(random.below(fields.length + 1), 0, field);
}

function body(random: Random): { fields: string[]; content: string } {
  const content = random.pick([
    '',
    'a',
    'abc',
    'hello world',
    '\r\n\r\n',
    'GET / HTTP/1.1\r\n\r\n',
    '\0\xff',
  ]);
  switch (random.below(4)) {
    case 0:
      return { fields: [`Content-Length: ${content.length}`], content };
    case 1:
      return { fields: ['Transfer-Encoding: chunked'], content: chunked(content, random) };
    default:
      return { fields: [], content: '' };
  }
}

const EXTENSIONS = ['', '', '', ';a', ';a=b', ';a="b;c"', ';a="\\""', ';a;b=c'];
const ODD_EXTENSIONS = ['; a=b', ' ;a', ';a = b', ';', ';;', ' ', ';\x01', ';=', ';a=', ';a="', ';a=b"c'];
const TRAILERS = ['', '', '', 'T: v\r\n', 'A: b\r\nA: c\r\n', 'X:\r\n'];
const ODD_TRAILERS = [
  'Content-Length: 1\r\n',
  'Transfer-Encoding: x\r\n',
  'Host: b\r\n',
  'Connection: close\r\n',
];

function chunked(content: string, random: Random): string {
  let coded = '';
  for (let at = 0; at < content.length; ) {
    const size = 1 + random.below(content.length - at);
    coded += `${hex(size, random)}${extension(random)}\r\n${content.slice(at, at + size)}\r\n`;
    at += size;
  }
  const trailers = random.oneIn(30) ? random.pick(ODD_TRAILERS) : random.pick(TRAILERS);
  return `${coded}${hex(0, random)}${extension(random)}\r\n${trailers}\r\n`;
}

function extension(random: Random): string {
  return random.oneIn(40) ? random.pick(ODD_EXTENSIONS) : random.pick(EXTENSIONS);
}

function hex(size: number, random: Random): string {
  const digits = size.toString(16);
  if (random.oneIn(10)) return `00${digits}`;
  return random.oneIn(2) ? digits.toUpperCase() : digits;
}

/** What breaks parsers: half line breaks, whitespace, separators, and framing fields where none belong. */
const INTERESTING = [
  '\r',
  '\n',
  '\r\n',
  '\n\n',
  '\r\n\r\n',
  '\0',
  ' ',
  '\t',
  '\x0b',
  ':',
  ';',
  ',',
  '"',
  '\x7f',
  '\x80',
  '\xff',
  '0',
  '+',
  '-',
  'f',
  '\r\n ',
  ' HTTP/1.1',
  'Content-Length: 3\r\n',
  'Transfer-Encoding: chunked\r\n',
  'Host: y\r\n',
  '0\r\n\r\n',
];

function damaged(wire: string, random: Random): string {
  const at = random.below(wire.length + 1);
  const before = wire.slice(0, at);
  switch (random.below(6)) {
    case 0:
      return before + random.pick(INTERESTING) + wire.slice(at);
    case 1:
      return before + wire.slice(at + 1 + random.below(3));
    case 2:
      return before + String.fromCharCode(random.below(256)) + wire.slice(at + 1);
    case 3:
      return before + random.pick(INTERESTING) + wire.slice(at + 1);
    case 4:
      return before + wire.slice(random.below(wire.length + 1)).slice(0, 40) + wire.slice(at);
    default:
      return random.oneIn(4) ? before : damagedLineBreak(wire, random);
  }
}

function damagedLineBreak(wire: string, random: Random): string {
  const breaks = [...wire.matchAll(/\r\n/g)];
  if (breaks.length === 0) return wire;
  const { index } = random.pick(breaks);
  return (
    wire.slice(0, index) + random.pick(['\n', '\r', '\r\r\n', '\n\r', '\r\n ', '']) + wire.slice(index + 2)
  );
}

function noise(random: Random): string {
  return String.fromCharCode(...Array.from({ length: 1 + random.below(200) }, () => random.below(256)));
}
