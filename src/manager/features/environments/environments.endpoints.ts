import { Type } from 'typebox';
import { jsonBody } from '../../../kernel/catalogue/declarations.ts';
import type { AccessRule } from '../../../kernel/catalogue/endpoint.ts';
import { success } from '../../../kernel/contracts/envelope.ts';
import { expectedRevision } from '../../../kernel/contracts/revisions.ts';
import { type Environment, environmentInput, environmentView } from '../../../model/environment.ts';
import type { Stored } from '../../../store/contract.ts';
import { endpoint, type ManagerCall, type ManagerEndpoint } from '../../endpoint.ts';
import { audit } from '../../resources/audit.ts';
import { envelopeDone, envelopeList, envelopeOne, oneResult } from '../../resources/envelope-responses.ts';
import { refused, sending, signedIn } from '../../resources/examples.ts';
import { listParameters, listQueryOf } from '../../resources/paging.ts';

const group = 'Environments';
const objectType = 'environment';
const mayManage: AccessRule = { category: 'GLOBAL_SETTINGS', action: 'MANAGE', scope: 'global' };
const listing = {
  group,
  methods: ['GET'],
  errors: 'envelope',
  query: Type.Object(listParameters(['name', 'type'])),
  responses: { 200: envelopeList(environmentView) },
} as const;

