import { Type } from 'typebox';
import { reply } from '../../../kernel/catalogue/answer.ts';
import { json, problem, rawBody } from '../../../kernel/catalogue/declarations.ts';
import { endpoint, type TestbedEndpoint } from '../../endpoint.ts';
import { checkSchema, listOf, verdictOf, verdictSchema } from '../../verdict/check.ts';
import { declareExpectations } from '../../verdict/expectation.ts';
import { caseChanges, caseCheck, orderCheck, orderOf } from '../../verdict/header-expectations.ts';
import { hopByHopCheck, hopByHopFields, isLeaked } from '../../verdict/hop-by-hop.ts';
import { expectations, proxyVerdict } from '../../verdict/proxy-verdict.ts';
import { traceChecks } from '../../verdict/trace-context.ts';

const group = 'Proxy Header Passthrough';
const anyMethod = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'ANY'];
const HELLO_SHA256 = '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824';

const toBeRemoved = Type.Optional(
  Type.String({
    description: 'Further names the client nominated in the Connection field it sent; they must not arrive.',
  }),
);

const overall = endpoint({
  id: 'proxy-verdict',
  group,
  methods: anyMethod,
  path: '/proxy-test/verdict',
  aliases: ['/proxy-test/verdict/{rest**}'],
  summary: 'Says in one answer what the proxies in between changed.',
  description:
    'Hop-by-hop fields are always judged; everything else when the client says what it sent, in the `X-Expect-*` fields. `notAsked` names the checks whose field was not sent, `observed` what arrived. Any path below is taken too, so that targets can be judged.',
  headers: Type.Object({
    'x-expect-removed': toBeRemoved,
    ...declareExpectations(expectations).properties,
  }),
  body: rawBody(),
  responses: {
    200: json(
      'The verdict, good or bad.',
      Type.Object({
        ok: Type.Boolean(),
        checks: Type.Array(checkSchema),
        notAsked: Type.Array(Type.Object({ id: Type.String(), header: Type.String() })),
        observed: Type.Unknown(),
      }),
    ),
    400: problem('An expectation cannot be understood.'),
    413: problem('The body is larger than the limit of the verify endpoints.'),
  },
  examples: [
    {
      name: 'nothing changed',
      method: 'POST',
      path: '/proxy-test/verdict?b=1&a=%2f',
      headers: [
        ...['X-Expect-Method', 'POST', 'X-Expect-Target', '/proxy-test/verdict?b=1&a=%2f'],
        ...['X-Expect-Sha256', HELLO_SHA256, 'X-Expect-Length', '5', 'X-Expect-Framing', 'length'],
        ...['X-Expect-Forwarded', 'none', 'X-Expect-Version', '1.1'],
      ],
      body: 'hello',
      expect: {
        status: 200,
        json: {
          ok: true,
          observed: { target: '/proxy-test/verdict?b=1&a=%2f', body: { length: 5, framing: 'length' } },
        },
      },
    },
    {
      name: 'a path that was normalised',
      path: '/proxy-test/verdict/b',
      headers: ['X-Expect-Target', '/proxy-test/verdict/a/../b'],
      expect: {
        status: 200,
        text: /"id": "target\.path",\s+"ok": false,\s+"expected": "\/proxy-test\/verdict\/a\/\.\.\/b",\s+"seen": "\/proxy-test\/verdict\/b",\s+"why": "dot segments were resolved"/,
      },
    },
    {
      name: 'an expectation that cannot be understood',
      headers: ['X-Expect-Length', 'five'],
      expect: { status: 400, json: { detail: /X-Expect-Length must be a number of bytes/ } },
    },
  ],
  handle: async (call) => reply.json(await proxyVerdict(call)),
});

const hopByHop = endpoint({
  id: 'proxy-headers-hop-by-hop',
  group,
  methods: anyMethod,
  path: '/proxy-test/headers/hop-by-hop',
  summary: 'Lists the hop-by-hop fields that arrived although a proxy must remove them.',
  description:
    'The answer carries hop-by-hop fields of its own (`Connection: X-Hop-Resp`, `X-Hop-Resp`, `Keep-Alive`) which the client must not see through a proxy. HTTP/2 forbids them, so there they are left out.',
  headers: Type.Object({ 'x-expect-removed': toBeRemoved }),
  responses: {
    200: json(
      'The verdict with `fields` and `leaked`.',
      Type.Object({
        ...verdictSchema.properties,
        fields: Type.Array(
          Type.Object({
            name: Type.String(),
            received: Type.Union([Type.String(), Type.Null()]),
            shouldBeRemoved: Type.Boolean(),
          }),
        ),
        leaked: Type.Array(Type.String()),
      }),
    ),
  },
  examples: [
    {
      name: 'without a proxy everything arrives',
      headers: [
        'Connection',
        'close, X-Canary',
        'X-Canary',
        '1',
        'TE',
        'trailers',
        'Keep-Alive',
        'timeout=9',
      ],
      expect: {
        status: 200,
        headers: { connection: /^X-Hop-Resp/, 'x-hop-resp': '1', 'keep-alive': 'timeout=5' },
        json: { ok: false, leaked: ['Connection', 'Keep-Alive', 'TE', 'x-canary'] },
      },
    },
    {
      name: 'a nominated field outlives the Connection that named it',
      headers: ['X-Canary', '1', 'X-Expect-Removed', 'X-Canary'],
      expect: { status: 200, json: { ok: false, leaked: ['X-Canary'] } },
    },
    { name: 'nothing leaked', expect: { status: 200, json: { ok: true, leaked: [] } } },
  ],
  handle({ request, exchange }) {
    const fields = hopByHopFields(exchange.head, listOf(request.headers.get('x-expect-removed') ?? ''));
    const leaked = fields.filter(isLeaked).map(({ name }) => name);
    const shown = fields.map(({ name, received, shouldBeRemoved }) => ({ name, received, shouldBeRemoved }));
    return reply.json(
      { ...verdictOf(fields.map(hopByHopCheck)), fields: shown, leaked },
      { headers: ['Connection', 'X-Hop-Resp, Keep-Alive', 'X-Hop-Resp', '1', 'Keep-Alive', 'timeout=5'] },
    );
  },
});

