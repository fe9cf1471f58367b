import type { HeaderPairs } from '../http1/header-list.ts';
import type { Refusal } from '../http1/refusals.ts';
import { problemAnswer } from './problem.ts';

const LONGEST_QUOTE = 256;

/** A refused request as a problem that names the reason and the rule, so that whoever tests a proxy sees why the backend said no. */
export function renderRefusal(
  { key, status, title, detail, rfc }: Refusal,
  partialHead: Buffer,
): { headers: HeaderPairs; body: string } {
  const { headers, body } = problemAnswer(
    { key, status, title, detail, values: { rule: rfc }, headers: [] },
    targetIn(partialHead),
  );
  return { headers, body: body as string };
}

/** The target as far as one can be made out of a head that was refused. */
function targetIn(partialHead: Buffer): string {
  const line = partialHead.toString('latin1', 0, LONGEST_QUOTE).split('\n', 1)[0]!;
  return line.split(' ')[1]?.split('?')[0]?.trim() ?? '';
}
