import { Type } from 'typebox';
import { jsonBody } from '../../../kernel/catalogue/declarations.ts';
import { success } from '../../../kernel/contracts/envelope.ts';
import { etagOf, expectedRevision } from '../../../kernel/contracts/revisions.ts';
import {
  CONNECTION_BODY_BYTES,
  connectionChange,
  connectionInput,
  connectionTypes,
  connectionView,
  type StoredConnection,
} from '../../../model/connection-document.ts';
import { deploymentResult } from '../../../platform/deployment/deployment-result.ts';
import { endpoint, type ManagerEndpoint } from '../../endpoint.ts';
import { audit } from '../../resources/audit.ts';
import { envelopeList } from '../../resources/envelope-responses.ts';
import { refused, sending, signedIn } from '../../resources/examples.ts';
import { listParameters, listQueryOf } from '../../resources/paging.ts';
import { type ConnectionPlace, deployable, deployedBy, nameOf, scopeOf } from './connection-calls.ts';
import { connectionResponse, webhookExample } from './connection-declarations.ts';
import { auditedViewOf, viewsOf, wholeViewOf } from './connection-view.ts';
import { deployAfterSave, refuseDeployment } from './deploy-after-save.ts';

const group = 'Connections';
const objectType = 'connection';

/** The older contract: connections as a resource. */
export function resourceEndpoints({
  prefix,
  base,
  examplePath,
  whose,
  params,
  access,
}: ConnectionPlace): ManagerEndpoint[] {
  const path = `${base}{name}/`;
  const named = {
    group,
    spec: '2 §2.3',
    errors: 'envelope',
    path,
    params: Type.Object({ ...params, name: Type.String() }),
  } as const;
  const crm = `${examplePath}crm/`;
  const created = { method: 'POST', path: crm, ...sending(webhookExample) };
  return [
    endpoint({
      id: `${prefix}connection-list`,
      group,
      spec: '2 §2.3',
      methods: ['GET'],
      path: base,
      summary: `Lists the connections ${whose}; secrets are masked.`,
      access: access('VIEW'),
      errors: 'envelope',
      params: Type.Object(params),
      query: Type.Object({
        type: Type.String({ enum: connectionTypes, description: 'the kind of connection' }),
        ...listParameters(['name']),
      }),
      responses: { 200: envelopeList(connectionView) },
      examples: [
        {
          name: 'none yet',
          path: `${examplePath}?type=webhook`,
          ...signedIn,
          expect: { status: 200, json: { status: 'SUCCESS', resultList: [], resultCount: 0 } },
        },
        {
          name: 'without a type',
          path: examplePath,
          ...signedIn,
          expect: refused('query parameter type is required.'),
        },
      ],
      handle: async (call) => {
        const { params: where, query, services } = call;
        const scope = await scopeOf(where, services);
        const { documents, total } = await services.connections.page(
          scope.id,
          listQueryOf<StoredConnection>(query),
        );
        return success({ resultList: await viewsOf(call, documents), resultCount: total });
      },
    }),
    endpoint({
      ...named,
      id: `${prefix}connection-get`,
      methods: ['GET'],
      summary: `Shows a connection ${whose}, and whether it is deployed; secrets are masked.`,
      access: access('VIEW'),
      responses: { 200: connectionResponse },
      examples: [
        {
          name: 'one with a secret',
          setUp: [created],
          path: crm,
          ...signedIn,
          expect: {
            status: 200,
            headers: { etag: '"1"' },
            json: {
              resultList: [
                {
                  name: 'crm',
                  environmentParameterList: [
                    {
                      environmentName: 'Development',
                      headerList: [{ name: 'Authorization', value: '******' }],
                      batchMaxEvents: 100,
                    },
                  ],
                },
              ],
            },
          },
        },
        {
          name: 'an unknown one',
          path: crm,
          ...signedIn,
          expect: refused('Connection (name: crm) was not found!'),
        },
      ],
      handle: async (call) => {
        const scope = await scopeOf(call.params, call.services);
        const found = await call.services.connections.require(scope.id, nameOf(call.params));
        const view = await wholeViewOf(call, found, scope);
        return success({ resultList: [view], resultCount: 1 }, { headers: ['ETag', etagOf(found.revision)] });
      },
    }),
    endpoint({
      ...named,
      id: `${prefix}connection-create`,
      methods: ['POST'],
      summary: `Makes a connection ${whose}, with its parameters for one environment; and deploys it, if asked to.`,
      access: access('MANAGE'),
      body: jsonBody(connectionInput, { maxBytes: CONNECTION_BODY_BYTES }),
      responses: { 200: connectionResponse },
      examples: [
        {
          name: 'a connection',
          path: crm,
          ...sending(webhookExample),
          expect: {
            status: 200,
            json: { status: 'SUCCESS', resultList: [{ name: 'crm', enabled: true }], resultCount: 1 },
          },
        },
        {
          name: 'a header row that is half filled',
          path: crm,
          ...sending({ ...webhookExample, headerList: [{ name: 'X-Origin', value: '' }] }),
          expect: refused('At /headerList/0: name and value must both be filled.'),
        },
        {
          name: 'a name that is taken',
          setUp: [created],
          path: crm,
          ...sending(webhookExample),
          expect: refused('Connection (name: crm) already exists!'),
        },
      ],
      handle: async (call) => {
        const { params: where, body, services } = call;
        const scope = await scopeOf(where, services);
        refuseDeployment(call, body, scope);
        const saved = await services.connections.create(scope.id, nameOf(where), body);
        const { name: objectName } = saved.value;
        const after = await auditedViewOf(services, saved);
        await audit(call, {
          action: 'CREATE',
          objectType,
          objectName,
          projectName: scope.projectName,
          after,
        });
        return deployAfterSave(call, { saved, scope, body });
      },
    }),
    endpoint({
      ...named,
      id: `${prefix}connection-update`,
      methods: ['PUT'],
      summary: `Changes a connection ${whose}: what is left out stays, and so do the parameters of other environments.`,
      description:
        'The pods go on with the old parameters until the connection is deployed. `enabled` counts at once.',
      access: access('MANAGE'),
      body: jsonBody(connectionChange, { maxBytes: CONNECTION_BODY_BYTES }),
      responses: { 200: connectionResponse },
      examples: [
        {
          name: 'another address; the masked secret stays',
          setUp: [created],
          path: crm,
          ...sending({
            environmentName: 'Development',
            fullUrl: 'https://crm.example/v2/events',
            headerList: [{ name: 'Authorization', value: '******' }],
          }),
          expect: { status: 200, headers: { etag: '"2"' }, json: { resultList: [{ name: 'crm' }] } },
        },
        {
          name: 'an unknown one',
          path: crm,
          ...sending({ description: 'ours' }),
          expect: refused('Connection (name: crm) was not found!'),
        },
      ],
      handle: async (call) => {
        const { params: where, body, request, services } = call;
        const scope = await scopeOf(where, services);
        refuseDeployment(call, body, scope);
        const name = nameOf(where);
        const changed = await services.connections.update(scope.id, name, body, expectedRevision(request));
        await audit(call, {
          action: 'UPDATE',
          objectType,
          objectName: name,
          projectName: scope.projectName,
          before: await auditedViewOf(services, changed.before),
          after: await auditedViewOf(services, changed.after),
        });
        return deployAfterSave(call, { saved: changed.after, before: changed.before, scope, body });
      },
    }),
    endpoint({
      ...named,
      id: `${prefix}connection-delete`,
      spec: '2 §4.5',
      methods: ['DELETE'],
      summary: `Deletes a connection ${whose} and takes it from the pods. Refused while something uses it, unless forced.`,
      access: access('MANAGE'),
      query: Type.Object({
        force: Type.Boolean({ default: false, description: 'whether its users are left without it' }),
      }),
      responses: {
        200: {
          description: 'It is gone.',
          content: {
            'application/json': Type.Object({
              status: Type.Literal('SUCCESS'),
              deploymentResult: Type.Optional(deploymentResult),
            }),
          },
        },
      },
      examples: [
        {
          name: 'one that nothing uses',
          setUp: [created],
          path: crm,
          ...signedIn,
          expect: { status: 200, json: { status: 'SUCCESS' } },
        },
        {
          name: 'an unknown one',
          path: crm,
          ...signedIn,
          expect: refused('Connection (name: crm) was not found!'),
        },
      ],
      handle: async (call) => {
        const { params: where, query, request, services } = call;
        const scope = await scopeOf(where, services);
        let result: Awaited<ReturnType<typeof services.deployer.undeploy>>;
        const removed = await services.connections.remove(scope.id, nameOf(where), {
          expectedRevision: expectedRevision(request),
          isForced: query.force,
          withdraw: async (connection) => {
            result = await services.deployer.undeploy(deployable(connection, scope), deployedBy(call));
          },
        });
        const before = await auditedViewOf(services, removed);
        await audit(call, {
          action: 'DELETE',
          objectType,
          objectName: removed.value.name,
          projectName: scope.projectName,
          before,
        });
        return success(result && { deploymentResult: result });
      },
    }),
  ];
}
