import { isSameName } from '../http1/header-list.ts';
import { type Answer, isWire } from '../kernel/catalogue/answer.ts';
import type { AnswerContext } from '../kernel/catalogue/dispatcher.ts';
import type { TestbedServices } from './services.ts';

export type TestbedContext = AnswerContext<TestbedServices>;

/** The last hand on every answer of the test service, whoever gave it: CORS as httpbin does it, and a request id. */
export function finishAnswer(context: TestbedContext, answer: Answer): Answer {
  if (isWire(answer)) return answer;
  const { request, exchange, endpoint } = context;
  const { headers } = answer;
  // The group that tests CORS says itself what may be shared; anything added here would falsify it.
  if (endpoint?.group !== 'Proxy CORS' && !names(headers, 'access-control-allow-origin'))
    addCors(context, headers);
  if (!names(headers, 'x-request-id')) {
    const made = `${exchange.connection.id}-${exchange.requestNo}`;
    headers.push('X-Request-Id', request.headers.first('x-request-id') || made);
  }
  return answer;
}

/** The origin is echoed with credentials allowed; a preflight may ask for any header (httpbin's rules). */
function addCors({ request }: TestbedContext, headers: string[]): void {
  headers.push('Access-Control-Allow-Origin', request.headers.first('origin') ?? '*');
  headers.push('Access-Control-Allow-Credentials', 'true');
  if (request.method !== 'OPTIONS') return;
  headers.push('Access-Control-Allow-Methods', 'GET, POST, PUT, DELETE, PATCH, OPTIONS');
  headers.push('Access-Control-Max-Age', '3600');
  const askedHeaders = request.headers.first('access-control-request-headers');
  if (askedHeaders !== undefined) headers.push('Access-Control-Allow-Headers', askedHeaders);
}

function names(headers: readonly string[], lowerName: string): boolean {
  for (let index = 0; index < headers.length; index += 2) {
    if (isSameName(headers[index]!, lowerName)) return true;
  }
  return false;
}
