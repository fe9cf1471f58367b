import type { TestbedCall } from '../endpoint.ts';
import { readForm } from './form.ts';

/**
 * Every name and value a client submitted, whichever way: pairs of the query first, then fields of a multipart or
 * urlencoded form. The specification declares some of these in the query, clients send them in the body (spec 1 §4.7).
 */
export async function submittedPairs(call: TestbedCall): Promise<ReadonlyArray<readonly [string, string]>> {
  const { fields } = await readForm(call);
  return [...call.request.queryPairs, ...fields];
}
