import type { Answer } from '../../../kernel/catalogue/answer.ts';
import { problemJson } from '../../content/problem-document.ts';

/** A failure wanted by the client: a problem document from the backend, with the facts of the test. */
export function simulatedFailure(status: number, facts: object, headers: readonly string[] = []): Answer {
  const body = { type: '/problems/simulated-failure', title: 'Simulated failure', status, ...facts };
  return problemJson(body, ['X-Error-Origin', 'backend', 'Cache-Control', 'no-store', ...headers]);
}
