import type { FaultRow } from './fault-row.ts';

/** What the test service answers. */
export const testbedFaults = {
  // Encoding and charset tests
  'encoding.not-implemented': {
    status: 501,
    title: 'Not Implemented',
    detail: 'The coding {coding} is not written here: {reason}.',
  },
  'encoding.required': {
    status: 415,
    title: 'Unsupported Media Type',
    detail: 'The Content-Encoding must be exactly {coding}, not {received}.',
  },
  'charset.unsupported': {
    status: 415,
    title: 'Unsupported Media Type',
    detail: 'The charset {charset} is not understood here; send one of {accepted}.',
  },
  'charset.invalid': {
    status: 400,
    title: 'Bad Request',
    detail: 'The body is not valid {charset}: bytes {hex} at offset {offset} stand for no character.',
  },

  // Connections
  'state.unknown-id': { status: 404, title: 'Not Found', detail: 'Nothing is known of the id {id}.' },
  'upgrade.required': {
    status: 426,
    title: 'Upgrade Required',
    detail: 'Ask for it by Connection: Upgrade and Upgrade: {protocol}.',
  },

  // WebSocket
  'websocket.version': {
    status: 426,
    title: 'Upgrade Required',
    detail: 'Only version 13 of the WebSocket protocol is spoken here.',
  },
  'websocket.handshake': {
    status: 400,
    title: 'Bad Request',
    detail: 'The WebSocket handshake is not valid: {reason}.',
  },

  // Authentication
  'auth.digest-uri-mismatch': {
    status: 400,
    title: 'Bad Request',
    detail: 'The digest was made for {uri}, but the request asks for {target}.',
  },

  // Digests
  'digest.malformed': { status: 400, title: 'Bad Request', detail: 'Header field {field} {rule}.' },

  // Journal and cookies of the test service
  'echo.too-large': {
    status: 413,
    title: 'Content Too Large',
    detail: 'The request is too large to be shown as JSON.',
  },
  'cookie.invalid': { status: 400, title: 'Bad Request', detail: 'The cookie {name} {rule}.' },
  'journal.not-found': {
    status: 404,
    title: 'Not Found',
    detail: 'Nothing is recorded under the journal id {id}.',
  },

  // Conditional requests
  'precondition.failed': {
    status: 412,
    title: 'Precondition Failed',
    detail: 'The precondition of this request does not hold for {etag}.',
  },

  // Users
  'user.not-found': { status: 404, title: 'Not Found', detail: 'There is no user {id}.' },
  'user.exists': { status: 409, title: 'Conflict', detail: 'User {id} exists already.' },
  'user.store-full': {
    status: 507,
    title: 'Insufficient Storage',
    detail: 'The store holds as many users as it may; DELETE /api/user/ empties it.',
  },

  // Files
  'file.not-found': { status: 404, title: 'Not Found', detail: 'There is no file {fileName}.' },
  'upload.folder-full': {
    status: 507,
    title: 'Insufficient Storage',
    detail: 'All uploaded files together may not be larger than {maxBytes} bytes.',
  },

  // Client certificates
  'client-cert.malformed': {
    status: 400,
    title: 'Bad Request',
    detail: 'Header {header} holds no certificate that can be read: {reason}.',
  },
  'client-cert.unreadable': {
    status: 400,
    title: 'Bad Request',
    detail: 'The request body holds no certificate that can be read: {reason}.',
  },
  'client-cert.absent': {
    status: 404,
    title: 'Not Found',
    detail: 'The request carries no client certificate.',
  },
  'client-cert.required': {
    status: 401,
    title: 'Unauthorized',
    detail: 'A client certificate is required, and the request carries none.',
  },
  'client-cert.refused': {
    status: 403,
    title: 'Forbidden',
    detail: 'The client certificate is refused: {reason}.',
  },

  // TLS scenarios
  'badssl.not-running': {
    status: 503,
    title: 'Service Unavailable',
    detail: 'The port of the TLS scenario {scenario} is not served, or not yet.',
  },
  'certificate-file.unknown': {
    status: 404,
    title: 'Not Found',
    detail: 'There is no file {file} here.',
  },
  'badssl.unknown': { status: 404, title: 'Not Found', detail: 'There is no TLS scenario {scenario}.' },
} as const satisfies Record<string, FaultRow>;
