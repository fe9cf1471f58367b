import { Type } from 'typebox';
import { reply } from '../../../kernel/catalogue/answer.ts';
import { int32, json, problem } from '../../../kernel/catalogue/declarations.ts';
import { endpoint, type TestbedCall, type TestbedEndpoint } from '../../endpoint.ts';

const group = 'Status & Cache';
const seconds = (fallback: number) =>
  Type.Optional(int32({ minimum: 0, default: fallback, description: 'Seconds.' }));

/**
 * Every answer here is one of its kind: a client that sees the same id twice was served from a cache,
 * whatever the cache says about itself.
 */
function freshAnswer({ services }: TestbedCall, headers: readonly string[], more: object = {}) {
  const body = {
    id: services.random.uuid(),
    generatedAt: new Date(services.clock.now()).toISOString(),
    ...more,
  };
  return reply.json(body, { headers });
}

const marked = { 200: json('A body that is never the same twice.') };
const withSeconds = { ...marked, 400: problem('Not a number of seconds.') };
const uuid = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;

const age = endpoint({
  id: 'cache-age',
  group,
  methods: ['GET'],
  path: '/cache/age',
  summary: 'Pretends to come from an upstream cache: fresh for maxAge seconds, of which age have passed.',
  description: 'A cache must add the Age it received to its own (RFC 9111 §4.2.3).',
  query: Type.Object({ age: seconds(30), maxAge: seconds(60) }),
  responses: withSeconds,
  examples: [
    {
      name: 'half of its life is over',
      expect: {
        status: 200,
        headers: { age: '30', 'cache-control': 'public, max-age=60' },
        json: { id: uuid },
      },
    },
    {
      name: 'stale from the start',
      path: '/cache/age?age=61',
      expect: { headers: { age: '61', 'cache-control': 'public, max-age=60' } },
    },
    { name: 'not a number', path: '/cache/age?age=old', expect: { status: 400, json: { name: 'age' } } },
  ],
  handle: (call) =>
    freshAnswer(call, [
      'Age',
      String(call.query.age),
      'Cache-Control',
      `public, max-age=${call.query.maxAge}`,
    ]),
});

const staleWhileRevalidate = endpoint({
  id: 'cache-stale-while-revalidate',
  group,
  methods: ['GET'],
  path: '/cache/stale-while-revalidate',
  summary: 'May be served stale while it is fetched anew, and when that fails (RFC 5861).',
  query: Type.Object({ maxAge: seconds(1), stale: seconds(30), staleIfError: seconds(60) }),
  responses: withSeconds,
  examples: [
    {
      name: 'both extensions',
      path: '/cache/stale-while-revalidate?stale=5',
      expect: {
        status: 200,
        headers: { 'cache-control': 'public, max-age=1, stale-while-revalidate=5, stale-if-error=60' },
        json: { id: uuid },
      },
    },
    {
      name: 'not a number',
      path: '/cache/stale-while-revalidate?stale=-1',
      expect: { status: 400, json: { name: 'stale' } },
    },
  ],
  handle: (call) => {
    const { maxAge, stale, staleIfError } = call.query;
    const directives = `public, max-age=${maxAge}, stale-while-revalidate=${stale}, stale-if-error=${staleIfError}`;
    return freshAnswer(call, ['Cache-Control', directives]);
  },
});

const vary = endpoint({
  id: 'cache-vary',
  group,
  methods: ['GET'],
  path: '/cache/vary/{field}',
  summary: 'Is cacheable for a minute, one representation for each value of the named request field.',
  params: Type.Object({ field: Type.String({ pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$" }) }),
  responses: { ...marked, 400: problem('Not a field name.') },
  examples: [
    {
      name: 'by language',
      path: '/cache/vary/Accept-Language',
      headers: ['Accept-Language', 'tr'],
      expect: {
        status: 200,
        headers: { vary: 'Accept-Language', 'cache-control': 'public, max-age=60' },
        json: { field: 'Accept-Language', value: 'tr' },
      },
    },
    { name: 'the field was not sent', path: '/cache/vary/X-Nothing', expect: { json: { value: null } } },
    { name: 'not a field name', path: '/cache/vary/a%20b', expect: { status: 400, json: { name: 'field' } } },
  ],
  handle: (call) => {
    const { field } = call.params;
    const value = call.request.headers.get(field.toLowerCase()) ?? null;
    return freshAnswer(call, ['Vary', field, 'Cache-Control', 'public, max-age=60'], { field, value });
  },
});

/** Scenarios that are nothing but their header fields. */
function fixed(path: string, summary: string, headers: readonly string[]): TestbedEndpoint {
  const expected: Record<string, string> = {};
  for (let index = 0; index < headers.length; index += 2)
    expected[headers[index]!.toLowerCase()] = headers[index + 1]!;
  return endpoint({
    id: path.slice(1).replaceAll('/', '-'),
    group,
    methods: ['GET'],
    path,
    summary,
    responses: marked,
    examples: [
      { name: 'the fields and a fresh body', expect: { status: 200, headers: expected, json: { id: uuid } } },
    ],
    handle: (call) => freshAnswer(call, headers),
  });
}

/** Answers to be cached, or not, by one rule each. */
export const cacheScenarioEndpoints: readonly TestbedEndpoint[] = [
  age,
  staleWhileRevalidate,
  vary,
  fixed('/cache/immutable', 'Never changes while it is fresh, so a reload need not ask (RFC 8246).', [
    'Cache-Control',
    'public, max-age=31536000, immutable',
  ]),
  fixed('/cache/no-store', 'Must not be stored by anyone.', ['Cache-Control', 'no-store']),
  fixed('/cache/no-cache', 'May be stored but must be validated before each use.', [
    ...['Cache-Control', 'no-cache', 'ETag', '"testbed-no-cache"'],
  ]),
  fixed('/cache/private', 'Is for the cache of the browser only.', ['Cache-Control', 'private, max-age=60']),
  fixed('/cache/shared', 'Is fresh longer in shared caches than in browsers.', [
    ...['Cache-Control', 'public, max-age=1, s-maxage=60'],
  ]),
  fixed('/cache/must-revalidate', 'Must not be served stale, not even when the origin is gone.', [
    ...['Cache-Control', 'public, max-age=1, must-revalidate', 'ETag', '"testbed-must-revalidate"'],
  ]),
  fixed('/cache/cdn', 'Is stored by CDNs for a minute and by nobody else (RFC 9213).', [
    ...['CDN-Cache-Control', 'max-age=60', 'Cache-Control', 'no-store'],
  ]),
  fixed(
    '/cache/status',
    'Carries the Cache-Status of an upstream cache, which others must add to, not replace (RFC 9211).',
    [
      ...[
        'Cache-Status',
        'TestbedUpstream; hit; ttl=30; key="/cache/status"',
        'Cache-Control',
        'public, max-age=30',
      ],
    ],
  ),
  fixed('/cache/expires', 'Is fresh by Expires alone, long in the future.', [
    ...['Expires', 'Fri, 31 Dec 2100 23:59:59 GMT'],
  ]),
];
