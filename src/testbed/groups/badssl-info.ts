import { Type } from 'typebox';
import { reply } from '../../kernel/catalogue/answer.ts';
import { int32, json, problem } from '../../kernel/catalogue/declarations.ts';
import { Fault, fault } from '../../kernel/faults.ts';
import { chooseMediaType } from '../content/negotiation.ts';
import { endpoint, type TestbedCall, type TestbedEndpoint } from '../endpoint.ts';
import { everyScenario, extraScenarios } from '../tls/extra-scenarios.ts';
import { impossibleScenarios } from '../tls/impossible-scenarios.ts';
import type { TlsScenario } from '../tls/scenario.ts';
import { type ScenarioContext, scenarioList, scenarioPage, viewScenario } from '../tls/scenario-view.ts';
import { scenarios } from '../tls/scenarios.ts';
import { observe } from '../tls/strict-check.ts';

const group = 'BadSSL Info';
const CHECK_DEADLINE_MS = 3_000;
const categories = ['certificate', 'protocol', 'cipher', 'client-auth', 'alpn'] as const;

const unknown = problem('There is no such scenario.');
const oneScenario = json(
  'The scenario: port, certificate, TLS versions, and what a client is expected to say.',
);

const notReady = problem('The certificates are still being made.');
const scenarioParams = Type.Object({ scenario: Type.String({ description: 'Such as `expired` or `7`.' }) });
const pemResponse = (description: string) => ({
  description,
  content: { 'application/x-pem-file': Type.String() },
});

