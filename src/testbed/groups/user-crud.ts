import { Type } from 'typebox';
import { reply } from '../../kernel/catalogue/answer.ts';
import { int32, int64, json, jsonBody, problem } from '../../kernel/catalogue/declarations.ts';
import { fault } from '../../kernel/faults.ts';
import { endpoint, type TestbedEndpoint } from '../endpoint.ts';
import type { User, UserPatch } from '../state/users.ts';

const group = 'User CRUD';
const spec = '1 §4.4';

const text = (description: string) => Type.String({ maxLength: 1000, description });

/** Members that are not listed are ignored. */
export const userSchema = Type.Object(
  {
    id: Type.Optional(
      int64({
        minimum: Number.MIN_SAFE_INTEGER,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'Given by the service when absent.',
      }),
    ),
    name: Type.Optional(text('Full name.')),
    username: Type.Optional(text('Login name.')),
    password: Type.Optional(text('Kept as sent: this is a test service.')),
    age: Type.Optional(int32()),
    salary: Type.Optional(Type.Number({ format: 'double' })),
  },
  { $id: 'User' },
);

/** RFC 7396: any member may be null, which takes it away. The id stays. */
const patchSchema = Type.Object({
  ...Object.fromEntries(
    Object.entries(userSchema.properties).map(([name, schema]) => [
      name,
      Type.Optional(Type.Union([schema, Type.Null()])),
    ]),
  ),
  id: userSchema.properties.id,
});

const params = Type.Object({ id: int64({ description: 'The user.' }) });
const userAnswer = json('The user.', userSchema);
const notFound = problem('There is no such user.');
const badId = problem('The id is no integer.');
const badBody = problem('The body is no user: the answer points to the member and names the rule.');
const full = problem('The store holds as many users as it may.');

const alice = '{"name":"Alice","username":"alice","password":"secret","age":30,"salary":1234.5}';
const createAlice = { method: 'POST', path: '/api/user/', body: alice };

