import { Type } from 'typebox';
import { jsonBody } from '../../../kernel/catalogue/declarations.ts';
import type { AccessRule } from '../../../kernel/catalogue/endpoint.ts';
import { success } from '../../../kernel/contracts/envelope.ts';
import { expectedRevision } from '../../../kernel/contracts/revisions.ts';
import { type Project, projectInput, projectView } from '../../../model/project.ts';
import type { Stored } from '../../../store/contract.ts';
import { endpoint, type ManagerEndpoint } from '../../endpoint.ts';
import { audit } from '../../resources/audit.ts';
import { envelopeDone, envelopeList, envelopeOne, oneResult } from '../../resources/envelope-responses.ts';
import { refused, sending, signedIn } from '../../resources/examples.ts';
import { listParameters, listQueryOf } from '../../resources/paging.ts';

const group = 'Projects';
const objectType = 'project';
const mayView: AccessRule = { category: 'API_MANAGEMENT', action: 'VIEW', scope: 'project' };
const mayManage: AccessRule = { category: 'GLOBAL_SETTINGS', action: 'MANAGE', scope: 'global' };

export const projectEndpoints: readonly ManagerEndpoint[] = [
  endpoint({
    id: 'project-list',
    group,
    spec: '2 §2.2',
    methods: ['GET'],
    path: '/apiops/projects/',
    summary: 'Lists the projects that the caller may see.',
    access: 'token',
    errors: 'envelope',
    query: Type.Object(listParameters(['name'])),
    responses: { 200: envelopeList(projectView) },
    examples: [
      {
        name: 'a fresh installation',
        ...signedIn,
        expect: {
          status: 200,
          json: { status: 'SUCCESS', resultList: [{ name: 'Default' }], resultCount: 1 },
        },
      },
      {
        name: 'a page that is too large',
        path: '/apiops/projects/?size=1001',
        ...signedIn,
        expect: refused('query parameter size must be at most 1000.'),
      },
    ],
    handle: async ({ query, caller, services }) => {
      const { documents, total } = await services.projects.page({
        ...listQueryOf<Project>(query),
        ...(caller.projects !== 'all' && { where: { name: { in: caller.projects } } }),
      });
      return success({ resultList: documents.map(viewOf), resultCount: total });
    },
  }),
  endpoint({
    id: 'project-create',
    group,
    methods: ['POST'],
    path: '/apiops/projects/',
    summary: 'Makes a project.',
    access: mayManage,
    errors: 'envelope',
    body: jsonBody(projectInput),
    responses: { 200: envelopeOne(projectView) },
    examples: [
      {
        name: 'a project',
        ...sending({ name: 'Payments', description: 'Cards and transfers', tags: ['pci'] }),
        expect: {
          status: 200,
          headers: { etag: '"1"' },
          json: { status: 'SUCCESS', resultList: [{ name: 'Payments', tags: ['pci'] }], resultCount: 1 },
        },
      },
      {
        name: 'without a name',
        ...sending({ description: 'whose?' }),
        expect: refused('projectName value can not be empty!'),
      },
      {
        name: 'a taken name',
        ...sending({ name: 'Default' }),
        expect: refused('Project (name: Default) is already exist!'),
      },
    ],
    handle: async (call) => {
      const created = await call.services.projects.create(call.body);
      const after = viewOf(created);
      await audit(call, { action: 'CREATE', objectType, objectName: after.name, after });
      return oneResult(after, created.revision);
    },
  }),
  endpoint({
    id: 'project-get',
    group,
    spec: '2 §7.1',
    methods: ['GET'],
    path: '/apiops/projects/{project}/',
    summary: 'Shows a project.',
    access: mayView,
    errors: 'envelope',
    params: Type.Object({ project: Type.String() }),
    responses: { 200: envelopeOne(projectView) },
    examples: [
      {
        name: 'the default project',
        path: '/apiops/projects/Default/',
        ...signedIn,
        expect: { status: 200, headers: { etag: '"1"' }, json: { resultList: [{ name: 'Default' }] } },
      },
      {
        name: 'an unknown project',
        path: '/apiops/projects/Nowhere/',
        ...signedIn,
        expect: refused('Project (Nowhere) is not found!'),
      },
    ],
    handle: async ({ params, services }) => {
      const project = await services.projects.require(params.project);
      return oneResult(viewOf(project), project.revision);
    },
  }),
  endpoint({
    id: 'project-update',
    group,
    methods: ['PUT'],
    path: '/apiops/projects/{project}/',
    summary: 'Changes a project. Members that are left out take their defaults; the name stays.',
    access: mayManage,
    errors: 'envelope',
    params: Type.Object({ project: Type.String() }),
    body: jsonBody(projectInput),
    responses: { 200: envelopeOne(projectView) },
    examples: [
      {
        name: 'a new description',
        path: '/apiops/projects/Default/',
        ...sending({ description: 'ours' }),
        expect: {
          status: 200,
          headers: { etag: '"2"' },
          json: { resultList: [{ name: 'Default', description: 'ours' }] },
        },
      },
      {
        name: 'an unknown member',
        path: '/apiops/projects/Default/',
        ...sending({ owner: 'me' }),
        expect: refused('The request body must not have the member owner.'),
      },
    ],
    handle: async (call) => {
      const { params, body, request, services } = call;
      const changed = await services.projects.update(params.project, body, expectedRevision(request));
      const [before, after] = [viewOf(changed.before), viewOf(changed.after)];
      await audit(call, { action: 'UPDATE', objectType, objectName: after.name, before, after });
      return oneResult(after, changed.after.revision);
    },
  }),
  endpoint({
    id: 'project-delete',
    group,
    methods: ['DELETE'],
    path: '/apiops/projects/{project}/',
    summary: 'Deletes a project that holds nothing any more.',
    access: mayManage,
    errors: 'envelope',
    params: Type.Object({ project: Type.String() }),
    responses: { 200: envelopeDone },
    examples: [
      {
        name: 'an empty project',
        path: '/apiops/projects/Default/',
        ...signedIn,
        expect: { status: 200, json: { status: 'SUCCESS' } },
      },
      {
        name: 'an unknown project',
        path: '/apiops/projects/Nowhere/',
        ...signedIn,
        expect: refused('Project (Nowhere) is not found!'),
      },
    ],
    handle: async (call) => {
      const { params, request, services } = call;
      const { keyStores, trustStores, environmentVariables, connections } = services;
      const removed = await services.projects.remove(params.project, expectedRevision(request), [
        keyStores,
        trustStores,
        environmentVariables,
        connections,
      ]);
      const before = viewOf(removed);
      await services.users.forgetProject(before.name);
      await audit(call, { action: 'DELETE', objectType, objectName: before.name, before });
      return success();
    },
  }),
];

function viewOf({ id, value }: Stored<Project>) {
  const { name, description, relativePath, tags } = value;
  return { id, name, description, relativePath, tags };
}
