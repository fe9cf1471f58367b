import { Type } from 'typebox';
import type { Refusal } from '../../http1/refusals.ts';
import { type PlainAnswer, reply } from '../catalogue/answer.ts';
import { errorKeyOf, type FaultValues } from '../faults.ts';
import { asUriReference, type Failure, failureOfRefusal, pathOfRefused } from '../problem.ts';
import { messageOf } from './message.ts';

/** RFC 7807 as the management API writes it (spec 2 §7.3). */
export function renderManagementProblem(failure: Failure, rawPath: string): PlainAnswer {
  const { key, status, title, values, headers } = failure;
  const answer = reply.json(
    {
      type: `/problems/${key}`,
      title,
      status,
      path: asUriReference(rawPath),
      errorKey: errorKeyOf(key),
      message: messageOf(failure),
      fieldErrors: fieldErrorsOf(values),
    },
    { status, headers },
  );
  answer.headers[1] = 'application/problem+json';
  return answer;
}

/** The answer to a request that never became one. */
export function renderManagementRefusal(
  refusal: Refusal,
  partialHead: Buffer,
): { headers: string[]; body: string } {
  const { headers, body } = renderManagementProblem(failureOfRefusal(refusal), pathOfRefused(partialHead));
  return { headers, body: body as string };
}

/** The input a failure is about, where it names one: a parameter, or a member of the body by its JSON Pointer. */
function fieldErrorsOf({ name, pointer, rule }: FaultValues): object[] | undefined {
  if (typeof rule !== 'string') return undefined;
  if (typeof pointer === 'string') return [{ field: pointer, message: rule }];
  return typeof name === 'string' ? [{ field: name, message: rule }] : undefined;
}

export const managementProblemSchema = Type.Object(
  {
    type: Type.String({ description: 'Names the kind of problem.' }),
    title: Type.String(),
    status: Type.Integer(),
    path: Type.String({ description: 'The path that was asked for.' }),
    errorKey: Type.String({ description: 'The stable name of the reason.' }),
    message: Type.String(),
    fieldErrors: Type.Optional(
      Type.Array(
        Type.Object({
          field: Type.String({ description: 'A parameter, or the JSON Pointer of a member of the body.' }),
          message: Type.String(),
        }),
      ),
    ),
  },
  { $id: 'ManagementProblem', description: 'An error as RFC 7807 problem details.' },
);
