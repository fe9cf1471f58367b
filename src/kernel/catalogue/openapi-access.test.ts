import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Type } from 'typebox';
import { reply } from './answer.ts';
import { json, noBody } from './declarations.ts';
import { type Endpoint, endpointsFor } from './endpoint.ts';
import { buildOpenApi } from './openapi.ts';
import { brokenOpenApiRules } from './testing/openapi-rules.ts';

const endpoint = endpointsFor<object>();
const basics = { group: 'G', methods: ['GET'], summary: 'S.', examples: [], handle: () => reply.empty() };
const manage = { category: 'SECRETS', action: 'MANAGE', scope: 'project' } as const;

const documentOf = (endpoints: readonly Endpoint<object>[]) =>
  buildOpenApi({ title: 'T', version: '1', tags: [{ name: 'G', description: 'd' }], endpoints });

const document = documentOf([
  endpoint({ ...basics, id: 'open', path: '/open', access: 'open', responses: { 200: noBody('ok') } }),
  endpoint({
    ...basics,
    id: 'older',
    path: '/older/',
    access: manage,
    errors: 'envelope',
    responses: { 200: noBody('ok') },
  }),
  endpoint({
    ...basics,
    id: 'problem',
    path: '/problem/{name}/',
    access: manage,
    responses: { 200: noBody('ok'), 403: noBody('Own words.') },
  }),
  endpoint({
    ...basics,
    id: 'newer',
    path: '/newer/',
    access: 'token',
    errors: 'newer',
    responses: { 200: noBody('ok') },
  }),
  endpoint({
    ...basics,
    id: 'token',
    path: '/token',
    access: 'open',
    errors: 'oauth',
    query: Type.Object({ a: Type.String() }),
    responses: { 200: json('A token.') },
  }),
]);
// biome-ignore lint/suspicious/noExplicitAny: the tests walk freely through a JSON document.
const paths = document.paths as any;

describe('access in the OpenAPI document', () => {
  test('entries that need a token say so, and open ones say that they do not', () => {
    assert.deepEqual(paths['/open'].get.security, []);
    assert.deepEqual(paths['/older/'].get.security, [{ bearer: [] }]);
    const { securitySchemes } = document.components as { securitySchemes: Record<string, object> };
    assert.deepEqual(Object.keys(securitySchemes), ['bearer']);
  });

  test('a permission is named', () => {
    assert.equal(paths['/older/'].get['x-permission'], 'SECRETS MANAGE (project)');
    assert.equal(paths['/newer/'].get['x-permission'], undefined);
  });

  test('a module without callers shows nothing of it', () => {
    const plain = documentOf([
      endpoint({ ...basics, id: 'x', path: '/x', responses: { 200: noBody('ok') } }),
    ]);
    assert.deepEqual(Object.keys(plain.components as object), ['schemas']);
    // biome-ignore lint/suspicious/noExplicitAny: as above.
    const { get } = (plain.paths as any)['/x'];
    assert.equal('security' in get, false);
    assert.deepEqual(Object.keys(get.responses), ['200']);
  });

  test('the document keeps the rules', async () => {
    assert.deepEqual(await brokenOpenApiRules(document), []);
  });
});

describe('failures in the OpenAPI document', () => {
  const cases: Array<[path: string, statuses: string[], mediaType: string, schema: string]> = [
    ['/open', ['200', '500'], 'application/problem+json', 'ManagementProblem'],
    ['/older/', ['200', '400', '401', '500'], 'application/json', 'EnvelopeFailure'],
    [
      '/problem/{name}/',
      ['200', '400', '401', '403', '500'],
      'application/problem+json',
      'ManagementProblem',
    ],
    ['/newer/', ['200', '401', '500'], 'application/json', 'NewerFailure'],
    ['/token', ['200', '400', '500'], 'application/json', 'OAuthFailure'],
  ];
  for (const [path, statuses, mediaType, schema] of cases) {
    test(`${path} fails by ${statuses.slice(1).join(', ')} in ${schema}`, () => {
      const { responses } = paths[path].get;
      assert.deepEqual(Object.keys(responses), statuses);
      assert.deepEqual(responses[500].content[mediaType].schema, { $ref: `#/components/schemas/${schema}` });
    });
  }

  test('what the entry says itself stands', () => {
    assert.equal(paths['/problem/{name}/'].get.responses[403].description, 'Own words.');
  });
});
