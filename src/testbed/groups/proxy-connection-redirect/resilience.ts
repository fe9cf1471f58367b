import { createHash } from 'node:crypto';
import { Type } from 'typebox';
import { type Answer, reply } from '../../../kernel/catalogue/answer.ts';
import { int64, json, problem } from '../../../kernel/catalogue/declarations.ts';
import { fault } from '../../../kernel/faults.ts';
import { endpoint, type TestbedCall, type TestbedEndpoint } from '../../endpoint.ts';
import { wireFault } from '../../wire/faults.ts';
import { simulatedFailure } from './simulated-failure.ts';

const GROUP = 'Proxy Connection & Redirect';
const BASE = '/proxy-test/connection';

const id = Type.String({
  minLength: 1,
  maxLength: 200,
  description: 'A name of your own; state is kept under it.',
});
const failingStatus = Type.Integer({
  minimum: 400,
  maximum: 599,
  default: 503,
  description: 'Status of a failure.',
});

/** Counts this request under a key that no other kind of test shares. */
export function countAttempt(call: TestbedCall, key: string) {
  const { exchange, request, services } = call;
  const from = {
    method: request.method,
    connectionId: exchange.connection.id,
    requestNo: exchange.requestNo,
  };
  return services.state.attempts.record(key, from);
}

const retry = endpoint({
  id: 'connection-retry',
  group: GROUP,
  methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'ANY'],
  path: `${BASE}/retry`,
  summary: 'Fails the first attempts of an id, then succeeds.',
  description:
    'The first `succeedAfter` attempts get `status`, or a connection reset with `fault=reset`; the next succeeds.',
  query: Type.Object({
    id,
    succeedAfter: Type.Integer({ minimum: 0, maximum: 1_000_000, default: 2 }),
    status: failingStatus,
    fault: Type.Optional(Type.Union([Type.Literal('reset'), Type.Literal('close')])),
  }),
  responses: { 200: json('The attempt that succeeded.'), 503: problem('An attempt that failed.') },
  examples: [
    {
      name: 'the first attempt fails',
      path: `${BASE}/retry?id=a&succeedAfter=2`,
      expect: { status: 503, headers: { 'x-test-attempt': '1' }, json: { attempt: 1, succeedAfter: 2 } },
    },
    {
      name: 'succeeds after as many failures as asked for',
      path: `${BASE}/retry?id=b&succeedAfter=2`,
      setUp: [{ path: `${BASE}/retry?id=b&succeedAfter=2` }, { path: `${BASE}/retry?id=b&succeedAfter=2` }],
      expect: { status: 200, headers: { 'x-test-attempt': '3' }, json: { id: 'b', attempt: 3 } },
    },
    {
      name: 'fails by a reset',
      path: `${BASE}/retry?id=c&fault=reset`,
      expect: { wire: /^$/, ends: 'reset' },
    },
    {
      name: 'without an id',
      path: `${BASE}/retry`,
      expect: { status: 400, json: { detail: /id is required/ } },
    },
  ],
  handle: async (call) => {
    const { query, services } = call;
    const { count: attempt } = await countAttempt(call, `retry ${query.id}`);
    const headers = ['X-Test-Attempt', String(attempt)];
    if (attempt > query.succeedAfter) return reply.json({ id: query.id, attempt }, { headers });
    if (query.fault) return wireFault(query.fault, services.settings);
    return simulatedFailure(
      query.status,
      { id: query.id, attempt, succeedAfter: query.succeedAfter },
      headers,
    );
  },
});

