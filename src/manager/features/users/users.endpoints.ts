import { Type } from 'typebox';
import { reply } from '../../../kernel/catalogue/answer.ts';
import { json, jsonBody, noBody } from '../../../kernel/catalogue/declarations.ts';
import type { AccessRule } from '../../../kernel/catalogue/endpoint.ts';
import { expectedRevision } from '../../../kernel/contracts/revisions.ts';
import { fault } from '../../../kernel/faults.ts';
import {
  newUserInput,
  type RoleAssignment,
  type User,
  userInput,
  userRolesInput,
  userView,
} from '../../../model/user.ts';
import type { Stored } from '../../../store/contract.ts';
import { endpoint, type ManagerCall, type ManagerEndpoint } from '../../endpoint.ts';
import { audit } from '../../resources/audit.ts';
import { sending, signedIn } from '../../resources/examples.ts';
import type { Changed } from '../../resources/named-documents.ts';
import { listParameters, listQueryOf } from '../../resources/paging.ts';
import { plainResult } from '../../resources/plain-result.ts';
import { mayAllOf } from '../../security/caller.ts';
import { userViewOf } from './user-view.ts';

const objectType = 'user';
const may = (action: string): AccessRule => ({ category: 'IDENTITY', action, scope: 'global' });
const listed = { group: 'Users', errors: 'problem', path: '/apiops/users/' } as const;
const named = {
  ...listed,
  path: '/apiops/users/{name}/',
  params: Type.Object({ name: Type.String() }),
} as const;
const shown = { 200: json('The user.', userView) };

export const userEndpoints: readonly ManagerEndpoint[] = [
  endpoint({
    ...listed,
    id: 'user-list',
    methods: ['GET'],
    summary: 'Lists the users.',
    access: may('VIEW'),
    query: Type.Object({
      ...listParameters(['name', 'createdAt']),
      search: Type.Optional(Type.String({ maxLength: 100, description: 'part of the name' })),
    }),
    responses: {
      200: json('A page of the list.', Type.Object({ items: Type.Array(userView), total: Type.Integer() })),
    },
    examples: [
      {
        name: 'a fresh installation',
        ...signedIn,
        expect: { status: 200, json: { items: [{ name: 'admin', roles: [{ role: 'admin' }] }], total: 1 } },
      },
      {
        name: 'a page that is too large',
        path: '/apiops/users/?size=1001',
        ...signedIn,
        expect: { status: 400, json: { errorKey: 'VALIDATION_FAILED' } },
      },
    ],
    handle: async ({ query, services }) => {
      const { search, ...page } = query;
      const { documents, total } = await services.users.page({
        ...listQueryOf<User>(page),
        where: search === undefined ? {} : { name: { contains: search } },
      });
      const now = services.clock.now();
      return reply.json({ items: documents.map((user) => userViewOf(user, now)), total });
    },
  }),
  endpoint({
    ...listed,
    id: 'user-create',
    methods: ['POST'],
    summary: 'Makes an account.',
    access: may('MANAGE'),
    body: jsonBody(newUserInput),
    responses: { 201: json('The user.', userView) },
    examples: [
      {
        name: 'a viewer of one project',
        ...sending({
          name: 'grace',
          password: 'at least eight',
          roles: [{ role: 'viewer', project: 'Default' }],
        }),
        expect: {
          status: 201,
          headers: { etag: '"1"' },
          json: {
            name: 'grace',
            enabled: true,
            locked: false,
            roles: [{ role: 'viewer', project: 'Default' }],
          },
        },
      },
      {
        name: 'a short password',
        ...sending({ name: 'grace', password: 'short' }),
        expect: {
          status: 400,
          json: { errorKey: 'VALIDATION_FAILED', fieldErrors: [{ field: '/password' }] },
        },
      },
    ],
    handle: async (call) => {
      await refuseMoreThanOwn(call, call.body.roles);
      await checkAssignments(call, call.body.roles);
      const created = await call.services.users.create(call.body);
      const after = userViewOf(created, call.services.clock.now());
      await audit(call, { action: 'CREATE', objectType, objectName: after.name, after });
      const answer = plainResult(after, created.value.edition);
      return { ...answer, status: 201 };
    },
  }),
  endpoint({
    ...named,
    id: 'user-get',
    methods: ['GET'],
    summary: 'Shows a user.',
    access: may('VIEW'),
    responses: shown,
    examples: [
      {
        name: 'the administrator',
        path: '/apiops/users/admin/',
        ...signedIn,
        expect: { status: 200, json: { name: 'admin', enabled: true } },
      },
      {
        name: 'nobody',
        path: '/apiops/users/nobody/',
        ...signedIn,
        expect: { status: 404, json: { errorKey: 'USER_NOT_FOUND', path: '/apiops/users/nobody/' } },
      },
    ],
    handle: async ({ params, services }) => {
      const user = await services.users.require(params.name);
      return plainResult(userViewOf(user, services.clock.now()), user.value.edition);
    },
  }),
  endpoint({
    ...named,
    id: 'user-update',
    methods: ['PUT'],
    summary:
      'Changes what is known of a user. Members that are left out take their defaults; the name stays.',
    access: may('MANAGE'),
    body: jsonBody(userInput),
    responses: shown,
    examples: [
      {
        name: 'another address',
        path: '/apiops/users/admin/',
        ...sending({ fullName: 'Ada', email: 'ada@example.org' }),
        expect: {
          status: 200,
          headers: { etag: '"2"' },
          json: { fullName: 'Ada', email: 'ada@example.org' },
        },
      },
      {
        name: 'another name',
        path: '/apiops/users/admin/',
        ...sending({ name: 'root' }),
        expect: { status: 400, json: { errorKey: 'VALIDATION_FAILED' } },
      },
    ],
    handle: async (call) => {
      const { params, body, request, services } = call;
      await refuseStronger(call, params.name);
      return changed(call, await services.users.update(params.name, body, expectedRevision(request)));
    },
  }),
  endpoint({
    ...named,
    id: 'user-delete',
    methods: ['DELETE'],
    summary: 'Deletes a user with all their tokens.',
    access: may('MANAGE'),
    responses: { 204: noBody('It is done.') },
    examples: [
      {
        name: 'the last administrator',
        path: '/apiops/users/admin/',
        ...signedIn,
        expect: { status: 409, json: { errorKey: 'USER_LAST_ADMINISTRATOR' } },
      },
    ],
    handle: async (call) => {
      const { params, request, services } = call;
      await refuseStronger(call, params.name);
      const removed = await services.users.remove(params.name, expectedRevision(request));
      await services.tokens.removeAllOf(removed.id);
      const before = userViewOf(removed, services.clock.now());
      await audit(call, { action: 'DELETE', objectType, objectName: before.name, before });
      return reply.empty(204);
    },
  }),
  endpoint({
    ...named,
    id: 'user-roles',
    methods: ['PUT'],
    path: '/apiops/users/{name}/roles/',
    summary: 'Assigns roles to a user, each everywhere or in one project, in place of those they had.',
    access: may('MANAGE'),
    body: jsonBody(userRolesInput),
    responses: shown,
    examples: [
      {
        name: 'a role that is none',
        path: '/apiops/users/admin/roles/',
        ...sending({ roles: [{ role: 'emperor' }] }),
        expect: { status: 400, json: { message: 'There is no role emperor to assign.' } },
      },
    ],
    handle: async (call) => {
      const { params, body, request, services } = call;
      await refuseStronger(call, params.name);
      await refuseMoreThanOwn(call, body.roles);
      await checkAssignments(call, body.roles);
      const expected = expectedRevision(request);
      return changed(call, await services.users.assignRoles(params.name, body.roles, expected));
    },
  }),
  verb('lock', 'Locks an account until it is unlocked; its tokens are refused at once.', (users, name) =>
    users.lock(name),
  ),
  verb('unlock', 'Unlocks an account.', (users, name) => users.unlock(name)),
  verb('enable', 'Lets an account be used again.', (users, name) => users.setEnabled(name, true)),
  verb('disable', 'Disables an account; its tokens are refused at once.', (users, name) =>
    users.setEnabled(name, false),
  ),
];

