import { Type } from 'typebox';
import { type PlainAnswer, reply } from '../../../kernel/catalogue/answer.ts';
import { int32, int64, json, problem, rawBody } from '../../../kernel/catalogue/declarations.ts';
import { sha256Hex } from '../../content/integrity.ts';
import { pairsOf } from '../../echo/proxy-echo.ts';
import { endpoint, type TestbedCall, type TestbedEndpoint } from '../../endpoint.ts';

const group = 'Proxy Header Passthrough';

const expectContinue = endpoint({
  id: 'proxy-headers-expect',
  group,
  methods: ['POST'],
  path: '/proxy-test/headers/expect',
  summary: 'Tells whether Expect: 100-continue arrived, and meets it in the way asked for.',
  description:
    '`continue` answers 100 and then 200; `417` refuses; `final` answers 200 at once without asking for the body; `delay` lets the client wait for its 100. A client that sends its body without waiting gets no 100 (RFC 9110 §10.1.1).',
  query: Type.Object({
    mode: Type.Union(
      ['continue', '417', 'final', 'delay'].map((mode) => Type.Literal(mode)),
      { default: 'continue' },
    ),
    delay: int64({
      default: 1000,
      minimum: 0,
      maximum: 300_000,
      description: 'Milliseconds, for mode `delay`.',
    }),
  }),
  body: rawBody(),
  responses: {
    200: json('`expect` as it arrived, and `received` bytes of content (null when it was not asked for).'),
    400: problem('There is no such mode.'),
    417: json('The expectation is refused, as asked for.'),
  },
  examples: [
    {
      name: 'the expectation arrived',
      headers: ['Expect', '100-continue'],
      body: 'hello',
      expect: {
        status: 200,
        json: { expect: '100-continue', mode: 'continue', received: 5 },
      },
    },
    {
      name: 'a final answer instead of the 100',
      path: '/proxy-test/headers/expect?mode=final',
      headers: ['Expect', '100-continue', 'Content-Length', '5'],
      expect: { status: 200, json: { received: null }, wire: /^HTTP\/1\.1 200 OK\r\n/ },
    },
    {
      name: 'refused',
      path: '/proxy-test/headers/expect?mode=417',
      headers: ['Expect', '100-continue', 'Content-Length', '5'],
      expect: { status: 417, json: { expect: '100-continue' }, wire: /^HTTP\/1\.1 417 / },
    },
    {
      name: 'the client is let wait',
      path: '/proxy-test/headers/expect?mode=delay&delay=80',
      headers: ['Expect', '100-continue'],
      body: 'hello',
      expect: { status: 200, json: { received: 5 }, notBeforeMs: 75 },
    },
    {
      name: 'no such mode',
      path: '/proxy-test/headers/expect?mode=maybe',
      expect: { status: 400, json: { detail: /mode/ } },
    },
  ],
  async handle(call) {
    const { mode, delay } = call.query;
    if (mode === '417') return describeExpect(call, mode, null, 417);
    if (mode === 'final') return describeExpect(call, mode, null);
    const { clock, settings } = call.services;
    if (mode === 'delay')
      await clock.sleep(Math.min(delay, settings.limits.maxDelayMs), call.exchange.signal);
    // Reading is what sends the 100.
    const { body } = call.exchange;
    await body.discard(settings.limits.maxBodyBytes);
    return describeExpect(call, mode, body.receivedLength);
  },
});

function describeExpect(
  { request }: Pick<TestbedCall, 'request'>,
  mode: string,
  received: number | null,
  status = 200,
): PlainAnswer {
  return reply.json({ expect: request.headers.get('expect') ?? null, mode, received }, { status });
}

