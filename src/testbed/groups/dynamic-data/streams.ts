import { Type } from 'typebox';
import { isToken } from '../../../http1/characters.ts';
import type { BodyWriter } from '../../../http1/exchange.ts';
import { reply } from '../../../kernel/catalogue/answer.ts';
import { anyType, int32, json, problem } from '../../../kernel/catalogue/declarations.ts';
import { fault } from '../../../kernel/faults.ts';
import { duration, durationMs, pauseMs, refuseLongerThan } from '../../content/durations.ts';
import { streamHeaders } from '../../content/streaming.ts';
import { dialectOf, type Echo, echoBody, echoGet, sortedJson } from '../../echo/httpbin-echo.ts';
import { spacedJsonText } from '../../echo/sorted-json.ts';
import { endpoint, type TestbedCall, type TestbedEndpoint } from '../../endpoint.ts';

const group = 'Dynamic Data';
const maxLines = 100;

const stream = endpoint({
  id: 'stream',
  group,
  spec: '1 §4.2',
  methods: ['GET'],
  path: '/stream/{n}',
  summary: 'n lines of JSON, each with the request and its own id.',
  description:
    'At most 100, as httpbin; more are not sent. In the go dialect the id comes first, and at least one line.',
  params: Type.Object({ n: int32({ minimum: 0, description: 'How many lines.' }) }),
  responses: { 200: json('One JSON object per line, chunked.'), 400: problem('n is not valid.') },
  examples: [
    {
      name: 'two lines',
      path: '/stream/2?a=b',
      expect: {
        status: 200,
        headers: { 'transfer-encoding': 'chunked', 'content-type': 'application/json' },
        text: /^\{"url": "http:[^"]+\/stream\/2\?a=b", "args": \{"a": "b"\}, "headers": \{".*"\}, "origin": "[^"]+", "id": 0\}\n\{.*, "id": 1\}\n$/,
      },
    },
    { name: 'none', path: '/stream/0', expect: { status: 200, length: 0 } },
    { name: 'capped', path: '/stream/1000', expect: { status: 200, text: /"id": 99\}\n$/ } },
    {
      name: 'go-httpbin dialect',
      path: '/stream/0?dialect=go',
      expect: {
        status: 200,
        headers: { 'content-type': 'text/plain; charset=utf-8' },
        text: /^\{"id":0,"args":\{"dialect":\["go"\]\},"headers":\{.*\},"origin":"[^"]+","url":"[^"]+"\}\n$/,
      },
    },
    { name: 'no number', path: '/stream/many', expect: { status: 400, json: { detail: /32-bit integer/ } } },
  ],
  handle: (call) => {
    const count = Math.min(call.params.n, maxLines);
    // All lines are the same but for the id, so the long part is made once.
    if (dialectOf(call) === 'go') {
      const lineOf = goLines(call);
      return reply.stream('text/plain; charset=utf-8', (out) => pumpLines(out, lineOf, Math.max(count, 1)));
    }
    const { url, args, headers, origin } = echoGet(call);
    const opening = `${spacedJsonText({ url, args, headers, origin }).slice(0, -1)}, "id": `;
    return reply.stream('application/json', (out) => pumpLines(out, (id) => `${opening}${id}}\n`, count));
  },
});

/** The lines of go-httpbin's streams by their id. */
function goLines(call: TestbedCall): (id: number) => string {
  const { args, headers, origin, url }: Echo = echoGet(call);
  const rest = JSON.stringify({ args, headers, origin, url }).slice(1);
  return (id) => `{"id":${id},${rest}\n`;
}

async function pumpLines(out: BodyWriter, lineOf: (id: number) => string, count: number) {
  for (let id = 0; id < count; id++) {
    const blocked = out.write(lineOf(id));
    if (blocked) await blocked;
  }
}

