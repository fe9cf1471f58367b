import { Type } from 'typebox';
import { jsonBody } from '../../../kernel/catalogue/declarations.ts';
import type { AccessRule } from '../../../kernel/catalogue/endpoint.ts';
import { success } from '../../../kernel/contracts/envelope.ts';
import { expectedRevision } from '../../../kernel/contracts/revisions.ts';
import { MASK } from '../../../kernel/mask.ts';
import {
  environmentVariableInput,
  environmentVariableView,
  type StoredVariable,
} from '../../../model/environment-variable.ts';
import type { Stored } from '../../../store/contract.ts';
import { endpoint, type ManagerEndpoint } from '../../endpoint.ts';
import { audit } from '../../resources/audit.ts';
import { envelopeDone, envelopeList, envelopeOne, oneResult } from '../../resources/envelope-responses.ts';
import { refused, sending, signedIn } from '../../resources/examples.ts';
import { listParameters, listQueryOf } from '../../resources/paging.ts';
import type { ManagerServices } from '../../services.ts';

const objectType = 'environment variable';
const access = (action: string): AccessRule => ({ category: 'SECRETS', action, scope: 'project' });
const base = '/apiops/projects/{project}/environmentVariables/';
const listed = {
  group: 'Environment variables',
  path: base,
  errors: 'envelope',
  params: Type.Object({ project: Type.String() }),
} as const;
const named = {
  ...listed,
  path: `${base}{name}/`,
  params: Type.Object({ project: Type.String(), name: Type.String() }),
} as const;

const VARIABLES = '/apiops/projects/Default/environmentVariables/';
const made = {
  method: 'POST',
  path: VARIABLES,
  ...sending({
    name: 'DB_PASSWORD',
    secret: true,
    valueList: [{ environmentName: 'Test', value: 'hunter2' }],
  }),
};

export const environmentVariableEndpoints: readonly ManagerEndpoint[] = [
  endpoint({
    ...listed,
    id: 'environment-variable-list',
    methods: ['GET'],
    summary: 'Lists the variables of a project; secret values are masked.',
    access: access('VIEW'),
    query: Type.Object(listParameters(['name'])),
    responses: { 200: envelopeList(environmentVariableView) },
    examples: [
      {
        name: 'those of the default project',
        path: VARIABLES,
        ...signedIn,
        setUp: [made],
        expect: {
          status: 200,
          json: { resultList: [{ name: 'DB_PASSWORD', secret: true }], resultCount: 1 },
        },
      },
    ],
    handle: async ({ params, query, services }) => {
      const { id: scope } = await services.projects.require(params.project);
      const { documents, total } = await services.environmentVariables.page(
        scope,
        listQueryOf<StoredVariable>(query),
      );
      const viewOf = await viewer(services);
      return success({ resultList: documents.map(viewOf), resultCount: total });
    },
  }),
  endpoint({
    ...listed,
    id: 'environment-variable-create',
    methods: ['POST'],
    summary: 'Makes a variable with its values.',
    access: access('MANAGE'),
    body: jsonBody(environmentVariableInput),
    responses: { 200: envelopeOne(environmentVariableView) },
    examples: [
      {
        name: 'a secret',
        ...made,
        expect: {
          status: 200,
          json: { resultList: [{ valueList: [{ environmentName: 'Test', value: '******' }] }] },
        },
      },
      {
        name: 'an unknown environment',
        path: VARIABLES,
        ...sending({ name: 'HOST', valueList: [{ environmentName: 'Nowhere', value: 'h' }] }),
        expect: refused('Environment (name: Nowhere) was not found!'),
      },
    ],
    handle: async (call) => {
      const { params, body, services } = call;
      const { id: scope } = await services.projects.require(params.project);
      const created = await services.environmentVariables.create(scope, body);
      const after = (await viewer(services))(created);
      const { project: projectName } = params;
      await audit(call, { action: 'CREATE', objectType, objectName: after.name, projectName, after });
      return oneResult(after, created.revision);
    },
  }),
  endpoint({
    ...named,
    id: 'environment-variable-get',
    methods: ['GET'],
    summary: 'Shows a variable; secret values are masked.',
    access: access('VIEW'),
    responses: { 200: envelopeOne(environmentVariableView) },
    examples: [
      {
        name: 'a secret',
        path: `${VARIABLES}DB_PASSWORD/`,
        ...signedIn,
        setUp: [made],
        expect: { status: 200, json: { resultList: [{ valueList: [{ value: '******' }] }] } },
      },
      {
        name: 'an unknown variable',
        path: `${VARIABLES}NONE/`,
        ...signedIn,
        expect: refused('EnvironmentVariable (name: NONE) was not found!'),
      },
    ],
    handle: async ({ params, services }) => {
      const { id: scope } = await services.projects.require(params.project);
      const found = await services.environmentVariables.require(scope, params.name);
      return oneResult((await viewer(services))(found), found.revision);
    },
  }),
  endpoint({
    ...named,
    id: 'environment-variable-update',
    methods: ['PUT'],
    summary: 'Changes a variable. Environments that are left out lose their values.',
    access: access('MANAGE'),
    body: jsonBody(environmentVariableInput),
    responses: { 200: envelopeOne(environmentVariableView) },
    examples: [
      {
        name: 'a description; the value stays',
        path: `${VARIABLES}DB_PASSWORD/`,
        ...sending({ description: 'of the orders', secret: true, valueList: [{ environmentName: 'Test' }] }),
        setUp: [made],
        expect: { status: 200, json: { resultList: [{ description: 'of the orders' }] } },
      },
    ],
    handle: async (call) => {
      const { params, body, request, services } = call;
      const { id: scope } = await services.projects.require(params.project);
      const changed = await services.environmentVariables.update(
        scope,
        params.name,
        body,
        expectedRevision(request),
      );
      const viewOf = await viewer(services);
      const [before, after] = [viewOf(changed.before), viewOf(changed.after)];
      const { project: projectName, name: objectName } = params;
      await audit(call, { action: 'UPDATE', objectType, objectName, projectName, before, after });
      return oneResult(after, changed.after.revision);
    },
  }),
  endpoint({
    ...named,
    id: 'environment-variable-delete',
    methods: ['DELETE'],
    summary: 'Deletes a variable.',
    access: access('MANAGE'),
    responses: { 200: envelopeDone },
    examples: [
      {
        name: 'one that was made',
        path: `${VARIABLES}DB_PASSWORD/`,
        ...signedIn,
        setUp: [made],
        expect: { status: 200, json: { status: 'SUCCESS' } },
      },
    ],
    handle: async (call) => {
      const { params, request, services } = call;
      const { id: scope } = await services.projects.require(params.project);
      const removed = await services.environmentVariables.remove(
        scope,
        params.name,
        expectedRevision(request),
      );
      const before = (await viewer(services))(removed);
      const { project: projectName, name: objectName } = params;
      await audit(call, { action: 'DELETE', objectType, objectName, projectName, before });
      return success();
    },
  }),
];

/** Shows variables by the names of their environments. Values for environments that are gone are not shown. */
async function viewer({ environments }: ManagerServices) {
  const nameOf = new Map((await environments.all()).map(({ id, value }) => [id, value.name]));
  return ({ id, value }: Stored<StoredVariable>) => ({
    id,
    name: value.name,
    description: value.description,
    secret: value.isSecret,
    valueList: value.values
      .filter(({ environmentId }) => nameOf.has(environmentId))
      .map(({ environmentId, value: text }) => ({
        environmentName: nameOf.get(environmentId)!,
        value: value.isSecret ? MASK : text,
      })),
  });
}
