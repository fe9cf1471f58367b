import { Type } from 'typebox';
import { json, problem } from '../../kernel/catalogue/declarations.ts';
import { endpoint, type TestbedEndpoint } from '../endpoint.ts';
import { corsAnswer, corsAnswerSchema } from './proxy-cors/cors-answer.ts';
import { APP, corsScenarios, type DocumentedScenario } from './proxy-cors/scenarios.ts';

const group = 'Proxy CORS';

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
    200: json(
      'The answer with `matches`: whether the Origin that arrived is the one let in.',
      corsAnswerSchema,
    ),
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
    return corsAnswer(scenario, request, { matches: request.headers.first('origin') === allowed });
  },
});

function scenarioEndpoint(scenario: DocumentedScenario): TestbedEndpoint {
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
      200: json('What arrived, and what a conforming proxy must leave unchanged.', corsAnswerSchema),
      ...(preflightStatus ? { [preflightStatus]: json('The preflight is refused.', corsAnswerSchema) } : {}),
    },
    examples,
    async handle({ request, exchange, services }) {
      const { body } = exchange;
      await body.discard(services.settings.limits.maxBodyBytes);
      return corsAnswer(scenario, request, { received: body.receivedLength });
    },
  });
}

export const proxyCors: readonly TestbedEndpoint[] = [...corsScenarios.map(scenarioEndpoint), specificOrigin];
