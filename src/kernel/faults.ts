import type { HeaderPairs } from '../http1/header-list.ts';

interface FaultRow {
  readonly status: number;
  readonly title: string;
  /** `{name}` is filled from the fault's values. */
  readonly detail: string;
}

/**
 * Every error the platform answers with: key → status and text. Modules throw `fault(key, values)`;
 * the endpoint's error contract chooses how it is rendered.
 */
export const faultTable = {
  // Routing and parameters
  'route.not-found': { status: 404, title: 'Not Found', detail: 'There is no endpoint at {path}.' },
  'route.method-not-allowed': {
    status: 405,
    title: 'Method Not Allowed',
    detail: '{path} does not answer {method}; it answers {allow}.',
  },
  'parameter.missing': { status: 400, title: 'Bad Request', detail: '{in} parameter {name} is required.' },
  'parameter.invalid': { status: 400, title: 'Bad Request', detail: '{in} parameter {name} {rule}.' },
  'protocol.http1-only': {
    status: 505,
    title: 'HTTP Version Not Supported',
    detail: 'This answer needs the bare socket of an HTTP/1.1 connection.',
  },
  'protocol.http2-only': {
    status: 505,
    title: 'HTTP Version Not Supported',
    detail: 'This answer needs an HTTP/2 stream.',
  },
  'feature.disabled': { status: 403, title: 'Forbidden', detail: '{feature} is switched off: {reason}.' },

  // Request bodies
  'body.required': { status: 400, title: 'Bad Request', detail: 'A request body is required: {rule}.' },
  'body.invalid': { status: 400, title: 'Bad Request', detail: 'The request body {rule}.' },
  'body.too-large': {
    status: 413,
    title: 'Content Too Large',
    detail: 'The request body is larger than {maxBytes} bytes.',
  },
  'body.unsupported-type': {
    status: 415,
    title: 'Unsupported Media Type',
    detail: 'Content-Type {type} is not understood here; send {accepted}.',
  },
  'negotiation.not-acceptable': {
    status: 406,
    title: 'Not Acceptable',
    detail: 'None of {offered} is acceptable to the client.',
  },

  // Anything unforeseen; details stand only in the log.
  'internal.unexpected': {
    status: 500,
    title: 'Internal Server Error',
    detail: 'An unexpected error occurred; the log names it by {correlationId}.',
  },
} as const satisfies Record<string, FaultRow>;

export type FaultKey = keyof typeof faultTable;
export type FaultValues = Readonly<Record<string, unknown>>;

export class Fault extends Error {
  readonly key: FaultKey;
  readonly status: number;
  readonly title: string;
  /** What filled the text; rendered as extension members where the contract has them. */
  readonly values: FaultValues;
  /** Header fields that belong to this answer, such as Allow or Retry-After. */
  readonly headers: HeaderPairs;

  constructor(key: FaultKey, values: FaultValues, headers: HeaderPairs, options?: ErrorOptions) {
    const row: FaultRow = faultTable[key];
    super(fill(row.detail, values), options);
    this.name = 'Fault';
    this.key = key;
    this.status = row.status;
    this.title = row.title;
    this.values = values;
    this.headers = headers;
  }
}

export function fault(
  key: FaultKey,
  values: FaultValues = {},
  headers: HeaderPairs = [],
  options?: ErrorOptions,
): Fault {
  return new Fault(key, values, headers, options);
}

function fill(text: string, values: FaultValues): string {
  return text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''));
}
