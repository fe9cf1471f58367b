import { Type } from 'typebox';
import { type PlainAnswer, reply } from '../../kernel/catalogue/answer.ts';
import { json, problem } from '../../kernel/catalogue/declarations.ts';
import type { Example } from '../../kernel/catalogue/endpoint.ts';
import type { RequestView } from '../../kernel/catalogue/request-view.ts';
import { type CorsPolicy, corsFields, preflightOf } from '../content/cors-policy.ts';
import { endpoint, type TestbedEndpoint } from '../endpoint.ts';

const group = 'Proxy CORS';
const APP = 'https://app.example.test';

const corsFieldNames = [
  'Access-Control-Allow-Origin',
  'Access-Control-Allow-Credentials',
  'Access-Control-Allow-Methods',
  'Access-Control-Allow-Headers',
  'Access-Control-Allow-Private-Network',
  'Access-Control-Max-Age',
  'Access-Control-Expose-Headers',
  'Vary',
];

const answerSchema = Type.Object({
  scenario: Type.String(),
  origin: Type.Union([Type.String(), Type.Null()], { description: 'The Origin that arrived.' }),
  preflight: Type.Union([
    Type.Null(),
    Type.Object({ method: Type.String(), headers: Type.Union([Type.String(), Type.Null()]) }),
  ]),
  mustBeUnchanged: Type.Record(Type.String(), Type.String(), {
    description: 'Fields of this answer that a conforming proxy passes on as they are, each once.',
  }),
  mustBeAbsent: Type.Array(Type.String(), { description: 'Fields that a conforming proxy does not add.' }),
  why: Type.String(),
});

interface Scenario {
  readonly name: string;
  readonly summary: string;
  readonly why: string;
  readonly policy: CorsPolicy;
  readonly spec?: string;
  /** The method of the real request; OPTIONS is always there beside it. */
  readonly method?: 'GET' | 'POST';
  /** Fields of the answer beside those of CORS. */
  readonly headers?: readonly string[];
  /** Status of a preflight; 200 unless the scenario refuses it. */
  readonly preflightStatus?: number;
  readonly examples: readonly Example[];
}

const echoOrigin = (origin: string | undefined) => origin;
const askPreflight = (method: string, ...headers: string[]) => [
  ...['Origin', APP, 'Access-Control-Request-Method', method],
  ...headers.flatMap((names) => ['Access-Control-Request-Headers', names]),
];

const preflight: Scenario = {
  name: 'preflight',
  spec: '1 §4.1',
  summary: 'A GET that needs a preflight; the preflight is granted what it asks for.',
  why: "The preflight is the backend's to answer: a proxy neither answers it by itself nor widens the grant.",
  policy: { allowOrigin: echoOrigin, variesByOrigin: true },
  examples: [
    {
      name: 'granted is what was asked, nothing else',
      method: 'OPTIONS',
      headers: askPreflight('GET', 'x-token'),
      expect: {
        status: 200,
        headers: {
          allow: 'GET, HEAD, OPTIONS',
          'access-control-allow-origin': APP,
          'access-control-allow-methods': 'GET',
          'access-control-allow-headers': 'x-token',
          'access-control-allow-credentials': null,
          'access-control-max-age': '600',
          vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
        },
        json: { preflight: { method: 'GET', headers: 'x-token' } },
      },
    },
    {
      name: 'no fields asked, none granted',
      method: 'OPTIONS',
      headers: askPreflight('PUT'),
      expect: {
        status: 200,
        headers: { 'access-control-allow-methods': 'PUT', 'access-control-allow-headers': null },
      },
    },
    {
      name: 'the request itself',
      headers: ['Origin', APP],
      expect: {
        status: 200,
        headers: { 'access-control-allow-origin': APP, 'access-control-allow-methods': null, vary: 'Origin' },
        json: { preflight: null, mustBeUnchanged: { 'Access-Control-Allow-Origin': APP, Vary: 'Origin' } },
      },
    },
    {
      name: 'without an Origin there is no CORS',
      expect: { status: 200, headers: { 'access-control-allow-origin': null }, json: { origin: null } },
    },
  ],
};

