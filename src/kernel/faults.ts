import type { HeaderPairs } from '../http1/header-list.ts';

interface FaultRow {
  readonly status: number;
  readonly title: string;
  /** `{name}` is filled from the fault's values. */
  readonly detail: string;
  /** The stable name of the reason in management contracts (spec 2 §7.3); made from the key unless given. */
  readonly errorKey?: string;
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

  // Key stores (PEM, PKCS #12, JKS)
  'key-store.wrong-password': {
    status: 422,
    title: 'Unprocessable Content',
    detail: 'The {format} file cannot be opened with this password.',
  },
  'key-store.malformed': {
    status: 422,
    title: 'Unprocessable Content',
    detail: 'The {format} file is malformed: {reason}.',
  },
  'key-store.unsupported': {
    status: 422,
    title: 'Unprocessable Content',
    detail: 'The {format} file uses {what}, which is not supported.',
  },
  'key-store.too-large': {
    status: 413,
    title: 'Content Too Large',
    detail:
      'The {format} file has more than {maxBytes} bytes or {maxEntries} entries, or costs too much to decrypt.',
  },

  // Management: what every module of the platform may answer
  'revision.stale': {
    status: 412,
    title: 'Precondition Failed',
    detail: 'The resource was changed meanwhile; read it again.',
    errorKey: 'RESOURCE_CONFLICT',
  },
  'revision.invalid': {
    status: 400,
    title: 'Bad Request',
    detail: 'Header If-Match must hold the ETag of the resource.',
    errorKey: 'VALIDATION_FAILED',
  },
  'store.unavailable': {
    status: 503,
    title: 'Service Unavailable',
    detail: 'The platform database does not answer.',
    errorKey: 'SERVICE_UNAVAILABLE',
  },

  // Management: projects, environments, key stores, variables, settings, journals
  'resource.name-invalid': {
    status: 400,
    title: 'Bad Request',
    detail: 'The name {rule}.',
    errorKey: 'VALIDATION_FAILED',
  },
  'resource.renamed': {
    status: 400,
    title: 'Bad Request',
    detail: 'The name can not be changed from {name} to {newName}!',
    errorKey: 'VALIDATION_FAILED',
  },
  'project.name-empty': {
    status: 400,
    title: 'Bad Request',
    detail: 'projectName value can not be empty!',
    errorKey: 'VALIDATION_FAILED',
  },
  'project.not-found': { status: 404, title: 'Not Found', detail: 'Project ({name}) is not found!' },
  'project.exists': { status: 409, title: 'Conflict', detail: 'Project (name: {name}) is already exist!' },
  'project.not-empty': {
    status: 409,
    title: 'Conflict',
    detail: 'Project ({name}) can not be deleted because it has {count} {kind}!',
  },
  'environment.not-found': {
    status: 404,
    title: 'Not Found',
    detail: 'Environment (name: {name}) was not found!',
  },
  'environment.exists': {
    status: 409,
    title: 'Conflict',
    detail: 'Environment (name: {name}) is already exist!',
  },
  'environment.in-use': {
    status: 409,
    title: 'Conflict',
    detail: 'Environment (name: {name}) can not be deleted because {reason}!',
  },
  'key-store.not-found': { status: 404, title: 'Not Found', detail: '{type} (name: {name}) was not found!' },
  'key-store.exists': { status: 409, title: 'Conflict', detail: '{type} (name: {name}) is already exist!' },
  'key-store.in-use': {
    status: 409,
    title: 'Conflict',
    detail: '{type} (name: {name}) can not be deleted because it is used by {users}!',
  },
  'key-store.unfit': {
    status: 422,
    title: 'Unprocessable Content',
    detail: 'The file can not be used as {type}: {reason}.',
  },
  'environment-variable.not-found': {
    status: 404,
    title: 'Not Found',
    detail: 'EnvironmentVariable (name: {name}) was not found!',
  },
  'environment-variable.exists': {
    status: 409,
    title: 'Conflict',
    detail: 'EnvironmentVariable (name: {name}) is already exist!',
  },
  'environment-variable.repeated': {
    status: 400,
    title: 'Bad Request',
    detail: 'The environment {environmentName} stands more than once in valueList.',
    errorKey: 'VALIDATION_FAILED',
  },
  'environment-variable.value-missing': {
    status: 400,
    title: 'Bad Request',
    detail: 'The value for the environment {environmentName} is missing.',
    errorKey: 'VALIDATION_FAILED',
  },
  'settings.not-found': {
    status: 404,
    title: 'Not Found',
    detail: 'There is no settings category {category}; there are {categories}.',
    errorKey: 'RESOURCE_NOT_FOUND',
  },