const spelling = endpoint({
  id: 'proxy-headers-case',
  group,
  methods: ['GET'],
  path: '/proxy-test/headers/case',
  summary: 'Says which field names arrived in another spelling than they were sent in.',
  headers: Type.Object({
    'x-expect-case': Type.Optional(Type.String({ description: 'Field names as they were sent, by commas.' })),
  }),
  responses: { 200: json('The verdict with `caseChanged` and `rawHeaders`.') },
  examples: [
    {
      name: 'one was changed',
      headers: ['x-mixed-case', '1', 'X-KEPT', '2', 'X-Expect-Case', 'X-Mixed-Case, X-KEPT'],
      expect: {
        status: 200,
        json: { ok: false, caseChanged: [{ sent: 'X-Mixed-Case', seen: 'x-mixed-case' }] },
      },
    },
    {
      name: 'all are as sent',
      headers: ['x-Odd', '1', 'X-Expect-Case', 'x-Odd'],
      expect: { status: 200, json: { ok: true, caseChanged: [] } },
    },
  ],
  handle({ request }) {
    const expected = request.headers.get('x-expect-case') ?? '';
    const caseChanged = caseChanges(expected, request);
    const rawHeaders = [...request.headers.pairs()];
    return reply.json({ ...verdictOf([caseCheck(expected, request)]), caseChanged, rawHeaders });
  },
});

const order = endpoint({
  id: 'proxy-headers-order',
  group,
  methods: anyMethod,
  path: '/proxy-test/headers/order',
  summary: 'Says which fields changed their place among each other.',
  headers: Type.Object({
    'x-expect-order': Type.Optional(
      Type.String({ description: 'Field names in the order they were sent, by commas.' }),
    ),
  }),
  responses: {
    200: json('The verdict with `moved`, `missing` and `order`.'),
    400: problem('Too many fields are named.'),
  },
  examples: [
    {
      name: 'one moved',
      headers: ['X-B', '2', 'X-C', '3', 'X-A', '1', 'X-Expect-Order', 'X-A, X-B, X-C'],
      expect: { status: 200, json: { ok: false, moved: ['x-a'], missing: [], order: ['x-b', 'x-c', 'x-a'] } },
    },
    {
      name: 'others may stand between',
      headers: ['X-A', '1', 'X-Between', '', 'X-B', '2', 'X-Expect-Order', 'X-A, X-B'],
      expect: { status: 200, json: { ok: true, moved: [], missing: [] } },
    },
    {
      name: 'too many names',
      headers: ['X-Expect-Order', 'x,'.repeat(201)],
      expect: { status: 400, json: { detail: /X-Expect-Order must name at most 200 fields/ } },
    },
  ],
  handle({ request }) {
    const expected = request.headers.get('x-expect-order') ?? '';
    const { moved, missing, seen } = orderOf(expected, request.headers);
    return reply.json({ ...verdictOf([orderCheck(expected, request)]), moved, missing, order: seen });
  },
});

const trace = endpoint({
  id: 'proxy-headers-trace',
  group,
  methods: anyMethod,
  path: '/proxy-test/headers/trace',
  summary: 'Judges traceparent, tracestate, b3 and baggage, and whether the trace was kept.',
  headers: Type.Object({
    'x-expect-traceparent': Type.Optional(Type.String({ description: 'The traceparent that was sent.' })),
  }),
  responses: { 200: json('The verdict with the fields `received`.') },
  examples: [
    {
      name: 'a proxy that takes part in the trace',
      headers: [
        ...['traceparent', '00-4bf92f3577b34da6a3ce929d0e0e4736-1111111111111111-01'],
        ...['X-Expect-Traceparent', '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'],
      ],
      expect: {
        status: 200,
        json: {
          ok: false,
          checks: [
            { id: 'trace.traceparent', ok: true },
            { id: 'trace.same-trace', ok: true },
            { id: 'trace.unchanged', ok: false },
          ].map((check) => ({ ...check, expected: /./, seen: /./, why: /./ })),
        },
      },
    },
    {
      name: 'an id that is all zero',
      headers: ['traceparent', '00-00000000000000000000000000000000-00f067aa0ba902b7-01'],
      expect: { status: 200, json: { ok: false } },
    },
  ],
  handle({ request }) {
    const { headers } = request;
    const named = [
      'traceparent',
      'tracestate',
      'b3',
      'baggage',
      'x-b3-traceid',
      'x-b3-spanid',
      'x-b3-sampled',
    ];
    const received = Object.fromEntries(named.map((name) => [name, headers.get(name) ?? null]));
    return reply.json({ ...verdictOf(traceChecks(headers)), received });
  },
});

/** Endpoints that judge what a proxy in between changed. */
export const verdictEndpoints: readonly TestbedEndpoint[] = [overall, hopByHop, spelling, order, trace];
