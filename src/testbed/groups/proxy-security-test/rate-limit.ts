import { Type } from 'typebox';
import { type PlainAnswer, reply } from '../../../kernel/catalogue/answer.ts';
import { json, problem } from '../../../kernel/catalogue/declarations.ts';
import { problemJson } from '../../content/problem-document.ts';
import { endpoint, type TestbedCall, type TestbedEndpoint } from '../../endpoint.ts';
import { retryAfterHeader, retryAfterParameter } from '../../retry-after.ts';
import { type RateLimitRule, type RateLimitVerdict, rateLimitAlgorithms } from '../../state/rate-limits.ts';

const GROUP = 'Proxy Security Test';
const BASE = '/proxy-test/security/rate-limit';

const ruleParameters = {
  limit: Type.Integer({ minimum: 1, maximum: 1000, default: 10, description: 'Requests per window.' }),
  window: Type.Integer({ minimum: 1, maximum: 3600, default: 60, description: 'Seconds.' }),
  key: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'Whom to count; the client address unless given.',
    }),
  ),
  algorithm: Type.Union(
    rateLimitAlgorithms.map((algorithm) => Type.Literal(algorithm)),
    { default: 'fixed' },
  ),
};

interface RuleQuery {
  readonly limit: number;
  readonly window: number;
  readonly key?: string;
  readonly algorithm: RateLimitRule['algorithm'];
}

const ruleOf = ({ limit, window, algorithm }: RuleQuery): RateLimitRule => ({
  limit,
  windowMs: window * 1000,
  algorithm,
});
const keyOf = (call: TestbedCall, { key }: RuleQuery) => key ?? call.request.peerAddress;

const rateLimit = endpoint({
  id: 'rate-limit',
  group: GROUP,
  methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'ANY'],
  path: BASE,
  summary: 'A rate limit per key: 200 within it, 429 beyond. DELETE starts anew.',
  description:
    'Tells its state by `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers) and by the older ' +
    '`X-RateLimit-*`. `fixed` counts per window, `sliding` over the last window at any moment, `bucket` refills evenly.',
  query: Type.Object({
    ...ruleParameters,
    retryAfter: Type.Optional(retryAfterParameter({ pattern: '^(seconds|date)$' })),
  }),
  responses: { 200: json('Within the limit.'), 429: problem('Beyond the limit.') },
  examples: [
    {
      name: 'the first of ten',
      path: `${BASE}?key=a`,
      expect: {
        status: 200,
        headers: {
          'ratelimit-policy': '"default";q=10;w=60',
          ratelimit: '"default";r=9;t=60',
          'x-ratelimit-limit': '10',
          'x-ratelimit-remaining': '9',
          'x-ratelimit-reset': '60',
          'retry-after': null,
        },
        json: { key: 'a', algorithm: 'fixed', limit: 10, remaining: 9, reset: 60, count: 1 },
      },
    },
    {
      name: 'beyond the limit',
      path: `${BASE}?key=b&limit=1`,
      setUp: [{ path: `${BASE}?key=b&limit=1` }],
      expect: {
        status: 429,
        headers: {
          'retry-after': /^(60|59)$/,
          ratelimit: /^"default";r=0;t=(60|59)$/,
          'content-type': 'application/problem+json',
        },
        json: { type: '/problems/rate-limit-exceeded', status: 429, limit: 1, remaining: 0 },
      },
    },
    {
      name: 'Retry-After as a date',
      path: `${BASE}?key=c&limit=1&retryAfter=date`,
      setUp: [{ path: `${BASE}?key=c&limit=1` }],
      expect: { status: 429, headers: { 'retry-after': / GMT$/ } },
    },
    {
      name: 'DELETE starts anew',
      path: `${BASE}?key=d&limit=1`,
      setUp: [{ path: `${BASE}?key=d&limit=1` }, { method: 'DELETE', path: `${BASE}?key=d&limit=1` }],
      expect: { status: 200, json: { count: 1 } },
    },
    {
      name: 'the bucket refills evenly',
      path: `${BASE}?key=e&limit=10&window=60&algorithm=bucket`,
      expect: { status: 200, json: { algorithm: 'bucket', remaining: 9, reset: 6 } },
    },
    {
      name: 'unknown algorithm',
      path: `${BASE}?algorithm=leaky`,
      expect: { status: 400, json: { detail: /algorithm must be one of fixed, sliding, bucket/ } },
    },
  ],
  handle: async (call) => {
    const { query, request, services } = call;
    const [key, rule] = [keyOf(call, query), ruleOf(query)];
    if (request.method === 'DELETE') {
      return reply.json({ key, wasKnown: await services.state.rateLimits.reset(key, rule) });
    }
    const verdict = await services.state.rateLimits.take(key, rule);
    const facts = factsOf(key, rule, verdict);
    const headers = limitHeaders(rule, verdict);
    if (verdict.isAllowed) return reply.json(facts, { headers });
    const waitSeconds = seconds(verdict.retryInMs);
    const choice = query.retryAfter === 'date' ? 'date' : String(waitSeconds);
    return exceeded(call, 429, facts, [...headers, ...retryAfterHeader(choice, services.clock, waitSeconds)]);
  },
});