  // Management: identity
  'token.missing': {
    status: 401,
    title: 'Unauthorized',
    detail: 'Empty Key! Client must be authenticated to access this resource.',
  },
  'token.invalid': { status: 401, title: 'Unauthorized', detail: 'Token is not valid!' },
  'token.expired': { status: 401, title: 'Unauthorized', detail: 'Token was expired!' },
  'token.not-found': { status: 404, title: 'Not Found', detail: 'Token was not found!' },
  'token.exists': { status: 409, title: 'Conflict', detail: 'Token (name: {name}) is already exist!' },
  'token.too-many': {
    status: 409,
    title: 'Conflict',
    detail: 'An account may hold at most {max} named tokens; delete some first.',
  },
  'token.changed': {
    status: 409,
    title: 'Conflict',
    detail: 'The token was regenerated by another request at the same time.',
    errorKey: 'RESOURCE_CONFLICT',
  },
  'token.expiry-invalid': {
    status: 400,
    title: 'Bad Request',
    detail: 'At {pointer}: {rule}.',
    errorKey: 'VALIDATION_FAILED',
  },
  'permission.denied': {
    status: 403,
    title: 'Forbidden',
    detail: 'User does not have required permission for this operation!',
    errorKey: 'ACCESS_DENIED',
  },
  'sign-in.refused': {
    status: 401,
    title: 'Unauthorized',
    detail: 'Bad credentials',
    errorKey: 'UNAUTHORIZED_CLIENT',
  },
  'sign-in.grant-type': {
    status: 400,
    title: 'Bad Request',
    detail: 'GrantType value must be client_credentials!',
    errorKey: 'UNSUPPORTED_GRANT_TYPE',
  },
  'sign-in.invalid': { status: 400, title: 'Bad Request', detail: '{rule}', errorKey: 'INVALID_REQUEST' },
  'sign-in.busy': {
    status: 503,
    title: 'Service Unavailable',
    detail: 'Too many sign-ins are going on at once; try again.',
    errorKey: 'SERVICE_UNAVAILABLE',
  },
  'requests.too-many': {
    status: 429,
    title: 'Too Many Requests',
    detail: 'Too many requests; try again in {retryAfterSeconds} s.',
  },
  'user.last-administrator': {
    status: 409,
    title: 'Conflict',
    detail: 'User ({name}) is the last administrator who can sign in, and must stay one!',
  },
  'user.password-wrong': {
    status: 403,
    title: 'Forbidden',
    detail: 'The current password is not right.',
  },
  'role.not-found': { status: 404, title: 'Not Found', detail: 'Role (name: {name}) was not found!' },
  'role.exists': { status: 409, title: 'Conflict', detail: 'Role (name: {name}) is already exist!' },
  'role.ready': {
    status: 409,
    title: 'Conflict',
    detail: 'Role (name: {name}) belongs to the platform and can not be changed!',
  },
  'role.in-use': {
    status: 409,
    title: 'Conflict',
    detail: 'Role (name: {name}) can not be deleted because {count} users have it!',
  },
  'role.unknown': {
    status: 400,
    title: 'Bad Request',
    detail: 'There is no role {name} to assign.',
    errorKey: 'VALIDATION_FAILED',
  },

