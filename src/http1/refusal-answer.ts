import type { Http1Options } from './connection.ts';
import type { Refusal } from './refusals.ts';
import { composeAnswerHead } from './response-head.ts';

/** The answer to a head that was not taken. The connection ends with it, because nobody knows where a next request begins. */
export function composeRefusal(
  refusal: Refusal,
  partialHead: Buffer,
  { renderRefusal, now }: Pick<Http1Options, 'renderRefusal' | 'now'>,
): { head: string; content: Buffer } {
  const { headers, body } = renderRefusal(refusal, partialHead);
  const content = Buffer.from(body);
  const isHead = partialHead.toString('latin1', 0, 5) === 'HEAD ';
  const { text } = composeAnswerHead(refusal.status, undefined, headers, content.length, {
    method: isHead ? 'HEAD' : 'GET',
    version: '1.1',
    mayStayOpen: false,
    nowMs: now(),
  });
  return { head: text, content: isHead ? content.subarray(0, 0) : content };
}
