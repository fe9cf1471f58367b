import { Type } from 'typebox';
import { reply } from '../../../kernel/catalogue/answer.ts';
import { binary, int32, json, problem, text } from '../../../kernel/catalogue/declarations.ts';
import { fault } from '../../../kernel/faults.ts';
import { duration, durationMs, initialDelayTiming, refuseLongerThan } from '../../content/durations.ts';
import { PythonRandom } from '../../content/python-random.ts';
import { drip as dripPieces, streamHeaders } from '../../content/streaming.ts';
import { dialectOf, echoBody, sortedJson } from '../../echo/httpbin-echo.ts';
import { endpoint, type TestbedCall, type TestbedEndpoint } from '../../endpoint.ts';

const group = 'Dynamic Data';

/** The longest delay of httpbin, which shortens, and of go-httpbin, which refuses. */
const longestDelayMs = 10_000;
const maxDripBytes = 10 * 1024 * 1024;
/** go-httpbin refuses more. */
const maxGoDripBytes = 1024 * 1024;

function allowedDelayMs(call: TestbedCall, askedMs: number): number {
  if (dialectOf(call) === 'go') refuseLongerThan(longestDelayMs, askedMs, 'delay', 'path');
  return Math.min(askedMs, longestDelayMs, call.services.settings.limits.maxDelayMs);
}

const delay = endpoint({
  id: 'delay',
  group,
  spec: '1 §4.2',
  methods: ['GET', 'PUT', 'POST', 'DELETE', 'PATCH'],
  path: '/delay/{delay}',
  summary: 'Echoes the request after the given number of seconds.',
  description:
    'Takes decimals and Go durations (`1.5`, `250ms`) besides whole seconds. More than 10 s count as 10 s; ' +
    'the go dialect refuses them.',
  params: Type.Object({
    delay: duration({ type: 'integer', format: 'int32', description: 'Seconds; decimals are taken too.' }),
  }),
  responses: { 200: json('The echo.', Type.Object({})), 400: problem('The delay is not valid.') },
  examples: [
    {
      name: 'a tenth of a second',
      path: '/delay/0.1?a=b',
      expect: {
        status: 200,
        notBeforeMs: 95,
        json: { args: { a: 'b' }, data: '', files: {}, form: {}, url: /\/delay\/0\.1\?a=b$/ },
        headers: { 'server-timing': 'initial_delay;dur=100.00;desc="initial delay"' },
      },
    },
    {
      name: 'a body is echoed',
      method: 'POST',
      path: '/delay/0',
      headers: ['Content-Type', 'application/x-www-form-urlencoded'],
      body: 'x=1',
      expect: { status: 200, json: { form: { x: '1' } } },
    },
    { name: 'a Go duration', path: '/delay/20ms', expect: { status: 200, notBeforeMs: 19 } },
    { name: 'go dialect refuses more than 10 s', path: '/delay/11?dialect=go', expect: { status: 400 } },
    {
      name: 'negative',
      path: '/delay/-1',
      expect: { status: 400, json: { detail: /delay must be at least 0/ } },
    },
    { name: 'no number', path: '/delay/soon', expect: { status: 400, json: { detail: /delay/ } } },
  ],
  handle: async (call) => {
    const delayMs = allowedDelayMs(call, durationMs(call.params.delay));
    await call.services.clock.sleep(delayMs, call.exchange.signal);
    const { json: parsedJson, ...echo } = await echoBody(call);
    // httpbin shows no parsed JSON here; go-httpbin does.
    const shown = dialectOf(call) === 'go' ? { ...echo, json: parsedJson } : echo;
    return sortedJson(shown, { headers: initialDelayTiming(delayMs) });
  },
});

