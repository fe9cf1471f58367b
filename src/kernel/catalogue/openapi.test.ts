import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Type } from 'typebox';
import { reply } from './answer.ts';
import { int32, json, jsonBody, noBody, problem } from './declarations.ts';
import { endpointsFor } from './endpoint.ts';
import { buildOpenApi } from './openapi.ts';
import { brokenOpenApiRules } from './testing/openapi-rules.ts';

const endpoint = endpointsFor<object>();
const User = Type.Object({ id: int32(), name: Type.String() }, { $id: 'User', description: 'A user.' });
const handle = () => reply.empty();

const document = buildOpenApi({
  title: 'T',
  version: '1',
  tags: [
    { name: 'B', description: 'second letter first' },
    { name: 'A', description: 'first letter' },
  ],
  endpoints: [
    endpoint({
      id: 'users',
      group: 'A',
      spec: '1 §4.4',
      methods: ['GET', 'POST'],
      path: '/users/',
      aliases: ['/hidden'],
      summary: 'Users.',
      query: Type.Object({
        n: Type.Optional(int32({ default: 3, description: 'How many.' })),
        url: Type.String(),
      }),
      headers: Type.Object({ 'x-a': Type.Optional(Type.String()) }),
      body: jsonBody(User),
      responses: { 200: json('Users.', Type.Array(User)), 400: problem('Bad.') },
      examples: [
        { name: 'all', path: '/users/?url=/a', expect: { status: 200 } },
        { name: 'new', method: 'POST', path: '/users/?url=/\xfe', body: '{}', expect: { status: 400 } },
        { name: 'test only', shown: false, expect: { status: 200 } },
      ],
      handle,
    }),
    endpoint({
      id: 'rest',
      group: 'B',
      methods: ['PUT', 'ANY'],
      path: '/rest/{id}/{path**}',
      params: Type.Object({ id: int32({ minimum: 1 }), path: Type.String() }),
      summary: 'Rest.',
      responses: { 204: noBody('Nothing.') },
      examples: [],
      handle,
    }),
    endpoint({
      id: 'bare',
      group: 'B',
      methods: ['GET'],
      path: '/bare/**',
      summary: 'Bare.',
      responses: { 200: noBody('ok') },
      examples: [],
      handle,
    }),
  ],
});
// biome-ignore lint/suspicious/noExplicitAny: the tests walk freely through a JSON document.
type Free = any;
const paths = document.paths as Free;

describe('the OpenAPI document', () => {
  test('keeps the structural rules of OpenAPI 3.1 and of JSON Schema 2020-12', async () => {
    assert.deepEqual(await brokenOpenApiRules(document), []);
  });

  test('lists tags in the given order', () => {
    assert.deepEqual(document.tags, [
      { name: 'B', description: 'second letter first' },
      { name: 'A', description: 'first letter' },
    ]);
  });

  test('shows declared methods only, and not the aliases', () => {
    assert.deepEqual(Object.keys(paths), ['/users/', '/rest/{id}/{path}', '/bare/**']);
    assert.deepEqual(Object.keys(paths['/users/']), ['get', 'post']);
    assert.deepEqual(Object.keys(paths['/rest/{id}/{path}']), ['put']);
  });

  test('gives every operation an id of its own', () => {
    assert.equal(paths['/users/'].get.operationId, 'users-get');
    assert.equal(paths['/users/'].post.operationId, 'users-post');
    assert.equal(paths['/bare/**'].get.operationId, 'bare');
  });

  test('declares parameters with place, need and default', () => {
    assert.deepEqual(paths['/users/'].get.parameters, [
      {
        name: 'n',
        in: 'query',
        description: 'How many.',
        schema: { type: 'integer', minimum: -2147483648, maximum: 2147483647, format: 'int32', default: 3 },
        required: false,
      },
      { name: 'url', in: 'query', schema: { type: 'string' }, required: true },
      { name: 'x-a', in: 'header', schema: { type: 'string' }, required: false },
    ]);
    assert.deepEqual(
      paths['/rest/{id}/{path}'].put.parameters.map(
        ({ name, required }: { name: string; required: boolean }) => [name, required],
      ),
      [
        ['id', true],
        ['path', true],
      ],
    );
  });

  test('puts named schemas into the components and refers to them', () => {
    const user = { $ref: '#/components/schemas/User' };
    const { get, post } = paths['/users/'];
    assert.deepEqual(get.responses[200].content['application/json'].schema, { type: 'array', items: user });
    assert.equal(get.requestBody, undefined);
    assert.deepEqual(post.requestBody, { required: true, content: { 'application/json': { schema: user } } });
    const { schemas } = document.components as { schemas: Record<string, { description: string }> };
    assert.deepEqual(Object.keys(schemas).sort(), ['Problem', 'User']);
    assert.equal(schemas.User?.description, 'A user.');
    assert.ok(!JSON.stringify(document).includes('$id'));
  });

  test('shows the examples of each method as URIs', () => {
    assert.deepEqual(paths['/users/'].get['x-examples'], [
      { name: 'all', path: '/users/?url=/a', status: 200 },
    ]);
    assert.deepEqual(paths['/users/'].post['x-examples'], [
      { name: 'new', path: '/users/?url=/%FE', body: '{}', status: 400 },
    ]);
  });
});

describe('the structural rules notice', () => {
  const broken = async (change: (copy: Free) => void) => {
    const copy = JSON.parse(JSON.stringify(document));
    change(copy);
    return (await brokenOpenApiRules(copy)).join('\n');
  };

  test('an operation id used twice', async () => {
    assert.match(
      await broken((copy) => {
        copy.paths['/bare/**'].get.operationId = 'rest';
      }),
      /operationId rest/,
    );
  });
  test('a path parameter that is not declared', async () => {
    assert.match(
      await broken((copy) => {
        copy.paths['/rest/{id}/{path}'].put.parameters.pop();
      }),
      /path/,
    );
  });
  test('a reference that leads nowhere', async () => {
    assert.match(
      await broken((copy) => {
        delete copy.components.schemas.User;
      }),
      /#\/components\/schemas\/User/,
    );
  });
  test('a schema that is none', async () => {
    assert.match(
      await broken((copy) => {
        copy.components.schemas.User.type = 'usr';
      }),
      /schema/,
    );
  });
  test('a tag nobody lists', async () => {
    assert.match(
      await broken((copy) => {
        copy.tags.pop();
      }),
      /tag A/,
    );
  });
  test('two paths that differ only in the names of their parameters', async () => {
    assert.match(
      await broken((copy) => {
        copy.paths['/rest/{x}/{y}'] = {};
      }),
      /\/rest\/\{x\}\/\{y\}/,
    );
  });
});