const status = endpoint({
  id: 'rate-limit-status',
  group: GROUP,
  methods: ['GET'],
  path: `${BASE}/status`,
  summary: 'The state of a rate limit, without spending a request.',
  query: Type.Object(ruleParameters),
  responses: { 200: json('What the next request would be told.') },
  examples: [
    {
      name: 'looking costs nothing',
      path: `${BASE}/status?key=a`,
      setUp: [{ path: `${BASE}?key=a` }, { path: `${BASE}/status?key=a` }],
      expect: {
        status: 200,
        json: { key: 'a', limit: 10, remaining: 9, count: 1 },
        headers: { 'x-ratelimit-remaining': '9' },
      },
    },
    {
      name: 'no window',
      path: `${BASE}/status?window=0`,
      expect: { status: 400, json: { detail: /window must be at least 1/ } },
    },
  ],
  handle: async (call) => {
    const [key, rule] = [keyOf(call, call.query), ruleOf(call.query)];
    const verdict = await call.services.state.rateLimits.look(key, rule);
    return reply.json(factsOf(key, rule, verdict), { headers: limitHeaders(rule, verdict) });
  },
});

const simulate = endpoint({
  id: 'rate-limit-simulate',
  group: GROUP,
  methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'ANY'],
  path: `${BASE}/simulate`,
  summary: 'The answer to one request too many, without counting anything.',
  query: Type.Object({
    status: Type.Union([Type.Literal(429), Type.Literal(503)], { default: 429 }),
    retryAfter: retryAfterParameter({ default: '5' }),
  }),
  responses: { 429: problem('Too many requests.'), 503: problem('Overloaded.') },
  examples: [
    {
      name: '503 in 7 seconds',
      path: `${BASE}/simulate?status=503&retryAfter=7`,
      expect: {
        status: 503,
        headers: { 'retry-after': '7' },
        json: { status: 503, title: 'Service Unavailable' },
      },
    },
    {
      name: 'by default 429',
      expect: { status: 429, headers: { 'retry-after': '5', ratelimit: '"default";r=0;t=5' } },
    },
    {
      name: 'a status that has nothing to do with limits',
      path: `${BASE}/simulate?status=404`,
      expect: { status: 400, json: { detail: /status must be one of 429, 503/ } },
    },
  ],
  handle: (call) => {
    const { status: code, retryAfter } = call.query;
    const resetSeconds = retryAfter === 'date' ? 30 : Number(retryAfter);
    return exceeded(call, code, { retryAfter }, [
      'RateLimit-Policy',
      '"default";q=10;w=60',
      'RateLimit',
      `"default";r=0;t=${resetSeconds}`,
      ...retryAfterHeader(retryAfter, call.services.clock),
    ]);
  },
});

export const rateLimitEndpoints: readonly TestbedEndpoint[] = [rateLimit, status, simulate];

function factsOf(key: string, { algorithm, limit, windowMs }: RateLimitRule, verdict: RateLimitVerdict) {
  const { remaining, resetInMs, count } = verdict;
  return { key, algorithm, limit, window: windowMs / 1000, remaining, reset: seconds(resetInMs), count };
}

function limitHeaders(
  { limit, windowMs }: RateLimitRule,
  { remaining, resetInMs }: RateLimitVerdict,
): string[] {
  const reset = seconds(resetInMs);
  return [
    ...['RateLimit-Policy', `"default";q=${limit};w=${windowMs / 1000}`],
    ...['RateLimit', `"default";r=${remaining};t=${reset}`],
    ...['X-RateLimit-Limit', String(limit)],
    ...['X-RateLimit-Remaining', String(remaining)],
    ...['X-RateLimit-Reset', String(reset)],
    ...['Cache-Control', 'no-store'],
  ];
}

function exceeded(call: TestbedCall, code: number, facts: object, headers: string[]): PlainAnswer {
  const body = {
    type: '/problems/rate-limit-exceeded',
    title: code === 429 ? 'Too Many Requests' : 'Service Unavailable',
    status: code,
    detail: 'More requests than the limit allows; Retry-After says when to come back.',
    instance: call.request.rawPath,
    ...facts,
  };
  return problemJson(body, headers);
}

/** Rounded up: whoever waits that long is not refused again. */
function seconds(ms: number): number {
  return Math.ceil(ms / 1000);
}
