import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { meaningOf } from './framing.ts';
import { HeadReader } from './head-reader.ts';
import { InputBuffer } from './input-buffer.ts';
import { defaultLimits } from './limits.ts';
import { Refusal, type RefusalKey } from './refusals.ts';

const H = 'Host: a\r\n';

function read(wire: string, limits = defaultLimits) {
  const input = new InputBuffer();
  input.append(Buffer.from(wire, 'latin1'));
  const head = new HeadReader(limits, false).read(input);
  if (head !== undefined) meaningOf(head.parsed, false);
  return head;
}

const accepted: [name: string, wire: string][] = [
  ['lower-case and unknown methods', `brew /pot HTTP/1.1\r\n${H}\r\n`],
  ['a method of token signs', `!#$%&'*+-.^_\`|~ / HTTP/1.1\r\n${H}\r\n`],
  ['raw bytes from 0x80 in the target', `GET /\xc5\x9f?\xff HTTP/1.1\r\n${H}\r\n`],
  ['a fragment in the target', `GET /a#b HTTP/1.1\r\n${H}\r\n`],
  ['the absolute form', `GET http://a.example:80/x HTTP/1.1\r\n${H}\r\n`],
  ['the asterisk form', `OPTIONS * HTTP/1.1\r\n${H}\r\n`],
  ['the authority form', `CONNECT [::1]:443 HTTP/1.1\r\n${H}\r\n`],
  ['HTTP/1.0 without Host', 'GET / HTTP/1.0\r\n\r\n'],
  ['an empty Host', 'GET / HTTP/1.1\r\nHost:\r\n\r\n'],
  ['an IPv6 Host with port', 'GET / HTTP/1.1\r\nHost: [::1]:80\r\n\r\n'],
  ['an empty line before the request line', `\r\nGET / HTTP/1.1\r\n${H}\r\n`],
  ['whitespace around values', `GET / HTTP/1.1\r\nHost: \t a \t\r\n\r\n`],
  ['empty values', `GET / HTTP/1.1\r\n${H}X:\r\n\r\n`],
  ['bytes from 0x80 and tabs in values', `GET / HTTP/1.1\r\n${H}X: \xe9\tb\r\n\r\n`],
  ['leading zeros of a Content-Length', `GET / HTTP/1.1\r\n${H}Content-Length: 007\r\n\r\n`],
  ['Chunked in any case', `GET / HTTP/1.1\r\n${H}transfer-encoding: ChunKed\r\n\r\n`],
  ['a higher minor version', `GET / HTTP/1.7\r\n${H}\r\n`],
];