export const environmentEndpoints: readonly ManagerEndpoint[] = [
  endpoint({
    ...listing,
    id: 'environment-list',
    path: '/apiops/environments/',
    summary: 'Lists the environments.',
    access: 'token',
    examples: [
      {
        name: 'a fresh installation, by type',
        path: '/apiops/environments/?sort=type,asc',
        ...signedIn,
        expect: {
          status: 200,
          json: {
            resultList: [{ name: 'Development' }, { name: 'Production' }, { name: 'Test' }],
            resultCount: 3,
          },
        },
      },
    ],
    handle: async ({ query, caller, services }) => {
      const { documents, total } = await services.environments.page(listQueryOf<Environment>(query));
      const resultList = await Promise.all(documents.map((one) => viewFor({ caller, services }, one)));
      return success({ resultList, resultCount: total });
    },
  }),
  endpoint({
    ...listing,
    id: 'project-environment-list',
    path: '/apiops/projects/{project}/environments/',
    summary: 'Lists the environments that the project can be deployed to.',
    access: { category: 'API_MANAGEMENT', action: 'VIEW', scope: 'project' },
    params: Type.Object({ project: Type.String() }),
    examples: [
      {
        name: 'of the default project',
        path: '/apiops/projects/Default/environments/',
        ...signedIn,
        expect: { status: 200, json: { status: 'SUCCESS', resultCount: 3 } },
      },
      {
        name: 'of an unknown project',
        path: '/apiops/projects/Nowhere/environments/',
        ...signedIn,
        expect: refused('Project (Nowhere) is not found!'),
      },
    ],
    handle: async ({ params, query, caller, services }) => {
      await services.projects.require(params.project);
      const { documents, total } = await services.environments.page(listQueryOf<Environment>(query));
      const resultList = await Promise.all(documents.map((one) => viewFor({ caller, services }, one)));
      return success({ resultList, resultCount: total });
    },
  }),
  endpoint({
    id: 'environment-create',
    group,
    methods: ['POST'],
    path: '/apiops/environments/',
    summary: 'Makes an environment, with an id that nobody can guess.',
    access: mayManage,
    errors: 'envelope',
    body: jsonBody(environmentInput),
    responses: { 200: envelopeOne(environmentView) },
    examples: [
      {
        name: 'an environment',
        ...sending({ name: 'Staging', type: 'TEST', accessUrl: 'https://staging.example' }),
        expect: {
          status: 200,
          json: { resultList: [{ id: /^[0-9a-f]{24}$/, name: 'Staging', status: 'UNPUBLISHED' }] },
        },
      },
      {
        name: 'an unknown type',
        ...sending({ name: 'Staging', type: 'OTHER' }),
        expect: refused(/^The request body at \/type must be equal to one of the allowed values/),
      },
    ],
    handle: async (call) => {
      const created = await call.services.environments.create(call.body);
      const { name: objectName } = created.value;
      await audit(call, { action: 'CREATE', objectType, objectName, after: created.value });
      return oneResult(await viewFor(call, created), created.revision);
    },
  }),
  endpoint({
    id: 'environment-get',
    group,
    methods: ['GET'],
    path: '/apiops/environments/{environment}/',
    summary: 'Shows an environment.',
    access: 'token',
    errors: 'envelope',
    params: Type.Object({ environment: Type.String() }),
    responses: { 200: envelopeOne(environmentView) },
    examples: [
      {
        name: 'Test',
        path: '/apiops/environments/Test/',
        ...signedIn,
        expect: { status: 200, json: { resultList: [{ name: 'Test', type: 'TEST' }] } },
      },
      {
        name: 'an unknown environment',
        path: '/apiops/environments/Nowhere/',
        ...signedIn,
        expect: refused('Environment (name: Nowhere) was not found!'),
      },
    ],
    handle: async ({ params, caller, services }) => {
      const environment = await services.environments.require(params.environment);
      return oneResult(await viewFor({ caller, services }, environment), environment.revision);
    },
  }),
  endpoint({
    id: 'environment-update',
    group,
    methods: ['PUT'],
    path: '/apiops/environments/{environment}/',
    summary: 'Changes an environment. Members that are left out take their defaults; name and id stay.',
    access: mayManage,
    errors: 'envelope',
    params: Type.Object({ environment: Type.String() }),
    body: jsonBody(environmentInput),
    responses: { 200: envelopeOne(environmentView) },
    examples: [
      {
        name: 'an access address',
        path: '/apiops/environments/Test/',
        ...sending({ type: 'TEST', accessUrl: 'https://test.example' }),
        expect: { status: 200, json: { resultList: [{ accessUrl: 'https://test.example' }] } },
      },
      {
        name: 'another name',
        path: '/apiops/environments/Test/',
        ...sending({ name: 'Other' }),
        expect: refused('The name can not be changed from Test to Other!'),
      },
    ],
    handle: async (call) => {
      const { params, body, request, services } = call;
      const { before, after } = await services.environments.update(
        params.environment,
        body,
        expectedRevision(request),
      );
      const { name: objectName } = after.value;
      await audit(call, {
        action: 'UPDATE',
        objectType,
        objectName,
        before: before.value,
        after: after.value,
      });
      return oneResult(await viewFor(call, after), after.revision);
    },
  }),
  endpoint({
    id: 'environment-delete',
    group,
    methods: ['DELETE'],
    path: '/apiops/environments/{environment}/',
    summary: 'Deletes an environment that is not published.',
    access: mayManage,
    errors: 'envelope',
    params: Type.Object({ environment: Type.String() }),
    responses: { 200: envelopeDone },
    examples: [
      {
        name: 'one that is not published',
        path: '/apiops/environments/Test/',
        ...signedIn,
        expect: { status: 200, json: { status: 'SUCCESS' } },
      },
    ],
    handle: async (call) => {
      const { params, request, services } = call;
      const { id, value: before } = await services.environments.remove(
        params.environment,
        expectedRevision(request),
      );
      await services.deployments.forgetEnvironment(id);
      await services.logConnectors.forgetEnvironment(id);
      await audit(call, { action: 'DELETE', objectType, objectName: before.name, before });
      return success();
    },
  }),
];

type Viewer = Pick<ManagerCall, 'caller' | 'services'>;

/** The id opens the diagnostics of the environment's pods (spec 2 §5): it is no name for everybody. */
async function viewFor({ caller, services }: Viewer, { id, value }: Stored<Environment>): Promise<object> {
  const { name, description, type, accessUrl } = value;
  const credential = caller.may('GLOBAL_SETTINGS', 'MANAGE') ? { id } : {};
  const status = await services.deployments.environmentStatus(id);
  return { ...credential, name, description, type, accessUrl, status };
}
