import { dialectOf } from '../echo/httpbin-echo.ts';
import type { TestbedCall } from '../endpoint.ts';
import { parseAuthorization } from './authorization.ts';

export function bearerToken(call: TestbedCall): string | undefined {
  const authorization = parseAuthorization(call.request.headers.first('authorization'));
  if (authorization?.scheme !== 'bearer' || authorization.rest === '') return undefined;
  if (dialectOf(call) === 'go' && /\s/.test(authorization.rest)) return undefined;
  return authorization.rest;
}