const jsonLines = endpoint({
  id: 'jsonl',
  group,
  methods: ['GET'],
  path: '/jsonl',
  summary: 'Lines of JSON, one after the other over a duration.',
  query: Type.Object({
    count: Type.Optional(int32({ default: 10, minimum: 1, maximum: 10_000, description: 'How many lines.' })),
    duration: Type.Optional(duration({ default: 5, description: 'From the first line to the last.' })),
    delay: Type.Optional(duration({ default: 0, description: 'Before the answer.' })),
    jitter: Type.Optional(
      duration({ default: 0, description: 'Added to every pause, at random up to this.' }),
    ),
  }),
  responses: {
    200: anyType('One object per line: `{"id":0,"timestamp":…}`; the request and the id in the go dialect.'),
    400: problem('A parameter is not valid.'),
  },
  examples: [
    {
      name: 'three lines',
      path: '/jsonl?count=3&duration=100ms',
      expect: {
        status: 200,
        headers: { 'content-type': 'application/x-ndjson' },
        text: /^\{"id":0,"timestamp":\d{13}\}\n\{"id":1,"timestamp":\d{13}\}\n\{"id":2,"timestamp":\d{13}\}\n$/,
      },
    },
    {
      name: 'go-httpbin dialect',
      path: '/jsonl?count=2&duration=10ms&dialect=go',
      expect: { status: 200, text: /^\{"id":0,"args":\{"count":\["2"\],.*"url":"[^"]+"\}\n\{"id":1,.*\}\n$/ },
    },
    { name: 'no lines', path: '/jsonl?count=0', expect: { status: 400, json: { detail: /count/ } } },
  ],
  handle: async (call) => {
    const { query, services, exchange } = call;
    const { clock } = services;
    const count = query.count ?? 10;
    const overMs = durationMs(query.duration ?? 5);
    const jitterMs = durationMs(query.jitter ?? 0);
    const delayMs = durationMs(query.delay ?? 0);
    const { maxDelayMs } = services.settings.limits;
    refuseLongerThan(maxDelayMs, delayMs, 'delay', 'query');
    refuseLongerThan(maxDelayMs, overMs + jitterMs * count, 'duration', 'query');
    await clock.sleep(delayMs, exchange.signal);
    const stepMs = count > 1 ? overMs / (count - 1) : 0;
    const ownLine = (id: number) => `${JSON.stringify({ id, timestamp: clock.now() })}\n`;
    const lineOf = dialectOf(call) === 'go' ? goLines(call) : ownLine;
    return reply.stream(
      'application/x-ndjson',
      async (out) => {
        for (let id = 0; id < count; id++) {
          if (id > 0) await clock.sleep(pauseMs(stepMs, jitterMs, call), exchange.signal);
          await out.write(lineOf(id));
        }
      },
      { headers: streamHeaders },
    );
  },
});

// Fields that frame, route, authenticate or describe the message may not come after it (RFC 9110 §6.5.1).
const forbiddenTrailers =
  /^(?:authorization|cache-control|content-.*|host|max-forwards|set-cookie|te|trailer|transfer-encoding)$/i;
const fieldValue = /^[\t\x20-\x7e]*$/;

const trailers = endpoint({
  id: 'trailers',
  group,
  methods: ['GET'],
  path: '/trailers',
  summary: 'Sends every query pair as a trailer field.',
  description: 'They are announced by Trailer. Fields that may not be trailers are refused.',
  responses: {
    200: json('The trailers that follow; the echo in the go dialect.'),
    400: problem('A pair cannot be a trailer field.'),
  },
  examples: [
    {
      name: 'two trailers',
      path: '/trailers?X-One=1&X-Two=2',
      expect: {
        status: 200,
        headers: { trailer: 'X-One, X-Two', 'transfer-encoding': 'chunked' },
        wire: /\r\n0\r\nX-One: 1\r\nX-Two: 2\r\n\r\n$/,
      },
    },
    {
      name: 'go-httpbin dialect',
      path: '/trailers?X-One=1',
      headers: ['X-Test-Dialect', 'go'],
      expect: {
        status: 200,
        headers: { trailer: 'X-One' },
        json: { args: { 'X-One': ['1'] }, method: 'GET', data: '', files: {}, form: {}, json: null },
      },
    },
    {
      name: 'forbidden',
      path: '/trailers?Content-Length=1',
      expect: { status: 400, json: { detail: /Content-Length/ } },
    },
    { name: 'no field name', path: '/trailers?a%20b=1', expect: { status: 400 } },
    { name: 'no field value', path: '/trailers?a=1%0d%0aX:2', expect: { status: 400 } },
  ],
  handle: async (call) => {
    const { request, exchange } = call;
    // Names that begin with two underscores are the control overlay's.
    const pairs = request.queryPairs.filter(([name]) => !name.startsWith('__'));
    for (const [name, value] of pairs) {
      if (!isToken(name)) refuseTrailer(name, 'is no field name');
      if (forbiddenTrailers.test(name)) refuseTrailer(name, 'may not be a trailer field');
      if (!fieldValue.test(value)) refuseTrailer(name, 'has characters that a field value may not have');
    }
    // HTTP/1.0 has no chunks and so no place for trailers.
    const sent = exchange.head.version === '1.0' ? [] : pairs;
    const names = [...new Set(sent.map(([name]) => name))].join(', ');
    const shown = dialectOf(call) === 'go' ? await echoBody(call, { hasMethod: true }) : { trailers: sent };
    return reply.stream(
      'application/json',
      async (out) => {
        await out.write(`${JSON.stringify(shown, null, 2)}\n`);
        await out.end(sent.flat());
      },
      { headers: names === '' ? [] : ['Trailer', names] },
    );
  },
});

function refuseTrailer(name: string, rule: string): never {
  throw fault('parameter.invalid', { in: 'query', name: JSON.stringify(name), rule });
}

const upload = endpoint({
  id: 'upload',
  group,
  methods: ['POST', 'PUT', 'PATCH'],
  path: '/upload',
  summary: 'Takes a body of any kind, forgets it, and tells how many bytes came.',
  responses: { 200: json('The echo with `bytes_received`.'), 413: problem('The body is too large.') },
  examples: [
    {
      name: 'counted',
      body: 'x'.repeat(5000),
      expect: { status: 200, json: { bytes_received: 5000, url: /\/upload$/ } },
    },
    {
      name: 'chunked, counted without its framing',
      headers: ['Transfer-Encoding', 'chunked'],
      body: '3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n',
      expect: { status: 200, json: { bytes_received: 5 } },
    },
  ],
  handle: async (call) => {
    const { maxVerifyBytes: maxBytes } = call.services.settings.limits;
    let received = 0;
    for await (const piece of call.exchange.body) {
      received += piece.length;
      if (received > maxBytes) throw fault('body.too-large', { maxBytes });
    }
    return sortedJson({ ...echoGet(call, { hasMethod: true }), bytes_received: received });
  },
});

export const streams: readonly TestbedEndpoint[] = [stream, jsonLines, trailers, upload];
