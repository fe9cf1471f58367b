import { Type } from 'typebox';
import { type PlainAnswer, reply } from '../../kernel/catalogue/answer.ts';
import { anyType, jsonBody, problem, rawBody, text } from '../../kernel/catalogue/declarations.ts';
import { fault } from '../../kernel/faults.ts';
import { scriptedAnswer, seenHeaders } from '../cache-origin/scripted-answer.ts';
import { endpoint, type TestbedEndpoint } from '../endpoint.ts';
import type { ScriptedResponse } from '../state/cache-scripts.ts';

const group = 'Status & Cache';
const params = Type.Object({ uuid: Type.String({ pattern: '^[A-Za-z0-9._~-]{1,128}$' }) });

const MAX_CONFIG_BYTES = 64 * 1024;
const fieldName = { type: 'string', pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$" };
const fieldValue = { type: 'string', pattern: '^[\\t\\x20-\\x7e\\x80-\\xff]*$' };
const field = {
  type: 'array',
  prefixItems: [fieldName, { anyOf: [fieldValue, { type: 'integer' }] }, { type: 'boolean' }],
  minItems: 2,
  maxItems: 3,
  description: 'Name, value (in date fields also seconds from now), whether the client checks it.',
};
const interimResponse = {
  type: 'array',
  prefixItems: [
    { type: 'integer', minimum: 102, maximum: 199 },
    { type: 'array', maxItems: 50, items: { ...field, prefixItems: [fieldName, fieldValue], maxItems: 2 } },
  ],
  minItems: 1,
  maxItems: 2,
};

/** The members of the suite's request objects that concern the origin; all others pass. */
const script = Type.Unsafe<ScriptedResponse[]>({
  type: 'array',
  minItems: 1,
  maxItems: 100,
  items: {
    type: 'object',
    properties: {
      id: { type: 'string' },
      response_status: {
        type: 'array',
        prefixItems: [{ type: 'integer', minimum: 200, maximum: 999 }, fieldValue],
        minItems: 1,
        maxItems: 2,
      },
      response_headers: { type: 'array', maxItems: 200, items: field },
      response_body: { anyOf: [{ type: 'string' }, { type: 'null' }] },
      response_pause: { type: 'number', minimum: 0, description: 'Seconds.' },
      interim_responses: { type: 'array', maxItems: 20, items: interimResponse },
      expected_type: { type: 'string' },
      disconnect: { type: 'boolean' },
      magic_locations: { type: 'boolean' },
      rfc850date: { type: 'array', items: { type: 'string' } },
    },
  },
});

const contentType = ['Content-Type', 'application/json'];
const configured = (uuid: string, responses: object[]) => ({
  method: 'PUT',
  path: `/cache-tests/config/${uuid}`,
  headers: contentType,
  body: JSON.stringify(responses),
});
const validated = [
  {
    response_headers: [
      ['ETag', '"a"'],
      ['Cache-Control', 'max-age=1'],
      ['X-Twice', '1'],
      ['X-Twice', '2', false],
    ],
  },
  { expected_type: 'etag_validated', response_headers: [['ETag', '"a"']] },
];

const config = endpoint({
  id: 'cache-tests-config',
  group,
  methods: ['PUT'],
  path: '/cache-tests/config/{uuid}',
  summary: 'Tells the cache origin how to answer the requests of one test, one entry for each.',
  description:
    'The origin of the public HTTP cache test suite (cache-tests.fyi): give the suite this service with the path ' +
    '/cache-tests as its base address, through the cache under test.',
  params,
  body: jsonBody(script),
  responses: {
    201: text('Taken.'),
    400: problem('Not a script.'),
    409: text('This test has its script already.'),
    413: problem('The script is too large.'),
  },
  examples: [
    { ...configured('a', validated), name: 'taken', expect: { status: 201, text: 'OK' } },
    {
      ...configured('a', validated),
      name: 'only once',
      setUp: [configured('a', validated)],
      expect: { status: 409, text: /a/ },
    },
    {
      ...configured('a', [{ response_status: 'OK' } as object]),
      name: 'not a script',
      expect: { status: 400 },
    },
    {
      ...configured('a', [{ response_headers: [['X', 'a\r\nY: b']] }]),
      name: 'a field that would begin another',
      expect: { status: 400 },
    },
  ],
  handle: async ({ params: { uuid }, body, exchange, services }) => {
    if (exchange.body.receivedLength > MAX_CONFIG_BYTES)
      throw fault('body.too-large', { maxBytes: MAX_CONFIG_BYTES });
    const isTaken = await services.state.cacheScripts.configure(uuid, body);
    return isTaken ? plain(201, 'OK') : plain(409, `Config already exists for ${uuid}\n`);
  },
});

const test = endpoint({
  id: 'cache-tests-test',
  group,
  methods: ['ANY'],
  path: '/cache-tests/test/{uuid}',
  aliases: ['/cache-tests/test/{uuid}/{rest**}'],
  summary: 'Answers the next request of a test as its script says, and notes what arrived.',
  description:
    '`Req-Num` chooses the entry, else the number of requests so far. A validation that was expected and came is ' +
    'answered with 304, one that did not come with 999.',
  params,
  body: rawBody(),
  responses: {
    200: anyType('As the script says; its id unless it gives a body.'),
    304: { description: 'The expected validation.' },
    404: text('No id.'),
    409: text('There is no script, or it has no entry for this request.'),
  },
  examples: [
    {
      name: 'the first request',
      path: '/cache-tests/test/a/file?x=1',
      setUp: [configured('a', validated)],
      expect: {
        status: 200,
        text: 'a',
        headers: {
          'content-type': 'text/plain',
          etag: '"a"',
          'x-twice': '1, 2',
          'server-request-count': '1',
          'server-base-url': '/cache-tests/test/a/file?x=1',
          'request-numbers': 'NaN',
        },
      },
    },
    {
      name: 'the validation that was expected',
      path: '/cache-tests/test/a',
      headers: ['Req-Num', '2', 'If-None-Match', '"a"'],
      setUp: [configured('a', validated), { path: '/cache-tests/test/a', headers: ['Req-Num', '1'] }],
      expect: {
        status: 304,
        length: 0,
        headers: { 'server-request-count': '2', 'client-request-count': '2', 'request-numbers': '1 2' },
      },
    },
    {
      name: 'a validation that did not come',
      path: '/cache-tests/test/a',
      headers: ['Req-Num', '2'],
      setUp: [configured('a', validated)],
      expect: { status: 999, wire: /^HTTP\/1\.1 999 304 Not Generated\r\n/ },
    },
    {
      name: 'dates relative to now, in the old form where asked for',
      path: '/cache-tests/test/a',
      setUp: [configured('a', [{ response_headers: [['Expires', 60]], rfc850date: ['expires'] }])],
      expect: { headers: { expires: /^[A-Z][a-z]+day, \d\d-[A-Z][a-z]{2}-\d\d \d\d:\d\d:\d\d GMT$/ } },
    },
    {
      name: 'the origin hangs up',
      path: '/cache-tests/test/a',
      setUp: [configured('a', [{ disconnect: true }])],
      expect: { wire: /^$/, ends: 'close' },
    },
    { name: 'no script', path: '/cache-tests/test/none', expect: { status: 409, text: /none/ } },
    {
      name: 'a request the script has no entry for',
      path: '/cache-tests/test/a',
      headers: ['Req-Num', '3'],
      setUp: [configured('a', validated)],
      expect: { status: 409 },
    },
  ],
  handle: async (call) => {
    const { uuid } = call.params;
    const { request, services, exchange } = call;
    const scripts = services.state.cacheScripts;
    const request_num = Number.parseInt(request.headers.first('req-num') ?? '', 10) || null;

    const announced = await scripts.turn(uuid, request_num);
    if (announced.kind === 'found' && announced.response.response_pause) {
      const pauseMs = Math.min(announced.response.response_pause * 1000, services.settings.limits.maxDelayMs);
      await services.clock.sleep(pauseMs, exchange.signal);
    }
    const seen = {
      request_num,
      request_method: request.method,
      request_headers: seenHeaders(request.headers),
    };
    const turn = await scripts.take(uuid, seen);
    if (turn.kind === 'unknown') return plain(409, `Requests not found for ${uuid}\n`);
    if (turn.kind === 'exhausted') {
      const { serverRequestNo, scriptLength } = turn;
      return plain(409, `Config not found for request ${serverRequestNo} (anticipating ${scriptLength})\n`);
    }
    const { answer, fields } = scriptedAnswer(call, uuid, turn, request_num);
    await scripts.complete(uuid, turn.serverRequestNo, fields);
    for (const [status, headers = []] of turn.response.interim_responses ?? []) {
      exchange.sendInterim(status, headers.flat());
    }
    return answer;
  },
});

const state = endpoint({
  id: 'cache-tests-state',
  group,
  methods: ['GET'],
  path: '/cache-tests/state/{uuid}',
  summary: 'Tells which requests of a test reached the origin.',
  params,
  responses: { 200: text('A JSON list.'), 404: text('No request came yet.') },
  examples: [
    {
      name: 'what arrived and what was answered',
      path: '/cache-tests/state/a',
      setUp: [
        configured('a', validated),
        {
          path: '/cache-tests/test/a',
          headers: ['Host', 'a.example', 'Req-Num', '1', 'X-A', '1', 'x-a', '2'],
        },
      ],
      expect: {
        status: 200,
        headers: { 'content-type': 'text/plain' },
        json: [
          {
            request_num: 1,
            request_method: 'GET',
            request_headers: { host: 'a.example', 'req-num': '1', 'x-a': '1, 2' },
            response_headers: [
              ['ETag', '"a"'],
              ['Cache-Control', 'max-age=1'],
              ['X-Twice', ['1', '2']],
            ],
          },
        ],
      },
    },
    { name: 'nothing yet', path: '/cache-tests/state/none', expect: { status: 404, text: /none/ } },
  ],
  handle: async ({ params: { uuid }, services }) => {
    const seen = await services.state.cacheScripts.seen(uuid);
    return seen ? plain(200, JSON.stringify(seen)) : plain(404, `State not found for ${uuid}\n`);
  },
});

/** The suite's own words in the suite's own type. */
function plain(status: number, body: string): PlainAnswer {
  return reply.bytes(body, 'text/plain', { status });
}

export const cacheOrigin: readonly TestbedEndpoint[] = [config, test, state];
