import type { CheckGroup } from '../proxy-check.ts';
import { get, request } from '../request-bytes.ts';
import { all, sameFields, sameStatus } from '../verdicts.ts';

const ORIGIN = 'https://app.example.test';
const corsFields = all(
  sameStatus,
  sameFields(
    ...['Access-Control-Allow-Origin', 'Access-Control-Allow-Methods', 'Access-Control-Allow-Headers'],
    ...[
      'Access-Control-Allow-Credentials',
      'Access-Control-Max-Age',
      'Access-Control-Expose-Headers',
      'Vary',
    ],
  ),
);

export const cors: CheckGroup = {
  name: 'Proxy CORS',
  checks: [
    {
      id: 'cors.preflight',
      asks: 'a preflight is answered by the backend',
      request: request('OPTIONS', '/proxy-test/cors/preflight', [
        `Origin: ${ORIGIN}`,
        'Access-Control-Request-Method: GET',
        'Access-Control-Request-Headers: x-token',
      ]),
      direct: {
        status: 200,
        headers: { 'access-control-allow-origin': ORIGIN, 'access-control-allow-headers': 'x-token' },
      },
      verdict: corsFields,
    },
    {
      id: 'cors.denied',
      asks: 'a refused origin is not let in',
      request: get('/proxy-test/cors/denied', `Origin: ${ORIGIN}`),
      direct: { status: 200, headers: { 'access-control-allow-origin': null, vary: null } },
      verdict: corsFields,
    },
    {
      id: 'cors.credentials',
      asks: 'the exact origin with credentials, and Vary',
      request: get('/proxy-test/cors/credentials', `Origin: ${ORIGIN}`, 'Cookie: session=1'),
      direct: {
        status: 200,
        headers: {
          'access-control-allow-origin': ORIGIN,
          'access-control-allow-credentials': 'true',
          vary: 'Origin',
        },
      },
      verdict: corsFields,
    },
    {
      id: 'cors.expose',
      asks: 'Access-Control-Expose-Headers',
      request: get('/proxy-test/cors/expose-headers', `Origin: ${ORIGIN}`),
      direct: { status: 200, headers: { 'access-control-expose-headers': 'X-Exposed, X-Also-Exposed' } },
      verdict: corsFields,
    },
  ],
};
