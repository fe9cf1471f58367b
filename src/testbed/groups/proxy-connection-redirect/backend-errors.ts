import { Type } from 'typebox';
import type { PlainAnswer } from '../../../kernel/catalogue/answer.ts';
import { int64, problem } from '../../../kernel/catalogue/declarations.ts';
import { problemJson } from '../../content/problem-document.ts';
import { allowedMs } from '../../delays.ts';
import { endpoint, type TestbedCall, type TestbedEndpoint } from '../../endpoint.ts';
import { retryAfterHeader, retryAfterParameter } from '../../retry-after.ts';

const GROUP = 'Proxy Connection & Redirect';
const BASE = '/proxy-test/connection';

/** The errors a backend gives: status → title and what it pretends has happened. */
const backendErrors: Readonly<Record<number, readonly [title: string, detail: string]>> = {
  429: ['Too Many Requests', 'The backend wants fewer requests.'],
  500: ['Internal Server Error', 'The backend failed while it handled the request.'],
  501: ['Not Implemented', 'The backend does not know how to do this.'],
  502: ['Bad Gateway', 'The backend got an invalid answer from a server behind it.'],
  503: ['Service Unavailable', 'The backend is overloaded or under maintenance.'],
  504: ['Gateway Timeout', 'The backend got no answer in time from a server behind it.'],
  505: ['HTTP Version Not Supported', 'The backend does not speak this version of HTTP.'],
  507: ['Insufficient Storage', 'The backend cannot store what it needs for the request.'],
  508: ['Loop Detected', 'The backend found an endless loop.'],
  511: ['Network Authentication Required', 'The backend wants the client to sign in to the network.'],
};

const retryAfter = Type.Optional(retryAfterParameter());
const errorStatuses = Object.keys(backendErrors).map(Number);

function backendError(call: TestbedCall, status: number, retryAfterChoice: string | undefined): PlainAnswer {
  const [title, detail] = backendErrors[status]!;
  const body = { type: `/problems/backend-${status}`, title, status, detail, instance: call.request.rawPath };
  const headers = ['X-Error-Origin', 'backend', 'Cache-Control', 'no-store'];
  if (retryAfterChoice !== undefined)
    headers.push(...retryAfterHeader(retryAfterChoice, call.services.clock));
  return problemJson(body, headers);
}

const error = endpoint({
  id: 'connection-error',
  group: GROUP,
  spec: '1 §7',
  methods: ['GET'],
  path: `${BASE}/error/{status}`,
  summary: 'An error the backend itself gives, marked as such.',
  description:
    '`X-Error-Origin: backend` tells it apart from an error that the proxy in between made: a proxy must pass it on unchanged.',
  params: Type.Object({ status: Type.Union(errorStatuses.map((status) => Type.Literal(status))) }),
  query: Type.Object({ retryAfter }),
  responses: Object.fromEntries(errorStatuses.map((status) => [status, problem(backendErrors[status]![0])])),
  examples: [
    {
      name: 'the status of the path, from the backend',
      path: `${BASE}/error/507`,
      expect: {
        status: 507,
        headers: { 'x-error-origin': 'backend', 'content-type': 'application/problem+json' },
        json: { status: 507, title: 'Insufficient Storage', instance: `${BASE}/error/507` },
      },
    },
    {
      name: 'Retry-After in seconds',
      path: `${BASE}/error/503?retryAfter=17`,
      expect: { status: 503, headers: { 'retry-after': '17' } },
    },
    {
      name: 'Retry-After as a date',
      path: `${BASE}/error/429?retryAfter=date`,
      expect: { status: 429, headers: { 'retry-after': /^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/ } },
    },
    {
      name: 'a status that is no backend error',
      path: `${BASE}/error/418`,
      expect: { status: 400, json: { detail: /status must be one of 429, 500/ } },
    },
    {
      name: 'neither seconds nor a date',
      path: `${BASE}/error/503?retryAfter=later`,
      expect: { status: 400, json: { detail: /retryAfter must match/ } },
    },
  ],
  handle: (call) => backendError(call, call.params.status, call.query.retryAfter),
});

const simulatedErrors = [502, 503, 504].map((status) =>
  endpoint({
    id: `connection-${status}`,
    group: GROUP,
    spec: '1 §7',
    methods: ['GET'],
    path: `${BASE}/${status}`,
    summary: `Simulates ${status} ${backendErrors[status]![0]}.`,
    query: Type.Object({
      retryAfter,
      delay: int64({ minimum: 0, default: 0, description: 'Milliseconds before the answer.' }),
    }),
    responses: { [status]: problem(backendErrors[status]![0]) },
    examples: [
      {
        name: 'comes from the backend',
        expect: { status, headers: { 'x-error-origin': 'backend' }, json: { status } },
      },
      {
        name: 'late and with Retry-After',
        path: `${BASE}/${status}?delay=40&retryAfter=5`,
        expect: { status, headers: { 'retry-after': '5' }, notBeforeMs: 35 },
      },
      {
        name: 'later than the service allows',
        path: `${BASE}/${status}?delay=300001`,
        expect: { status: 400, json: { detail: /delay must be at most 300000/ } },
      },
    ],
    handle: async (call) => {
      const delayMs = allowedMs(call.services, 'delay', call.query.delay);
      if (delayMs > 0) await call.services.clock.sleep(delayMs, call.exchange.signal);
      return backendError(call, status, call.query.retryAfter);
    },
  }),
);

export const backendErrorEndpoints: readonly TestbedEndpoint[] = [error, ...simulatedErrors];