type Users = ManagerCall['services']['users'];

function verb(
  word: string,
  summary: string,
  act: (users: Users, name: string) => Promise<Changed<User>>,
): ManagerEndpoint {
  return endpoint({
    ...named,
    id: `user-${word}`,
    methods: ['POST'],
    path: `/apiops/users/{name}/${word}/`,
    summary,
    access: may('MANAGE'),
    responses: shown,
    examples: [
      {
        name: 'nobody',
        path: `/apiops/users/nobody/${word}/`,
        ...signedIn,
        expect: { status: 404, json: { errorKey: 'USER_NOT_FOUND' } },
      },
    ],
    handle: async (call) => {
      await refuseStronger(call, call.params.name);
      return changed(call, await act(call.services.users, call.params.name));
    },
  });
}

type UserCall = Pick<ManagerCall, 'caller' | 'services'>;

async function changed(call: UserCall, change: { before: Stored<User>; after: Stored<User> }) {
  const now = call.services.clock.now();
  const [before, after] = [userViewOf(change.before, now), userViewOf(change.after, now)];
  await audit(call, { action: 'UPDATE', objectType, objectName: after.name, before, after });
  return plainResult(after, change.after.value.edition);
}

/** Who could take over an account that may do more would have taken over more than was given to them. */
export async function refuseStronger(call: UserCall, name: string): Promise<void> {
  const { value } = await call.services.users.require(name);
  await refuseMoreThanOwn(call, value.roles);
}

async function refuseMoreThanOwn(
  { caller, services }: UserCall,
  roles: readonly RoleAssignment[],
): Promise<void> {
  if (!mayAllOf(caller, await services.roles.grantsOf(roles))) throw fault('permission.denied');
}

async function checkAssignments(
  { services }: UserCall,
  assignments: readonly RoleAssignment[],
): Promise<void> {
  await services.roles.checkExist(assignments);
  for (const { project } of assignments) if (project !== undefined) await services.projects.require(project);
}
