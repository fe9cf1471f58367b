import { Type } from 'typebox';
import { reply } from '../../../kernel/catalogue/answer.ts';
import { json, jsonBody, noBody } from '../../../kernel/catalogue/declarations.ts';
import type { AccessRule } from '../../../kernel/catalogue/endpoint.ts';
import { expectedRevision } from '../../../kernel/contracts/revisions.ts';
import { fault } from '../../../kernel/faults.ts';
import type { Permission } from '../../../model/permission.ts';
import { type Role, readyRole, readyRoles, roleInput, roleView } from '../../../model/role.ts';
import type { Stored } from '../../../store/contract.ts';
import { endpoint, type ManagerEndpoint } from '../../endpoint.ts';
import { audit } from '../../resources/audit.ts';
import { sending, signedIn } from '../../resources/examples.ts';
import { listParameters, listQueryOf } from '../../resources/paging.ts';
import { plainResult } from '../../resources/plain-result.ts';
import { type Caller, mayAllOf } from '../../security/caller.ts';

const objectType = 'role';
const may = (action: string): AccessRule => ({ category: 'IDENTITY', action, scope: 'global' });
const listed = { group: 'Roles', errors: 'problem', path: '/apiops/roles/' } as const;
const named = {
  ...listed,
  path: '/apiops/roles/{name}/',
  params: Type.Object({ name: Type.String() }),
} as const;
const shown = { 200: json('The role.', roleView) };

export const roleEndpoints: readonly ManagerEndpoint[] = [
  endpoint({
    ...listed,
    id: 'role-list',
    methods: ['GET'],
    summary: 'Lists the ready roles, and a page of those that people made.',
    access: may('VIEW'),
    query: Type.Object(listParameters(['name'])),
    responses: {
      200: json(
        'The roles.',
        Type.Object({
          ready: Type.Array(roleView),
          items: Type.Array(roleView),
          total: Type.Integer({ description: 'of those that people made' }),
        }),
      ),
    },
    examples: [
      {
        name: 'the ready roles',
        ...signedIn,
        expect: {
          status: 200,
          json: { ready: [{ name: 'admin' }, { name: 'operator' }, { name: 'viewer' }], items: [], total: 0 },
        },
      },
    ],
    handle: async ({ query, services }) => {
      const { documents, total } = await services.roles.page(listQueryOf<Role>(query));
      return reply.json({ ready: readyRoles.map(viewOf), items: documents.map(storedViewOf), total });
    },
  }),
  endpoint({
    ...listed,
    id: 'role-create',
    methods: ['POST'],
    summary: 'Makes a role. Nobody can put more into it than they may themselves.',
    access: may('MANAGE'),
    body: jsonBody(roleInput),
    responses: { 201: json('The role.', roleView) },
    examples: [
      {
        name: 'who looks after secrets',
        ...sending({ name: 'keeper', permissions: [{ category: 'SECRETS', action: 'MANAGE' }] }),
        expect: { status: 201, json: { name: 'keeper', ready: false } },
      },
      {
        name: 'a category that is none',
        ...sending({ name: 'keeper', permissions: [{ category: 'WEATHER', action: 'VIEW' }] }),
        expect: {
          status: 400,
          json: { errorKey: 'VALIDATION_FAILED', fieldErrors: [{ field: '/permissions/0/category' }] },
        },
      },
    ],
    handle: async (call) => {
      refuseMoreThanOwn(call.caller, call.body.permissions);
      const created = await call.services.roles.create(call.body);
      const after = storedViewOf(created);
      await audit(call, { action: 'CREATE', objectType, objectName: after.name, after });
      return { ...plainResult(after, created.revision), status: 201 };
    },
  }),
  endpoint({
    ...named,
    id: 'role-get',
    methods: ['GET'],
    summary: 'Shows a role.',
    access: may('VIEW'),
    responses: shown,
    examples: [
      {
        name: 'a ready role',
        path: '/apiops/roles/viewer/',
        ...signedIn,
        expect: { status: 200, json: { name: 'viewer', ready: true } },
      },
      {
        name: 'none',
        path: '/apiops/roles/nothing/',
        ...signedIn,
        expect: { status: 404, json: { errorKey: 'ROLE_NOT_FOUND' } },
      },
    ],
    handle: async ({ params, services }) => {
      const ready = readyRole(params.name);
      if (ready) return reply.json(viewOf(ready));
      const role = await services.roles.require(params.name);
      return plainResult(storedViewOf(role), role.revision);
    },
  }),
  endpoint({
    ...named,
    id: 'role-update',
    methods: ['PUT'],
    summary: 'Changes a role. Members that are left out take their defaults; the name stays.',
    access: may('MANAGE'),
    body: jsonBody(roleInput),
    responses: shown,
    examples: [
      {
        name: 'a ready role',
        path: '/apiops/roles/viewer/',
        ...sending({ permissions: [] }),
        expect: { status: 409, json: { errorKey: 'ROLE_READY' } },
      },
    ],
    handle: async (call) => {
      const { params, body, caller, request, services } = call;
      refuseMoreThanOwn(caller, body.permissions);
      const change = await services.roles.update(params.name, body, expectedRevision(request));
      const [before, after] = [storedViewOf(change.before), storedViewOf(change.after)];
      await audit(call, { action: 'UPDATE', objectType, objectName: after.name, before, after });
      return plainResult(after, change.after.revision);
    },
  }),
  endpoint({
    ...named,
    id: 'role-delete',
    methods: ['DELETE'],
    summary: 'Deletes a role that no user has.',
    access: may('MANAGE'),
    responses: { 204: noBody('It is done.') },
    examples: [
      {
        name: 'a ready role',
        path: '/apiops/roles/admin/',
        ...signedIn,
        expect: { status: 409, json: { errorKey: 'ROLE_READY' } },
      },
    ],
    handle: async (call) => {
      const { params, request, services } = call;
      const removed = await services.roles.remove(params.name, expectedRevision(request), (name) =>
        services.users.countWithRole(name),
      );
      const before = storedViewOf(removed);
      await audit(call, { action: 'DELETE', objectType, objectName: before.name, before });
      return reply.empty(204);
    },
  }),
];

function refuseMoreThanOwn(caller: Caller, permissions: readonly Permission[]): void {
  if (!mayAllOf(caller, [{ project: undefined, permissions }])) throw fault('permission.denied');
}

function viewOf({ name, description, permissions }: Role) {
  return { name, description, permissions, ready: readyRole(name) !== undefined };
}

function storedViewOf({ value }: Stored<Role>) {
  return viewOf(value);
}
