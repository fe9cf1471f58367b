interface RefusalRow {
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  /** Where the rule stands. */
  readonly rfc: string;
}

const bad = (detail: string, rfc: string): RefusalRow => ({ status: 400, title: 'Bad Request', detail, rfc });

/** Every reason for which the engine refuses a message before or while it is read. */
export const refusalTable = {
  // Request line
  'request-line-invalid': bad(
    'The request line is not method, target and version with one space between them.',
    'RFC 9112 §3',
  ),
  'method-invalid': bad('The method is not a token.', 'RFC 9112 §3.1'),
  'method-too-long': {
    status: 501,
    title: 'Not Implemented',
    detail: 'The method is longer than any method this server knows.',
    rfc: 'RFC 9112 §3',
  },
  'target-invalid': bad(
    'The request target holds a control character or has no form that goes with its method.',
    'RFC 9112 §3.2',
  ),
  'target-too-long': {
    status: 414,
    title: 'URI Too Long',
    detail: 'The request target is longer than this server reads.',
    rfc: 'RFC 9112 §3',
  },
  'version-invalid': bad('The version is not HTTP/digit.digit.', 'RFC 9112 §2.3'),
  'version-unsupported': {
    status: 505,
    title: 'HTTP Version Not Supported',
    detail: 'Only HTTP/1.0 and HTTP/1.1 are spoken here in this form.',
    rfc: 'RFC 9110 §15.6.6',
  },

  // Lines and fields
  'bare-lf': bad('A line ends in LF without CR.', 'RFC 9112 §2.2'),
  'bare-cr': bad('A CR is not followed by LF.', 'RFC 9112 §2.2'),
  'obs-fold': bad('A field value is continued on a line that begins with whitespace.', 'RFC 9112 §5.2'),
  'leading-whitespace': bad(
    'There is whitespace between the request line and the first field.',
    'RFC 9112 §2.2',
  ),
  'space-before-colon': bad('There is whitespace between a field name and its colon.', 'RFC 9112 §5.1'),
  'header-name-invalid': bad('A field name is empty, no token, or without a colon.', 'RFC 9110 §5.1'),
  'header-value-invalid': bad('A field value holds a control character.', 'RFC 9110 §5.5'),
  'head-too-large': {
    status: 431,
    title: 'Request Header Fields Too Large',
    detail: 'The header fields together are larger than this server reads.',
    rfc: 'RFC 6585 §5',
  },
  'too-many-headers': {
    status: 431,
    title: 'Request Header Fields Too Large',
    detail: 'There are more header fields than this server reads.',
    rfc: 'RFC 6585 §5',
  },
  'request-incomplete': bad('The connection was closed within the head of a request.', 'RFC 9112 §8'),

  // Host
  'host-missing': bad('An HTTP/1.1 request has no Host field.', 'RFC 9112 §3.2'),
  'host-repeated': bad('The request has more than one Host field.', 'RFC 9112 §3.2'),
  'host-invalid': bad('The Host field is not a host with an optional port.', 'RFC 9112 §3.2'),

  // Framing
  'content-length-invalid': bad('Content-Length is not a decimal number.', 'RFC 9112 §6.3'),
  'duplicate-content-length': bad('Content-Length is given more than once.', 'RFC 9112 §6.3'),
  'transfer-encoding-with-content-length': bad(
    'Transfer-Encoding and Content-Length are given together.',
    'RFC 9112 §6.1',
  ),
  'transfer-encoding-in-http10': bad('An HTTP/1.0 request has a Transfer-Encoding.', 'RFC 9112 §6.1'),
  'transfer-encoding-invalid': bad('Transfer-Encoding is empty or no list of codings.', 'RFC 9112 §6.1'),
  'transfer-encoding-not-final-chunked': bad(
    'The last transfer coding is not chunked, so the length of the body cannot be told.',
    'RFC 9112 §6.3',
  ),
  'transfer-encoding-repeated-chunked': bad('The chunked coding is applied twice.', 'RFC 9112 §6.1'),
  'transfer-encoding-unsupported': {
    status: 501,
    title: 'Not Implemented',
    detail: 'A transfer coding other than chunked is not understood.',
    rfc: 'RFC 9112 §6.1',
  },

  // Chunked bodies
  'chunk-size-invalid': bad('A chunk size is not a hexadecimal number.', 'RFC 9112 §7.1'),
  'chunk-extension-invalid': bad('A chunk extension is no name with an optional value.', 'RFC 9112 §7.1.1'),
  'chunk-extension-too-long': {
    status: 413,
    title: 'Content Too Large',
    detail: 'The chunk extensions of the body are longer than this server reads.',
    rfc: 'RFC 9112 §7.1.1',
  },
  'chunk-end-invalid': bad('The data of a chunk is not followed by CRLF.', 'RFC 9112 §7.1'),
  'trailers-too-large': {
    status: 431,
    title: 'Request Header Fields Too Large',
    detail: 'The trailer fields together are larger than this server reads.',
    rfc: 'RFC 6585 §5',
  },
  'trailer-forbidden': bad(
    'A field that frames or routes the message stands in the trailers.',
    'RFC 9110 §6.5.1',
  ),

  // Bodies and expectations
  'body-too-large': {
    status: 413,
    title: 'Content Too Large',
    detail: 'The request body is larger than this endpoint reads.',
    rfc: 'RFC 9110 §15.5.14',
  },
  'too-much-content': {
    status: 503,
    title: 'Service Unavailable',
    detail: 'The request bodies of this moment are together more than this server keeps in memory.',
    rfc: 'RFC 9110 §15.6.4',
  },
  'expectation-failed': {
    status: 417,
    title: 'Expectation Failed',
    detail: 'The only expectation that can be met is 100-continue.',
    rfc: 'RFC 9110 §10.1.1',
  },

  // Time
  'head-timeout': {
    status: 408,
    title: 'Request Timeout',
    detail: 'The head of the request did not arrive in time.',
    rfc: 'RFC 9110 §15.5.9',
  },
  'body-timeout': {
    status: 408,
    title: 'Request Timeout',
    detail: 'The body of the request stopped arriving or came too slowly.',
    rfc: 'RFC 9110 §15.5.9',
  },
} as const satisfies Record<string, RefusalRow>;

export type RefusalKey = keyof typeof refusalTable;

/** How much would have been taken, where a limit is the reason. */
export type RefusalBound = { readonly maxBytes: number } | { readonly maxCount: number };

/** A message the engine does not take. Heads are answered by the engine; what fails in a body rejects its reading. */
export class Refusal extends Error {
  readonly key: RefusalKey;
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  readonly rfc: string;
  readonly bound: RefusalBound | undefined;

  constructor(key: RefusalKey, bound?: RefusalBound) {
    const row: RefusalRow = refusalTable[key];
    const detail = bound ? `${row.detail.slice(0, -1)}, at most ${boundText(bound)}.` : row.detail;
    super(detail);
    this.name = 'Refusal';
    this.key = key;
    this.status = row.status;
    this.title = row.title;
    this.detail = detail;
    this.rfc = row.rfc;
    this.bound = bound;
  }
}

function boundText(bound: RefusalBound): string {
  return 'maxBytes' in bound ? `${bound.maxBytes} bytes` : String(bound.maxCount);
}
