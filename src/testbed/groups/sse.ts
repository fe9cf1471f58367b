import { Type } from 'typebox';
import type { BodyWriter } from '../../http1/exchange.ts';
import { type Answer, reply } from '../../kernel/catalogue/answer.ts';
import { eventStream, int32, noBody, problem } from '../../kernel/catalogue/declarations.ts';
import type { Call, Example } from '../../kernel/catalogue/endpoint.ts';
import { fault } from '../../kernel/faults.ts';
import { type Coding, flushingWriter } from '../content/codings.ts';
import { duration, durationMs, pauseMs, refuseLongerThan } from '../content/durations.ts';
import { formatEvent, type LineEnd } from '../content/event-stream.ts';
import { streamHeaders } from '../content/streaming.ts';
import { dialectOf } from '../echo/httpbin-echo.ts';
import { endpoint, type TestbedCall, type TestbedEndpoint } from '../endpoint.ts';
import type { TestbedServices } from '../services.ts';

const defaultCount = 10;
const defaultIntervalMs = 1000;
const goDurationMs = 5000;
const maxDataBytes = 1024 * 1024;

const query = Type.Object({
  count: Type.Optional(
    int32({ default: defaultCount, minimum: 1, maximum: 10_000, description: 'Events in all.' }),
  ),
  interval: Type.Optional(
    Type.Number({ default: defaultIntervalMs, minimum: 0, description: 'Milliseconds between two events.' }),
  ),
  duration: Type.Optional(
    duration({
      description: 'From the first event to the last, instead of interval. The go dialect takes 5 s.',
    }),
  ),
  delay: Type.Optional(duration({ default: 0, description: 'Before the answer.' })),
  jitter: Type.Optional(duration({ default: 0, description: 'Added to every pause, at random up to this.' })),
  event: Type.Optional(Type.String({ pattern: '^[^\\r\\n\\0]{1,200}$', description: 'Name of the events.' })),
  size: Type.Optional(
    int32({
      minimum: 0,
      maximum: maxDataBytes,
      description: 'Letters of the message, instead of a short one.',
    }),
  ),
  retry: Type.Optional(
    int32({ minimum: 0, description: 'Sent once as the reconnection time in milliseconds.' }),
  ),
  comments: Type.Optional(Type.Literal(1, { description: '1 puts a comment before every event.' })),
  eol: Type.Optional(
    Type.Union([Type.Literal('lf'), Type.Literal('crlf'), Type.Literal('cr')], {
      default: 'lf',
      description: 'The line end.',
    }),
  ),
});

type SseCall = Call<TestbedServices, unknown, Type.Static<typeof query>>;

/** Everything about one stream, decided before its first byte is sent. */
interface Plan {
  readonly isGo: boolean;
  readonly firstId: number;
  readonly lastId: number;
  readonly stepMs: number;
  readonly jitterMs: number;
  readonly eventName: string;
  readonly messageBytes: number | undefined;
  readonly retryMs: number | undefined;
  readonly hasComments: boolean;
  readonly lineEnd: LineEnd;
}

function planOf(call: SseCall): Plan {
  const { query, request, services } = call;
  const { count = defaultCount, size } = query;
  const isGo = dialectOf(call) === 'go';
  const stepMs = stepOf(query, count, isGo);
  const jitterMs = durationMs(query.jitter ?? 0);
  const { maxDelayMs, maxStreamBytes } = services.settings.limits;
  refuseLongerThan(maxDelayMs, (stepMs + jitterMs) * (count - 1), 'interval', 'query');
  if (count * (size ?? 0) > maxStreamBytes) {
    const rule = `must not ask for more than ${maxStreamBytes} bytes in all`;
    throw fault('parameter.invalid', { in: 'query', name: 'size', rule });
  }
  // go-httpbin counts from 0 and knows no ids to resume by.
  const [firstId, lastId] = isGo
    ? [0, count - 1]
    : [resumedAfter(request.headers.first('last-event-id')) + 1, count];
  return {
    isGo,
    firstId,
    lastId,
    stepMs,
    jitterMs,
    eventName: query.event ?? (isGo ? 'ping' : 'message'),
    messageBytes: size,
    retryMs: query.retry,
    hasComments: query.comments === 1,
    lineEnd: query.eol ?? 'lf',
  };
}

function stepOf(query: SseCall['query'], count: number, isGo: boolean): number {
  const wholeMs = query.duration === undefined ? undefined : durationMs(query.duration);
  const overMs = wholeMs ?? (isGo ? goDurationMs : undefined);
  if (overMs === undefined) return query.interval ?? defaultIntervalMs;
  return count > 1 ? overMs / (count - 1) : 0;
}

/** Ids of other streams and other forms begin from the start. */
function resumedAfter(lastEventId: string | undefined): number {
  return /^[0-9]{1,9}$/.test(lastEventId ?? '') ? Number(lastEventId) : 0;
}

async function pumpEvents(out: BodyWriter, plan: Plan, call: TestbedCall): Promise<void> {
  const { clock } = call.services;
  const { firstId, lastId, lineEnd } = plan;
  for (let id = firstId; id <= lastId; id++) {
    if (id > firstId) await clock.sleep(pauseMs(plan.stepMs, plan.jitterMs, call), call.exchange.signal);
    await out.write(formatEvent(eventOf(id, plan, clock.now()), lineEnd));
  }
  if (!plan.isGo)
    await out.write(formatEvent({ event: 'end', data: JSON.stringify({ count: lastId }) }, lineEnd));
}