const refused: [key: RefusalKey, wire: string][] = [
  ['request-line-invalid', `GET /\r\n${H}\r\n`],
  ['request-line-invalid', `GET  / HTTP/1.1\r\n${H}\r\n`],
  ['request-line-invalid', `GET / HTTP/1.1 \r\n${H}\r\n`],
  ['request-line-invalid', `GET / a HTTP/1.1\r\n${H}\r\n`],
  ['request-line-invalid', `GET / http/1.1\r\n${H}\r\n`],
  ['request-line-invalid', `GET / HTTP/1.10\r\n${H}\r\n`],
  ['request-line-invalid', `${'\r\n'.repeat(5)}GET / HTTP/1.1\r\n${H}\r\n`],
  ['version-invalid', `GET / HTTP/11\r\n${H}\r\n`],
  ['version-unsupported', `GET / HTTP/2.0\r\n${H}\r\n`],
  ['version-unsupported', `GET / HTTP/0.9\r\n${H}\r\n`],
  ['method-invalid', `G(T / HTTP/1.1\r\n${H}\r\n`],
  ['method-invalid', ` GET / HTTP/1.1\r\n${H}\r\n`],
  ['method-invalid', '\x16\x03\x01\x02'],
  ['method-too-long', `${'M'.repeat(129)} / HTTP/1.1\r\n${H}\r\n`],
  ['target-invalid', `GET /\t HTTP/1.1\r\n${H}\r\n`],
  ['target-invalid', `GET /\x7f HTTP/1.1\r\n${H}\r\n`],
  ['target-invalid', `GET /\0 HTTP/1.1\r\n${H}\r\n`],
  ['target-invalid', `GET a HTTP/1.1\r\n${H}\r\n`],
  ['target-invalid', `GET * HTTP/1.1\r\n${H}\r\n`],
  ['target-invalid', `GET http:///x HTTP/1.1\r\n${H}\r\n`],
  ['target-invalid', `GET http://u@a/x HTTP/1.1\r\n${H}\r\n`],
  ['target-invalid', `CONNECT /x HTTP/1.1\r\n${H}\r\n`],
  ['bare-lf', `GET / HTTP/1.1\n${H}\r\n`],
  ['bare-lf', 'GET / HTTP/1.1\nHost: a\n\n'],
  ['bare-lf', 'GET / HTTP/1.1\r\nHost: a\n\r\n\r\n'],
  ['bare-lf', '\nGET / HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['bare-cr', 'GET / HTTP/1.1\r\nHost: a\rb\r\n\r\n'],
  ['bare-cr', 'GET / HTTP/1.1\r\nHost: a\r\r\n\r\n'],
  ['obs-fold', `GET / HTTP/1.1\r\n${H} b\r\n\r\n`],
  ['leading-whitespace', `GET / HTTP/1.1\r\n ${H}\r\n`],
  ['space-before-colon', `GET / HTTP/1.1\r\n${H}X : b\r\n\r\n`],
  ['header-name-invalid', `GET / HTTP/1.1\r\n${H}: b\r\n\r\n`],
  ['header-name-invalid', `GET / HTTP/1.1\r\n${H}X b: c\r\n\r\n`],
  ['header-name-invalid', `GET / HTTP/1.1\r\n${H}X\r\n\r\n`],
  ['header-name-invalid', `GET / HTTP/1.1\r\n${H}\xe9: b\r\n\r\n`],
  ['header-value-invalid', `GET / HTTP/1.1\r\n${H}X: a\0b\r\n\r\n`],
  ['header-value-invalid', `GET / HTTP/1.1\r\n${H}X: \x0bchunked\r\n\r\n`],
  ['header-value-invalid', `GET / HTTP/1.1\r\n${H}X: \x7f\r\n\r\n`],
  ['host-missing', 'GET / HTTP/1.1\r\n\r\n'],
  ['host-repeated', `GET / HTTP/1.1\r\n${H}${H}\r\n`],
  ['host-repeated', `GET / HTTP/1.0\r\n${H}host: b\r\n\r\n`],
  ['host-invalid', 'GET / HTTP/1.1\r\nHost: a/b\r\n\r\n'],
  ['host-invalid', 'GET / HTTP/1.1\r\nHost: a b\r\n\r\n'],
  ['host-invalid', 'GET / HTTP/1.1\r\nHost: a:8x\r\n\r\n'],
  ['content-length-invalid', `GET / HTTP/1.1\r\n${H}Content-Length: +2\r\n\r\n`],
  ['content-length-invalid', `GET / HTTP/1.1\r\n${H}Content-Length: 0x2\r\n\r\n`],
  ['content-length-invalid', `GET / HTTP/1.1\r\n${H}Content-Length: -1\r\n\r\n`],
  ['content-length-invalid', `GET / HTTP/1.1\r\n${H}Content-Length:\r\n\r\n`],
  ['content-length-invalid', `GET / HTTP/1.1\r\n${H}Content-Length: 2 3\r\n\r\n`],
  ['content-length-invalid', `GET / HTTP/1.1\r\n${H}Content-Length: 99999999999999999999\r\n\r\n`],
  ['duplicate-content-length', `GET / HTTP/1.1\r\n${H}Content-Length: 2\r\nContent-Length: 3\r\n\r\n`],
  ['duplicate-content-length', `GET / HTTP/1.1\r\n${H}Content-Length: 2\r\ncontent-length: 2\r\n\r\n`],
  ['duplicate-content-length', `GET / HTTP/1.1\r\n${H}Content-Length: 2, 2\r\n\r\n`],
  [
    'transfer-encoding-with-content-length',
    `GET / HTTP/1.1\r\n${H}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n`,
  ],
  ['transfer-encoding-in-http10', 'GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n'],
  ['transfer-encoding-unsupported', `GET / HTTP/1.1\r\n${H}Transfer-Encoding: gzip, chunked\r\n\r\n`],
  ['transfer-encoding-not-final-chunked', `GET / HTTP/1.1\r\n${H}Transfer-Encoding: xchunked\r\n\r\n`],
  ['transfer-encoding-not-final-chunked', `GET / HTTP/1.1\r\n${H}Transfer-Encoding: chunked, gzip\r\n\r\n`],
  ['transfer-encoding-not-final-chunked', `GET / HTTP/1.1\r\n${H}Transfer-Encoding: chunked;a=b\r\n\r\n`],
  [
    'transfer-encoding-repeated-chunked',
    `GET / HTTP/1.1\r\n${H}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n`,
  ],
  ['transfer-encoding-invalid', `GET / HTTP/1.1\r\n${H}Transfer-Encoding:\r\n\r\n`],
  ['transfer-encoding-invalid', `GET / HTTP/1.1\r\n${H}Transfer-Encoding: , chunked\r\n\r\n`],
  ['too-many-headers', `GET / HTTP/1.1\r\n${'Host: a\r\n'.repeat(257)}\r\n`],
  ['head-too-large', `GET / HTTP/1.1\r\n${H}X: ${'a'.repeat(65536)}\r\n\r\n`],
  ['head-too-large', `GET / HTTP/1.1\r\n${H}X: ${'a'.repeat(65536)}`],
  ['target-too-long', `GET /${'a'.repeat(16384)} HTTP/1.1\r\n${H}\r\n`],
  ['target-too-long', `GET /${'a'.repeat(65536)}`],
];

describe('reading a request head', () => {
  for (const [name, wire] of accepted) {
    it(`accepts ${name}`, () => assert.ok(read(wire)));
  }

  for (const [key, wire] of refused) {
    it(`refuses ${JSON.stringify(wire.slice(0, 60))} as ${key}`, () => {
      assert.throws(
        () => read(wire),
        (error) => error instanceof Refusal && error.key === key,
      );
    });
  }

  it('keeps casing, order and duplicates of the fields and the bytes of the wire', () => {
    const wire = 'GeT /%7e HTTP/1.1\r\nhOST: a\r\nX-b: 1\r\nx-B:  2 \r\n\r\n';
    const head = read(`${wire}rest`)!;
    assert.equal(head.parsed.method, 'GeT');
    assert.equal(head.parsed.target, '/%7e');
    assert.deepEqual(head.parsed.fields.pairs, ['hOST', 'a', 'X-b', '1', 'x-B', '2']);
    assert.equal(head.bytes.subarray(head.start, head.end).toString('latin1'), wire);
  });

  it('reads a head that comes byte by byte, and leaves what follows it', () => {
    const wire = `\r\n\r\nPOST /x HTTP/1.1\r\n${H}X: ${'y'.repeat(5000)}\r\n\r\n`;
    const input = new InputBuffer();
    const reader = new HeadReader(defaultLimits, false);
    let found: ReturnType<HeadReader['read']>;
    for (const [index, byte] of Buffer.from(wire, 'latin1').entries()) {
      assert.equal(found, undefined, `found before byte ${index}`);
      input.append(Buffer.of(byte));
      found = reader.read(input);
    }
    assert.equal(found?.parsed.target, '/x');
    assert.equal(input.length, 0);
  });

  it('reads a large head byte by byte in linear time', () => {
    const wire = Buffer.from(`GET / HTTP/1.1\r\n${H}X: ${'y'.repeat(60_000)}\r\n\r\n`, 'latin1');
    let searchedBytes = 0;
    class CountingInput extends InputBuffer {
      override indexOf(needle: number | Buffer, from: number): number {
        searchedBytes += this.end - from;
        return super.indexOf(needle, from);
      }
    }
    const input = new CountingInput();
    const reader = new HeadReader(defaultLimits, false);
    let found: ReturnType<HeadReader['read']>;
    for (let at = 0; at < wire.length; at++) {
      input.append(wire.subarray(at, at + 1));
      found = reader.read(input);
    }
    assert.ok(found);
    assert.ok(searchedBytes > 0 && searchedBytes < 10 * wire.length, `${searchedBytes} bytes were searched`);
  });
});

describe('the meaning of a head', () => {
  it('is found in linear time however long the runs of blanks are', () => {
    const blanks = ' '.repeat(60_000);
    const startedAtMs = performance.now();
    read(`GET / HTTP/1.1\r\n${H}Connection: a${blanks}b\r\n\r\n`);
    assert.throws(() => read(`GET / HTTP/1.1\r\n${H}Transfer-Encoding: a${blanks}b\r\n\r\n`));
    assert.throws(() => read(`GET / HTTP/1.1\r\n${H}Content-Length: 1${blanks}2\r\n\r\n`));
    assert.throws(() => read(`GET / HTTP/1.1\r\nHost: ${'%41'.repeat(20_000)}/\r\n\r\n`));
    assert.ok(performance.now() - startedAtMs < 1_500);
  });
});

describe('the lenient mode', () => {
  function readLeniently(wire: string) {
    const input = new InputBuffer();
    input.append(Buffer.from(wire, 'latin1'));
    return new HeadReader(defaultLimits, true).read(input)!.parsed;
  }

  it('takes lone line feeds, folds, spaces before colons and lines without one', () => {
    const parsed = readLeniently('GET  /a  b \t HTTP/1.1\nX : 1\n  2\nnothing\r\nY:\r3\n\n');
    assert.equal(parsed.target, '/a b');
    assert.deepEqual(parsed.fields.pairs, ['X', '1 2', 'nothing', '', 'Y', '\r3']);
  });
});

describe('a client that repeats itself', () => {
  const wires = (reader: HeadReader, ...chunks: string[]) => {
    const input = new InputBuffer();
    return chunks.map((chunk) => {
      input.append(Buffer.from(chunk, 'latin1'));
      const head = reader.read(input);
      return head && [head.parsed.method, head.parsed.target, ...head.parsed.fields.pairs].join(' ');
    });
  };
  const get = (target: string, more = '') => `GET ${target} HTTP/1.1\r\n${H}${more}\r\n`;

  it('is read anew as soon as one byte differs', () => {
    const reader = new HeadReader(defaultLimits, false);
    const targets = ['/a', '/a', '/b', '/a', '/a?b', '/a', '/A'];
    assert.deepEqual(
      wires(reader, ...targets.map((target) => get(target))),
      targets.map((target) => `GET ${target} Host a`),
    );
  });

  it('may send less or more than the head before', () => {
    const reader = new HeadReader(defaultLimits, false);
    const head = get('/a', 'X: 1\r\n');
    const read = 'GET /a Host a X 1';
    assert.deepEqual(
      wires(reader, head, head.slice(0, 20), head.slice(20), head, `${head}${get('/b')}`, ''),
      [read, undefined, read, read, read, 'GET /b Host a'],
    );
  });

  it('gets each head with the bytes it was sent in', () => {
    const reader = new HeadReader(defaultLimits, false);
    const input = new InputBuffer();
    const chunks = [Buffer.from(get('/a')), Buffer.from(get('/a'))];
    for (const chunk of chunks) {
      input.append(chunk);
      assert.equal(reader.read(input)!.bytes, chunk);
      assert.equal(input.length, 0);
    }
  });

  it('is refused each time', () => {
    const reader = new HeadReader(defaultLimits, false);
    for (let time = 0; time < 3; time++) {
      assert.throws(() => wires(reader, 'GET / HTTP/1.1\r\n\r\n'), new Refusal('host-missing'));
    }
  });
});
