import { STATUS_CODES } from '../../http1/status-codes.ts';
import { type PlainAnswer, reply } from '../../kernel/catalogue/answer.ts';
import { dialectOf } from '../echo/httpbin-echo.ts';
import type { TestbedCall } from '../endpoint.ts';

/** httpbin refuses without a word; go-httpbin has an object for every error. */
export function refused(call: TestbedCall, status: number, headers: readonly string[] = []): PlainAnswer {
  if (dialectOf(call) === 'httpbin') return reply.empty(status, headers);
  return reply.json({ status_code: status, error: STATUS_CODES[status] }, { status, headers });
}
