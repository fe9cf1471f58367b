import { randomUUID } from 'node:crypto';
import type { TSchema } from 'typebox';
import type { PlainAnswer } from '../catalogue/answer.ts';
import type { AnswerContext } from '../catalogue/dispatcher.ts';
import type { ErrorContract } from '../catalogue/endpoint.ts';
import type { Failure } from '../problem.ts';
import { envelopeFailureSchema, renderEnvelope } from './envelope.ts';
import { managementProblemSchema, renderManagementProblem } from './management-problem.ts';
import { newerFailureSchema, renderNewer } from './newer.ts';
import { oauthFailureSchema, renderOAuth } from './oauth.ts';

interface FailureShape {
  readonly mediaType: string;
  readonly schema: TSchema;
}

/** How each contract looks in the OpenAPI document. */
export const failureShapes: Readonly<Record<ErrorContract, FailureShape>> = {
  problem: { mediaType: 'application/problem+json', schema: managementProblemSchema },
  envelope: { mediaType: 'application/json', schema: envelopeFailureSchema },
  newer: { mediaType: 'application/json', schema: newerFailureSchema },
  oauth: { mediaType: 'application/json', schema: oauthFailureSchema },
};

export interface FailureLog {
  debug(fields: object): void;
}

/** Renders each failure in the contract of the endpoint it happened at; problem details where there is none. */
export function createFailureRenderer(
  log: FailureLog,
): (failure: Failure, context: AnswerContext<unknown>) => PlainAnswer {
  return (failure, { request, endpoint }) => {
    switch (endpoint?.errors ?? 'problem') {
      case 'envelope':
        return renderEnvelope(failure);
      case 'oauth':
        return renderOAuth(failure);
      case 'newer':
        return renderNewer(failure, correlationIdOf(failure, endpoint?.id));
      case 'problem':
        return renderManagementProblem(failure, request.rawPath);
    }
  };

  /** An unexpected error stands in the log already; any other is written there now, so that its id leads to it. */
  function correlationIdOf({ key, status, detail, values }: Failure, endpoint: string | undefined): string {
    if (typeof values.correlationId === 'string') return values.correlationId;
    const correlationId = randomUUID();
    log.debug({ event: 'request.refused', correlationId, endpoint, key, status, detail });
    return correlationId;
  }
}
