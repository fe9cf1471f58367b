import { type PlainAnswer, reply } from '../kernel/catalogue/answer.ts';
import { type Failure, problemAnswer } from '../kernel/problem.ts';
import { contactError } from './contact/contact-media.ts';
import { dialectOf } from './echo/httpbin-echo.ts';
import type { TestbedContext } from './finish.ts';

/**
 * Errors are problem details (RFC 9457), for callers of the go dialect go-httpbin's object. Those of the contact API
 * are plain strings in the negotiated type (spec 1 §4.3).
 */
export function renderTestbedFailure(failure: Failure, context: TestbedContext): PlainAnswer {
  const { status, title, detail, headers } = failure;
  if (context.endpoint?.group === 'contact') {
    const answer = contactError(context.request, status, detail);
    answer.headers.push(...headers);
    return answer;
  }
  if (dialectOf(context) === 'go')
    return reply.json({ status_code: status, error: title, detail }, { status, headers });
  return problemAnswer(failure, context.request.rawPath);
}
