import { Type } from 'typebox';
import { reply } from '../../../kernel/catalogue/answer.ts';
import { int64, json, problem } from '../../../kernel/catalogue/declarations.ts';
import { allowedMs } from '../../delays.ts';
import { endpoint, type TestbedCall, type TestbedEndpoint } from '../../endpoint.ts';
import { simulatedFailure } from './simulated-failure.ts';

const GROUP = 'Proxy Connection & Redirect';
const BASE = '/proxy-test/connection';

const infos = ['info', 'keep-alive'].map((path) =>
  endpoint({
    id: `connection-${path}`,
    group: GROUP,
    methods: ['GET'],
    path: `${BASE}/${path}`,
    summary: 'Which connection carried the request, and how many before it.',
    description:
      'Behind a proxy that pools its upstream connections, `reused` becomes true and `connectionId` repeats.',
    responses: { 200: json('The connection as the backend sees it.') },
    examples: [
      {
        name: 'the first request of a connection',
        expect: { status: 200, json: { connectionId: /./, requestNo: 1, reused: false, httpVersion: '1.1' } },
      },
    ],
    handle: ({ exchange, services }) => reply.json(connectionOf(exchange, services.clock.now())),
  }),
);

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

const maxConn = endpoint({
  id: 'connection-max-conn',
  group: GROUP,
  methods: ['GET'],
  path: `${BASE}/max-conn`,
  summary: 'Serves a limited number of requests at the same time; others get 503 at once.',
  query: Type.Object({
    id: Type.String({ minLength: 1, maxLength: 200, default: 'default' }),
    limit: Type.Integer({ minimum: 0, maximum: 100_000, default: 2 }),
    ms: int64({ minimum: 0, default: 1000, description: 'Milliseconds each request takes.' }),
  }),
  responses: { 200: json('There was room.'), 503: problem('There was none.') },
  examples: [
    {
      name: 'room for one',
      path: `${BASE}/max-conn?id=a&limit=1&ms=20`,
      expect: { status: 200, json: { inside: 1, limit: 1 }, notBeforeMs: 15 },
    },
    {
      name: 'no room at all',
      path: `${BASE}/max-conn?id=b&limit=0`,
      expect: { status: 503, headers: { 'retry-after': '1' }, json: { inside: 0, limit: 0 } },
    },
    {
      name: 'longer than the service allows',
      path: `${BASE}/max-conn?ms=300001`,
      expect: { status: 400, json: { detail: /ms must be at most 300000/ } },
    },
  ],
  handle: async ({ query, services, exchange }) => {
    const { id: room, limit } = query;
    const ms = allowedMs(services, 'ms', query.ms);
    const seat = `${exchange.connection.id} ${exchange.requestNo}`;
    const { isAdmitted, inside } = await services.state.occupancy.enter(room, seat, limit, ms + 1000);
    if (!isAdmitted) return simulatedFailure(503, { inside, limit }, ['Retry-After', '1']);
    try {
      await services.clock.sleep(ms, exchange.signal);
      return reply.json({ inside, limit });
    } finally {
      await services.state.occupancy.leave(room, seat);
    }
  },
});

export const connectionEndpoints: readonly TestbedEndpoint[] = [...infos, closeAfter, idleClose, maxConn];
