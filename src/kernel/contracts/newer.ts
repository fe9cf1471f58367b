import { Type } from 'typebox';
import { type PlainAnswer, reply } from '../catalogue/answer.ts';
import { errorKeyOf, type FaultValues } from '../faults.ts';
import type { Failure } from '../problem.ts';
import { messageOf } from './message.ts';

/** The common contract of newer endpoints (spec 2 §7.3). The correlation id finds the request in the log. */
export function renderNewer(failure: Failure, correlationId: string): PlainAnswer {
  const { key, status, values, headers } = failure;
  return reply.json(
    {
      correlationId,
      errorKey: errorKeyOf(key),
      status,
      message: messageOf(failure),
      details: detailsOf(values),
    },
    { status, headers },
  );
}

/** What filled the text, for programs; the correlation id stands elsewhere. */
function detailsOf({ correlationId: _, ...values }: FaultValues): FaultValues | undefined {
  return Object.keys(values).length > 0 ? values : undefined;
}

export const newerFailureSchema = Type.Object(
  {
    correlationId: Type.String({ description: 'Finds the request in the log.' }),
    errorKey: Type.String({ description: 'The stable name of the reason.' }),
    status: Type.Integer(),
    message: Type.String(),
    details: Type.Optional(Type.Object({}, { description: 'What the message speaks of.' })),
  },
  { $id: 'NewerFailure', description: 'An error of the newer contract.' },
);
