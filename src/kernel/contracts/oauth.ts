import { Type } from 'typebox';
import { type PlainAnswer, reply } from '../catalogue/answer.ts';
import { errorKeyOf } from '../faults.ts';
import type { Failure } from '../problem.ts';
import { messageOf } from './message.ts';

/** RFC 6749 §5.2, and `temporarily_unavailable` and `server_error` of §4.1.2.1, which the token endpoint borrows. */
const errorCodes = [
  'invalid_request',
  'invalid_client',
  'invalid_grant',
  'invalid_scope',
  'unauthorized_client',
  'unsupported_grant_type',
  'temporarily_unavailable',
  'server_error',
];

/**
 * The errors of the token endpoint (spec 2 §7.2). A fault whose error key is the name of an OAuth error is that error;
 * others are told by their status.
 */
export function renderOAuth(failure: Failure): PlainAnswer {
  const { key, status, headers } = failure;
  const error = oauthErrorOf(key, status);
  const description = messageOf(failure);
  // The specification states two forms of the 401 and leaves the conflict open: this body satisfies both.
  const envelope = status === 401 ? { status: 'FAILURE', resultMessage: description } : {};
  return reply.json(
    { error, error_description: description, ...envelope },
    { status, headers: ['Cache-Control', 'no-store', 'Pragma', 'no-cache', ...headers] },
  );
}

function oauthErrorOf(key: string, status: number): string {
  const named = errorKeyOf(key).toLowerCase();
  if (errorCodes.includes(named)) return named;
  if (status === 401) return 'unauthorized_client';
  if (status === 429 || status === 503) return 'temporarily_unavailable';
  return status >= 500 ? 'server_error' : 'invalid_request';
}

export const oauthFailureSchema = Type.Object(
  {
    error: Type.String({ enum: errorCodes }),
    error_description: Type.String(),
    status: Type.Optional(Type.Literal('FAILURE', { description: 'With 401 only.' })),
    resultMessage: Type.Optional(Type.String({ description: 'With 401 only.' })),
  },
  { $id: 'OAuthFailure', description: 'An error of the token endpoint.' },
);