const retryTally = endpoint({
  id: 'connection-retry-tally',
  group: GROUP,
  methods: ['GET', 'DELETE'],
  path: `${BASE}/retry/{id}`,
  summary: 'How often an id was tried, when, and over which connections. DELETE forgets it.',
  params: Type.Object({ id }),
  responses: { 200: json('The tally.'), 404: problem('Never tried, or forgotten.') },
  examples: [
    {
      name: 'two attempts',
      path: `${BASE}/retry/a`,
      setUp: [{ path: `${BASE}/retry?id=a` }, { method: 'POST', path: `${BASE}/retry?id=a` }],
      expect: { status: 200, json: { id: 'a', count: 2, attempts: [{ method: 'GET' }, { method: 'POST' }] } },
    },
    {
      name: 'never tried',
      path: `${BASE}/retry/nobody`,
      expect: { status: 404, json: { detail: /nobody/ } },
    },
  ],
  handle: async ({ params, request, services }) => {
    const tally = await services.state.attempts.tally(`retry ${params.id}`);
    if (!tally) throw fault('state.unknown-id', { id: params.id });
    if (request.method === 'DELETE') await services.state.attempts.forget(`retry ${params.id}`);
    const attempts = tally.arrivals.map(({ atMs, ...rest }) => ({
      at: new Date(atMs).toISOString(),
      ...rest,
    }));
    return reply.json({ id: params.id, count: tally.count, attempts });
  },
});

const flaky = endpoint({
  id: 'connection-flaky',
  group: GROUP,
  methods: ['GET'],
  path: `${BASE}/flaky`,
  summary: 'Fails by chance; with a seed always in the same order.',
  description:
    'With `seed` the n-th request under that seed always has the same outcome. Without, every request is drawn anew.',
  query: Type.Object({
    rate: Type.Number({ minimum: 0, maximum: 1, default: 0.5, description: 'The share of failures.' }),
    seed: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    status: failingStatus,
  }),
  responses: { 200: json('It worked.'), 503: problem('It failed.') },
  examples: [
    { name: 'never', path: `${BASE}/flaky?rate=0`, expect: { status: 200, json: { isFailure: false } } },
    { name: 'always', path: `${BASE}/flaky?rate=1`, expect: { status: 503, json: { isFailure: true } } },
    {
      name: 'the second draw of this seed always fails',
      path: `${BASE}/flaky?seed=c`,
      setUp: [{ path: `${BASE}/flaky?seed=c` }],
      expect: { status: 503, json: { seed: 'c', draw: 2, isFailure: true } },
    },
    {
      name: 'and the third always works',
      path: `${BASE}/flaky?seed=c`,
      setUp: [{ path: `${BASE}/flaky?seed=c` }, { path: `${BASE}/flaky?seed=c` }],
      expect: { status: 200, json: { seed: 'c', draw: 3, isFailure: false } },
    },
    {
      name: 'a rate above one',
      path: `${BASE}/flaky?rate=2`,
      expect: { status: 400, json: { detail: /rate must be at most 1/ } },
    },
  ],
  handle: async (call) => {
    const { seed, rate, status } = call.query;
    if (seed === undefined) return outcome(call.services.random.float() < rate, status, {});
    const { count: draw } = await countAttempt(call, `flaky ${seed}`);
    return outcome(seededShare(seed, draw) < rate, status, { seed, draw });
  },
});

function outcome(isFailure: boolean, status: number, facts: object): Answer {
  return isFailure ? simulatedFailure(status, { ...facts, isFailure }) : reply.json({ ...facts, isFailure });
}

/** A number in [0, 1) that depends on nothing but the seed and which draw it is. */
export function seededShare(seed: string, draw: number): number {
  return createHash('sha256').update(`${seed}\n${draw}`).digest().readUInt32BE(0) / 2 ** 32;
}

