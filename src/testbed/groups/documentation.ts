import { Type } from 'typebox';
import { reply } from '../../kernel/catalogue/answer.ts';
import { anyType, html, json, noBody, problem, xml } from '../../kernel/catalogue/declarations.ts';
import { fault } from '../../kernel/faults.ts';
import { baseUrlOf, pageHeaders } from '../../kernel/page/answers.ts';
import { asUriReference } from '../../kernel/problem.ts';
import { chooseMediaType } from '../content/negotiation.ts';
import { endpoint, type TestbedEndpoint } from '../endpoint.ts';
import { documentAnswer } from '../page/answers.ts';

const page = endpoint({
  id: 'documentation-page',
  group: 'Test Utilities',
  methods: ['GET'],
  path: '/',
  summary: 'This page: every endpoint, described and ready to be tried.',
  description: 'Who prefers `application/json` gets a short index instead.',
  responses: {
    200: { ...html('The page.'), headers: { 'Content-Security-Policy': 'Nothing but its own files.' } },
    304: noBody('The page has not changed.'),
  },
  examples: [
    {
      name: 'page',
      expect: {
        status: 200,
        headers: {
          'content-type': 'text/html; charset=utf-8',
          'content-security-policy': /^default-src 'none'; script-src 'self'; style-src 'self';/,
          vary: 'Accept, Accept-Encoding',
        },
        text: /<details class="endpoint" id="\/documentation-page"[^>]*>\n<summary>/,
      },
    },
    {
      name: 'compressed',
      headers: ['Accept-Encoding', 'gzip'],
      expect: { status: 200, headers: { 'content-encoding': 'gzip' }, decodedText: /^<!doctype html>/ },
    },
    {
      name: 'index for programs',
      headers: ['Accept', 'application/json', 'Host', 'bench.example:81'],
      expect: {
        status: 200,
        headers: { 'content-type': 'application/json' },
        json: { openapi: 'http://bench.example:81/openapi.json', version: '2026.04.1' },
      },
    },
    {
      name: 'a name that is none is not repeated',
      headers: ['Host', "a'b"],
      expect: { status: 200, text: /data-base-url="http:\/\/localhost"/ },
    },
  ],
  handle: async (call) => {
    const { descriptions } = call.services;
    const baseUrl = baseUrlOf(call);
    const vary = ['Vary', 'Accept, Accept-Encoding'];
    const accept = call.request.headers.get('accept');
    if (chooseMediaType(accept, ['text/html', 'application/json']).chosen === 'application/json') {
      return reply.json(descriptions.page().index(baseUrl), { headers: vary });
    }
    const markup = descriptions.page().html(baseUrl);
    const headers = ['Cache-Control', 'no-cache', ...vary, ...pageHeaders];
    return documentAnswer(call, markup, 'text/html; charset=utf-8', headers);
  },
});

const pageEndpoint = endpoint({
  id: 'documentation-endpoint',
  group: 'Test Utilities',
  methods: ['GET'],
  path: '/assets/endpoints/{id}',
  summary: 'What the page shows of one endpoint, as a piece of HTML.',
  params: Type.Object({
    id: Type.String({ description: 'The id of an endpoint, as in the links of the page.' }),
  }),
  responses: {
    200: html('The description and a form.'),
    304: noBody('It has not changed.'),
    404: problem('There is no such endpoint.'),
  },
  examples: [
    {
      name: 'its own description',
      path: '/assets/endpoints/documentation-endpoint',
      expect: {
        status: 200,
        headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' },
        text: /<tr><td><code>id<\/code> <span class="required">required<\/span><\/td>/,
      },
    },
    {
      name: 'an endpoint that does not exist',
      path: '/assets/endpoints/nonesuch',
      expect: { status: 404, json: { type: '/problems/route.not-found' } },
    },
  ],
  handle: (call) => {
    const markup = call.services.descriptions.page().endpointHtml(call.params.id, baseUrlOf(call));
    if (markup === undefined) throw fault('route.not-found', { path: asUriReference(call.request.rawPath) });
    const headers = ['Cache-Control', 'no-cache', 'Vary', 'Accept-Encoding', ...pageHeaders];
    return documentAnswer(call, markup, 'text/html; charset=utf-8', headers);
  },
});

