import { Type } from 'typebox';
import { type PlainAnswer, reply } from '../../../kernel/catalogue/answer.ts';
import {
  html,
  json,
  noBody,
  problem as problemResponse,
  rawBody,
} from '../../../kernel/catalogue/declarations.ts';
import type { ResponseDeclaration } from '../../../kernel/catalogue/endpoint.ts';
import { fault } from '../../../kernel/faults.ts';
import { chooseMediaType } from '../../content/negotiation.ts';
import { problemJson, problemXml, reviewProblem } from '../../content/problem-document.ts';
import { problemSamples } from '../../content/problem-samples.ts';
import { endpoint, type TestbedCall, type TestbedEndpoint } from '../../endpoint.ts';

const GROUP = 'Proxy Security Test';
const BASE = '/proxy-test/security/problem';
const statuses = Object.keys(problemSamples).map(Number);
const MAX_DOCUMENT_BYTES = 1024 * 1024;

/** A problem in JSON or XML, as the client accepts; JSON when it accepts neither, since an error must still be told. */
function problemAnswer({ request, services }: TestbedCall, status: number): PlainAnswer {
  const { type, title, detail, headers = [], errors } = problemSamples[status]!;
  const document = {
    ...{ type, title, status, detail, instance: request.rawPath },
    timestamp: new Date(services.clock.now()).toISOString(),
    traceId: services.random.bytes(16).toString('hex'),
    ...(errors && { errors }),
  };
  const fields = ['Vary', 'Accept', ...headers];
  const offered = [
    'application/problem+json',
    'application/problem+xml',
    'application/xml',
    'text/xml',
  ] as const;
  const { chosen } = chooseMediaType(request.headers.get('accept'), offered);
  if (chosen && chosen !== 'application/problem+json') {
    return reply.bytes(problemXml(document), 'application/problem+xml', { status, headers: fields });
  }
  return problemJson(document, fields);
}

const responses: Record<number, ResponseDeclaration> = Object.fromEntries(
  statuses.map((status) => [status, problemResponse(problemSamples[status]!.title)]),
);
const knownStatus = Type.Union(statuses.map((status) => Type.Literal(status)));

const problem = endpoint({
  id: 'problem',
  group: GROUP,
  methods: ['GET'],
  path: BASE,
  summary: 'Problem details (RFC 9457) for a status.',
  query: Type.Object({
    status: Type.Union(
      statuses.map((status) => Type.Literal(status)),
      { default: 400 },
    ),
  }),
  responses,
  examples: [
    {
      name: 'members and extensions',
      expect: {
        status: 400,
        headers: { 'content-type': 'application/problem+json' },
        json: {
          type: '/problems/malformed-request',
          status: 400,
          instance: BASE,
          timestamp: /^\d{4}-\d\d-\d\dT/,
          traceId: /^[0-9a-f]{32}$/,
          errors: [{ pointer: '#/', detail: 'ends in the middle of a string' }],
        },
      },
    },
    {
      name: 'in XML',
      path: `${BASE}?status=404`,
      headers: ['Accept', 'application/problem+xml'],
      expect: {
        status: 404,
        headers: { 'content-type': 'application/problem+xml', vary: 'Accept' },
        text: /<problem xmlns="urn:ietf:rfc:7807">\s*<type>\/problems\/order-unknown<\/type>/,
      },
    },
    {
      name: 'a status without a problem',
      path: `${BASE}?status=200`,
      expect: { status: 400, json: { detail: /status must be one of 400, 401/ } },
    },
  ],
  handle: (call) => problemAnswer(call, call.query.status),
});

const byStatus = endpoint({
  id: 'problem-status',
  group: GROUP,
  methods: ['GET'],
  path: `${BASE}/{status}`,
  summary: 'A realistic problem for each status, with the header fields that belong to it.',
  params: Type.Object({ status: knownStatus }),
  responses,
  examples: [
    {
      name: '401 names the scheme',
      path: `${BASE}/401`,
      expect: {
        status: 401,
        headers: { 'www-authenticate': 'Bearer realm="testbed", error="invalid_token"' },
      },
    },
    {
      name: '405 names the methods',
      path: `${BASE}/405`,
      expect: { status: 405, headers: { allow: 'GET, HEAD, PUT, OPTIONS' }, json: { status: 405 } },
    },
    {
      name: '415 names what is accepted',
      path: `${BASE}/415`,
      expect: { status: 415, headers: { accept: 'application/json' } },
    },
    {
      name: '422 points at what is wrong',
      path: `${BASE}/422`,
      expect: {
        status: 422,
        json: { errors: [{ pointer: '#/items/0/quantity' }, { pointer: '#/customer/email' }] },
      },
    },
    {
      name: '503 says when to return',
      path: `${BASE}/503`,
      expect: { status: 503, headers: { 'retry-after': '600' } },
    },
    {
      name: 'a status without a problem',
      path: `${BASE}/418`,
      expect: { status: 400, json: { detail: /status must be one of 400, 401/ } },
    },
  ],
  handle: (call) => problemAnswer(call, call.params.status),
});