export const badsslInfo: readonly TestbedEndpoint[] = [
  endpoint({
    id: 'badssl',
    group,
    methods: ['GET'],
    path: '/badssl',
    summary: 'The 40 TLS scenarios, as JSON or as a page.',
    description: '`running` says whether the port of a scenario is served.',
    responses: {
      200: {
        description: 'The scenarios.',
        content: { 'application/json': Type.Unknown(), 'text/html': Type.String() },
      },
    },
    examples: [
      {
        name: 'forty of them',
        headers: ['Host', 'gw.example:10090'],
        expect: {
          status: 200,
          json: { count: 40, basePort: 20443, host: 'gw.example' },
          text: /"id": "alpn-h2-only"[\s\S]*"port": 20482,\n\s+"url": "https:\/\/gw\.example:20482\/"[\s\S]*"running": false/,
        },
      },
      {
        name: 'as a page',
        headers: ['Accept', 'text/html'],
        expect: {
          status: 200,
          headers: { 'content-type': /^text\/html/ },
          text: /<h1>40 TLS scenarios<\/h1>/,
        },
      },
    ],
    handle: async (call) => {
      const context = await contextOf(call);
      const { chosen } = chooseMediaType(call.request.headers.get('accept'), [
        'application/json',
        'text/html',
      ]);
      const varies = { headers: ['Vary', 'Accept'] };
      if (chosen === 'text/html') return reply.html(scenarioPage(scenarios, context), varies);
      return reply.json(scenarioList(scenarios, context), varies);
    },
  }),
  endpoint({
    id: 'badssl-scenario',
    group,
    methods: ['GET'],
    path: '/badssl/{scenario}',
    summary: 'One scenario, by id or number.',
    params: scenarioParams,
    responses: { 200: oneScenario, 404: unknown },
    examples: [
      {
        name: 'by id',
        path: '/badssl/expired',
        expect: {
          status: 200,
          json: {
            number: 7,
            port: 20449,
            certificate: { validity: 'expired' },
            expected: 'fail',
            expectedError: { curl: '60', node: 'CERT_HAS_EXPIRED' },
            running: false,
          },
        },
      },
      {
        name: 'by number',
        path: '/badssl/37',
        expect: { status: 200, json: { id: 'mtls-required', clientAuth: 'required' } },
      },
      { name: 'an unknown one', path: '/badssl/99', expect: { status: 404, json: { scenario: '99' } } },
    ],
    handle: async (call) =>
      reply.json(viewScenario(scenarioNamed(call.params.scenario), await contextOf(call))),
  }),
  endpoint({
    id: 'badssl-check',
    group,
    methods: ['GET'],
    path: '/badssl/{scenario}/check',
    summary: 'Connects to the scenario as a strict client and tells what that client saw.',
    description:
      'The client trusts the test root only, checks the name `localhost`, keeps the defaults of Node.js, and shows no certificate. It gives up after three seconds.',
    params: scenarioParams,
    responses: {
      200: json('Error code, alert, protocol, cipher and chain; `asExpected` compares with the scenario.'),
      404: unknown,
      503: problem('The port of the scenario is not served.'),
    },
    examples: [
      {
        name: 'a port that is not served',
        path: '/badssl/valid/check',
        expect: { status: 503, json: { scenario: 'valid' } },
      },
      {
        name: 'an unknown one',
        path: '/badssl/nothing/check',
        expect: { status: 404, json: { scenario: 'nothing' } },
      },
    ],
    handle: async ({ params, services: { tls } }) => {
      const scenario = scenarioNamed(params.scenario);
      const { id, expected, expectedError } = scenario;
      if (!tls.isRunning(scenario)) throw fault('badssl.not-running', { scenario: id }, ['Retry-After', '1']);
      const port = tls.portOf(scenario);
      const observed = await observe(await tls.material(), {
        host: tls.ownHost,
        port,
        deadlineMs: CHECK_DEADLINE_MS,
      });
      const asExpected = expected === 'varies' || expected === observed.result;
      return reply.json({ scenario: id, port, expected, expectedError, asExpected, observed });
    },
  }),
  endpoint({
    id: 'badssl-chain',
    group,
    methods: ['GET'],
    path: '/badssl/{scenario}/chain.pem',
    summary: 'The certificates of a scenario, in the order in which its server sends them.',
    params: scenarioParams,
    responses: { 200: pemResponse('The certificates.'), 404: unknown, 503: notReady },
    examples: [
      {
        name: 'one that signs itself',
        path: '/badssl/self-signed/chain.pem',
        expect: {
          status: 200,
          headers: { 'content-type': 'application/x-pem-file' },
          text: /^-----BEGIN CERTIFICATE-----\n[^-]+-----END CERTIFICATE-----\n$/,
        },
      },
      {
        name: 'one in the wrong order',
        path: '/badssl/misordered-chain/chain.pem',
        expect: { status: 200, text: /^(-----BEGIN CERTIFICATE-----\n[^-]+-----END CERTIFICATE-----\n){3}$/ },
      },
      {
        name: 'an unknown one',
        path: '/badssl/nothing/chain.pem',
        expect: { status: 404, json: { scenario: 'nothing' } },
      },
    ],
    handle: async ({ params, services }) => {
      const { chain } = scenarioNamed(params.scenario);
      const material = await services.tls.material();
      return reply.bytes(material.chainPem(chain), 'application/x-pem-file');
    },
  }),
  endpoint({
    id: 'badssl-port',
    group,
    methods: ['GET'],
    path: '/badssl/port/{port}',
    summary: 'The scenario of a port.',
    params: Type.Object({ port: int32() }),
    responses: { 200: oneScenario, 400: problem('The port is no integer.'), 404: unknown },
    examples: [
      {
        name: 'the first',
        path: '/badssl/port/20443',
        expect: { status: 200, json: { id: 'valid', number: 1 } },
      },
      {
        name: 'a port of nobody',
        path: '/badssl/port/80',
        expect: { status: 404, json: { scenario: 'at port 80' } },
      },
      { name: 'no port', path: '/badssl/port/x', expect: { status: 400, json: { name: 'port' } } },
    ],
    handle: async (call) => {
      const { tls } = call.services;
      const found = everyScenario.find((scenario) => tls.portOf(scenario) === call.params.port);
      if (!found) throw fault('badssl.unknown', { scenario: `at port ${call.params.port}` });
      return reply.json(viewScenario(found, await contextOf(call)));
    },
  }),
  endpoint({
    id: 'badssl-category',
    group,
    methods: ['GET'],
    path: '/badssl/category/{category}',
    summary: 'The scenarios of one category.',
    params: Type.Object({ category: Type.Union(categories.map((category) => Type.Literal(category))) }),
    responses: { 200: json('The scenarios.'), 400: problem('There is no such category.') },
    examples: [
      {
        name: 'what the protocol can do wrong',
        path: '/badssl/category/protocol',
        expect: { status: 200, json: { count: 4 }, text: /"tls-v1-0"[\s\S]*"tls-v1-3"/ },
      },
      {
        name: 'an unknown one',
        path: '/badssl/category/x',
        expect: { status: 400, json: { name: 'category' } },
      },
    ],
    handle: async (call) => {
      const chosen = scenarios.filter(({ category }) => category === call.params.category);
      return reply.json(scenarioList(chosen, await contextOf(call)));
    },
  }),
  endpoint({
    id: 'badssl-extras',
    group,
    methods: ['GET'],
    path: '/badssl/extras',
    summary: 'Scenarios beyond the forty.',
    responses: { 200: json('The scenarios.') },
    examples: [
      {
        name: 'on the ports behind',
        expect: {
          status: 200,
          json: { count: 14 },
          text: /"id": "anon-ecdh"[\s\S]*"port": 20483[\s\S]*"port": 20496/,
        },
      },
    ],
    handle: async (call) => reply.json(scenarioList(extraScenarios, await contextOf(call))),
  }),
  endpoint({
    id: 'badssl-impossible',
    group,
    methods: ['GET'],
    path: '/badssl/impossible',
    summary: 'What cannot be served, and why.',
    responses: { 200: json('The list.') },
    examples: [
      { name: 'SSL 3.0 among them', expect: { status: 200, text: /"id": "ssl-v3",\n\s+"reason": / } },
    ],
    handle: () => reply.json({ count: impossibleScenarios.length, scenarios: impossibleScenarios }),
  }),
  endpoint({
    id: 'badssl-whoami',
    group,
    methods: ['GET'],
    path: '/badssl/whoami',
    summary: 'Which scenario this request came through.',
    responses: { 200: json('The scenario, null on a plain connection.') },
    examples: [
      {
        name: 'a plain connection',
        expect: { status: 200, json: { scenario: null, tls: null } },
      },
    ],
    handle: (call) => {
      const { tls, localPort } = call.exchange.connection;
      const found = call.services.tls.scenarioAt(localPort);
      return reply.json({
        scenario: found?.id ?? null,
        port: localPort,
        tls: tls
          ? { version: tls.version, cipher: tls.cipher, sni: tls.serverName ?? null, alpn: tls.alpn ?? null }
          : null,
      });
    },
  }),
];

function scenarioNamed(name: string): TlsScenario {
  const found = everyScenario.find(({ id, number }) => id === name || String(number) === name);
  if (!found) throw fault('badssl.unknown', { scenario: name });
  return found;
}

/** The list is shown while certificates are still being made, and without TLS too. */
async function contextOf(call: TestbedCall): Promise<ScenarioContext> {
  const { tls } = call.services;
  const material = await tls.material().catch((error: unknown) => {
    if (error instanceof Fault) return undefined;
    throw error;
  });
  return { host: hostOf(call), tls, material };
}

/** The host the client asked for, without its port. */
function hostOf({ request }: TestbedCall): string {
  return request.authority.replace(/:\d*$/, '') || 'localhost';
}