const preflightPost: Scenario = {
  name: 'preflight-post',
  spec: '1 §4.1',
  method: 'POST',
  summary: 'A POST that needs a preflight, as every JSON body does.',
  why: preflight.why,
  policy: preflight.policy,
  examples: [
    {
      name: 'the preflight of a JSON body',
      method: 'OPTIONS',
      headers: askPreflight('POST', 'content-type'),
      expect: {
        status: 200,
        headers: {
          allow: 'POST, OPTIONS',
          'access-control-allow-methods': 'POST',
          'access-control-allow-headers': 'content-type',
        },
      },
    },
    {
      name: 'the request itself',
      headers: ['Origin', APP, 'Content-Type', 'application/json'],
      body: '{}',
      expect: { status: 200, headers: { 'access-control-allow-origin': APP }, json: { received: 2 } },
    },
  ],
};

const furtherScenarios: readonly Scenario[] = [
  {
    name: 'simple',
    summary: 'A request that needs no preflight; the origin is let in.',
    why: 'A proxy that adds its own Access-Control-Allow-Origin makes two values, and browsers refuse both.',
    policy: { allowOrigin: echoOrigin, variesByOrigin: true },
    examples: [
      {
        name: 'the origin is let in',
        headers: ['Origin', APP],
        expect: {
          status: 200,
          headers: {
            'access-control-allow-origin': APP,
            'access-control-allow-credentials': null,
            vary: 'Origin',
          },
          json: { mustBeAbsent: corsFieldNames.filter((name) => !/Allow-Origin|Vary/.test(name)) },
        },
      },
    ],
  },
  {
    name: 'credentials',
    summary: 'A request with cookies: the exact origin and Allow-Credentials.',
    why: 'With credentials a wildcard is void (Fetch §3.2.5), so the origin must not be widened to *.',
    policy: { allowOrigin: echoOrigin, allowsCredentials: true, variesByOrigin: true },
    examples: [
      {
        name: 'the exact origin, never a wildcard',
        headers: ['Origin', APP, 'Cookie', 'session=1'],
        expect: {
          status: 200,
          headers: {
            'access-control-allow-origin': APP,
            'access-control-allow-credentials': 'true',
            vary: 'Origin',
          },
        },
      },
    ],
  },
  {
    name: 'wildcard',
    summary: 'Everybody may read the answer: a wildcard, no credentials, no Vary.',
    why: 'The wildcard must not be narrowed to one origin: a shared cache would then serve it to all others.',
    policy: { allowOrigin: () => '*', variesByOrigin: false },
    examples: [
      {
        name: 'the wildcard, whoever asks',
        headers: ['Origin', APP],
        expect: {
          status: 200,
          headers: {
            'access-control-allow-origin': '*',
            'access-control-allow-credentials': null,
            vary: null,
          },
        },
      },
    ],
  },
  {
    name: 'expose-headers',
    summary: 'Two response fields are exposed to scripts, a third is not.',
    why: 'Scripts see only the fields that Access-Control-Expose-Headers names; a proxy must not drop or extend it.',
    policy: { allowOrigin: echoOrigin, exposes: ['X-Exposed', 'X-Also-Exposed'], variesByOrigin: true },
    headers: ['X-Exposed', 'one', 'X-Also-Exposed', 'two', 'X-Hidden', 'three'],
    examples: [
      {
        name: 'three fields, two of them exposed',
        headers: ['Origin', APP],
        expect: {
          status: 200,
          headers: {
            'access-control-expose-headers': 'X-Exposed, X-Also-Exposed',
            'x-exposed': 'one',
            'x-hidden': 'three',
          },
        },
      },
    ],
  },
  {
    name: 'denied',
    summary: 'No origin is let in: the answer has no CORS field at all, and a preflight is refused.',
    why: 'A proxy that adds CORS fields here opens what the backend closed.',
    policy: { allowOrigin: () => undefined, variesByOrigin: false },
    preflightStatus: 403,
    examples: [
      {
        name: 'nothing is granted',
        headers: ['Origin', APP],
        expect: {
          status: 200,
          headers: { 'access-control-allow-origin': null, vary: null },
          json: { mustBeUnchanged: {}, mustBeAbsent: corsFieldNames },
        },
      },
      {
        name: 'the preflight is refused',
        method: 'OPTIONS',
        headers: askPreflight('GET', 'x-token'),
        expect: {
          status: 403,
          headers: { 'access-control-allow-origin': null, 'access-control-allow-methods': null },
        },
      },
    ],
  },
  {
    name: 'vary-origin',
    summary: 'Two origins are let in, others not; every answer says Vary: Origin, also without an Origin.',
    why: 'A cache that overlooks Vary serves the answer for one origin to the other.',
    policy: {
      allowOrigin: (origin) =>
        origin === 'https://a.example.test' || origin === 'https://b.example.test' ? origin : undefined,
      variesByOrigin: true,
    },
    examples: [
      {
        name: 'a known origin',
        headers: ['Origin', 'https://b.example.test'],
        expect: {
          status: 200,
          headers: { 'access-control-allow-origin': 'https://b.example.test', vary: 'Origin' },
        },
      },
      {
        name: 'an unknown origin',
        headers: ['Origin', 'https://c.example.test'],
        expect: { status: 200, headers: { 'access-control-allow-origin': null, vary: 'Origin' } },
      },
      {
        name: 'no origin',
        expect: { status: 200, headers: { 'access-control-allow-origin': null, vary: 'Origin' } },
      },
    ],
  },
];