/** Forms at the edge of the RFC, and answers that only look like problems. */
interface EdgeForm {
  readonly path: string;
  readonly summary: string;
  readonly status: number;
  readonly contentType: string | undefined;
  readonly body: string;
  readonly response: ResponseDeclaration;
}

const edgeForms: readonly EdgeForm[] = [
  {
    path: 'minimal',
    summary: 'A problem without any member, which is valid.',
    status: 400,
    contentType: 'application/problem+json',
    body: '{}\n',
    response: problemResponse('An empty object.'),
  },
  {
    path: 'about-blank',
    summary: 'A problem that says no more than its status.',
    status: 404,
    contentType: 'application/problem+json',
    body: '{"type":"about:blank","title":"Not Found","status":404}\n',
    response: problemResponse('Type about:blank.'),
  },
  {
    path: 'mismatch',
    summary: 'A problem whose status member differs from the status of the answer.',
    status: 400,
    contentType: 'application/problem+json',
    body: '{"type":"/problems/mismatch","title":"Conflict","status":409,"detail":"The answer itself is a 400."}\n',
    response: problemResponse('Status member 409.'),
  },
  {
    path: 'html',
    summary: 'An error page in HTML where a problem is expected.',
    status: 500,
    contentType: 'text/html; charset=utf-8',
    body: '<!doctype html>\n<title>500</title>\n<h1>Internal Server Error</h1>\n',
    response: html('An error page.'),
  },
  {
    path: 'empty',
    summary: 'An error without any content.',
    status: 500,
    contentType: undefined,
    body: '',
    response: noBody('Nothing.'),
  },
];

const edgeEndpoints = edgeForms.map(({ path, summary, status, contentType, body, response }) =>
  endpoint({
    id: `problem-${path}`,
    group: GROUP,
    methods: ['GET'],
    path: `${BASE}/${path}`,
    summary,
    responses: { [status]: response },
    examples: [
      {
        name: 'exactly this',
        expect: { status, headers: { 'content-type': contentType ?? null }, text: body },
      },
    ],
    handle: () => reply.bytes(body, contentType, { status }),
  }),
);

const validate = endpoint({
  id: 'problem-validate',
  group: GROUP,
  methods: ['POST'],
  path: `${BASE}/validate`,
  summary: 'Checks a problem document against RFC 9457.',
  body: rawBody('application/problem+json', 'application/json'),
  responses: { 200: json('What is wrong and what could be better.'), 400: problemResponse('No JSON.') },
  examples: [
    {
      name: 'a good one',
      headers: ['Content-Type', 'application/problem+json'],
      body: '{"type":"/problems/x","title":"X","status":400}',
      expect: { status: 200, json: { isValid: true, errors: [], warnings: [] } },
    },
    {
      name: 'a bad one',
      headers: ['Content-Type', 'application/json'],
      body: '{"type":7,"status":"400","title":"X"}',
      expect: {
        status: 200,
        json: {
          isValid: false,
          errors: [
            { pointer: '#/type', rule: 'must be a string' },
            { pointer: '#/status', rule: 'must be an integer from 100 to 599' },
          ],
          warnings: [{ pointer: 'Content-Type', rule: 'should be application/problem+json' }],
        },
      },
    },
    { name: 'no JSON', body: '{', expect: { status: 400, json: { detail: /body is not JSON/ } } },
  ],
  handle: async ({ exchange, request }) => {
    const text = (await exchange.body.bytes(MAX_DOCUMENT_BYTES)).toString('utf8');
    const { errors, warnings } = reviewProblem(parsed(text));
    const type = request.headers.first('content-type') ?? '';
    if (!/^application\/problem\+json\s*(;|$)/i.test(type)) {
      warnings.push({ pointer: 'Content-Type', rule: 'should be application/problem+json' });
    }
    return reply.json({ isValid: errors.length === 0, errors, warnings });
  },
});

export const problemEndpoints: readonly TestbedEndpoint[] = [problem, byStatus, ...edgeEndpoints, validate];

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw fault('body.invalid', { rule: 'is not JSON' }, [], { cause: error });
  }
}
