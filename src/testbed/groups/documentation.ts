import { reply } from '../../kernel/catalogue/answer.ts';
import { json, xml } from '../../kernel/catalogue/declarations.ts';
import { endpoint, type TestbedEndpoint } from '../endpoint.ts';

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
export const documentation: readonly TestbedEndpoint[] = [openApi, wadl];
