import type { RawSocket } from '../../http1/exchange.ts';
import { reply, type WireAnswer } from '../../kernel/catalogue/answer.ts';
import { fault } from '../../kernel/faults.ts';
import { refuseInPublic } from '../public-mode.ts';
import type { TestbedSettings } from '../settings.ts';

/**
 * What a fault can do to others on the way. `contained`: only this answer is broken. `framing`: bytes are left
 * that a proxy sharing its upstream connections may take for the answer to somebody else, so public services
 * refuse it. `desync`: made for exactly that, so it must be allowed on purpose.
 */
type Risk = 'contained' | 'framing' | 'desync';

export interface WireFault {
  readonly does: string;
  /** The exact bytes on the wire, one character per byte. */
  readonly bytes: string;
  /** How the connection ends after the last byte: FIN or RST. */
  readonly ends: 'close' | 'reset';
  readonly risk?: Risk;
}

/** The body most faults carry: ten lines of ten bytes. */
export const FAULT_BODY = Array.from({ length: 10 }, (_, line) => `line ${line} ..\n`).join('');

const PLAIN = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n';
const CHUNKED = `${PLAIN}Transfer-Encoding: chunked\r\n`;
const WHOLE = `${PLAIN}Content-Length: ${FAULT_BODY.length}\r\n\r\n${FAULT_BODY}`;
const HALF_BODY = FAULT_BODY.slice(0, FAULT_BODY.length / 2);
const HALF = `${PLAIN}Content-Length: ${FAULT_BODY.length}\r\n\r\n${HALF_BODY}`;
const HEAD_ONLY = `${PLAIN}Content-Length: ${FAULT_BODY.length}\r\n\r\n`;

/**
 * Every broken answer, by name: the endpoints under `/proxy-test/connection` and the overlay's
 * `X-Test-Fault` both take from here. Every fault closes its connection.
 */
export const wireFaults = {
  // The connection ends too early.
  reset: { does: 'resets the connection before any byte of the answer', bytes: '', ends: 'reset' },
  'reset-after-headers': { does: 'sends the whole head, then resets', bytes: HEAD_ONLY, ends: 'reset' },
  'reset-mid-body': { does: 'sends the head and half of the body, then resets', bytes: HALF, ends: 'reset' },
  close: { does: 'closes the connection before any byte of the answer', bytes: '', ends: 'close' },
  'close-after-headers': { does: 'sends the whole head, then closes', bytes: HEAD_ONLY, ends: 'close' },
  'close-mid-body': { does: 'sends the head and half of the body, then closes', bytes: HALF, ends: 'close' },
  'empty-reply': { does: 'closes the connection without a byte', bytes: '', ends: 'close' },

  // The head is malformed.
  garbage: {
    does: 'sends bytes that are no HTTP at all',
    bytes: '\x00\x01\xfe\xffthis is not HTTP\x7f\r\n\r\n',
    ends: 'close',
    risk: 'framing',
  },
  'bad-status-line': {
    does: 'has a status that is no number',
    bytes: `HTTP/1.1 TwoHundred OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok`,
    ends: 'close',
  },
  'bad-version': {
    does: 'speaks an HTTP version that does not exist',
    bytes: `HTTP/7.3 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok`,
    ends: 'close',
  },
  'header-no-colon': {
    does: 'has a header line without a colon',
    bytes: `${PLAIN}X-Broken no colon here\r\nContent-Length: 2\r\n\r\nok`,
    ends: 'close',
  },
  'header-nul': {
    does: 'has a NUL byte in a header value',
    bytes: `${PLAIN}X-Broken: a\x00b\r\nContent-Length: 2\r\n\r\nok`,
    ends: 'close',
  },
  'header-space-before-colon': {
    does: 'has a space between header name and colon',
    bytes: `${PLAIN}X-Broken : value\r\nContent-Length: 2\r\n\r\nok`,
    ends: 'close',
  },
  'header-obs-fold': {
    does: 'continues a header value on a second line',
    bytes: `${PLAIN}X-Folded: first\r\n second\r\nContent-Length: 2\r\n\r\nok`,
    ends: 'close',
  },
  'header-bare-lf': {
    does: 'ends its lines by a bare LF',
    bytes: `HTTP/1.1 200 OK\nContent-Type: text/plain\nContent-Length: 2\n\nok`,
    ends: 'close',
  },
  'no-headers-end': {
    does: 'never ends its head: no empty line before the close',
    bytes: `${PLAIN}X-Last: header\r\n`,
    ends: 'close',
  },
  'header-overflow': {
    does: 'has one header line of 128 KiB',
    bytes: headerOverflow(128 * 1024),
    ends: 'close',
  },

  // Content-Length and body disagree.
  'short-length': {
    does: 'sends half of the body that Content-Length promises',
    bytes: HALF,
    ends: 'close',
  },
  'long-length': {
    does: 'sends twice the body that Content-Length promises',
    bytes: `${PLAIN}Content-Length: ${HALF_BODY.length}\r\n\r\n${FAULT_BODY}`,
    ends: 'close',
    risk: 'framing',
  },
  'negative-length': {
    does: 'has a negative Content-Length',
    bytes: `${PLAIN}Content-Length: -1\r\n\r\n${FAULT_BODY}`,
    ends: 'close',
  },
  'duplicate-length': {
    does: 'has two Content-Length fields that differ',
    bytes: `${PLAIN}Content-Length: ${HALF_BODY.length}\r\nContent-Length: ${FAULT_BODY.length}\r\n\r\n${FAULT_BODY}`,
    ends: 'close',
    risk: 'framing',
  },
  'length-and-chunked': {
    does: 'has Content-Length and Transfer-Encoding, which disagree',
    bytes: `${CHUNKED}Content-Length: 5\r\n\r\n${chunk(FAULT_BODY)}0\r\n\r\n`,
    ends: 'close',
    risk: 'framing',
  },
  'no-length': {
    does: 'has neither length nor chunks; the close ends the body, which is legal',
    bytes: `${PLAIN}\r\n${FAULT_BODY}`,
    ends: 'close',
  },

  // Chunked framing.
  'valid-chunks': {
    does: 'is a faultless chunked answer, to compare with',
    bytes: `${CHUNKED}\r\n${chunk(HALF_BODY)}${chunk(HALF_BODY)}0\r\n\r\n`,
    ends: 'close',
  },
  'bad-chunk': {
    does: 'has a chunk size that is no hexadecimal number',
    bytes: `${CHUNKED}\r\n${chunk(HALF_BODY)}xyz\r\n${HALF_BODY}\r\n0\r\n\r\n`,
    ends: 'close',
  },
  'no-last-chunk': {
    does: 'closes without the last chunk',
    bytes: `${CHUNKED}\r\n${chunk(HALF_BODY)}`,
    ends: 'close',
  },
  'chunk-extension': {
    does: 'has chunk extensions, which are legal',
    bytes: `${CHUNKED}\r\n${chunk(HALF_BODY, ';name=value;quoted="a;b"')}0;last\r\n\r\n`,
    ends: 'close',
  },
  'huge-chunk': {
    does: 'announces a chunk of 2^64 bytes and sends a few',
    bytes: `${CHUNKED}\r\n10000000000000000\r\n${HALF_BODY}`,
    ends: 'close',
  },
  'chunk-trailers': {
    does: 'has trailer fields after the last chunk, which are legal',
    bytes: `${CHUNKED}Trailer: X-Checksum\r\n\r\n${chunk(HALF_BODY)}0\r\nX-Checksum: 42\r\n\r\n`,
    ends: 'close',
  },
  'tiny-chunks': {
    does: 'sends every byte as a chunk of its own, which is legal',
    bytes: `${CHUNKED}\r\n${Array.from(FAULT_BODY, (byte) => chunk(byte)).join('')}0\r\n\r\n`,
    ends: 'close',
  },

  // More than one answer, or a body where none may be.
  'garbage-after-end': {
    does: 'goes on with garbage after a whole answer',
    bytes: `${WHOLE}\x00\xffleft-over bytes`,
    ends: 'close',
    risk: 'framing',
  },
  'body-after-204': {
    does: 'sends a body after a 204',
    bytes: `HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\nok`,
    ends: 'close',
    risk: 'framing',
  },
  'unsolicited-101': {
    does: 'switches to a protocol that nobody asked for',
    bytes: 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: unheard-of\r\n\r\nraw bytes',
    ends: 'close',
  },
  'interim-storm': {
    does: 'sends a thousand interim answers before the final one',
    bytes: `${'HTTP/1.1 102 Processing\r\n\r\n'.repeat(1000)}${WHOLE}`,
    ends: 'close',
  },
  'double-response': {
    does: 'sends two final answers to one request',
    bytes: `${PLAIN}Content-Length: 5\r\n\r\nfirstHTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 6\r\n\r\nsecond`,
    ends: 'close',
    risk: 'desync',
  },
} as const satisfies Record<string, WireFault>;

