import { Type } from 'typebox';
import { type PlainAnswer, reply } from '../../../kernel/catalogue/answer.ts';
import { json } from '../../../kernel/catalogue/declarations.ts';
import { etagOf, expectedRevision } from '../../../kernel/contracts/revisions.ts';
import { fault } from '../../../kernel/faults.ts';
import { connectionView, type StoredConnection } from '../../../model/connection-document.ts';
import { type DeploymentResult, deploymentResult } from '../../../platform/deployment/deployment-result.ts';
import { endpoint, type ManagerCall, type ManagerEndpoint } from '../../endpoint.ts';
import { type AuditedChange, audit } from '../../resources/audit.ts';
import { sending, signedIn } from '../../resources/examples.ts';
import type { Changed } from '../../resources/named-documents.ts';
import {
  type ConnectionPlace,
  type ConnectionScope,
  deployable,
  deployedBy,
  nameOf,
  requirePermission,
  scopeOf,
} from './connection-calls.ts';
import { unknownConnection, webhookExample, withoutPods } from './connection-declarations.ts';
import type { Connection } from './connection-service.ts';
import { connectionUsageView } from './connection-usages.ts';
import { auditedViewOf, wholeViewOf } from './connection-view.ts';
import { deploySaved, switchDeployed } from './deploy-after-save.ts';

const group = 'Connections';
const objectType = 'connection';
const withDeployment = json(
  'The connection, and what the pods said where it is deployed.',
  Type.Object({ ...connectionView.properties, deploymentResult: Type.Optional(deploymentResult) }),
);
const environments = Type.Array(Type.String({ maxLength: 100 }), {
  minItems: 1,
  maxItems: 100,
  description: 'name of an environment; may be repeated',
});