function eventOf(id: number, plan: Plan, timestamp: number) {
  const { isGo, eventName, messageBytes, hasComments, retryMs, firstId } = plan;
  const message = messageBytes === undefined ? `event ${id} of ${plan.lastId}` : 'x'.repeat(messageBytes);
  return {
    ...(hasComments ? { comment: `event ${id}` } : {}),
    ...(retryMs !== undefined && id === firstId ? { retryMs } : {}),
    ...(isGo ? {} : { id }),
    event: eventName,
    data: JSON.stringify(isGo ? { id, timestamp } : { id, timestamp, message }),
  };
}

async function eventStreamAnswer(call: SseCall, coding: Coding): Promise<Answer> {
  const plan = planOf(call);
  // An EventSource reconnects when a stream ends; 204 is how it is told that there is no more.
  if (plan.firstId > plan.lastId) return reply.empty(204, streamHeaders);

  const { services, exchange } = call;
  const delayMs = durationMs(call.query.delay ?? 0);
  refuseLongerThan(services.settings.limits.maxDelayMs, delayMs, 'delay', 'query');
  await services.clock.sleep(delayMs, exchange.signal);
  const startedAtMs = services.clock.now();

  const headers = [...streamHeaders];
  if (coding !== 'identity') headers.push('Content-Encoding', coding);
  const hasTrailer = plan.isGo && exchange.head.version !== '1.0';
  if (hasTrailer) headers.push('Trailer', 'Server-Timing');
  const pump = async (out: BodyWriter) => {
    const coded = flushingWriter(coding, out);
    await pumpEvents(coded, plan, call);
    const tookMs = services.clock.now() - startedAtMs;
    await coded.end(hasTrailer ? ['Server-Timing', `total_duration;dur=${tookMs.toFixed(2)}`] : undefined);
  };
  return reply.stream('text/event-stream', pump, { headers });
}

function sseIn(coding: Coding): TestbedEndpoint {
  const isPlain = coding === 'identity';
  const path = isPlain ? '/sse' : `/sse/${coding}`;
  const codingHeader = isPlain ? null : coding;
  const twoEvents =
    /^id: 1\nevent: message\ndata: \{"id":1,"timestamp":\d{13},"message":"event 1 of 2"\}\n\nid: 2\nevent: message\ndata: \{"id":2,.*\}\n\nevent: end\ndata: \{"count":2\}\n\n$/;
  return endpoint({
    id: isPlain ? 'sse' : `sse-${coding}`,
    group: 'SSE (Server-Sent Events)',
    spec: '1 §4.2, §6',
    methods: ['GET'],
    path,
    summary: isPlain ? 'A stream of events.' : `A stream of events in ${coding}, flushed after each.`,
    description:
      'Events have an id, a name and JSON data; the last one is `end`. A client that comes back with ' +
      'Last-Event-ID gets the events after it, and 204 when it has seen them all. ' +
      'The go dialect sends `ping` events as go-httpbin does.',
    query,
    headers: Type.Object({
      'last-event-id': Type.Optional(Type.String({ description: 'Resumes after this id.' })),
    }),
    responses: {
      200: eventStream('The events.'),
      204: noBody('The client has seen every event.'),
      400: problem('A parameter is not valid.'),
    },
    examples: [
      {
        name: 'two events',
        path: `${path}?count=2&interval=20`,
        expect: {
          status: 200,
          decodedText: twoEvents,
          headers: {
            'content-type': 'text/event-stream',
            'content-encoding': codingHeader,
            'cache-control': 'no-store',
            'content-length': null,
          },
        },
      },
      {
        name: 'resumed',
        path: `${path}?count=2&interval=20`,
        headers: ['Last-Event-ID', '1'],
        expect: { status: 200, decodedText: /^id: 2\n.*\n\nevent: end\n.*\n\n$/s },
      },
      ...(isPlain ? plainExamples : []),
      { name: 'no events', path: `${path}?count=0`, expect: { status: 400, json: { detail: /count/ } } },
    ],
    handle: (call) => eventStreamAnswer(call, coding),
  });
}

const plainExamples: readonly Example[] = [
  {
    name: 'nothing left to resume',
    path: '/sse?count=2',
    headers: ['Last-Event-ID', '2'],
    expect: { status: 204, length: 0 },
  },
  {
    name: 'retry, comments, a name and CRLF',
    path: '/sse?count=1&retry=500&comments=1&event=tick&size=3&eol=crlf',
    expect: {
      status: 200,
      text: /^: event 1\r\nretry: 500\r\nid: 1\r\nevent: tick\r\ndata: \{.*"message":"xxx"\}\r\n\r\nevent: end\r\n/,
    },
  },
  {
    name: 'CR alone',
    path: '/sse?count=1&eol=cr',
    expect: { status: 200, text: /^id: 1\revent: message\rdata: / },
  },
  {
    name: 'go dialect',
    path: '/sse?count=2&duration=20ms&dialect=go',
    expect: {
      status: 200,
      text: /^event: ping\ndata: \{"id":0,"timestamp":\d{13}\}\n\nevent: ping\ndata: \{"id":1,"timestamp":\d{13}\}\n\n$/,
      headers: { trailer: 'Server-Timing' },
      wire: /\r\n0\r\nServer-Timing: total_duration;dur=\d+\.\d\d\r\n\r\n$/,
    },
  },
  {
    name: 'a bad line end',
    path: '/sse?eol=lfcr',
    expect: { status: 400, json: { detail: /eol must be one of/ } },
  },
  {
    name: 'too long',
    path: '/sse?count=10000&interval=60000',
    expect: { status: 400, json: { detail: /interval/ } },
  },
];

export const sse: readonly TestbedEndpoint[] = (['identity', 'zstd', 'gzip', 'deflate', 'br'] as const).map(
  sseIn,
);
