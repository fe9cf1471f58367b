import { Type } from 'typebox';
import type { RawSocket } from '../../http1/exchange.ts';
import { type PlainAnswer, reply } from '../../kernel/catalogue/answer.ts';
import { int32, int64, json, text } from '../../kernel/catalogue/declarations.ts';
import { allowedMs } from '../delays.ts';
import { endpoint, type TestbedCall, type TestbedEndpoint } from '../endpoint.ts';

const GROUP = 'Proxy Timeout & Slow Response';
const SPEC = '1 §4.6';
const STREAM_HEADERS = ['Cache-Control', 'no-store', 'X-Accel-Buffering', 'no'];
const BOUNDED =
  'The time it takes altogether is bounded by the service’s longest delay (300 s unless changed).';

const delayMs = (fallback: number) =>
  int64({ minimum: 0, default: fallback, description: 'Milliseconds, altogether.' });
const chunkDelayMs = int64({ minimum: 0, default: 1000, description: 'Milliseconds before each chunk.' });
const chunkCount = (fallback: number) => int32({ minimum: 1, maximum: 100_000, default: fallback });

/** Header bytes of slow-header that come one by one: enough of them for any proxy to wait in the middle of one. */
const TRICKLED = 'X-Slow: every byte of this line is sent on its own\r\n';

const slowHeader = endpoint({
  id: 'timeout-slow-header',
  group: GROUP,
  spec: SPEC,
  methods: ['GET'],
  path: '/proxy-test/timeout/slow-header',
  summary: 'Sends the status line at once and the header fields byte by byte.',
  description: `A proxy that only waits for the first byte will wait here too long. ${BOUNDED}`,
  query: Type.Object({ delay: delayMs(5000) }),
  responses: { 200: json('The planned duration.') },
  examples: [
    {
      name: 'header bytes trickle within the time',
      path: '/proxy-test/timeout/slow-header?delay=60',
      expect: {
        status: 200,
        headers: { 'x-slow': 'every byte of this line is sent on its own', 'x-test-planned-ms': '60' },
        json: { endpoint: 'slow-header', plannedMs: 60 },
        ends: 'close',
      },
    },
    {
      name: 'a negative delay is refused',
      path: '/proxy-test/timeout/slow-header?delay=-1',
      expect: { status: 400, json: { detail: /delay must be at least 0/ } },
    },
  ],
  handle: (call) => {
    const plannedMs = allowedMs(call.services, 'delay', call.query.delay);
    return reply.wire((socket) => trickleHead(call, socket, plannedMs));
  },
});

async function trickleHead(call: TestbedCall, socket: RawSocket, plannedMs: number): Promise<void> {
  const body = `${JSON.stringify({ endpoint: 'slow-header', plannedMs }, null, 2)}\n`;
  await socket.write('HTTP/1.1 200 OK\r\n');
  const startedAtMs = call.services.clock.now();
  for (let index = 0; index < TRICKLED.length; index++) {
    // Each byte has its due time, so that late timers do not add up.
    const dueAtMs = startedAtMs + (plannedMs * (index + 1)) / TRICKLED.length;
    await sleepUntil(call, dueAtMs);
    await socket.write(TRICKLED[index]!);
  }
  const rest = [
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    `X-Test-Planned-Ms: ${plannedMs}`,
    'Cache-Control: no-store',
    'Connection: close',
  ];
  await socket.write(`${rest.join('\r\n')}\r\n\r\n${call.request.method === 'HEAD' ? '' : body}`);
  socket.close();
}

const slowFirstByte = endpoint({
  id: 'timeout-slow-first-byte',
  group: GROUP,
  spec: SPEC,
  methods: ['GET'],
  path: '/proxy-test/timeout/slow-first-byte',
  summary: 'Sends nothing until the delay is over, then the whole answer.',
  description: BOUNDED,
  query: Type.Object({ delay: delayMs(5000) }),
  responses: { 200: json('The planned duration.') },
  examples: [
    {
      name: 'not a byte before the delay is over',
      path: '/proxy-test/timeout/slow-first-byte?delay=80',
      expect: {
        status: 200,
        headers: { 'x-test-planned-ms': '80' },
        json: { endpoint: 'slow-first-byte', plannedMs: 80 },
        notBeforeMs: 75,
      },
    },
    {
      name: 'longer than the service allows is refused',
      path: '/proxy-test/timeout/slow-first-byte?delay=300001',
      expect: { status: 400, json: { detail: /delay must be at most 300000/ } },
    },
  ],
  handle: (call) => lateAnswer(call, 'slow-first-byte', allowedMs(call.services, 'delay', call.query.delay)),
});

const delay = endpoint({
  id: 'timeout-delay',
  group: GROUP,
  spec: SPEC,
  methods: ['GET'],
  path: '/proxy-test/timeout/delay',
  summary: 'Gives its whole answer late.',
  description: BOUNDED,
  query: Type.Object({ ms: int64({ minimum: 0, default: 3000, description: 'Milliseconds.' }) }),
  responses: { 200: json('The planned duration.') },
  examples: [
    {
      name: 'answers after the delay',
      path: '/proxy-test/timeout/delay?ms=50',
      expect: { status: 200, json: { endpoint: 'delay', plannedMs: 50 }, notBeforeMs: 45 },
    },
    {
      name: 'not a number',
      path: '/proxy-test/timeout/delay?ms=soon',
      expect: { status: 400, json: { detail: /ms must be an integer/ } },
    },
  ],
  handle: (call) => lateAnswer(call, 'delay', allowedMs(call.services, 'ms', call.query.ms)),
});