/** The newer contract: what is done with saved connections (spec 2 §4.5). */
export function operationEndpoints(place: ConnectionPlace): ManagerEndpoint[] {
  const { prefix, base, examplePath, whose, access } = place;
  const crm = `${examplePath}crm/`;
  const created = { method: 'POST', path: crm, ...sending(webhookExample) };
  const common = { group, spec: '2 §4.5', errors: 'newer' } as const;
  const named = { ...common, params: Type.Object({ ...place.params, name: Type.String() }) } as const;

  return [
    ...[true, false].map((isEnabled) => {
      const verb = isEnabled ? 'enable' : 'disable';
      return endpoint({
        ...named,
        id: `${prefix}connection-${verb}`,
        spec: '2 §3',
        methods: ['POST'],
        path: `${base}{name}/${verb}/`,
        summary: isEnabled
          ? `Makes a connection ${whose} usable again, also where it is deployed.`
          : `Makes a connection ${whose} unusable at once, also where it is deployed. Its values stay.`,
        access: access('MANAGE'),
        responses: { 200: withDeployment },
        examples: [
          {
            name: 'a connection',
            setUp: [created],
            path: `${crm}${verb}/`,
            ...signedIn,
            expect: { status: 200, json: { name: 'crm', enabled: isEnabled } },
          },
          { ...unknownConnection, path: `${crm}${verb}/` },
        ],
        handle: async (call) => {
          const { params, request, services } = call;
          const scope = await scopeOf(params, services);
          const name = nameOf(params);
          const changed = await services.connections.setEnabled(
            scope.id,
            name,
            isEnabled,
            expectedRevision(request),
          );
          await auditChange(call, isEnabled ? 'ENABLE' : 'DISABLE', changed, scope);
          return answer(call, changed.after, scope, await switchDeployed(call, changed.after, scope));
        },
      });
    }),
    endpoint({
      ...named,
      id: `${prefix}connection-deploy`,
      spec: '2 §4.5',
      methods: ['POST'],
      path: `${base}{name}/deploy/`,
      summary: `Brings a connection ${whose} as it is saved now to the worker pods of environments.`,
      access: access('DEPLOY_UNDEPLOY'),
      query: Type.Object({ environment: environments }),
      responses: { 200: json('What each pod said.', deploymentResult) },
      examples: [
        {
          name: 'without a worker pod',
          setUp: [created],
          path: `${crm}deploy/?environment=Development`,
          ...signedIn,
          expect: withoutPods,
        },
        { ...unknownConnection, path: `${crm}deploy/?environment=Development` },
      ],
      handle: async (call) => {
        const { params, query, services } = call;
        const scope = await scopeOf(params, services);
        const connection = await services.connections.require(scope.id, nameOf(params));
        return reply.json(await deploySaved(call, connection, scope, query.environment ?? []));
      },
    }),
    endpoint({
      ...named,
      id: `${prefix}connection-undeploy`,
      methods: ['POST'],
      path: `${base}{name}/undeploy/`,
      summary: `Takes a connection ${whose} from the worker pods of environments. It stays saved.`,
      access: access('DEPLOY_UNDEPLOY'),
      query: Type.Object({ environment: environments }),
      responses: { 200: withDeployment },
      examples: [
        {
          name: 'one that is not deployed',
          setUp: [created],
          path: `${crm}undeploy/?environment=Development`,
          ...signedIn,
          expect: { status: 200, json: { name: 'crm' } },
        },
        { ...unknownConnection, path: `${crm}undeploy/?environment=Development` },
      ],
      handle: async (call) => {
        const { params, query, services } = call;
        const scope = await scopeOf(params, services);
        const connection = await services.connections.require(scope.id, nameOf(params));
        const names = query.environment ?? [];
        if (names.length === 0) throw fault('deployment.no-environment');
        const object = deployable(connection, scope);
        const result = await services.deployer.undeploy(object, deployedBy(call), names);
        return answer(call, connection, scope, result);
      },
    }),
    endpoint({
      ...named,
      id: `${prefix}connection-usages`,
      methods: ['GET'],
      path: `${base}{name}/usages/`,
      summary: `Lists what uses a connection ${whose}: flows, connector steps, jobs, log connectors.`,
      access: access('VIEW'),
      responses: {
        200: json(
          'Its users.',
          Type.Object({ items: Type.Array(connectionUsageView), total: Type.Integer() }),
        ),
      },
      examples: [
        {
          name: 'one that nothing uses',
          setUp: [created],
          path: `${crm}usages/`,
          ...signedIn,
          expect: { status: 200, json: { items: [], total: 0 } },
        },
        { ...unknownConnection, path: `${crm}usages/` },
      ],
      handle: async ({ params, services }) => {
        const { id } = await scopeOf(params, services);
        const connection = await services.connections.require(id, nameOf(params));
        const items = await services.connections.usagesOf(connection);
        return reply.json({ items, total: items.length });
      },
    }),
    ...(prefix === '' ? [moveToGlobal(place)] : []),
  ];

  function moveToGlobal({ params }: ConnectionPlace): ManagerEndpoint {
    return endpoint({
      ...common,
      id: 'connection-move-to-global',
      methods: ['POST'],
      path: `${base}{name}/move-to-global/`,
      summary: 'Makes a connection of a project usable by all projects. Needs the permission over both.',
      access: access('MANAGE'),
      params: Type.Object({ ...params, name: Type.String() }),
      responses: { 200: withDeployment },
      examples: [
        {
          name: 'a connection',
          setUp: [created],
          path: `${crm}move-to-global/`,
          ...signedIn,
          expect: { status: 200, json: { name: 'crm', global: true } },
        },
        { ...unknownConnection, path: `${crm}move-to-global/` },
      ],
      handle: async (call) => {
        const { params: where, request, services } = call;
        requirePermission(call, 'CONNECTIONS', 'MANAGE', undefined);
        const scope = await scopeOf(where, services);
        const revision = expectedRevision(request);
        const changed = await services.connections.moveToGlobal(scope.id, nameOf(where), revision);
        await auditChange(call, 'MOVE', changed, scope);
        const newScope = { id: changed.after.value.scope };
        // Its namesake of the project, should there be one later, must not be taken for it.
        const moved = deployable(changed.after, newScope);
        const result = await services.deployer.setProject(moved, deployedBy(call));
        return answer(call, changed.after, newScope, result);
      },
    });
  }
}

async function auditChange(
  call: ManagerCall,
  action: AuditedChange['action'],
  { before, after }: Changed<StoredConnection>,
  { projectName }: ConnectionScope,
): Promise<void> {
  await audit(call, {
    action,
    objectType,
    objectName: before.value.name,
    projectName,
    before: await auditedViewOf(call.services, before),
    after: await auditedViewOf(call.services, after),
  });
}

async function answer(
  call: Pick<ManagerCall, 'caller' | 'services'>,
  connection: Connection,
  scope: ConnectionScope,
  result: DeploymentResult | undefined,
): Promise<PlainAnswer> {
  const view = await wholeViewOf(call, connection, scope);
  const headers = ['ETag', etagOf(connection.revision)];
  return reply.json({ ...view, ...(result && { deploymentResult: result }) }, { headers });
}
