import { Type } from 'typebox';
import { MOST_SAMPLES } from '../../../delivery/delivery-endpoints.ts';
import { reply } from '../../../kernel/catalogue/answer.ts';
import { json, jsonBody } from '../../../kernel/catalogue/declarations.ts';
import { fault } from '../../../kernel/faults.ts';
import type { Environment } from '../../../model/environment.ts';
import { input } from '../../../model/input.ts';
import { deploymentResult } from '../../../platform/deployment/deployment-result.ts';
import type { Stored } from '../../../store/contract.ts';
import { endpoint, type ManagerEndpoint } from '../../endpoint.ts';
import { sending, signedIn } from '../../resources/examples.ts';
import type { ManagerServices } from '../../services.ts';
import { deployedBy } from '../connections/connection-calls.ts';
import { withoutPods } from '../connections/connection-declarations.ts';
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
} from './log-connector-calls.ts';
import { logConnectorsOnPod, samplesOnPod } from './log-connector-runtime.ts';

const deployed = json(
  'What each pod said; without a result there was nothing to change.',
  Type.Object({ deploymentResult: Type.Optional(deploymentResult) }),
);
const sampleOrder = input(
  {
    count: Type.Integer({ default: 1, minimum: 1, maximum: MOST_SAMPLES }),
    podName: Type.Optional(Type.String({ maxLength: 200, description: 'that pod alone' })),
  },
  { $id: 'SampleOrder' },
);

/** What is done with log connectors. */
export const logConnectorOperationEndpoints: readonly ManagerEndpoint[] = [
  endpoint({
    ...inEnvironment,
    id: 'log-connectors-deploy',
    methods: ['POST'],
    path: `${logConnectorsPath}deploy/`,
    summary: 'Brings the log connectors of an environment as they are saved now to its pods.',
    description:
      'All of them together: one that was removed goes. The connections that they name must be deployed to the environment before.',
    access: accessTo('DEPLOY_UNDEPLOY'),
    responses: { 200: deployed },
    examples: [
      {
        name: 'whose connection is not deployed',
        setUp: [connectionMade, connectorMade],
        path: `${exampleLogConnectors}deploy/`,
        ...signedIn,
        expect: {
          status: 409,
          json: {
            errorKey: 'CONNECTION_NOT_DEPLOYED',
            message: 'Deploy Connection (name: siem) to Environment (Development) first!',
          },
        },
      },
      { name: 'none at all', path: `${exampleLogConnectors}deploy/`, ...signedIn, expect: { status: 200 } },
    ],
    handle: async (call) => {
      const { params, services } = call;
      const environment = await services.environments.require(params.environment);
      const object = logConnectorsOf(environment.id);
      const names = [environment.value.name];
      const hasSome = (await services.logConnectors.in(environment.id)).length > 0;
      if (hasSome) await refuseUndeployed(services, environment);
      const result = hasSome
        ? await services.deployer.deploy(object, names, deployedBy(call))
        : await services.deployer.undeploy(object, deployedBy(call), names);
      return reply.json({ ...(result && { deploymentResult: result }) });
    },
  }),
  endpoint({
    ...inEnvironment,
    id: 'log-connectors-undeploy',
    methods: ['POST'],
    path: `${logConnectorsPath}undeploy/`,
    summary: 'Takes the log connectors from the pods of an environment. They stay saved.',
    access: accessTo('DEPLOY_UNDEPLOY'),
    responses: { 200: deployed },
    examples: [
      {
        name: 'that are not deployed',
        path: `${exampleLogConnectors}undeploy/`,
        ...signedIn,
        expect: { status: 200 },
      },
    ],
    handle: async (call) => {
      const { params, services } = call;
      const { id, value } = await services.environments.require(params.environment);
      const result = await services.deployer.undeploy(logConnectorsOf(id), deployedBy(call), [value.name]);
      return reply.json({ ...(result && { deploymentResult: result }) });
    },
  }),
  endpoint({
    ...inEnvironment,
    id: 'log-connectors-runtime',
    methods: ['GET'],
    path: `${logConnectorsPath}runtime/`,
    summary: 'Counters, buffer, circuit and pool of what delivers the logs of an environment, pod by pod.',
    description:
      'The worker pods of the environment are asked, and the Managers where their own records go there. One that does not answer is listed with its error.',
    access: accessTo('VIEW'),
    responses: { 200: json('What the pods say.', Type.Object({ pods: Type.Array(logConnectorsOnPod) })) },
    examples: [
      {
        name: 'without a pod',
        path: `${exampleLogConnectors}runtime/`,
        ...signedIn,
        expect: { status: 200, json: { pods: [] } },
      },
    ],
    handle: async ({ params, services }) => {
      const environment = await services.environments.require(params.environment);
      return reply.json({ pods: await services.logConnectorRuntime.onPods(environment) });
    },
  }),
  endpoint({
    ...ofKind,
    id: 'log-connector-send-samples',
    methods: ['POST'],
    path: `${logConnectorsPath}{kind}/send-samples/`,
    summary: 'Has pods send sample records the way that records of this kind go.',
    description:
      'Each says of itself that it is a sample. Whether they arrived, the counters of the connection tell: see its runtime.',
    access: accessTo('MANAGE'),
    body: jsonBody(sampleOrder),
    responses: {
      200: json('What became of them on each pod.', Type.Object({ pods: Type.Array(samplesOnPod) })),
    },
    examples: [
      {
        name: 'without a pod',
        path: `${exampleLogConnectors}audit/send-samples/`,
        ...sending({}),
        expect: withoutPods,
      },
    ],
    handle: async ({ params, body, services }) => {
      const environment = await services.environments.require(params.environment);
      const order = { kind: kindOf(params.kind), ...body };
      return reply.json({ pods: await services.logConnectorRuntime.sendSamples(environment, order) });
    },
  }),
];

/** Records would have nowhere to go. */
async function refuseUndeployed(
  { logConnectors, deployer }: ManagerServices,
  { id, value }: Stored<Environment>,
): Promise<void> {
  const missing: string[] = [];
  for (const connection of await logConnectors.connectionsIn(id)) {
    const statuses = await deployer.statuses(connection);
    if (!statuses.find(({ environmentId }) => environmentId === id)?.deployed)
      missing.push(`Connection (name: ${connection.name})`);
  }
  if (missing.length === 0) return;
  const values = { names: missing.join(', '), environmentName: value.name };
  throw fault('log-connector.connection-not-deployed', values);
}
