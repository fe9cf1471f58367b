import { reply } from '../../../kernel/catalogue/answer.ts';
import { binary, json, noBody, problem, rawBody } from '../../../kernel/catalogue/declarations.ts';
import { fault } from '../../../kernel/faults.ts';
import { echoBody } from '../../content/body-echo.ts';
import { integrityHeaders } from '../../content/integrity.ts';
import { readJsonText } from '../../content/json-scanner.ts';
import { proxyEcho } from '../../echo/proxy-echo.ts';
import { endpoint, type TestbedEndpoint } from '../../endpoint.ts';

const group = 'Proxy Body Integrity';

// SHA-256 of `hello`, as any other tool computes it.
const HELLO_SHA256 = '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824';

const binaryEcho = endpoint({
  id: 'proxy-body-binary-echo',
  group,
  spec: '1 §4.6',
  methods: ['POST'],
  path: '/proxy-test/body/binary/echo',
  summary: 'Sends the body back while it arrives, byte for byte.',
  description:
    'The framing of the request is kept: a declared length is declared again, chunks are answered by chunks, followed by the digest as trailers.',
  body: rawBody(),
  responses: {
    200: binary('The very bytes, under the Content-Type they came with.', '*/*'),
    413: problem('The body is larger than the limit.'),
  },
  examples: [
    {
      name: 'bytes of every kind',
      headers: ['Content-Type', 'application/x-sample'],
      body: Uint8Array.of(0, 1, 0x7f, 0x80, 0xff, 0x0d, 0x0a),
      expect: {
        status: 200,
        headers: { 'content-type': 'application/x-sample', 'content-length': '7' },
        hex: '00017f80ff0d0a',
      },
    },
    {
      name: 'chunks come back as chunks with the digest behind them',
      headers: ['Transfer-Encoding', 'chunked'],
      body: '2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n',
      expect: {
        status: 200,
        headers: { 'transfer-encoding': 'chunked', trailer: 'Content-Digest, X-Body-Sha256' },
        text: 'hello',
        wire: new RegExp(`\\r\\n0\\r\\n(.*\\r\\n)*X-Body-Sha256: ${HELLO_SHA256}\\r\\n\\r\\n$`),
      },
    },
  ],
  handle({ exchange, request, services }) {
    const { body, head } = exchange;
    const maxBytes = services.settings.limits.maxBodyBytes;
    const length = body.declaredLength;
    if (length !== undefined && length > maxBytes) throw fault('body.too-large', { maxBytes });
    const sendsDigest = length === undefined && head.version !== '1.0';
    // The client chose the type, so no browser may guess another one.
    const headers = ['X-Content-Type-Options', 'nosniff'];
    if (sendsDigest) headers.push('Trailer', 'Content-Digest, X-Body-Sha256');
    if (length !== undefined) headers.push('Content-Length', String(length));
    const contentType = request.headers.first('content-type') ?? 'application/octet-stream';
    return reply.stream(contentType, (out) => echoBody(body, out, { maxBytes, sendsDigest }), { headers });
  },
});

const largeJsonEcho = endpoint({
  id: 'proxy-body-large-json-echo',
  group,
  spec: '1 §4.6',
  methods: ['POST'],
  path: '/proxy-test/body/large-json/echo',
  summary: 'Sends a JSON body back byte for byte, with its digest.',
  body: rawBody('application/json'),
  responses: {
    200: json('The very bytes that were sent.'),
    400: problem('The body is no JSON.'),
    413: problem('The body is larger than the limit.'),
  },
  examples: [
    {
      name: 'spaces and escapes stay as they are',
      headers: ['Content-Type', 'application/json'],
      body: '{ "a" : "\\u0041" }',
      expect: {
        status: 200,
        headers: { 'content-type': 'application/json', 'x-body-sha256': /^[0-9a-f]{64}$/ },
        text: '{ "a" : "\\u0041" }',
      },
    },
    {
      name: 'no JSON',
      headers: ['Content-Type', 'application/json'],
      body: '{"a":}',
      expect: { status: 400, json: { detail: /no JSON at byte 5/ } },
    },
  ],
  async handle({ exchange, services }) {
    const content = await readJsonText(exchange.body, services.settings.limits.maxBodyBytes);
    return reply.bytes(content, 'application/json', { headers: integrityHeaders(content) });
  },
});

const emptyEcho = endpoint({
  id: 'proxy-body-empty-echo',
  group,
  spec: '1 §4.6',
  methods: ['POST'],
  path: '/proxy-test/body/empty/echo',
  summary: 'Says whether a request that was sent without content arrived so, and how it was framed.',
  body: rawBody(),
  responses: { 200: json('The echo object with `empty`.') },
  examples: [
    {
      name: 'Content-Length: 0 arrives as such',
      headers: ['Content-Length', '0'],
      expect: {
        status: 200,
        json: { empty: { ok: true, framing: 'length', declaredLength: 0 }, body: { length: 0, text: '' } },
      },
    },
    {
      name: 'no chunk but the last',
      headers: ['Transfer-Encoding', 'chunked'],
      body: '0\r\n\r\n',
      expect: { status: 200, json: { empty: { ok: true, framing: 'chunked', declaredLength: null } } },
    },
    {
      name: 'content where none should be',
      body: 'x',
      expect: { status: 200, json: { empty: { ok: false, framing: 'length', declaredLength: 1 } } },
    },
  ],
  async handle(call) {
    const echo = await proxyEcho(call);
    const { framing, declaredLength = null } = call.exchange.body;
    return reply.json({ ...echo, empty: { ok: echo.body.length === 0, framing, declaredLength } });
  },
});

const empty204 = endpoint({
  id: 'proxy-body-empty-204',
  group,
  spec: '1 §4.6',
  methods: ['POST'],
  path: '/proxy-test/body/empty/204',
  summary: 'Answers 204 without content, whatever was sent.',
  body: rawBody(),
  responses: {
    200: noBody('Declared by the interface; the answer is 204.'),
    204: noBody('No content, no Content-Length, no Content-Type.'),
  },
  examples: [
    {
      name: 'no content',
      body: 'anything',
      expect: {
        status: 204,
        headers: { 'content-length': null, 'content-type': null, 'transfer-encoding': null },
        length: 0,
        wire: /\r\n\r\n$/,
      },
    },
  ],
  async handle({ exchange, services }) {
    await exchange.body.discard(services.settings.limits.maxBodyBytes);
    return reply.empty(204);
  },
});

/** Bodies that come back as they were sent, and requests that have none. */
export const echoEndpoints: readonly TestbedEndpoint[] = [largeJsonEcho, emptyEcho, empty204, binaryEcho];