export type WireFaultName = keyof typeof wireFaults;

export const wireFaultNames = Object.keys(wireFaults) as WireFaultName[];

export function isWireFaultName(name: string): name is WireFaultName {
  return Object.hasOwn(wireFaults, name);
}

/** The answer that has this fault, unless the service must not give it. */
export function wireFault(name: WireFaultName, settings: TestbedSettings): WireAnswer {
  refuseRisk(name, settings);
  const { bytes, ends } = wireFaults[name];
  return reply.wire((socket) => writeAndEnd(socket, bytes, ends));
}

export async function writeAndEnd(socket: RawSocket, bytes: string, ends: WireFault['ends']): Promise<void> {
  if (bytes !== '') await socket.write(Buffer.from(bytes, 'latin1'));
  if (ends === 'reset') socket.reset();
  else socket.close();
}

/** An answer whose head is as long as wanted. */
export function headerOverflow(size: number): string {
  return `${PLAIN}X-Overflow: ${'x'.repeat(size)}\r\nContent-Length: 2\r\n\r\nok`;
}

/** How far an answer gets before its connection ends. */
export type BreakPoint = 'before-headers' | 'after-headers' | 'mid-body';

/** The bytes of a good answer up to the break; `bodyBytes` counts those of its body. */
export function answerUpTo(at: BreakPoint, bodyBytes: number): string {
  if (at === 'before-headers') return '';
  const head = `${PLAIN}Content-Length: ${Math.max(2 * bodyBytes, FAULT_BODY.length)}\r\n\r\n`;
  return at === 'after-headers' ? head : head + 'x'.repeat(bodyBytes);
}

function refuseRisk(name: WireFaultName, settings: TestbedSettings): void {
  const { risk = 'contained' }: WireFault = wireFaults[name];
  if (risk === 'contained') return;
  const feature = `The fault ${name}`;
  refuseInPublic(settings, feature);
  if (risk === 'desync' && !settings.allowsUnsafe) {
    throw fault('feature.disabled', { feature, reason: 'unsafe answers are not allowed by its settings' });
  }
}

function chunk(content: string, extension = ''): string {
  return `${content.length.toString(16)}${extension}\r\n${content}\r\n`;
}
