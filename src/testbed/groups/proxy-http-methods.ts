import type { RequestHead } from '../../http1/exchange.ts';
import { reply } from '../../kernel/catalogue/answer.ts';
import { json, rawBody, text } from '../../kernel/catalogue/declarations.ts';
import { integrityHeaders } from '../content/integrity.ts';
import { chooseMediaType } from '../content/negotiation.ts';
import { proxyEcho } from '../echo/proxy-echo.ts';
import { endpoint, type TestbedEndpoint } from '../endpoint.ts';

const group = 'Proxy HTTP Methods';
const eightMethods = ['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH', 'TRACE'];

const echo = endpoint({
  id: 'proxy-methods-echo',
  group,
  spec: '1 §4.1',
  methods: eightMethods,
  path: '/proxy-test/methods/echo',
  summary: 'Echoes the request, whichever of the eight methods it has.',
  description:
    'TRACE answers with the head as it arrived, as message/http (RFC 9110 §9.3.8), unless Accept prefers JSON. In public mode credentials and cookies are left out of it. OPTIONS answers with Allow as well.',
  body: rawBody(),
  responses: { 200: json('The echo object; for TRACE the raw head as message/http.') },
  examples: [
    {
      name: 'GET',
      path: '/proxy-test/methods/echo?a=1&a=2',
      headers: ['Host', 'shop.test', 'X-One', '1'],
      expect: {
        status: 200,
        json: {
          method: 'GET',
          rawQuery: 'a=1&a=2',
          query: [
            ['a', '1'],
            ['a', '2'],
          ],
          httpVersion: '1.1',
          host: 'shop.test',
          headers: { 'x-one': ['1'] },
          body: { length: 0 },
        },
      },
    },
    ...['PUT', 'POST', 'DELETE', 'PATCH'].map((method) => ({
      name: method,
      method,
      headers: ['Content-Type', 'text/plain; charset=iso-8859-9'],
      body: Uint8Array.of(0xfe, 0x61),
      expect: {
        status: 200,
        json: {
          method,
          body: {
            length: 2,
            sha256: '4494fc97db08e63b26f8a3e8794d3d5ff7c51d15d291124295cfba405732c022',
            charset: 'iso-8859-9',
            text: 'şa',
          },
        },
      },
    })),
    {
      name: 'HEAD has the head of GET and no content',
      method: 'HEAD',
      expect: {
        status: 200,
        headers: { 'content-type': 'application/json', 'content-length': /^[1-9]\d*$/ },
        length: 0,
      },
    },
    {
      name: 'OPTIONS says what is allowed',
      method: 'OPTIONS',
      expect: { status: 200, headers: { allow: eightMethods.join(', ') }, json: { method: 'OPTIONS' } },
    },
    {
      name: 'TRACE sends the head back byte for byte',
      method: 'TRACE',
      headers: ['Host', 'a', 'x-ODD', 'b', 'Connection', 'close'],
      expect: {
        status: 200,
        headers: { 'content-type': 'message/http' },
        text: 'TRACE /proxy-test/methods/echo HTTP/1.1\r\nHost: a\r\nx-ODD: b\r\nConnection: close\r\n\r\n',
      },
    },
    {
      name: 'TRACE gives the echo object to who wants JSON',
      method: 'TRACE',
      headers: ['Accept', 'application/json'],
      expect: { status: 200, headers: { 'content-type': 'application/json' }, json: { method: 'TRACE' } },
    },
  ],
  async handle(call) {
    const { request, exchange, services } = call;
    if (request.method === 'TRACE') {
      const { chosen } = chooseMediaType(request.headers.get('accept'), ['message/http', 'application/json']);
      const hidden = services.settings.isPublic ? sensitiveFields : new Set<string>();
      if (chosen === 'message/http') return reply.bytes(traceOf(exchange.head, hidden), chosen);
    }
    const headers = request.method === 'OPTIONS' ? ['Allow', eightMethods.join(', ')] : [];
    return reply.json(await proxyEcho(call), { headers });
  },
});

