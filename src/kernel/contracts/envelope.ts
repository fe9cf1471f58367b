import { Type } from 'typebox';
import { type AnswerOptions, type PlainAnswer, reply } from '../catalogue/answer.ts';
import type { Failure } from '../problem.ts';
import { messageOf } from './message.ts';

/** The members of an answer of the older contract beside its status. */
export interface EnvelopeMembers {
  readonly resultMessage?: string;
  readonly resultList?: readonly unknown[];
  /** How many there are in all, whatever page was asked for. */
  readonly resultCount?: number;
  readonly [member: string]: unknown;
}

/** What the older contract answers when all went well (spec 2 §7.1). */
export function success(members: EnvelopeMembers = {}, options: AnswerOptions = {}): PlainAnswer {
  return reply.json({ status: 'SUCCESS', ...members }, options);
}

/** The older contract has one status for everything the caller could have done better (spec 2 §7.1). */
const TOLD_AS_400 = new Set([402, 403, 404, 409, 412, 422]);

export function renderEnvelope(failure: Failure): PlainAnswer {
  const { status, headers } = failure;
  return reply.json(
    { status: 'FAILURE', resultMessage: messageOf(failure) },
    { status: TOLD_AS_400.has(status) ? 400 : status, headers },
  );
}

export const envelopeFailureSchema = Type.Object(
  { status: Type.Literal('FAILURE'), resultMessage: Type.String() },
  { $id: 'EnvelopeFailure', description: 'An error of the older contract.' },
);