const specificOrigin = endpoint({
  id: 'proxy-cors-specific-origin',
  group,
  methods: ['GET', 'OPTIONS'],
  path: '/proxy-test/cors/specific-origin',
  summary: 'One origin is let in, and named whoever asks.',
  query: Type.Object({
    allowed: Type.String({ default: APP, maxLength: 255, pattern: '^https?://[A-Za-z0-9.:\\[\\]-]+$' }),
  }),
  responses: {
    200: json('The answer with `matches`: whether the Origin that arrived is the one let in.', answerSchema),
    400: problem('What should be let in is no origin.'),
  },
  examples: [
    {
      name: 'another origin is told whom the answer is for',
      headers: ['Origin', 'https://other.example.test'],
      expect: {
        status: 200,
        headers: { 'access-control-allow-origin': APP, vary: null },
        json: { matches: false },
      },
    },
    {
      name: 'the origin may be chosen',
      path: '/proxy-test/cors/specific-origin?allowed=http://localhost:3000',
      headers: ['Origin', 'http://localhost:3000'],
      expect: {
        status: 200,
        headers: { 'access-control-allow-origin': 'http://localhost:3000' },
        json: { matches: true },
      },
    },
    {
      name: 'no origin',
      path: '/proxy-test/cors/specific-origin?allowed=*',
      expect: { status: 400, json: { detail: /allowed/ } },
    },
  ],
  handle({ request, query: { allowed } }) {
    const scenario = {
      name: 'specific-origin',
      why: 'The one origin must not be widened to the asking one or to *.',
      policy: { allowOrigin: () => allowed, variesByOrigin: false },
    };
    return answer(scenario, request, { matches: request.headers.first('origin') === allowed });
  },
});

function scenarioEndpoint(scenario: Scenario): TestbedEndpoint {
  const { name, summary, why, method = 'GET', examples, spec, preflightStatus } = scenario;
  return endpoint({
    id: `proxy-cors-${name}`,
    group,
    spec,
    methods: [method, 'OPTIONS'],
    path: `/proxy-test/cors/${name}`,
    summary,
    description: why,
    responses: {
      200: json('What arrived, and what a conforming proxy must leave unchanged.', answerSchema),
      ...(preflightStatus ? { [preflightStatus]: json('The preflight is refused.', answerSchema) } : {}),
    },
    examples,
    async handle({ request, exchange }) {
      await exchange.body.discard();
      return answer(scenario, request, { received: exchange.body.receivedLength });
    },
  });
}

function answer(
  {
    name,
    why,
    policy,
    method = 'GET',
    headers = [],
    preflightStatus = 200,
  }: Omit<Scenario, 'summary' | 'examples'>,
  request: RequestView,
  further: object,
): PlainAnswer {
  const asked = preflightOf(request);
  const fields = corsFields(policy, request);
  const mustBeUnchanged: Record<string, string> = {};
  for (let index = 0; index < fields.length; index += 2) mustBeUnchanged[fields[index]!] = fields[index + 1]!;
  const allow = method === 'GET' ? 'GET, HEAD, OPTIONS' : `${method}, OPTIONS`;
  return reply.json(
    {
      scenario: name,
      origin: request.headers.first('origin') ?? null,
      preflight: asked ?? null,
      mustBeUnchanged,
      mustBeAbsent: corsFieldNames.filter((field) => !(field in mustBeUnchanged)),
      why,
      ...further,
    },
    {
      status: asked ? preflightStatus : 200,
      headers: [...(request.method === 'OPTIONS' ? ['Allow', allow] : []), ...fields, ...headers],
    },
  );
}

export const proxyCors: readonly TestbedEndpoint[] = [
  scenarioEndpoint(preflight),
  scenarioEndpoint(preflightPost),
  ...furtherScenarios.map(scenarioEndpoint),
  specificOrigin,
];