const pageAsset = endpoint({
  id: 'documentation-asset',
  group: 'Test Utilities',
  methods: ['GET'],
  path: '/assets/{revision}/{name}',
  summary: 'A stylesheet, script or picture of the page.',
  description:
    'Kept for a year under its present revision; under any other one the same file is asked for again.',
  params: Type.Object({
    revision: Type.String({ description: 'Changes whenever a file of the page does.' }),
    name: Type.String(),
  }),
  responses: {
    200: anyType('The file.'),
    304: noBody('It has not changed.'),
    404: problem('There is no such file.'),
  },
  examples: [
    {
      name: 'stylesheet',
      path: '/assets/latest/page.css',
      expect: {
        status: 200,
        headers: {
          'content-type': 'text/css; charset=utf-8',
          'cache-control': 'no-cache',
          etag: /^"[\w-]{27}"$/,
          'x-content-type-options': 'nosniff',
        },
        text: /prefers-color-scheme: dark/,
      },
    },
    {
      name: 'a file that is none of the page',
      path: '/assets/latest/..%2Fpage.ts',
      expect: { status: 404, json: { type: '/problems/route.not-found' } },
    },
  ],
  handle: (call) => {
    const { assetRevision, asset } = call.services.descriptions.page();
    const file = asset(call.params.name);
    if (!file) throw fault('route.not-found', { path: asUriReference(call.request.rawPath) });
    const isCurrent = call.params.revision === assetRevision;
    const headers = [
      'Cache-Control',
      isCurrent ? 'public, max-age=31536000, immutable' : 'no-cache',
      'Vary',
      'Accept-Encoding',
      ...pageHeaders,
    ];
    return documentAnswer(call, file.bytes, file.contentType, headers);
  },
});

const openApi = endpoint({
  id: 'openapi-json',
  group: 'Test Utilities',
  methods: ['GET'],
  path: '/openapi.json',
  aliases: ['/v3/api-docs'],
  summary: 'The OpenAPI 3.1 document of this service.',
  responses: { 200: json('The document.') },
  examples: [
    {
      name: 'document',
      path: '/openapi.json',
      expect: {
        status: 200,
        headers: { 'content-type': 'application/json' },
        json: { openapi: '3.1.0', info: { version: '2026.04.1' }, paths: { '/openapi.json': { get: {} } } },
      },
    },
    { name: 'its other address', path: '/v3/api-docs', expect: { status: 200, json: { openapi: '3.1.0' } } },
  ],
  handle: ({ services }) => reply.bytes(services.descriptions.openApiJson(), 'application/json'),
});

const wadl = endpoint({
  id: 'wadl',
  group: 'Response Formats',
  spec: '1 §4.2',
  methods: ['GET'],
  path: '/v2/application.wadl',
  summary: 'The WADL description of this service.',
  responses: { 200: xml('The description.') },
  examples: [
    {
      name: 'description',
      expect: {
        status: 200,
        headers: { 'content-type': 'application/xml' },
        text: /<resource path="\/v2\/application\.wadl">\n\s*<method name="GET" id="wadl">/,
        wire: /\r\n\r\n<\?xml version="1\.0" encoding="UTF-8"\?>\n<application xmlns="http:\/\/wadl\.dev\.java\.net\/2009\/02"/,
      },
    },
  ],
  handle: ({ services, request }) => {
    const baseUrl = `${request.scheme}://${request.authority}/`;
    return reply.bytes(services.descriptions.wadl(baseUrl), 'application/xml');
  },
});

/** What the service says about itself. */
export const documentation: readonly TestbedEndpoint[] = [page, pageEndpoint, pageAsset, openApi, wadl];