const sensitiveFields: ReadonlySet<string> = new Set(['authorization', 'proxy-authorization', 'cookie']);

/** The request head as it came; HTTP/2, which has no such bytes, is written as HTTP/1.1 would be. */
function traceOf(
  { method, target, version, headers, wireBytes }: RequestHead,
  hidden: ReadonlySet<string>,
): Buffer {
  if (wireBytes && hidden.size === 0) return wireBytes;
  const lines = [...headers.pairs()].filter(([name]) => !hidden.has(name.toLowerCase()));
  const fields = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return Buffer.from(`${method} ${target} HTTP/${version}\r\n${fields}\r\n`, 'latin1');
}

const PATCH_TYPES = 'application/json-patch+json, application/merge-patch+json, application/json, text/plain';

const patchEcho = endpoint({
  id: 'proxy-methods-patch-echo',
  group,
  spec: '1 §4.1',
  methods: ['PATCH'],
  path: '/proxy-test/methods/patch-echo',
  summary: 'Echoes a PATCH with its body, and says by Accept-Patch which kinds are usual.',
  body: rawBody(),
  responses: { 200: json('The echo object.') },
  examples: [
    {
      name: 'a merge patch comes through',
      headers: ['Content-Type', 'application/merge-patch+json'],
      body: '{"a":null}',
      expect: {
        status: 200,
        headers: { 'accept-patch': PATCH_TYPES },
        json: {
          method: 'PATCH',
          body: { length: 10, contentType: 'application/merge-patch+json', text: '{"a":null}' },
        },
      },
    },
  ],
  handle: async (call) => reply.json(await proxyEcho(call), { headers: ['Accept-Patch', PATCH_TYPES] }),
});

const optionsTest = endpoint({
  id: 'proxy-methods-options-test',
  group,
  spec: '1 §4.1',
  methods: ['GET', 'OPTIONS'],
  path: '/proxy-test/methods/options-test',
  summary: 'OPTIONS answers with Allow and no content.',
  responses: { 200: json('GET tells what OPTIONS answers; OPTIONS has no content.') },
  examples: [
    {
      name: 'Allow names every method there is',
      method: 'OPTIONS',
      expect: {
        status: 200,
        headers: { allow: 'GET, HEAD, OPTIONS', 'content-type': null, 'content-length': '0' },
        length: 0,
      },
    },
    { name: 'GET tells about it', expect: { status: 200, json: { allow: ['GET', 'HEAD', 'OPTIONS'] } } },
  ],
  handle({ request }) {
    const allow = ['GET', 'HEAD', 'OPTIONS'];
    if (request.method !== 'OPTIONS') return reply.json({ allow });
    return reply.bytes('', undefined, { headers: ['Allow', allow.join(', ')] });
  },
});

const HEAD_CONTENT =
  'A proxy that answers HEAD must keep the length of this text and leave the text itself out.\n';

const headTest = endpoint({
  id: 'proxy-methods-head-test',
  group,
  spec: '1 §4.1',
  methods: ['GET', 'HEAD'],
  path: '/proxy-test/methods/head-test',
  summary: 'GET and HEAD have the same header fields, Content-Length included; HEAD has no content.',
  responses: { 200: text('The same head for both; only GET has the content.') },
  examples: [
    {
      name: 'GET',
      expect: { status: 200, headers: { 'content-length': String(HEAD_CONTENT.length) }, text: HEAD_CONTENT },
    },
    {
      name: 'HEAD: the length of the content, and no content',
      method: 'HEAD',
      expect: {
        status: 200,
        headers: {
          'content-length': String(HEAD_CONTENT.length),
          'content-type': 'text/plain; charset=utf-8',
          'x-body-sha256': /^[0-9a-f]{64}$/,
          'transfer-encoding': null,
        },
        length: 0,
        wire: /\r\n\r\n$/,
      },
    },
  ],
  handle: () => reply.text(HEAD_CONTENT, { headers: integrityHeaders(HEAD_CONTENT) }),
});

export const proxyHttpMethods: readonly TestbedEndpoint[] = [echo, patchEcho, optionsTest, headTest];
