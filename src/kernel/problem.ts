import type { HeaderPairs } from '../http1/header-list.ts';
import type { Refusal } from '../http1/refusals.ts';
import { type PlainAnswer, reply } from './catalogue/answer.ts';
import type { FaultValues } from './faults.ts';

/** An error on its way to the client, whoever found it: a handler (Fault) or the HTTP engine (Refusal). */
export interface Failure {
  readonly key: string;
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  readonly values: FaultValues;
  readonly headers: HeaderPairs;
}

/** What the engine refused, with the rule it goes by and the limit that was exceeded. */
export function failureOfRefusal({ key, status, title, detail, rfc, bound }: Refusal): Failure {
  return { key, status, title, detail, values: { rfc, ...bound }, headers: [] };
}

/** The answer to a request that never became one: its head, as far as it came, names the path. */
export function renderRefusal(refusal: Refusal, partialHead: Buffer): { headers: string[]; body: string } {
  const { headers, body } = problemAnswer(failureOfRefusal(refusal), pathOfRefused(partialHead));
  return { headers, body: body as string };
}

/** The path that a refused request asked for, as far as its head tells. */
export function pathOfRefused(partialHead: Buffer): string {
  return /^\S+ ([^\s?]*)/.exec(partialHead.toString('latin1', 0, LONGEST_INSTANCE_BYTES))?.[1] ?? '';
}

/** More of a refused target than this is not repeated to the client. */
const LONGEST_INSTANCE_BYTES = 1024;
const STANDARD_MEMBERS = new Set(['type', 'title', 'status', 'detail', 'instance']);

/** RFC 9457 problem details; what filled the text follows as extension members. */
export function problemAnswer(failure: Failure, rawPath?: string): PlainAnswer {
  const { key, status, title, detail, values, headers } = failure;
  const extensions = Object.entries(values).filter(([name]) => !STANDARD_MEMBERS.has(name));
  const members = {
    type: `/problems/${key}`,
    title,
    status,
    detail,
    ...(rawPath !== undefined && { instance: asUriReference(rawPath) }),
    ...Object.fromEntries(extensions),
  };
  const answer = reply.json(members, { status, headers });
  answer.headers[1] = 'application/problem+json';
  return answer;
}

/** A raw path as a URI may spell it: what the grammar of RFC 3986 has no room for is percent-encoded, nothing is decoded. */
export function asUriReference(rawPath: string): string {
  return rawPath.replace(
    /[^A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
}