  // Management: deployment, and the channel between modules
  'channel.refused': {
    status: 401,
    title: 'Unauthorized',
    detail: 'This call is not from a module of this installation, or it came too late or twice.',
  },
  'deployment.no-environment': {
    status: 400,
    title: 'Bad Request',
    detail: 'deployTargetEnvironmentNameList value can not be empty!',
    errorKey: 'VALIDATION_FAILED',
  },
  'deployment.no-live-pod': {
    status: 409,
    title: 'Conflict',
    detail: 'Environment ({environmentName}) has no live worker pod!',
    errorKey: 'NO_LIVE_POD',
  },
  'deployment.no-answer': {
    status: 503,
    title: 'Service Unavailable',
    detail: 'No worker pod of Environment ({environmentName}) answers: {reason}.',
    errorKey: 'PODS_UNREACHABLE',
  },
  'deployment.no-parameters': {
    status: 409,
    title: 'Conflict',
    detail: '{type} (name: {name}) has no parameters for Environment ({environmentName})!',
    errorKey: 'NO_PARAMETERS',
  },
  'deployment.reference-missing': {
    status: 409,
    title: 'Conflict',
    detail: '{type} (name: {name}) was not found!',
    errorKey: 'DEPENDENCY_NOT_FOUND',
  },
  'deployment.too-large': {
    status: 409,
    title: 'Conflict',
    detail: 'What is deployed to Environment ({environmentName}) would exceed {maxBytes} bytes!',
    errorKey: 'DEPLOYMENT_TOO_LARGE',
  },

  // Management: log connectors
  'log-connector.not-found': {
    status: 404,
    title: 'Not Found',
    detail: 'Environment ({environmentName}) has no log connector for {kind} records!',
  },
  'log-connector.kind-unknown': {
    status: 404,
    title: 'Not Found',
    detail: 'There are no {kind} records, only {kinds}!',
  },
  'log-connector.same-connection': {
    status: 400,
    title: 'Bad Request',
    detail: 'Connection (name: {name}) can not be its own failover!',
    errorKey: 'VALIDATION_FAILED',
  },
  'log-connector.connection-not-deployed': {
    status: 409,
    title: 'Conflict',
    detail: 'Deploy {names} to Environment ({environmentName}) first!',
    errorKey: 'CONNECTION_NOT_DEPLOYED',
  },
  'log-connector.pod-unknown': {
    status: 404,
    title: 'Not Found',
    detail: 'Environment ({environmentName}) has no live pod {podName}!',
  },

  // Management: unsent records
  'unsent.none': { status: 409, title: 'Conflict', detail: 'There are no unsent records!' },
  'unsent.both-collections': {
    status: 400,
    title: 'Bad Request',
    detail: 'There are unsent records in both {collections}: name one as collection!',
    errorKey: 'VALIDATION_FAILED',
  },
  'unsent.transfer-running': {
    status: 409,
    title: 'Conflict',
    detail: 'Unsent records are being transferred already, by {startedBy}!',
    errorKey: 'TRANSFER_IN_PROGRESS',
  },
  'unsent.transfer-not-running': {
    status: 409,
    title: 'Conflict',
    detail: 'No transfer of unsent records is running!',
    errorKey: 'TRANSFER_NOT_RUNNING',
  },
  'unsent.target-refused': {
    status: 409,
    title: 'Conflict',
    detail: 'The records can not be transferred: {reason}!',
    errorKey: 'TRANSFER_TARGET_REFUSED',
  },
  'unsent.index-failed': {
    status: 503,
    title: 'Service Unavailable',
    detail: 'The log index does not take the call: {reason}.',
    errorKey: 'LOG_INDEX_UNAVAILABLE',
  },