const trailers = endpoint({
  id: 'proxy-headers-trailers',
  group,
  methods: ['GET', 'POST'],
  path: '/proxy-test/headers/trailers',
  summary: 'Echoes the trailers of the request and sends trailers of its own.',
  description:
    "`X-Trailer-Checksum` is the SHA-256 of the answer's content. HTTP/1.0 knows no trailers and gets none.",
  body: rawBody(),
  responses: { 200: json('`announced`, `received` trailers and `te`; trailers follow.') },
  examples: [
    {
      name: 'trailers both ways',
      method: 'POST',
      headers: ['Transfer-Encoding', 'chunked', 'Trailer', 'X-Sum', 'TE', 'trailers'],
      body: '2\r\nhi\r\n0\r\nX-Sum: 12\r\nX-Unannounced: yes\r\n\r\n',
      expect: {
        status: 200,
        headers: { trailer: 'X-Trailer-Checksum, Server-Timing', 'transfer-encoding': 'chunked' },
        json: {
          announced: ['X-Sum'],
          received: [
            ['X-Sum', '12'],
            ['X-Unannounced', 'yes'],
          ],
          te: 'trailers',
        },
        wire: /\r\n0\r\nX-Trailer-Checksum: [0-9a-f]{64}\r\nServer-Timing: body;dur=[0-9.]+\r\n\r\n$/,
      },
    },
  ],
  async handle({ exchange, request, services }) {
    const startedAtMs = services.clock.now();
    await exchange.body.discard(services.settings.limits.maxBodyBytes);
    const answer = {
      announced: (request.headers.get('trailer') ?? '').split(/[\t ]*,[\t ]*/).filter((name) => name !== ''),
      received: pairsOf(exchange.body.trailers),
      te: request.headers.get('te') ?? null,
    };
    const content = `${JSON.stringify(answer, null, 2)}\n`;
    if (exchange.head.version === '1.0') return reply.bytes(content, 'application/json');
    return reply.stream(
      'application/json',
      async (out) => {
        await out.write(content);
        const durationMs = services.clock.now() - startedAtMs;
        await out.end(['X-Trailer-Checksum', sha256Hex(content), 'Server-Timing', `body;dur=${durationMs}`]);
      },
      { headers: ['Trailer', 'X-Trailer-Checksum, Server-Timing'] },
    );
  },
});

const earlyHints = endpoint({
  id: 'proxy-headers-early-hints',
  group,
  methods: ['GET'],
  path: '/proxy-test/headers/early-hints',
  summary: 'Sends 103 Early Hints with Link fields before the answer.',
  query: Type.Object({
    count: int32({ default: 1, minimum: 0, maximum: 20, description: 'How many 103 answers.' }),
  }),
  responses: {
    200: json('`sent`: how many 103 answers went before.'),
    400: problem('The count is out of bounds.'),
  },
  examples: [
    {
      name: 'two hints',
      path: '/proxy-test/headers/early-hints?count=2',
      expect: {
        status: 200,
        json: { sent: 2 },
        wire: /^HTTP\/1\.1 103 Early Hints\r\nLink: <\/early-1\.css>; rel=preload; as=style\r\n\r\nHTTP\/1\.1 103 Early Hints\r\nLink: <\/early-2\.css>; rel=preload; as=style\r\n\r\nHTTP\/1\.1 200 OK\r\n/,
      },
    },
    {
      name: 'too many',
      path: '/proxy-test/headers/early-hints?count=21',
      expect: { status: 400, json: { detail: /count must be at most 20/ } },
    },
  ],
  handle({ exchange, query }) {
    // RFC 9110 §15.2: an HTTP/1.0 client must not be sent any 1xx.
    const sent = exchange.head.version === '1.0' ? 0 : query.count;
    const links = Array.from(
      { length: sent },
      (_, index) => `</early-${index + 1}.css>; rel=preload; as=style`,
    );
    for (const link of links) exchange.sendInterim(103, ['Link', link]);
    return reply.json({ sent }, { headers: links.flatMap((link) => ['Link', link]) });
  },
});

/** Endpoints for what surrounds the fields: interim answers, expectations and trailers. */
export const messageEndpoints: readonly TestbedEndpoint[] = [expectContinue, trailers, earlyHints];