export const userCrud: readonly TestbedEndpoint[] = [
  endpoint({
    id: 'users-list',
    group,
    spec,
    methods: ['GET'],
    path: '/api/user/',
    summary: 'All users, by id.',
    responses: { 200: json('The users.', Type.Array(userSchema)) },
    examples: [
      { name: 'an empty store', expect: { status: 200, text: '[]\n' } },
      {
        name: 'without the slash',
        path: '/api/user',
        setUp: [createAlice],
        expect: {
          status: 200,
          json: [{ id: 1, name: 'Alice', username: 'alice', password: 'secret', age: 30, salary: 1234.5 }],
        },
      },
    ],
    handle: async ({ services }) => reply.json(await services.state.users.list()),
  }),
  endpoint({
    id: 'users-create',
    group,
    spec,
    methods: ['POST'],
    path: '/api/user/',
    summary: 'Creates a user; without an id the next free one is given.',
    body: jsonBody(userSchema),
    responses: { 200: userAnswer, 400: badBody, 409: problem('The id is taken.'), 415: badBody, 507: full },
    examples: [
      {
        name: 'the first user gets id 1',
        body: alice,
        expect: { status: 200, json: { id: 1, name: 'Alice', age: 30 } },
      },
      {
        name: 'a taken id',
        setUp: [createAlice],
        body: '{"id":1}',
        expect: { status: 409, json: { id: 1 } },
      },
      {
        name: 'a wrong type is pointed at',
        body: '{"age":"old"}',
        expect: { status: 400, json: { pointer: '/age', rule: 'at /age must be integer' } },
      },
      { name: 'broken JSON', body: '{"age":', expect: { status: 400, json: { rule: /^is not JSON/ } } },
      { name: 'no body', expect: { status: 400 } },
    ],
    handle: async ({ body, services }) => {
      const created = await services.state.users.create(known(body));
      if (created === 'exists') throw fault('user.exists', { id: body.id });
      return reply.json(stored(created));
    },
  }),
  endpoint({
    id: 'users-clear',
    group,
    spec,
    methods: ['DELETE'],
    path: '/api/user/',
    summary: 'Empties the store.',
    description: 'Ids start again at 1. The answer says how many users there were.',
    responses: { 200: json('The store is empty.', userSchema) },
    examples: [
      { name: 'one user', setUp: [createAlice], expect: { status: 200, json: { deleted: 1 } } },
      {
        name: 'nobody is left',
        setUp: [createAlice, { method: 'DELETE', path: '/api/user' }],
        method: 'DELETE',
        path: '/api/user',
        expect: { status: 200, json: { deleted: 0 } },
      },
    ],
    handle: async ({ services }) => reply.json({ deleted: await services.state.users.clear() }),
  }),
  endpoint({
    id: 'user-get',
    group,
    spec,
    methods: ['GET'],
    path: '/api/user/{id}',
    summary: 'One user.',
    params,
    responses: { 200: userAnswer, 400: badId, 404: notFound },
    examples: [
      {
        name: 'a user',
        path: '/api/user/1',
        setUp: [createAlice],
        expect: { status: 200, json: { id: 1, username: 'alice', salary: 1234.5 } },
      },
      { name: 'nobody', path: '/api/user/7', expect: { status: 404, json: { id: 7 } } },
      { name: 'no integer', path: '/api/user/x', expect: { status: 400, json: { name: 'id' } } },
    ],
    handle: async ({ params, services }) =>
      reply.json(found(await services.state.users.get(params.id), params.id)),
  }),
  endpoint({
    id: 'user-put',
    group,
    spec,
    methods: ['PUT'],
    path: '/api/user/{id}',
    summary: 'Creates or replaces a user.',
    params,
    body: jsonBody(userSchema),
    responses: { 200: userAnswer, 400: badBody, 415: badBody, 507: full },
    examples: [
      {
        name: 'replaces the whole',
        path: '/api/user/1',
        setUp: [createAlice],
        body: '{"name":"Bob"}',
        expect: { status: 200, text: '{\n  "name": "Bob",\n  "id": 1\n}\n' },
      },
      {
        name: 'another id in the body',
        path: '/api/user/1',
        body: '{"id":2}',
        expect: { status: 400, json: { pointer: '/id' } },
      },
    ],
    handle: async ({ params: { id }, body, services }) => {
      refuseOtherId(body.id, id);
      return reply.json(stored(await services.state.users.replace({ ...known(body), id })));
    },
  }),
  endpoint({
    id: 'user-patch',
    group,
    spec,
    methods: ['PATCH'],
    path: '/api/user/{id}',
    summary: 'Changes single members of a user.',
    description: 'A JSON Merge Patch (RFC 7396): null takes a member away.',
    params,
    body: {
      required: true,
      content: { 'application/json': userSchema, 'application/merge-patch+json': userSchema },
      json: patchSchema,
    },
    responses: { 200: userAnswer, 400: badBody, 404: notFound, 415: badBody },
    examples: [
      {
        name: 'one member changed, one taken away',
        path: '/api/user/1',
        setUp: [{ method: 'POST', path: '/api/user/', body: '{"name":"Alice","age":30,"salary":1}' }],
        headers: ['Content-Type', 'application/merge-patch+json'],
        body: '{"age":31,"salary":null}',
        expect: { status: 200, text: '{\n  "name": "Alice",\n  "age": 31,\n  "id": 1\n}\n' },
      },
      { name: 'nobody', path: '/api/user/7', body: '{}', expect: { status: 404, json: { id: 7 } } },
      {
        name: 'a wrong type',
        path: '/api/user/7',
        body: '{"name":1}',
        expect: { status: 400, json: { pointer: '/name' } },
      },
    ],
    handle: async ({ params: { id }, body, services }) => {
      const patch = known(body as UserPatch);
      refuseOtherId(patch.id, id);
      return reply.json(found(await services.state.users.merge(id, patch), id));
    },
  }),
  endpoint({
    id: 'user-delete',
    group,
    spec,
    methods: ['DELETE'],
    path: '/api/user/{id}',
    summary: 'Removes a user and shows it a last time.',
    params,
    responses: { 200: userAnswer, 400: badId, 404: notFound },
    examples: [
      {
        name: 'a user',
        path: '/api/user/1',
        setUp: [createAlice],
        expect: { status: 200, json: { id: 1, name: 'Alice' } },
      },
      {
        name: 'gone already',
        path: '/api/user/1',
        setUp: [createAlice, { method: 'DELETE', path: '/api/user/1' }],
        expect: { status: 404, json: { id: 1 } },
      },
    ],
    handle: async ({ params, services }) =>
      reply.json(found(await services.state.users.remove(params.id), params.id)),
  }),
];

/** The members a user has; whatever else was sent is left out. */
function known<Given extends UserPatch>(given: Given): Given {
  const names = Object.keys(userSchema.properties);
  return Object.fromEntries(Object.entries(given).filter(([name]) => names.includes(name))) as Given;
}

function found(user: User | undefined, id: number): User {
  if (!user) throw fault('user.not-found', { id });
  return user;
}

function stored(user: User | 'full'): User {
  if (user === 'full') throw fault('user.store-full');
  return user;
}

function refuseOtherId(given: number | null | undefined, id: number): void {
  if (given === undefined || given === id) return;
  throw fault('body.invalid', { pointer: '/id', rule: `at /id must be ${id}, as in the path` });
}
