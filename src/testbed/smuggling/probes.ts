/**
 * Requests that two servers may read differently. Each conceals a second request, which must never be taken for one:
 * the canary id tells afterwards whether it was. All are to be sent over a connection of their own.
 */
export interface SmugglingProbe {
  readonly name: string;
  /** What one of the two servers gets wrong. */
  readonly idea: string;
  /** The rule a correct proxy follows. */
  readonly rule: string;
  /** The exact bytes, one character per byte. */
  readonly bytes: (canary: Canary) => string;
}

export interface Canary {
  readonly id: string;
  readonly host: string;
}

export const PROBE_PATH = '/proxy-test/security/smuggling/probe';

const LAST_CHUNK = '0\r\n\r\n';

export const smugglingProbes: readonly SmugglingProbe[] = [
  {
    name: 'cl-te',
    idea: 'The proxy goes by Content-Length, the backend by Transfer-Encoding.',
    rule: 'RFC 9112 §6.3: refuse, or forward with Transfer-Encoding alone.',
    bytes: (canary) => lengthHidesChunks(canary, ['Transfer-Encoding: chunked\r\n']),
  },
  {
    name: 'te-cl',
    idea: 'The proxy goes by Transfer-Encoding, the backend by Content-Length.',
    rule: 'RFC 9112 §6.3: refuse, or forward with Transfer-Encoding alone.',
    bytes: (canary) => {
      const hidden = hiddenRequest(canary);
      const sizeLine = `${hidden.length.toString(16)}\r\n`;
      const fields = [`Content-Length: ${sizeLine.length}\r\n`, 'Transfer-Encoding: chunked\r\n'];
      return outer(canary, fields, `${sizeLine}${hidden}\r\n${LAST_CHUNK}`);
    },
  },
  {
    name: 'te-te-unknown',
    idea: 'One server takes a coding that only resembles chunked for chunked.',
    rule: 'RFC 9112 §6.1: an unknown transfer coding is refused by 501 or 400.',
    bytes: (canary) => lengthHidesChunks(canary, ['Transfer-Encoding: xchunked\r\n']),
  },
  {
    name: 'te-te-twice',
    idea: 'One server goes by the first Transfer-Encoding, the other by the last.',
    rule: 'RFC 9112 §6.3: chunked must be the final coding; anything else is refused.',
    bytes: (canary) =>
      lengthHidesChunks(canary, ['Transfer-Encoding: chunked\r\n', 'Transfer-Encoding: identity\r\n']),
  },
  {
    name: 'te-vertical-tab',
    idea: 'One server skips a vertical tab as if it were white space.',
    rule: 'RFC 9110 §5.5: controls in field values are refused.',
    bytes: (canary) => lengthHidesChunks(canary, ['Transfer-Encoding:\x0bchunked\r\n']),
  },
  {
    name: 'te-space-before-colon',
    idea: 'One server reads a field whose name ends in a space, the other does not know it.',
    rule: 'RFC 9112 §5.1: white space before the colon is refused by 400.',
    bytes: (canary) => lengthHidesChunks(canary, ['Transfer-Encoding : chunked\r\n']),
  },
  {
    name: 'te-obs-fold',
    idea: 'One server joins the folded line to the field, the other reads an empty value.',
    rule: 'RFC 9112 §5.2: line folding is refused, or replaced by spaces.',
    bytes: (canary) => lengthHidesChunks(canary, ['Transfer-Encoding:\r\n chunked\r\n']),
  },
  {
    name: 'te-bare-lf',
    idea: 'One server ends a line at a bare LF and finds a field that the other does not see.',
    rule: 'RFC 9112 §2.2: whoever takes LF for a line end must not forward it as part of a value.',
    bytes: (canary) => lengthHidesChunks(canary, ['X-Front: a\nTransfer-Encoding: chunked\r\n']),
  },
  {
    name: 'te-bare-cr',
    idea: 'One server ends a line at a bare CR and finds a field that the other does not see.',
    rule: 'RFC 9112 §2.2: a bare CR is refused, or replaced by a space.',
    bytes: (canary) => lengthHidesChunks(canary, ['X-Front: a\rTransfer-Encoding: chunked\r\n']),
  },
  {
    name: 'cl-zero',
    idea: 'The backend ignores the body of a request for which it expects none.',
    rule: 'RFC 9112 §6: the body belongs to the request whether or not it is used.',
    bytes: (canary) => {
      const hidden = hiddenRequest(canary);
      return outer(canary, [`Content-Length: ${hidden.length}\r\n`], hidden);
    },
  },
  {
    name: 'cl-get',
    idea: 'One server believes that GET has no body.',
    rule: 'RFC 9110 §9.3.1: a body of GET has no meaning, but it is framed like any other.',
    bytes: (canary) => {
      const hidden = hiddenRequest(canary);
      return outer(canary, [`Content-Length: ${hidden.length}\r\n`], hidden, 'GET');
    },
  },
  {
    name: 'cl-twice',
    idea: 'One server goes by the first Content-Length, the other by the last.',
    rule: 'RFC 9112 §6.3: differing lengths are refused by 400.',
    bytes: (canary) => {
      const hidden = hiddenRequest(canary);
      return outer(canary, ['Content-Length: 0\r\n', `Content-Length: ${hidden.length}\r\n`], hidden);
    },
  },
  {
    name: 'cl-list',
    idea: 'One server goes by the first length of a list, the other by the last.',
    rule: 'RFC 9112 §6.3: a list of differing lengths is refused by 400.',
    bytes: (canary) => {
      const hidden = hiddenRequest(canary);
      return outer(canary, [`Content-Length: 0, ${hidden.length}\r\n`], hidden);
    },
  },
  {
    name: 'cl-signed',
    idea: 'One server reads a length with a sign, the other ignores the field.',
    rule: 'RFC 9110 §8.6: a length is digits and nothing else.',
    bytes: (canary) => {
      const hidden = hiddenRequest(canary);
      return outer(canary, [`Content-Length: +${hidden.length}\r\n`], hidden);
    },
  },
  {
    name: 'chunk-extension',
    idea: 'One server ends a chunk extension at a bare LF, the other at CRLF.',
    rule: 'RFC 9112 §7.1.1: a chunk extension holds no line break; refuse it.',
    bytes: (canary) => {
      // Ended at LF, the line below opens a chunk of filler and the next line one that holds the hidden request.
      // Ended at CRLF, that next line is itself the filler, and the last chunk comes before the hidden request.
      const concealed = `${LAST_CHUNK}${hiddenRequest(canary)}`;
      const size = concealed.length.toString(16);
      const ambiguous = `${size.length};\n${'x'.repeat(size.length)}\r\n`;
      return outer(
        canary,
        ['Transfer-Encoding: chunked\r\n'],
        `${ambiguous}${size}\r\n${concealed}\r\n${LAST_CHUNK}`,
      );
    },
  },
  {
    name: 'chunk-overflow',
    idea: 'A chunk size of 2^64 overflows to zero in one server.',
    rule: 'RFC 9112 §7.1: a size that cannot be represented is refused.',
    bytes: (canary) =>
      outer(canary, ['Transfer-Encoding: chunked\r\n'], `10000000000000000\r\n\r\n${hiddenRequest(canary)}`),
  },
  {
    name: 'chunk-bare-lf',
    idea: 'One server takes a last chunk that ends in bare LFs.',
    rule: 'RFC 9112 §7.1: chunk lines end in CRLF.',
    bytes: (canary) => outer(canary, ['Transfer-Encoding: chunked\r\n'], `0\n\n${hiddenRequest(canary)}`),
  },
  {
    name: 'expect-continue',
    idea: 'One server leaves the body unread after its final answer and takes it for the next request.',
    rule: 'RFC 9110 §10.1.1: whoever answers without reading the body closes, or reads and drops it.',
    bytes: (canary) => {
      const hidden = hiddenRequest(canary);
      return outer(canary, ['Expect: 100-continue\r\n', `Content-Length: ${hidden.length}\r\n`], hidden);
    },
  },
  {
    name: 'h2c-upgrade',
    idea: 'A proxy forwards an upgrade to h2c and tunnels whatever follows past its rules.',
    rule: 'RFC 9110 §7.6.1: Upgrade is hop-by-hop; RFC 9113 §3.1 dropped h2c by upgrade.',
    bytes: (canary) =>
      outer(
        canary,
        [
          'Connection: Upgrade, HTTP2-Settings\r\n',
          'Upgrade: h2c\r\n',
          'HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n',
        ],
        '',
        'GET',
      ),
  },
];

/** The request inside the request; whole, so that a server that takes it for one answers it. */
function hiddenRequest({ id, host }: Canary): string {
  return `GET ${PROBE_PATH}?id=${id}&part=hidden HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
}

function outer({ id, host }: Canary, fieldLines: readonly string[], body: string, method = 'POST'): string {
  return `${method} ${PROBE_PATH}?id=${id}&part=outer HTTP/1.1\r\nHost: ${host}\r\n${fieldLines.join('')}\r\n${body}`;
}

/** Content-Length spans everything; to whoever sees the chunks they end before the hidden request. */
function lengthHidesChunks(canary: Canary, fieldLines: readonly string[]): string {
  const body = `${LAST_CHUNK}${hiddenRequest(canary)}`;
  return outer(canary, [`Content-Length: ${body.length}\r\n`, ...fieldLines], body);
}
