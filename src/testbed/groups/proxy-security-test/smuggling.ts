import { Type } from 'typebox';
import { reply } from '../../../kernel/catalogue/answer.ts';
import { binary, json, problem, rawBody } from '../../../kernel/catalogue/declarations.ts';
import { fault } from '../../../kernel/faults.ts';
import { endpoint, type TestbedEndpoint } from '../../endpoint.ts';
import { PROBE_PATH, smugglingProbes } from '../../smuggling/probes.ts';
import type { ProbeArrival } from '../../state/smuggling-canaries.ts';

const GROUP = 'Proxy Security Test';
const BASE = '/proxy-test/security/smuggling';
const MAX_PROBE_BYTES = 64 * 1024;

const canaryId = (options: object = {}) =>
  Type.String({
    pattern: '^[A-Za-z0-9._-]{1,64}$',
    description: 'A new id for each probe that is sent.',
    ...options,
  });
const host = Type.Optional(
  Type.String({
    pattern: '^[A-Za-z0-9.:\\[\\]-]{1,255}$',
    description: 'Host field of the probes; this service unless given.',
  }),
);

const catalog = endpoint({
  id: 'smuggling-catalog',
  group: GROUP,
  methods: ['GET'],
  path: `${BASE}/catalog`,
  summary: 'Every smuggling probe with its exact bytes.',
  description:
    'Send the bytes of one probe over a raw connection to the proxy, then ask `/smuggling/result/{id}` whether the ' +
    'concealed request reached this backend. Use a new id each time.',
  query: Type.Object({ id: canaryId({ default: 'canary' }), host }),
  responses: { 200: json('The probes.') },
  examples: [
    {
      name: 'lists them all',
      path: `${BASE}/catalog?id=c1&host=gw.test`,
      expect: {
        status: 200,
        json: { id: 'c1', result: `${BASE}/result/c1` },
        text: /"name": "cl-te"[\s\S]*POST [^ ]*id=c1/,
      },
    },
    {
      name: 'an id that would break the request line',
      path: `${BASE}/catalog?id=a%20b`,
      expect: { status: 400, json: { detail: /id must match/ } },
    },
  ],
  handle: ({ query, request }) => {
    const canary = { id: query.id, host: query.host ?? request.authority };
    return reply.json({
      ...canary,
      result: `${BASE}/result/${query.id}`,
      probes: smugglingProbes.map(({ name, idea, rule, bytes }) => {
        const text = bytes(canary);
        return { name, idea, rule, text, base64: Buffer.from(text, 'latin1').toString('base64') };
      }),
    });
  },
});

const catalogProbe = endpoint({
  id: 'smuggling-catalog-probe',
  group: GROUP,
  methods: ['GET'],
  path: `${BASE}/catalog/{name}`,
  summary: 'The bytes of one probe, ready to be piped into a raw connection.',
  params: Type.Object({ name: Type.String() }),
  query: Type.Object({ id: canaryId({ default: 'canary' }), host }),
  responses: { 200: binary('The request, byte for byte.'), 404: problem('No such probe.') },
  examples: [
    {
      name: 'Content-Length against Transfer-Encoding',
      path: `${BASE}/catalog/cl-te?id=c1&host=gw.test`,
      expect: {
        status: 200,
        text:
          `POST ${PROBE_PATH}?id=c1&part=outer HTTP/1.1\r\nHost: gw.test\r\nContent-Length: 91\r\n` +
          `Transfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET ${PROBE_PATH}?id=c1&part=hidden HTTP/1.1\r\nHost: gw.test\r\n\r\n`,
      },
    },
    {
      name: 'no such probe',
      path: `${BASE}/catalog/nope`,
      expect: { status: 404, json: { detail: /nope/ } },
    },
  ],
  handle: ({ params, query, request }) => {
    const probe = smugglingProbes.find(({ name }) => name === params.name);
    if (!probe) throw fault('state.unknown-id', { id: params.name });
    const text = probe.bytes({ id: query.id, host: query.host ?? request.authority });
    return reply.bytes(Buffer.from(text, 'latin1'), 'application/octet-stream');
  },
});