const circuit = endpoint({
  id: 'connection-circuit',
  group: GROUP,
  methods: ['GET'],
  path: `${BASE}/circuit`,
  summary: 'Is broken for a number of requests or for a time, then recovers: for circuit breakers.',
  description:
    'The outage begins with the first request of an id and ends after `fail` requests or `ms`, whichever comes first.',
  query: Type.Object({
    id,
    fail: Type.Integer({ minimum: 0, maximum: 1_000_000, default: 5, description: 'Requests that fail.' }),
    ms: int64({
      minimum: 0,
      maximum: 3_600_000,
      default: 10_000,
      description: 'How long the outage lasts at most.',
    }),
    status: failingStatus,
  }),
  responses: { 200: json('Recovered.'), 503: problem('Still broken.') },
  examples: [
    {
      name: 'broken at first',
      path: `${BASE}/circuit?id=a&fail=1`,
      expect: { status: 503, json: { state: 'broken', request: 1 } },
    },
    {
      name: 'recovered after as many failures',
      path: `${BASE}/circuit?id=b&fail=1`,
      setUp: [{ path: `${BASE}/circuit?id=b&fail=1` }],
      expect: { status: 200, json: { state: 'recovered', request: 2 } },
    },
    {
      name: 'recovered after no time',
      path: `${BASE}/circuit?id=c&ms=0`,
      expect: { status: 200, json: { state: 'recovered', request: 1 } },
    },
    {
      name: 'without an id',
      path: `${BASE}/circuit`,
      expect: { status: 400, json: { detail: /id is required/ } },
    },
  ],
  handle: async (call) => {
    const { id: name, fail, ms, status } = call.query;
    const { count, firstAtMs } = await countAttempt(call, `circuit ${name}`);
    const brokenForMs = call.services.clock.now() - firstAtMs;
    if (count > fail || brokenForMs >= ms)
      return reply.json({ id: name, state: 'recovered', request: count });
    return simulatedFailure(status, {
      id: name,
      state: 'broken',
      request: count,
      endsInMs: ms - brokenForMs,
    });
  },
});

const health = endpoint({
  id: 'connection-health',
  group: GROUP,
  methods: ['GET', 'POST'],
  path: `${BASE}/health`,
  summary: 'A health check with a switch: 200 when up, 503 when down.',
  description:
    'GET tells the state of an id. With `up` the switch is turned first: GET then answers by the new state, POST confirms with 200.',
  query: Type.Object({
    id: Type.String({ minLength: 1, maxLength: 200, default: 'default' }),
    up: Type.Optional(Type.Boolean()),
  }),
  responses: { 200: json('Up, or turned.'), 503: json('Down.') },
  examples: [
    { name: 'up until it is turned', expect: { status: 200, json: { id: 'default', status: 'UP' } } },
    {
      name: 'down after it was turned',
      path: `${BASE}/health?id=a`,
      setUp: [{ method: 'POST', path: `${BASE}/health?id=a&up=false` }],
      expect: { status: 503, json: { id: 'a', status: 'DOWN' } },
    },
    {
      name: 'turning it down is itself a success',
      method: 'POST',
      path: `${BASE}/health?id=b&up=false`,
      expect: { status: 200, json: { id: 'b', status: 'DOWN' } },
    },
    {
      name: 'turning it nowhere',
      method: 'POST',
      path: `${BASE}/health?id=b`,
      expect: { status: 400, json: { detail: /up is required/ } },
    },
    {
      name: 'half up',
      path: `${BASE}/health?up=maybe`,
      expect: { status: 400, json: { detail: /up must be true or false/ } },
    },
  ],
  handle: async ({ query, request, services }) => {
    const { healthSwitches } = services.state;
    const isTurning = request.method === 'POST';
    if (isTurning && query.up === undefined) throw fault('parameter.missing', { in: 'query', name: 'up' });
    if (query.up !== undefined) await healthSwitches.turn(query.id, query.up);
    const isUp = query.up ?? (await healthSwitches.isUp(query.id));
    const body = { id: query.id, status: isUp ? 'UP' : 'DOWN' };
    return reply.json(body, {
      status: isUp || isTurning ? 200 : 503,
      headers: ['Cache-Control', 'no-store'],
    });
  },
});

export const resilienceEndpoints: readonly TestbedEndpoint[] = [retry, retryTally, flaky, circuit, health];
