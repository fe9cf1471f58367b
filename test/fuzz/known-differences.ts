import {
  areExtensions,
  contentBehind,
  type Explanation,
  hasRequestLine,
  isUriHost,
  membersOf,
  namesIn,
  refusedByUs,
  ruleOf,
  theyRefuse,
  valuesOf,
  weRefuse,
} from './disagreement.ts';
import { llhttpMethods } from './llhttp-reading.ts';

/** A way in which the engine differs from llhttp on purpose. */
export interface KnownDifference {
  readonly id: string;
  readonly rfc: string;
  readonly why: string;
  /** Bytes that show it. */
  readonly example: string;
  /** As narrow as can be told from the two readings: what it lets pass is never looked at. */
  readonly explains: Explanation;
}

const FRAMING_NAMES = new Set(['host', 'content-length', 'transfer-encoding']);
const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

export const knownDifferences: readonly KnownDifference[] = [
  // llhttp takes heads whose meaning is nobody's business but the server's above it.
  {
    id: 'host-missing',
    rfc: 'RFC 9112 §3.2',
    why: 'A server must refuse an HTTP/1.1 request without Host; llhttp leaves that to node:http.',
    example: 'GET / HTTP/1.1\r\n\r\n',
    explains: weRefuse(
      'host-missing',
      (their) => their.version === '1.1' && valuesOf(their, 'host').length === 0,
    ),
  },
  {
    id: 'host-repeated',
    rfc: 'RFC 9112 §3.2',
    why: 'A server must refuse more than one Host.',
    example: 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n',
    explains: weRefuse('host-repeated', (their) => valuesOf(their, 'host').length > 1),
  },
  {
    id: 'host-invalid',
    rfc: 'RFC 9112 §3.2',
    why: 'A server must refuse a Host that is no uri-host with an optional port.',
    example: 'GET / HTTP/1.1\r\nHost: a/b\r\n\r\n',
    explains: weRefuse('host-invalid', (their) => !isUriHost(valuesOf(their, 'host')[0] ?? '')),
  },
  {
    id: 'expectation-unknown',
    rfc: 'RFC 9110 §10.1.1',
    why: 'An expectation that cannot be met is answered 417; llhttp does not read Expect.',
    example: 'GET / HTTP/1.1\r\nHost: a\r\nExpect: tea\r\n\r\n',
    explains: weRefuse('expectation-failed', (their) =>
      membersOf(their, 'expect').some((member) => member !== '100-continue'),
    ),
  },

  // The request line
  {
    id: 'http-0.9',
    rfc: 'RFC 9112 §2.3',
    why: 'llhttp takes a request line that ends after the target as HTTP/0.9, even with fields behind it.',
    example: 'GET /\r\n\r\n',
    explains: ({ wire, ours, theirs, difference }) => {
      const their = refusedByUs(ours, theirs, difference);
      return their?.version === '0.9' && hasRequestLine(wire, their, / +/, / *[\r\n]/);
    },
  },
  {
    id: 'other-protocol',
    rfc: 'RFC 9112 §2.3',
    why: 'llhttp reads RTSP and ICE as well.',
    example: 'GET / RTSP/1.0\r\nHost: a\r\n\r\n',
    explains: ({ wire, ours, theirs, difference }) => {
      const their = refusedByUs(ours, theirs, difference, 'request-line-invalid');
      return their !== undefined && hasRequestLine(wire, their, / +/, / +(?:RTSP|ICE)\/[0-9]\.[0-9]/);
    },
  },
  {
    id: 'several-spaces-in-the-request-line',
    rfc: 'RFC 9112 §3',
    why: 'One space stands between the parts of a request line; llhttp takes several.',
    example: 'GET /  HTTP/1.1\r\nHost: a\r\n\r\n',
    explains: ({ wire, ours, theirs, difference }) => {
      const their = refusedByUs(ours, theirs, difference, 'request-line-invalid');
      if (their === undefined) return false;
      const version = /HTTP\/[0-9]\.[0-9]/.source;
      return (
        hasRequestLine(wire, their, / {2,}/, new RegExp(` +${version}`)) ||
        hasRequestLine(wire, their, / /, new RegExp(` {2,}${version}`))
      );
    },
  },
  {
    id: 'major-version',
    rfc: 'RFC 9110 §15.6.6',
    why: 'llhttp takes HTTP/0.9 and HTTP/2.0 in the form of HTTP/1.1; the engine says 505.',
    example: 'GET / HTTP/2.0\r\nHost: a\r\n\r\n',
    explains: weRefuse('version-unsupported', (their) => ['0.9', '2.0'].includes(their.version)),
  },
  {
    id: 'minor-version',
    rfc: 'RFC 9110 §2.5',
    why: 'A higher minor version is to be read as the highest one known; llhttp refuses it.',
    example: 'GET / HTTP/1.2\r\nHost: a\r\n\r\n',
    explains: theyRefuse(['HPE_INVALID_VERSION'], (our) => /^[^\r]* HTTP\/1\.[2-9]\r\n/.test(our.headText!)),
  },
  {
    id: 'method-unknown',
    rfc: 'RFC 9110 §9.1',
    why: 'A method is any token; llhttp knows a list. PRI is on it for HTTP/2 alone.',
    example: 'BREW / HTTP/1.1\r\nHost: a\r\n\r\n',
    explains: theyRefuse(
      ['HPE_INVALID_METHOD', 'HPE_INVALID_VERSION', 'HPE_INVALID_CONSTANT'],
      (our) => !llhttpMethods.has(our.method),
    ),
  },
  {
    id: 'target-form',
    rfc: 'RFC 9112 §3.2',
    why: 'llhttp takes characters, not forms: `*` beside OPTIONS, a CONNECT to a path, http without a host.',
    example: 'GET * HTTP/1.1\r\nHost: a\r\n\r\n',
    explains: weRefuse('target-invalid', (their) =>
      their.method === 'CONNECT'
        ? !/:[0-9]+$/.test(their.target) || /[/?#@]/.test(their.target)
        : their.target.startsWith('*') || /^https?:\/\/(?:[^/?#]*@|[/?#:]|$)/i.test(their.target),
    ),
  },
  {
    id: 'absolute-form-of-any-scheme',
    rfc: 'RFC 9112 §3.2.2',
    why: 'The absolute form is any absolute URI; llhttp wants letters followed by `://` and a host.',
    example: 'GET urn:a HTTP/1.1\r\nHost: a\r\n\r\n',
    explains: theyRefuse(['HPE_INVALID_URL'], (our) => /^[A-Za-z][A-Za-z0-9+.-]*:/.test(our.target)),
  },

  {
    id: 'bytes-beyond-ascii-in-the-target',
    rfc: 'RFC 3986 §2',
    why: 'A client should have encoded them. The engine hands them on as sent, for handlers that show them.',
    example: 'GET /\xc5\x9f HTTP/1.1\r\nHost: a\r\n\r\n',
    explains: theyRefuse(['HPE_INVALID_URL'], (our) => /[\x80-\xff]/.test(our.target)),
  },

  // Line breaks
  {
    id: 'line-breaks-before-the-request-line',
    rfc: 'RFC 9112 §2.2',
    why: 'A server should ignore at least one CRLF there; llhttp ignores any number of CR and LF in any order.',
    example: `\n${GET}`,
    explains: ({ wire, ours, theirs, difference }) => {
      const their = refusedByUs(ours, theirs, difference);
      if (their === undefined) return false;
      const breaksBefore: Readonly<Record<string, RegExp>> = {
        'bare-lf': /\n[\r\n]*$/,
        'bare-cr': /\r[\r\n]*$/,
        'request-line-invalid': /(?:\r\n){5}$/,
      };
      const pattern = breaksBefore[ruleOf(ours)!];
      const requestLine = new RegExp(`^${their.method} +${RegExp.escape(their.target)}`);
      const ends = [...wire.matchAll(/[\r\n](?=[A-Z])/g)].map(({ index }) => index + 1);
      return ends.some(
        (end) => pattern?.test(wire.slice(0, end)) === true && requestLine.test(wire.slice(end)),
      );
    },
  },

  // Framing
  {
    id: 'transfer-encoding-in-http-1.0',
    rfc: 'RFC 9112 §6.1',
    why: 'The framing of such a message is to be treated as faulty; llhttp decodes it.',
    example: 'POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    explains: weRefuse(
      'transfer-encoding-in-http10',
      (their) => their.version === '1.0' && valuesOf(their, 'transfer-encoding').length > 0,
    ),
  },
  {
    id: 'chunked-twice-behind-blanks',
    rfc: 'RFC 9112 §6.1',
    why: 'Chunked may be applied once; llhttp overlooks the first of two when blanks with a tab follow it.',
    example:
      'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked \t \r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    explains: weRefuse(
      'transfer-encoding-repeated-chunked',
      (their) => membersOf(their, 'transfer-encoding').filter((coding) => coding === 'chunked').length > 1,
    ),
  },
  {
    id: 'length-beyond-exact-numbers',
    rfc: 'RFC 9110 §8.6',
    why: 'A length above 2^53 - 1 cannot be counted exactly here and is refused; llhttp counts in 64 bits.',
    example: 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9007199254740992\r\n\r\n',
    explains: weRefuse('content-length-invalid', (their) => {
      const [value = ''] = valuesOf(their, 'content-length');
      return /^[0-9]+$/.test(value) && !Number.isSafeInteger(Number(value));
    }),
  },
  {
    id: 'transfer-encoding-not-final-chunked',
    rfc: 'RFC 9112 §6.3',
    why: 'Both refuse; llhttp shows the head first.',
    example: 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n',
    explains: ({ ours, theirs, difference }) => {
      const their = refusedByUs(ours, theirs, difference, 'transfer-encoding-not-final-chunked');
      return their?.isComplete === false && ruleOf(theirs) === 'HPE_INVALID_TRANSFER_ENCODING';
    },
  },
  {
    id: 'tab-behind-chunked',
    rfc: 'RFC 9110 §5.5',
    why: 'A tab behind a value is whitespace like a space; llhttp takes it for a part of the coding.',
    example: 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\t\r\n\r\n0\r\n\r\n',
    explains: ({ ours, theirs, difference }) => {
      const our = ours.messages[difference.messageNo];
      if (difference.aspect !== 'complete' || ruleOf(theirs) !== 'HPE_INVALID_TRANSFER_ENCODING')
        return false;
      return /^transfer-encoding:.*chunked[ \t]*\t[ \t]*\r$/im.test(our?.headText ?? '');
    },
  },
  {
    id: 'content-of-connect',
    rfc: 'RFC 9110 §9.3.6',
    why: 'The engine lets a CONNECT be refused and reads on behind its content; for llhttp a tunnel has begun.',
    example: 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nb',
    explains: ({ theirs, difference: { aspect, messageNo } }) =>
      (aspect === 'body' || aspect === 'complete') &&
      theirs.end.kind === 'handed-over' &&
      theirs.messages[messageNo]?.method === 'CONNECT',
  },
  {
    id: 'empty-transfer-coding',
    rfc: 'RFC 9110 §5.6.1',
    why: 'A recipient may refuse empty list members; in the one field that frames a message they hide something.',
    example: 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: ,chunked\r\n\r\n0\r\n\r\n',
    explains: weRefuse('transfer-encoding-invalid', (their) => {
      const members = valuesOf(their, 'transfer-encoding').join(',').split(',');
      return members.some((member) => member.trim() === '');
    }),
  },
  {
    id: 'transfer-coding-unknown',
    rfc: 'RFC 9112 §6.1',
    why: 'A coding that is not understood is answered 501; llhttp leaves codings before chunked to its user.',
    example: 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n',
    explains: weRefuse('transfer-encoding-unsupported', (their) => {
      const codings = membersOf(their, 'transfer-encoding');
      return codings.length > 1 && codings.indexOf('chunked') === codings.length - 1;
    }),
  },
  {
    id: 'trailer-that-frames',
    rfc: 'RFC 9110 §6.5.1',
    why: 'Framing and routing fields must not stand in trailers; llhttp takes Host and what it does not count twice.',
    example: 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nHost: b\r\n\r\n',
    explains: ({ ours, theirs, difference }) => {
      const their = theirs.messages[difference.messageNo];
      if (difference.aspect !== 'complete' || ruleOf(ours) !== 'trailer-forbidden' || !their?.isComplete)
        return false;
      return namesIn(their.trailers).some((name) => FRAMING_NAMES.has(name));
    },
  },
  {
    id: 'blanks-in-chunk-extensions',
    rfc: 'RFC 9112 §7.1.1',
    why: 'Blanks around the semicolon and the equals sign are bad but allowed; llhttp refuses them.',
    example: 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0 ;a\r\n\r\n',
    explains: ({ wire, ours, theirs, difference }) => {
      const our = ours.messages[difference.messageNo];
      const isRefusedInBody =
        difference.aspect === 'complete' &&
        ['HPE_STRICT', 'HPE_INVALID_CHUNK_SIZE'].includes(ruleOf(theirs) ?? '');
      if (!isRefusedInBody || !our?.isComplete) return false;
      return /^[0-9A-Fa-f]+(?:[ \t]+;|[^\r\n]*(?:;[ \t]|[ \t]+[=;]|=[ \t]))/m.test(contentBehind(our, wire));
    },
  },

  {
    id: 'chunk-extension-grammar',
    rfc: 'RFC 9112 §7.1.1',
    why: 'An extension is a name, or a name and a value; llhttp also takes `;=`, `;a=` and `;a=b"c"`.',
    example: 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0;a=\r\n\r\n',
    explains: ({ wire, ours, theirs, difference }) => {
      const our = ours.messages[difference.messageNo];
      const isRefusedInBody = difference.aspect === 'complete' && ruleOf(ours) === 'chunk-extension-invalid';
      if (!isRefusedInBody || our === undefined || !theirs.messages[difference.messageNo]!.isComplete)
        return false;
      const lines = contentBehind(our, wire).matchAll(/^[0-9A-Fa-f]+;([^\r\n]*)\r\n/gm);
      return [...lines].some(({ 1: extensions }) => !areExtensions(extensions!));
    },
  },

  // The connection
  {
    id: 'proxy-connection',
    rfc: 'RFC 9112 §C.2.2',
    why: 'Proxy-Connection is no field of HTTP; llhttp reads it like Connection.',
    example: 'GET / HTTP/1.1\r\nHost: a\r\nProxy-Connection: close\r\n\r\n',
    explains: ({ ours, theirs, difference }) => {
      const their = theirs.messages[difference.messageNo];
      return (
        difference.aspect === 'keepsAlive' &&
        ours.messages[difference.messageNo]!.keepsAlive !== their!.keepsAlive &&
        valuesOf(their!, 'proxy-connection').length > 0
      );
    },
  },
  {
    id: 'close-and-keep-alive',
    rfc: 'RFC 9112 §9.3',
    why: 'Close comes first in the rules; in HTTP/1.0 llhttp looks for keep-alive alone.',
    example: 'GET / HTTP/1.0\r\nConnection: keep-alive, close\r\n\r\n',
    explains: ({ theirs, difference }) => {
      const their = theirs.messages[difference.messageNo];
      if (difference.aspect !== 'keepsAlive' || their?.version !== '1.0' || !their.keepsAlive) return false;
      const options = membersOf(their, 'connection');
      return options.includes('close') && options.includes('keep-alive');
    },
  },
  {
    id: 'connection-in-trailers',
    rfc: 'RFC 9110 §6.5.1',
    why: 'A trailer does not govern the connection; llhttp lets it.',
    example: `POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nConnection: close\r\n\r\n${GET}`,
    explains: ({ theirs, difference }) => {
      const before = theirs.messages[difference.messageNo - 1];
      return (
        difference.aspect === 'head taken' &&
        ruleOf(theirs) === 'HPE_CLOSED_CONNECTION' &&
        before !== undefined &&
        namesIn(before.trailers).some((name) => name === 'connection' || name === 'proxy-connection')
      );
    },
  },
];
