import type { FaultRow } from './fault-row.ts';

/** What any request may get wrong, whichever module it asks. */
export const requestFaults = {
  // Routing and parameters
  'route.not-found': { status: 404, title: 'Not Found', detail: 'There is no endpoint at {path}.' },
  'route.method-not-allowed': {
    status: 405,
    title: 'Method Not Allowed',
    detail: '{path} does not answer {method}; it answers {allow}.',
  },
  'parameter.missing': {
    status: 400,
    title: 'Bad Request',
    detail: '{in} parameter {name} is required.',
    errorKey: 'VALIDATION_FAILED',
  },
  'parameter.invalid': {
    status: 400,
    title: 'Bad Request',
    detail: '{in} parameter {name} {rule}.',
    errorKey: 'VALIDATION_FAILED',
  },
  'protocol.http1-only': {
    status: 505,
    title: 'HTTP Version Not Supported',
    detail: 'This answer needs the bare socket of an HTTP/1.1 connection.',
  },
  'protocol.status-http1-only': {
    status: 505,
    title: 'HTTP Version Not Supported',
    detail: 'The status {status} can only be sent on HTTP/1.1.',
  },
  'protocol.http2-only': {
    status: 505,
    title: 'HTTP Version Not Supported',
    detail: 'This answer needs an HTTP/2 stream.',
  },
  'tls.required': {
    status: 400,
    title: 'Bad Request',
    detail: 'This port speaks TLS: the address begins with https://.',
  },
  'tls.not-ready': {
    status: 503,
    title: 'Service Unavailable',
    detail: 'Keys and certificates are still being made.',
  },
  'feature.disabled': { status: 403, title: 'Forbidden', detail: '{feature} is switched off: {reason}.' },

  // Request bodies
  'body.required': {
    status: 400,
    title: 'Bad Request',
    detail: 'A request body is required: {rule}.',
    errorKey: 'VALIDATION_FAILED',
  },
  'body.invalid': {
    status: 400,
    title: 'Bad Request',
    detail: 'The request body {rule}.',
    errorKey: 'VALIDATION_FAILED',
  },
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

  // Forms and XML
  'form.malformed': {
    status: 400,
    title: 'Bad Request',
    detail: 'The request body is not a well-formed multipart form: {reason}.',
  },
  'form.too-many-parts': {
    status: 413,
    title: 'Content Too Large',
    detail: 'The form has more than {maxParts} {kind}.',
  },
  'xml.malformed': { status: 400, title: 'Bad Request', detail: 'The XML is not well-formed: {reason}' },
  'xml.doctype-forbidden': {
    status: 400,
    title: 'Bad Request',
    detail: 'The XML has a document type declaration, which is refused: it could define entities.',
  },
  'xml.too-deep': {
    status: 400,
    title: 'Bad Request',
    detail: 'The XML is nested deeper than {maxDepth} elements.',
  },
  'xml.too-many-nodes': {
    status: 413,
    title: 'Content Too Large',
    detail: 'The XML has more than {maxNodes} elements and attributes.',
  },
  'xml.too-large': {
    status: 413,
    title: 'Content Too Large',
    detail: 'The XML is larger than {maxBytes} bytes.',
  },

  // Content codings
  'encoding.unsupported': {
    status: 415,
    title: 'Unsupported Media Type',
    detail: 'Content-Encoding {coding} is not understood here; send {accepted}.',
  },
  'encoding.corrupt': {
    status: 400,
    title: 'Bad Request',
    detail: 'The content is not valid {coding}: {reason}.',
  },
  'encoding.bomb': {
    status: 413,
    title: 'Content Too Large',
    detail: 'The content is larger than {maxBytes} bytes once its {coding} coding is undone.',
  },
} as const satisfies Record<string, FaultRow>;
