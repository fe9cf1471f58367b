/** A refusal as Elasticsearch words it: a status, a type that programs go by, and a reason for people. */
export class EngineError extends Error {
  readonly status: number;
  readonly type: string;
  /** Further members beside type and reason, such as the name of the index. */
  readonly members: Readonly<Record<string, unknown>>;
  readonly causedBy: ErrorCause | undefined;

  constructor(
    status: number,
    type: string,
    reason: string,
    { members = {}, causedBy }: { members?: Record<string, unknown>; causedBy?: ErrorCause } = {},
  ) {
    super(reason);
    this.name = 'EngineError';
    this.status = status;
    this.type = type;
    this.members = members;
    this.causedBy = causedBy;
  }
}

export interface ErrorCause {
  readonly type: string;
  readonly reason: string;
}

/** The error as it stands inside an answer: alone, in a bulk item, or in a failure of a run. */
export function errorCause({ type, message: reason, members, causedBy }: EngineError): object {
  return { type, reason, ...members, ...(causedBy && { caused_by: causedBy }) };
}

/** The whole answer to a request that failed. */
export function errorBody(error: EngineError): object {
  const { type, message: reason, members } = error;
  return {
    error: { root_cause: [{ type, reason, ...members }], ...errorCause(error) },
    status: error.status,
  };
}

export function indexNotFound(index: string): EngineError {
  return new EngineError(404, 'index_not_found_exception', `no such index [${index}]`, {
    members: { index, 'resource.id': index, 'resource.type': 'index_or_alias', index_uuid: '_na_' },
  });
}

export function illegalArgument(reason: string): EngineError {
  return new EngineError(400, 'illegal_argument_exception', reason);
}

export function parsingError(reason: string): EngineError {
  return new EngineError(400, 'parsing_exception', reason);
}

export function invalidRequest(reason: string): EngineError {
  return new EngineError(400, 'action_request_validation_exception', `Validation Failed: 1: ${reason};`);
}

/** A document that the mapping does not take. */
export function mapperError(reason: string, causedBy?: ErrorCause): EngineError {
  return new EngineError(400, 'mapper_parsing_exception', reason, causedBy ? { causedBy } : {});
}

/** A whole document that cannot be read; why is told by its cause. */
export function unreadableDocument(type: string, reason: string): EngineError {
  return mapperError('failed to parse', { type, reason });
}
