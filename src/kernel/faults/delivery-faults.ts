import type { FaultRow } from './fault-row.ts';

/** What is said of deployments, connections and what they deliver. */
export const deliveryFaults = {
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
      'Connection (name: {name}) can not become global because {type} (name: {referenceName}) belongs to the project!',
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
} as const satisfies Record<string, FaultRow>;