const drip = endpoint({
  id: 'drip',
  group,
  methods: ['GET'],
  path: '/drip',
  summary: 'Drips bytes over a duration after an initial delay.',
  description: 'The go dialect refuses more than 1 MiB, and more than 10 s in all.',
  query: Type.Object({
    duration: Type.Optional(duration({ default: 2, description: 'Over how long the bytes come.' })),
    numbytes: Type.Optional(
      int32({ default: 10, minimum: 1, description: 'How many; at most 10 MiB are sent.' }),
    ),
    code: Type.Optional(
      int32({ default: 200, minimum: 200, maximum: 599, description: 'Status of the answer.' }),
    ),
    delay: Type.Optional(duration({ description: 'Before the answer; 0, and 2 s in the go dialect.' })),
    chunked: Type.Optional(
      Type.Boolean({ default: false, description: 'Chunked instead of a Content-Length.' }),
    ),
  }),
  responses: { 200: binary('Asterisks.'), 400: problem('A parameter is not valid.') },
  examples: [
    {
      name: 'five bytes in a quarter of a second',
      path: '/drip?duration=0.25&numbytes=5',
      expect: { status: 200, text: '*****', headers: { 'content-length': '5' } },
    },
    {
      name: 'chunked, after a delay, with another code',
      path: '/drip?duration=0&numbytes=3&code=503&delay=0.1&chunked=true',
      expect: {
        status: 503,
        text: '***',
        notBeforeMs: 95,
        headers: { 'transfer-encoding': 'chunked', 'server-timing': /initial_delay;dur=100\.00/ },
      },
    },
    { name: 'no bytes', path: '/drip?numbytes=0', expect: { status: 400, json: { detail: /numbytes/ } } },
    {
      name: 'no duration',
      path: '/drip?duration=long',
      expect: { status: 400, json: { detail: /duration/ } },
    },
    {
      name: 'go-httpbin dialect',
      path: '/drip?duration=20ms&numbytes=3&delay=0&dialect=go',
      expect: {
        status: 200,
        text: '***',
        headers: {
          'content-type': 'text/plain; charset=utf-8',
          'server-timing':
            'total_duration;dur=20.00;desc="total request duration", ' +
            'initial_delay;dur=0.00;desc="initial delay", ' +
            'write_duration;dur=20.00;desc="duration of writes after initial delay", ' +
            'pause_per_write;dur=10.00;desc="computed pause between writes"',
        },
      },
    },
    {
      name: 'go-httpbin dialect: too many bytes',
      path: '/drip?numbytes=1048577&dialect=go',
      expect: { status: 400, json: { detail: /numbytes/ } },
    },
    {
      name: 'go-httpbin dialect: too long, with its delay',
      path: '/drip?duration=9&delay=2&dialect=go',
      expect: { status: 400, json: { detail: /duration/ } },
    },
    { name: 'endless', path: '/drip?duration=1000h', expect: { status: 400, json: { detail: /duration/ } } },
  ],
  handle: async (call) => {
    const { query, services, exchange } = call;
    const isGo = dialectOf(call) === 'go';
    const { maxDelayMs } = services.settings.limits;
    const delayMs = durationMs(query.delay ?? (isGo ? 2 : 0));
    const overMs = durationMs(query.duration ?? 2);
    refuseLongerThan(maxDelayMs, delayMs, 'delay', 'query');
    refuseLongerThan(maxDelayMs, overMs, 'duration', 'query');
    if (isGo) refuseAsGo(query.numbytes ?? 10, delayMs + overMs);
    const count = Math.min(query.numbytes ?? 10, maxDripBytes);
    await services.clock.sleep(delayMs, exchange.signal);
    const timing = isGo ? goDripTiming(delayMs, overMs, count) : initialDelayTiming(delayMs);
    const headers = [...timing, ...streamHeaders];
    if (!query.chunked) headers.push('Content-Length', String(count));
    return reply.stream(
      isGo ? 'text/plain; charset=utf-8' : 'application/octet-stream',
      (out) => dripPieces(out, { count, durationMs: overMs, piece: (_, due) => '*'.repeat(due) }, call),
      { status: query.code ?? 200, headers },
    );
  },
});

function refuseAsGo(numbytes: number, totalMs: number): void {
  refuseLongerThan(longestDelayMs, totalMs, 'duration', 'query');
  if (numbytes <= maxGoDripBytes) return;
  throw fault('parameter.invalid', {
    in: 'query',
    name: 'numbytes',
    rule: `must be at most ${maxGoDripBytes}`,
  });
}

function goDripTiming(delayMs: number, overMs: number, count: number): string[] {
  const entries = [
    ['total_duration', delayMs + overMs, 'total request duration'],
    ['initial_delay', delayMs, 'initial delay'],
    ['write_duration', overMs, 'duration of writes after initial delay'],
    ['pause_per_write', count > 1 ? overMs / (count - 1) : overMs, 'computed pause between writes'],
  ] as const;
  return [
    'Server-Timing',
    entries.map(([name, ms, what]) => `${name};dur=${ms.toFixed(2)};desc="${what}"`).join(', '),
  ];
}

const unstable = endpoint({
  id: 'unstable',
  group,
  methods: ['GET'],
  path: '/unstable',
  summary: 'Fails with 500 now and then.',
  query: Type.Object({
    failure_rate: Type.Optional(Type.Number({ default: 0.5, minimum: 0, maximum: 1 })),
    seed: Type.Optional(
      Type.String({ pattern: '^-?[0-9]{1,40}$', description: 'Makes the outcome repeatable.' }),
    ),
  }),
  responses: {
    200: text('It went well.'),
    400: problem('A parameter is not valid.'),
    500: text('It did not.'),
  },
  examples: [
    { name: 'never', path: '/unstable?failure_rate=0', expect: { status: 200, text: 'stable\n' } },
    { name: 'always', path: '/unstable?failure_rate=1', expect: { status: 500, text: 'unstable\n' } },
    { name: 'seed 1 draws 0.134', path: '/unstable?seed=1', expect: { status: 500 } },
    { name: 'seed 0 draws 0.844', path: '/unstable?seed=0', expect: { status: 200 } },
    {
      name: 'no rate',
      path: '/unstable?failure_rate=2',
      expect: { status: 400, json: { detail: /failure_rate/ } },
    },
  ],
  handle: ({ query, services }) => {
    const { seed, failure_rate: failureRate = 0.5 } = query;
    const drawn = seed === undefined ? services.random.float() : new PythonRandom(BigInt(seed)).float();
    return drawn < failureRate ? reply.text('unstable\n', { status: 500 }) : reply.text('stable\n');
  },
});

export const delays: readonly TestbedEndpoint[] = [delay, drip, unstable];
