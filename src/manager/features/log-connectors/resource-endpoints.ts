import { Type } from 'typebox';
import { reply } from '../../../kernel/catalogue/answer.ts';
import { json, jsonBody } from '../../../kernel/catalogue/declarations.ts';
import { etagOf, expectedRevision } from '../../../kernel/contracts/revisions.ts';
import { type LogKind, logConnectorInput, logConnectorView } from '../../../model/log-connector.ts';
import { endpoint, type ManagerEndpoint } from '../../endpoint.ts';
import { audit } from '../../resources/audit.ts';
import { sending, signedIn } from '../../resources/examples.ts';
import { plainResult } from '../../resources/plain-result.ts';
import {
  accessTo,
  connectionMade,
  connectorMade,
  exampleLogConnectors,
  inEnvironment,
  kindOf,
  logConnectorsOf,
  logConnectorsPath,
  ofKind,
  siem,
} from './log-connector-calls.ts';

const objectType = 'log connector';
const path = `${logConnectorsPath}{kind}/`;
const one = {
  ...json('The log connector.', logConnectorView),
  headers: { ETag: 'Its revision, for If-Match.' },
};
const notThere = {
  status: 404,
  json: {
    errorKey: 'LOG_CONNECTOR_NOT_FOUND',
    message: 'Environment (Development) has no log connector for audit records!',
  },
} as const;

/** Log connectors as they are saved. */
export const logConnectorResourceEndpoints: readonly ManagerEndpoint[] = [
  endpoint({
    ...inEnvironment,
    id: 'log-connector-list',
    methods: ['GET'],
    path: logConnectorsPath,
    summary: 'Lists the log connectors of an environment, and whether its pods have them as they are.',
    access: accessTo('VIEW'),
    responses: {
      200: json(
        'The log connectors.',
        Type.Object({
          items: Type.Array(logConnectorView),
          total: Type.Integer(),
          deployment: Type.Object({
            deployed: Type.Boolean(),
            redeployRequired: Type.Boolean(),
            lastDeployTime: Type.Optional(Type.String({ format: 'date-time' })),
            revision: Type.Optional(Type.Integer()),
          }),
        }),
      ),
    },
    examples: [
      {
        name: 'one, not deployed',
        setUp: [connectionMade, connectorMade],
        path: exampleLogConnectors,
        ...signedIn,
        expect: {
          status: 200,
          json: {
            items: [{ kind: 'audit', connection: siem, keepUnsent: true, enabled: true }],
            total: 1,
            deployment: { deployed: false, redeployRequired: true },
          },
        },
      },
      {
        name: 'of an unknown environment',
        path: '/apiops/environments/Nowhere/log-connectors/',
        ...signedIn,
        expect: { status: 404, json: { errorKey: 'ENVIRONMENT_NOT_FOUND' } },
      },
    ],
    handle: async ({ params, services }) => {
      const environment = await services.environments.require(params.environment);
      const connectors = await services.logConnectors.in(environment.id);
      const items = await Promise.all(connectors.map((found) => services.logConnectors.view(found)));
      const statuses = await services.deployer.statuses(logConnectorsOf(environment.id));
      const status = statuses.find(({ environmentId }) => environmentId === environment.id);
      const { deployed = false, redeployRequired = false, lastDeployTime, revision } = status ?? {};
      return reply.json({
        items,
        total: items.length,
        deployment: {
          deployed,
          // What was never deployed has no effect either.
          redeployRequired: redeployRequired || (!deployed && items.length > 0),
          ...(lastDeployTime !== undefined && { lastDeployTime }),
          ...(revision !== undefined && { revision }),
        },
      });
    },
  }),
  endpoint({
    ...ofKind,
    path,
    id: 'log-connector-get',
    methods: ['GET'],
    summary: 'Shows the log connector of one kind of records.',
    access: accessTo('VIEW'),
    responses: { 200: one },
    examples: [
      { name: 'none yet', path: `${exampleLogConnectors}audit/`, ...signedIn, expect: notThere },
      {
        name: 'an unknown kind',
        path: `${exampleLogConnectors}weather/`,
        ...signedIn,
        expect: {
          status: 404,
          json: { message: 'There are no weather records, only traffic, token, audit!' },
        },
      },
    ],
    handle: async ({ params, services }) => {
      const environment = await services.environments.require(params.environment);
      const found = await services.logConnectors.require(environment, kindOf(params.kind));
      return plainResult(await services.logConnectors.view(found), found.revision);
    },
  }),
  endpoint({
    ...ofKind,
    path,
    id: 'log-connector-put',
    methods: ['PUT'],
    summary: 'Says through which connection the records of one kind go, and which one takes over.',
    description:
      'Both connections need parameters for the environment and a method that carries a body. Pods do so after the next deployment.',
    access: accessTo('MANAGE'),
    body: jsonBody(logConnectorInput),
    responses: { 200: one },
    examples: [
      {
        name: 'a global connection',
        setUp: [connectionMade],
        path: `${exampleLogConnectors}token/`,
        ...sending({ connection: siem }),
        expect: { status: 200, json: { kind: 'token', connection: siem, keepUnsent: false, enabled: true } },
      },
      {
        name: 'its own failover',
        setUp: [connectionMade],
        path: `${exampleLogConnectors}token/`,
        ...sending({ connection: siem, failoverConnection: siem }),
        expect: {
          status: 400,
          json: {
            errorKey: 'VALIDATION_FAILED',
            message: 'Connection (name: siem) can not be its own failover!',
          },
        },
      },
      {
        name: 'an unknown connection',
        path: `${exampleLogConnectors}token/`,
        ...sending({ connection: siem }),
        expect: { status: 404, json: { errorKey: 'CONNECTION_NOT_FOUND' } },
      },
    ],
    handle: async (call) => {
      const { params, body, request, services } = call;
      const environment = await services.environments.require(params.environment);
      const kind = kindOf(params.kind);
      const { logConnectors } = services;
      const saved = await logConnectors.put(environment, kind, body, expectedRevision(request));
      const after = await logConnectors.view(saved.after);
      await audit(call, {
        action: saved.before ? 'UPDATE' : 'CREATE',
        objectType,
        objectName: nameOf(kind, params.environment),
        ...(saved.before && { before: await logConnectors.view(saved.before) }),
        after,
      });
      return plainResult(after, saved.after.revision);
    },
  }),
  endpoint({
    ...ofKind,
    path,
    id: 'log-connector-delete',
    methods: ['DELETE'],
    summary: 'Removes the log connector of one kind of records. Pods let go of it with the next deployment.',
    access: accessTo('MANAGE'),
    responses: { 200: one },
    examples: [
      {
        name: 'one that is there',
        setUp: [connectionMade, connectorMade],
        path: `${exampleLogConnectors}audit/`,
        ...signedIn,
        expect: { status: 200, json: { kind: 'audit' } },
      },
      { name: 'none', path: `${exampleLogConnectors}audit/`, ...signedIn, expect: notThere },
    ],
    handle: async (call) => {
      const { params, request, services } = call;
      const environment = await services.environments.require(params.environment);
      const kind = kindOf(params.kind);
      const removed = await services.logConnectors.remove(environment, kind, expectedRevision(request));
      const before = await services.logConnectors.view(removed);
      const objectName = nameOf(kind, params.environment);
      await audit(call, { action: 'DELETE', objectType, objectName, before });
      return reply.json(before, { headers: ['ETag', etagOf(removed.revision)] });
    },
  }),
];

/** How a log connector is called in journals. */
function nameOf(kind: LogKind, environmentName: string): string {
  return `${kind} (${environmentName})`;
}