const probe = endpoint({
  id: 'smuggling-probe',
  group: GROUP,
  methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'ANY'],
  path: PROBE_PATH,
  summary: 'Where the probes lead: records each request that arrives for an id.',
  query: Type.Object({
    id: canaryId(),
    part: Type.Union([Type.Literal('outer'), Type.Literal('hidden')], { default: 'outer' }),
  }),
  body: rawBody(),
  responses: { 200: json('What arrived.') },
  examples: [
    {
      name: 'recorded',
      method: 'POST',
      path: `${PROBE_PATH}?id=c1`,
      body: `GET ${PROBE_PATH}?id=c1&part=hidden HTTP/1.1`,
      expect: { status: 200, json: { id: 'c1', part: 'outer', framing: 'length', isHiddenInBody: true } },
    },
    { name: 'without an id', path: PROBE_PATH, expect: { status: 400, json: { detail: /id is required/ } } },
  ],
  handle: async ({ query, request, exchange, services }) => {
    const body = await exchange.body.bytes(MAX_PROBE_BYTES);
    const arrival = {
      part: query.part,
      method: request.method,
      target: request.target,
      connectionId: exchange.connection.id,
      requestNo: exchange.requestNo,
      framing: exchange.body.framing,
      bodyLength: body.length,
      isHiddenInBody: body.includes('part=hidden'),
      upgrade: request.headers.get('upgrade') ?? null,
    };
    await services.state.smugglingCanaries.record(query.id, arrival);
    return reply.json({ id: query.id, ...arrival });
  },
});

const result = endpoint({
  id: 'smuggling-result',
  group: GROUP,
  methods: ['GET'],
  path: `${BASE}/result/{id}`,
  summary: 'Whether the concealed request of an id reached the backend.',
  description:
    '`smuggled`: it did. When the client got one answer, the proxy is open to request smuggling; when it got two, the ' +
    'proxy itself took the probe for two requests, which is lenient but hides nothing from it. `contained`: it arrived inside the body, where it belongs. ' +
    '`altered`: the outer request arrived without it. `not-seen`: nothing arrived; the proxy refused the probe, or it ' +
    'was never sent. `isUpgradeForwarded` is what the probe h2c-upgrade, which conceals nothing, is about.',
  params: Type.Object({ id: canaryId() }),
  responses: { 200: json('The verdict and every request that arrived.') },
  examples: [
    {
      name: 'smuggled',
      path: `${BASE}/result/c1`,
      setUp: [
        { method: 'POST', path: `${PROBE_PATH}?id=c1`, body: 'x' },
        { path: `${PROBE_PATH}?id=c1&part=hidden` },
      ],
      expect: {
        status: 200,
        json: {
          verdict: 'smuggled',
          isUpgradeForwarded: false,
          arrivals: [{ part: 'outer' }, { part: 'hidden' }],
        },
      },
    },
    {
      name: 'contained',
      path: `${BASE}/result/c2`,
      setUp: [{ method: 'POST', path: `${PROBE_PATH}?id=c2`, body: 'part=hidden' }],
      expect: { status: 200, json: { verdict: 'contained' } },
    },
    {
      name: 'not seen',
      path: `${BASE}/result/c3`,
      expect: { status: 200, json: { verdict: 'not-seen', arrivals: [] } },
    },
    {
      name: 'no id',
      path: `${BASE}/result/a%20b`,
      expect: { status: 400, json: { detail: /id must match/ } },
    },
  ],
  handle: async ({ params, services }) => {
    const arrivals = await services.state.smugglingCanaries.arrivals(params.id);
    return reply.json({
      id: params.id,
      verdict: verdictOf(arrivals),
      isUpgradeForwarded: arrivals.some(({ upgrade }) => upgrade !== null),
      arrivals: arrivals.map(({ atMs, ...rest }) => ({ at: new Date(atMs).toISOString(), ...rest })),
    });
  },
});

function verdictOf(arrivals: readonly ProbeArrival[]): 'smuggled' | 'contained' | 'altered' | 'not-seen' {
  if (arrivals.length === 0) return 'not-seen';
  if (arrivals.some(({ part }) => part === 'hidden')) return 'smuggled';
  return arrivals.some(({ isHiddenInBody }) => isHiddenInBody) ? 'contained' : 'altered';
}

export const smugglingEndpoints: readonly TestbedEndpoint[] = [catalog, catalogProbe, probe, result];