async function lateAnswer(call: TestbedCall, name: string, plannedMs: number): Promise<PlainAnswer> {
  await call.services.clock.sleep(plannedMs, call.exchange.signal);
  return reply.json(
    { endpoint: name, plannedMs },
    {
      headers: [
        ...planned(plannedMs),
        'Cache-Control',
        'no-store',
        'Server-Timing',
        `delay;dur=${plannedMs}`,
      ],
    },
  );
}

const slowBody = endpoint({
  id: 'timeout-slow-body',
  group: GROUP,
  spec: SPEC,
  methods: ['GET'],
  path: '/proxy-test/timeout/slow-body',
  summary: 'Sends its head at once and a chunked body slowly.',
  description: BOUNDED,
  query: Type.Object({ chunkDelay: chunkDelayMs, chunks: chunkCount(10) }),
  responses: { 200: text('One line for each chunk.') },
  examples: [
    {
      name: 'each line is a chunk of its own',
      path: '/proxy-test/timeout/slow-body?chunkDelay=10&chunks=3',
      expect: {
        status: 200,
        headers: { 'transfer-encoding': 'chunked', 'content-length': null, 'x-test-planned-ms': '30' },
        text: 'chunk 1 of 3\nchunk 2 of 3\nchunk 3 of 3\n',
        wire: /\r\n\r\nd\r\nchunk 1 of 3\n\r\nd\r\nchunk 2 of 3\n\r\nd\r\nchunk 3 of 3\n\r\n0\r\n\r\n$/,
      },
    },
    {
      name: 'more time altogether than the service allows',
      path: '/proxy-test/timeout/slow-body?chunkDelay=1000&chunks=301',
      expect: { status: 400, json: { detail: /chunkDelay times chunks/ } },
    },
  ],
  handle: (call) => slowChunks(call, call.query, []),
});

const slowBodyWithLength = endpoint({
  id: 'timeout-slow-body-with-length',
  group: GROUP,
  spec: SPEC,
  methods: ['GET'],
  path: '/proxy-test/timeout/slow-body-with-length',
  summary: 'Sends a body slowly whose true length the head tells.',
  description: BOUNDED,
  query: Type.Object({ chunkDelay: chunkDelayMs, chunks: chunkCount(5) }),
  responses: { 200: text('One line for each chunk.') },
  examples: [
    {
      name: 'the length is true',
      path: '/proxy-test/timeout/slow-body-with-length?chunkDelay=10&chunks=2',
      expect: {
        status: 200,
        headers: { 'content-length': '26', 'transfer-encoding': null, 'x-test-planned-ms': '20' },
        text: 'chunk 1 of 2\nchunk 2 of 2\n',
      },
    },
    {
      name: 'no chunks',
      path: '/proxy-test/timeout/slow-body-with-length?chunks=0',
      expect: { status: 400, json: { detail: /chunks must be at least 1/ } },
    },
  ],
  handle: (call) => {
    const length = Array.from(
      { length: call.query.chunks },
      (_, index) => line(index + 1, call.query.chunks).length,
    ).reduce((sum, each) => sum + each);
    return slowChunks(call, call.query, ['Content-Length', String(length)]);
  },
});

function slowChunks(
  call: TestbedCall,
  { chunkDelay, chunks }: { chunkDelay: number; chunks: number },
  headers: string[],
): PlainAnswer {
  const plannedMs = allowedMs(call.services, 'chunkDelay times chunks', chunkDelay * chunks);
  const { clock } = call.services;
  return reply.stream(
    'text/plain; charset=utf-8',
    async (out) => {
      for (let number = 1; number <= chunks; number++) {
        if (chunkDelay > 0) await clock.sleep(chunkDelay, call.exchange.signal);
        await out.write(line(number, chunks));
      }
    },
    { headers: [...headers, ...planned(plannedMs), ...STREAM_HEADERS] },
  );
}

const line = (number: number, count: number) => `chunk ${number} of ${count}\n`;

const INCOMPLETE_BODY = 'incomplete ..\n'.repeat(36).slice(0, 500);

const incomplete = endpoint({
  id: 'timeout-incomplete',
  group: GROUP,
  spec: SPEC,
  methods: ['GET'],
  path: '/proxy-test/timeout/incomplete',
  summary: 'Promises 1000 bytes, sends 500 and closes.',
  description: 'A proxy must not pass this on as a complete answer, nor cache it.',
  responses: { 200: text('Half of what Content-Length says.') },
  examples: [
    {
      name: 'half of the promised body, then FIN',
      expect: {
        status: 200,
        headers: { 'content-length': '1000' },
        wire: /\r\n\r\n(incomplete \.\.\n){35}incomplete$/,
        ends: 'close',
      },
    },
  ],
  handle: ({ request }) =>
    reply.wire(async (socket) => {
      const head =
        'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 1000\r\nX-Test-Planned-Ms: 0\r\n\r\n';
      await socket.write(request.method === 'HEAD' ? head : head + INCOMPLETE_BODY);
      socket.close();
    }),
});

export const proxyTimeoutSlowResponse: readonly TestbedEndpoint[] = [
  slowHeader,
  slowFirstByte,
  slowBody,
  slowBodyWithLength,
  incomplete,
  delay,
];

function planned(plannedMs: number): string[] {
  return ['X-Test-Planned-Ms', String(plannedMs)];
}

async function sleepUntil(call: TestbedCall, dueAtMs: number): Promise<void> {
  const { clock } = call.services;
  const leftMs = dueAtMs - clock.now();
  if (leftMs > 0) await clock.sleep(leftMs, call.exchange.signal);
}
