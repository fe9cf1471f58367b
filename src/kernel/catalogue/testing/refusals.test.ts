import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type } from 'typebox';
import { reply } from '../answer.ts';
import { int32, noBody } from '../declarations.ts';
import { endpointsFor } from '../endpoint.ts';
import { refusalsFor } from './refusals.ts';

const endpoint = endpointsFor<object>();
const described = { group: 'g', summary: 's', responses: { 200: noBody('ok') }, handle: () => reply.empty() };

/** Method and path of what is made from the first of these entries. */
function made(...entries: ReturnType<typeof endpoint>[]) {
  return refusalsFor(entries)(entries[0]!).map(
    ({ method, path, expect }) => `${method} ${path} ${expect.status}`,
  );
}

test('every parameter is tried on top of an example that is answered well', () => {
  const entry = endpoint({
    ...described,
    id: 'a',
    methods: ['PUT'],
    path: '/a/{n}',
    params: Type.Object({ n: int32() }),
    query: Type.Object({
      url: Type.String(),
      code: Type.Optional(int32({ default: 302 })),
      map: Type.Record(Type.String(), Type.String()),
      files: Type.Array(Type.String({ format: 'binary' })),
    }),
    examples: [
      { name: 'bad', path: '/a/1', expect: { status: 400 } },
      { name: 'good', path: '/a/1?url=/x?y&code=301', expect: { status: 302 } },
    ],
  });
  assert.deepEqual(made(entry), [
    'UNDECLARED /a/1 405',
    'OPTIONS /a/1 200',
    'PUT /a/abc?url=/x?y&code=301 400',
    'PUT /a/1?code=301 400',
    'PUT /a/1?url=/x?y&code=abc 400',
  ]);
});

test('without a good example a path is made up', () => {
  const entry = endpoint({
    ...described,
    id: 'a',
    methods: ['GET'],
    path: '/ş/{n}/{rest**}',
    params: Type.Object({ n: int32(), rest: Type.String() }),
    examples: [],
  });
  assert.deepEqual(made(entry), [
    'UNDECLARED /%C5%9F/1/x 405',
    'OPTIONS /%C5%9F/1/x 200',
    'undefined /%C5%9F/abc/x 400',
  ]);
});

test('where another entry takes any method, none is expected to be refused', () => {
  const entry = endpoint({ ...described, id: 'a', methods: ['GET'], path: '/a', examples: [] });
  const other = endpoint({ ...described, id: 'b', methods: ['OPTIONS', 'ANY'], path: '/{x}', examples: [] });
  assert.deepEqual(made(entry, other), []);
});
