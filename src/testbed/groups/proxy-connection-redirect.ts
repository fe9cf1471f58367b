import { Type } from 'typebox';
import { type PlainAnswer, reply } from '../../kernel/catalogue/answer.ts';
import { int64, json, problem } from '../../kernel/catalogue/declarations.ts';
import { allowedMs } from '../delays.ts';
import { endpoint, type TestbedCall, type TestbedEndpoint } from '../endpoint.ts';
import { retryAfterHeader, retryAfterParameter } from '../retry-after.ts';

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
  return reply.bytes(`${JSON.stringify(body, null, 2)}\n`, 'application/problem+json', { status, headers });
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

const info = endpoint({
  id: 'connection-info',
  group: GROUP,
  methods: ['GET'],
  path: `${BASE}/info`,
  aliases: [`${BASE}/keep-alive`],
  summary: 'Which connection carried the request, and how many before it.',
  description:
    'Behind a proxy that pools its upstream connections, `reused` becomes true and `connectionId` repeats.',
  responses: { 200: json('The connection as the backend sees it.') },
  examples: [
    {
      name: 'the first request of a connection',
      expect: { status: 200, json: { connectionId: /./, requestNo: 1, reused: false } },
    },
  ],
  handle: ({ exchange, services }) => reply.json(connectionOf(exchange, services.clock.now())),
});

function connectionOf({ connection, requestNo, head }: TestbedCall['exchange'], nowMs: number) {
  return {
    connectionId: connection.id,
    requestNo,
    reused: requestNo > 1,
    ageMs: Math.max(0, nowMs - connection.openedAtMs),
    httpVersion: head.version,
    localPort: connection.localPort,
    remotePort: connection.remotePort,
  };
}

const closeAfter = endpoint({
  id: 'connection-close-after',
  group: GROUP,
  methods: ['GET'],
  path: `${BASE}/close-after`,
  summary: 'Closes each connection after its n-th answer, announced by Connection: close.',
  query: Type.Object({ n: Type.Integer({ minimum: 1, maximum: 1_000_000, default: 3 }) }),
  responses: { 200: json('The connection, and whether it closes now.') },
  examples: [
    {
      name: 'after the first answer',
      path: `${BASE}/close-after?n=1`,
      headers: ['Connection', 'keep-alive'],
      expect: {
        status: 200,
        headers: { connection: 'close' },
        json: { requestNo: 1, closesNow: true },
        ends: 'close',
      },
    },
    {
      name: 'not before the n-th answer',
      path: `${BASE}/close-after?n=2`,
      headers: ['Connection', 'keep-alive'],
      expect: { status: 200, json: { requestNo: 1, closesNow: false }, ends: 'open' },
    },
    {
      name: 'never',
      path: `${BASE}/close-after?n=0`,
      expect: { status: 400, json: { detail: /n must be at least 1/ } },
    },
  ],
  handle: ({ query, exchange, services }) => {
    const closesNow = exchange.requestNo >= query.n;
    if (closesNow) exchange.closeAfterAnswer();
    return reply.json({ ...connectionOf(exchange, services.clock.now()), closesNow });
  },
});

const idleClose = endpoint({
  id: 'connection-idle-close',
  group: GROUP,
  methods: ['GET'],
  path: `${BASE}/idle-close`,
  summary: 'Answers as if the connection stayed open, then closes it without a word.',
  description:
    'The race of keep-alive: a request sent on this connection in the meantime is lost, as if it had crossed the FIN. ' +
    'A proxy must retry a safe request on another connection.',
  query: Type.Object({
    ms: int64({ minimum: 0, default: 1000, description: 'Milliseconds until the FIN.' }),
  }),
  responses: { 200: json('A whole answer with a true length.') },
  examples: [
    {
      name: 'closes although it promised to stay',
      path: `${BASE}/idle-close?ms=20`,
      headers: ['Connection', 'keep-alive'],
      expect: { status: 200, headers: { connection: 'keep-alive' }, json: { closesInMs: 20 }, ends: 'close' },
    },
    {
      name: 'longer than the service allows',
      path: `${BASE}/idle-close?ms=300001`,
      expect: { status: 400, json: { detail: /ms must be at most 300000/ } },
    },
  ],
  handle: ({ query, request, exchange, services }) => {
    const closesInMs = allowedMs(services, 'ms', query.ms);
    const body = `${JSON.stringify({ closesInMs })}\n`;
    const head = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: keep-alive\r\n\r\n`;
    return reply.wire(async (socket) => {
      await socket.write(request.method === 'HEAD' ? head : head + body);
      await services.clock.sleep(closesInMs, exchange.signal);
      socket.close();
    });
  },
});

/** What each interim status carries along. */
const interimHeaders: Readonly<Record<number, readonly string[]>> = {
  100: [],
  102: [],
  103: ['Link', '</style.css>; rel=preload; as=style'],
  199: ['X-Interim', 'unknown but valid'],
};

const interim = endpoint({
  id: 'connection-1xx',
  group: GROUP,
  methods: ['GET'],
  path: `${BASE}/1xx/{status}`,
  summary: 'Interim answers, then 200.',
  description:
    'A proxy must pass interim answers on or drop them, but never take one for the final answer (RFC 9110 §15.2).',
  params: Type.Object({
    status: Type.Union(Object.keys(interimHeaders).map((status) => Type.Literal(Number(status)))),
  }),
  query: Type.Object({ count: Type.Integer({ minimum: 1, maximum: 100, default: 1 }) }),
  responses: { 200: json('How many interim answers came before.') },
  examples: [
    {
      name: 'early hints',
      path: `${BASE}/1xx/103?count=2`,
      expect: {
        status: 200,
        json: { interim: 103, count: 2 },
        wire: /^(HTTP\/1\.1 103 Early Hints\r\nLink: <\/style\.css>; rel=preload; as=style\r\n\r\n){2}HTTP\/1\.1 200 OK\r\n/,
      },
    },
    {
      name: 'a status that is not interim',
      path: `${BASE}/1xx/200`,
      expect: { status: 400, json: { detail: /status must be one of 100, 102, 103, 199/ } },
    },
  ],
  handle: ({ params, query, exchange }) => {
    for (let sent = 0; sent < query.count; sent++)
      exchange.sendInterim(params.status, interimHeaders[params.status]);
    return reply.json({ interim: params.status, count: query.count });
  },
});

export const proxyConnectionRedirect: readonly TestbedEndpoint[] = [
  error,
  ...simulatedErrors,
  info,
  closeAfter,
  idleClose,
  interim,
];
