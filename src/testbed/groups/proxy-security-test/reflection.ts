import { Type } from 'typebox';
import { reply } from '../../../kernel/catalogue/answer.ts';
import { html, json, problem } from '../../../kernel/catalogue/declarations.ts';
import { xmlEscape } from '../../content/xml.ts';
import { endpoint, type TestbedEndpoint } from '../../endpoint.ts';
import { refuseInPublic } from '../../public-mode.ts';

const GROUP = 'Proxy Security Test';
const BASE = '/proxy-test/security';
const SCRIPT = '<script>alert(1)</script>';

const inputParameter = Type.Object({ input: Type.String({ maxLength: 10_000, default: SCRIPT }) });

const xssRaw = endpoint({
  id: 'xss-raw',
  group: GROUP,
  spec: '1 §4.6',
  methods: ['GET'],
  path: `${BASE}/xss/raw`,
  summary: 'Reflects the input into HTML as it is: a vulnerability for WAF tests.',
  description: 'Switched off in public mode.',
  query: inputParameter,
  responses: { 200: html('A page that runs the input.'), 403: problem('The service is public.') },
  examples: [
    {
      name: 'reflected as it is',
      path: `${BASE}/xss/raw?input=%3Cb%3E%26`,
      expect: {
        status: 200,
        headers: {
          'content-type': 'text/html; charset=utf-8',
          'x-test-warning': /reflected/,
          'content-security-policy': null,
        },
        text: /<p><b>&<\/p>/,
      },
    },
    { name: 'a script by default', expect: { status: 200, text: /<p><script>alert\(1\)<\/script><\/p>/ } },
  ],
  handle: ({ query, services }) => {
    refuseInPublic(services.settings, 'Raw reflection');
    return reply.html(page(query.input), {
      headers: ['X-Test-Warning', 'input is reflected without escaping'],
    });
  },
});

const xssEscaped = endpoint({
  id: 'xss-escaped',
  group: GROUP,
  methods: ['GET'],
  path: `${BASE}/xss/escaped`,
  summary: 'Reflects the input into HTML, escaped.',
  query: inputParameter,
  responses: { 200: html('A page that shows the input.') },
  examples: [
    {
      name: 'escaped',
      expect: {
        status: 200,
        headers: {
          'content-security-policy': "default-src 'none'; sandbox",
          'x-content-type-options': 'nosniff',
        },
        text: /<p>&lt;script&gt;alert\(1\)&lt;\/script&gt;<\/p>/,
      },
    },
    {
      name: 'quotes too',
      path: `${BASE}/xss/escaped?input=%22%27%26`,
      expect: { status: 200, text: /<p>(&quot;|&#34;)(&apos;|&#39;)&amp;<\/p>/ },
    },
  ],
  handle: ({ query }) =>
    reply.html(page(xmlEscape(query.input)), {
      headers: [
        'Content-Security-Policy',
        "default-src 'none'; sandbox",
        'X-Content-Type-Options',
        'nosniff',
      ],
    }),
});

const page = (content: string) => `<!doctype html>\n<title>Reflection</title>\n<p>${content}</p>\n`;

const crlf = endpoint({
  id: 'crlf',
  group: GROUP,
  methods: ['GET'],
  path: `${BASE}/crlf`,
  summary: 'Puts the value into a header field, with line breaks made harmless.',
  description:
    'When a proxy in between decodes the query once too often, the injected field appears in its answer.',
  query: Type.Object({ value: Type.String({ maxLength: 4096, default: 'a\r\nX-Injected: yes' }) }),
  responses: { 200: json('The value, and the field made of it.') },
  examples: [
    {
      name: 'an injected cookie stays text',
      path: `${BASE}/crlf?value=x%0d%0aSet-Cookie:%20a=b`,
      expect: {
        status: 200,
        headers: { 'x-reflected': 'x  Set-Cookie: a=b', 'set-cookie': null },
        json: { value: 'x\r\nSet-Cookie: a=b', isNeutralised: true },
      },
    },
    {
      name: 'a harmless value is kept',
      path: `${BASE}/crlf?value=plain`,
      expect: { status: 200, headers: { 'x-reflected': 'plain' }, json: { isNeutralised: false } },
    },
  ],
  handle: ({ query: { value } }) => {
    const harmless = value.replace(/[\x00-\x08\x0a-\x1f\x7f]/g, ' ');
    const field = Buffer.from(harmless, 'utf8').toString('latin1').trim();
    return reply.json({ value, isNeutralised: harmless !== value }, { headers: ['X-Reflected', field] });
  },
});

const UNKEYED_FIELDS = ['x-forwarded-host', 'x-forwarded-scheme', 'x-original-url', 'x-test-unkeyed'];

const cachePoison = endpoint({
  id: 'cache-poison',
  group: GROUP,
  methods: ['GET'],
  path: `${BASE}/cache-poison`,
  summary: 'A cacheable answer that depends on fields no cache keys on.',
  description:
    'Ask twice with the same `x`, the second time without the fields: what comes back then was poisoned.',
  query: Type.Object({
    x: Type.Optional(Type.String({ maxLength: 200, description: 'Makes the cache entry your own.' })),
  }),
  responses: { 200: json('The fields, reflected.') },
  examples: [
    {
      name: 'reflected and cacheable, without Vary',
      path: `${BASE}/cache-poison?x=1`,
      headers: ['X-Forwarded-Host', 'evil.test'],
      expect: {
        status: 200,
        headers: { 'cache-control': 'public, max-age=60', vary: null },
        json: { x: '1', reflected: { 'x-forwarded-host': 'evil.test' } },
      },
    },
  ],
  handle: ({ query, request }) => {
    const present = UNKEYED_FIELDS.filter((name) => request.headers.has(name));
    const reflected = Object.fromEntries(present.map((name) => [name, request.headers.first(name)]));
    return reply.json(
      { x: query.x ?? null, reflected },
      { headers: ['Cache-Control', 'public, max-age=60'] },
    );
  },
});

export const reflectionEndpoints: readonly TestbedEndpoint[] = [xssRaw, xssEscaped, crlf, cachePoison];
