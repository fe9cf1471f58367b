import { Type } from 'typebox';
import { ClientGone, type Exchange, type Http2Controls } from '../../http1/exchange.ts';
import { reply } from '../../kernel/catalogue/answer.ts';
import { json, problem } from '../../kernel/catalogue/declarations.ts';
import type { Example } from '../../kernel/catalogue/endpoint.ts';
import { fault } from '../../kernel/faults.ts';
import { allowedMs } from '../delays.ts';
import { endpoint, type TestbedEndpoint } from '../endpoint.ts';

const group = 'Proxy Connection & Redirect';
const BASE = '/proxy-test/connection/h2';

const errorCode = (usual: number) =>
  Type.Integer({
    minimum: 0,
    maximum: 2 ** 32 - 1,
    default: usual,
    description:
      'Error code of RFC 9113 §7: 0 NO_ERROR, 1 PROTOCOL_ERROR, 2 INTERNAL_ERROR, 7 REFUSED_STREAM, 8 CANCEL, ' +
      '11 ENHANCE_YOUR_CALM, 13 HTTP_1_1_REQUIRED …',
  });

const http1Refused: Example = {
  name: 'HTTP/1.1 has no such frames',
  expect: { status: 505, json: { title: 'HTTP Version Not Supported', detail: /needs an HTTP\/2 stream/ } },
};
const HTTP1_RESPONSE = { 505: problem('The request came over HTTP/1.1.') };

function controlsOf({ http2 }: Exchange): Http2Controls {
  if (!http2) throw fault('protocol.http2-only');
  return http2;
}

const goAway = endpoint({
  id: 'h2-goaway',
  group,
  methods: ['GET', 'POST'],
  path: `${BASE}/goaway`,
  summary: 'Sends GOAWAY, then answers or not. HTTP/2 only.',
  description:
    'With `processed` this stream counts as processed and is answered before the connection closes. Without it the GOAWAY ' +
    'says that it never was, so that the request may be sent again on another connection (RFC 9113 §6.8).',
  query: Type.Object({ code: errorCode(0), processed: Type.Boolean({ default: true }) }),
  responses: { 200: json('The code that was sent.'), ...HTTP1_RESPONSE },
  examples: [
    http1Refused,
    {
      name: 'a code that is none',
      path: `${BASE}/goaway?code=-1`,
      expect: { status: 400, json: { detail: /code must be at least 0/ } },
    },
  ],
  handle: ({ exchange, query }) => {
    const { code, processed } = query;
    const http2 = controlsOf(exchange);
    http2.goAway(code, processed);
    if (!processed) throw new ClientGone();
    exchange.closeAfterAnswer();
    return reply.json({ goaway: { code, processed } });
  },
});

const resetStream = endpoint({
  id: 'h2-rst-stream',
  group,
  methods: ['GET', 'POST'],
  path: `${BASE}/rst-stream`,
  summary: 'Ends the stream by RST_STREAM; the connection stays. HTTP/2 only.',
  query: Type.Object({
    code: errorCode(8),
    at: Type.Union([Type.Literal('before-headers'), Type.Literal('mid-body')], {
      default: 'before-headers',
      description: 'How far the answer gets.',
    }),
  }),
  responses: { 200: json('Half of an answer.'), ...HTTP1_RESPONSE },
  examples: [
    http1Refused,
    {
      name: 'an unknown place',
      path: `${BASE}/rst-stream?at=lunch`,
      expect: { status: 400, json: { detail: /at must be one of before-headers, mid-body/ } },
    },
  ],
  handle: async ({ exchange, query }) => {
    const http2 = controlsOf(exchange);
    if (query.at === 'mid-body') {
      await exchange.startBody(200, ['Content-Type', 'application/json']).write('{"half":');
    }
    http2.resetStream(query.code);
    // There will be no answer, so nobody is left to be told anything.
    throw new ClientGone();
  },
});

const stall = endpoint({
  id: 'h2-stall',
  group,
  methods: ['GET', 'POST'],
  path: `${BASE}/stall`,
  summary: 'Lets the stream stall, then goes on. HTTP/2 only.',
  description:
    'before-headers: nothing is answered for a while. mid-body: half of the answer, then nothing. request-body: the request ' +
    'body is not read, so that its sender runs out of flow-control window.',
  query: Type.Object({
    at: Type.Union([Type.Literal('before-headers'), Type.Literal('mid-body'), Type.Literal('request-body')], {
      default: 'mid-body',
      description: 'What stalls.',
    }),
    ms: Type.Integer({ minimum: 0, default: 2000, description: 'For so many milliseconds.' }),
  }),
  responses: { 200: json('How long it took.'), ...HTTP1_RESPONSE },
  examples: [
    http1Refused,
    {
      name: 'longer than the service waits',
      path: `${BASE}/stall?ms=999999999`,
      expect: { status: 400, json: { detail: /ms must be at most/ } },
    },
  ],
  handle: async ({ exchange, query, services }) => {
    const { at } = query;
    const ms = allowedMs(services, 'ms', query.ms);
    controlsOf(exchange);
    const pause = () => services.clock.sleep(ms, exchange.signal);
    if (at === 'mid-body') {
      return reply.stream('application/json', async (out) => {
        await out.write('{"stalled":"mid-body",');
        await pause();
        await out.write(`"ms":${ms}}\n`);
      });
    }
    await pause();
    await exchange.body.discard(services.settings.limits.maxBodyBytes);
    return reply.json({ stalled: at, ms, received: exchange.body.receivedLength });
  },
});

const settingsFlood = endpoint({
  id: 'h2-settings-flood',
  group,
  methods: ['GET'],
  path: `${BASE}/settings-flood`,
  summary: 'Sends many SETTINGS frames, then answers once all are acknowledged. HTTP/2 only.',
  query: Type.Object({
    count: Type.Integer({ minimum: 1, maximum: 5000, default: 1000, description: 'How many.' }),
  }),
  responses: { 200: json('How many were acknowledged.'), ...HTTP1_RESPONSE },
  examples: [
    http1Refused,
    {
      name: 'too many',
      path: `${BASE}/settings-flood?count=5001`,
      expect: { status: 400, json: { detail: /count must be at most 5000/ } },
    },
  ],
  handle: async ({ exchange, query, services }) => {
    const http2 = controlsOf(exchange);
    if (services.settings.isPublic)
      throw fault('feature.disabled', { feature: 'The flood', reason: 'this service is public' });
    await http2.floodSettings(query.count);
    return reply.json({ acknowledged: query.count });
  },
});

/** Faults that only frames of HTTP/2 can express. */
export const proxyHttp2Faults: readonly TestbedEndpoint[] = [goAway, resetStream, stall, settingsFlood];