  // Management: webhook connections
  'connection.name-empty': {
    status: 400,
    title: 'Bad Request',
    detail: 'Connection name can not be empty!',
    errorKey: 'VALIDATION_FAILED',
  },
  'connection.not-found': {
    status: 404,
    title: 'Not Found',
    detail: 'Connection (name: {name}) was not found!',
  },
  'connection.exists': {
    status: 409,
    title: 'Conflict',
    detail: 'Connection (name: {name}) already exists!',
  },
  'connection.invalid': {
    status: 400,
    title: 'Bad Request',
    detail: 'At {pointer}: {rule}.',
    errorKey: 'VALIDATION_FAILED',
  },
  'connection.environment-empty': {
    status: 400,
    title: 'Bad Request',
    detail: 'environmentName value can not be empty!',
    errorKey: 'VALIDATION_FAILED',
  },
  'connection.reference-missing': {
    status: 400,
    title: 'Bad Request',
    detail: '{type} (name: {name}) was not found!',
    errorKey: 'VALIDATION_FAILED',
  },
  'connection.method-without-body': {
    status: 409,
    title: 'Conflict',
    detail:
      'Connection (name: {name}) can not deliver logs: its method {httpMethod} in Environment ({environmentName}) has no body!',
  },
  'connection.secrets-missing': {
    status: 409,
    title: 'Conflict',
    detail:
      'Connection (name: {name}) was imported without its secrets: give {members} for Environment ({environmentName}) first!',
  },
  'connection.secrets-unreadable': {
    status: 409,
    title: 'Conflict',
    detail:
      'The secrets of Connection (name: {name}) can not be read: they were sealed with another master key; give them anew!',
  },
  'connection.in-use': {
    status: 409,
    title: 'Conflict',
    detail: 'Connection (name: {name}) can not be deleted because it is used by {users}!',
  },
  'connection.not-movable': {
    status: 409,
    title: 'Conflict',
    detail:
      'Connection (name: {name}) can not become global because {type} (name: {storeName}) belongs to the project!',
  },
  'connection.saved-not-deployed': {
    status: 409,
    title: 'Conflict',
    detail: 'Connection (name: {name}) is saved, but not deployed: {reason}',
  },
  'archive.refused': {
    status: 422,
    title: 'Unprocessable Content',
    detail: 'The ZIP file is refused: {text}.',
  },
  'connection-import.name-conflict': {
    status: 409,
    title: 'Conflict',
    detail: 'Connection (name: {name}) already exists: overwrite it, or give a new name!',
  },
  'connection-import.dependency-missing': {
    status: 409,
    title: 'Conflict',
    detail: '{missing} can not be found: create or exclude it!',
  },
  'connection-import.not-creatable': {
    status: 409,
    title: 'Conflict',
    detail: '{type} (name: {name}) can not be made from the ZIP file: create it first, or exclude it!',
  },
  'connection-import.nothing-left': {
    status: 409,
    title: 'Conflict',
    detail: 'Without its environments nothing is left of the connection!',
  },

  // Pods: diagnostics, and what else the environment's id opens
  'environment.unauthorized': {
    status: 401,
    title: 'Unauthorized',
    detail: "The header Authorization must be the id of this pod's environment, without any word before it.",
    errorKey: 'ENVIRONMENT_ID_MISMATCH',
  },
  'diagnostics.busy': {
    status: 429,
    title: 'Too Many Requests',
    detail: 'One {what} at a time: another is being taken on this pod.',
    errorKey: 'DIAGNOSTIC_IN_PROGRESS',
  },
  'diagnostics.no-memory': {
    status: 503,
    title: 'Service Unavailable',
    detail: 'A heap dump of this pod needs about {needed} MB of memory, but only {free} MB are free.',
    errorKey: 'DIAGNOSTIC_WITHOUT_MEMORY',
  },

  // Data grid
  'grid.unavailable': {
    status: 503,
    title: 'Service Unavailable',
    detail: 'The data grid does not answer.',
    errorKey: 'SERVICE_UNAVAILABLE',
  },

  'process.first-away': {
    status: 503,
    title: 'Service Unavailable',
    detail: 'The process of this pod that does this is not there; it is being started anew.',
    errorKey: 'SERVICE_UNAVAILABLE',
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

/** The stable name of an error's reason, such as `PROJECT_NOT_FOUND` of `project.not-found`. */
export function errorKeyOf(key: string): string {
  const rows: Readonly<Record<string, FaultRow>> = faultTable;
  const row = Object.hasOwn(rows, key) ? rows[key] : undefined;
  return row?.errorKey ?? key.toUpperCase().replace(/[^A-Z0-9]+/g, '_');
}

function fill(text: string, values: FaultValues): string {
  return text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''));
}
