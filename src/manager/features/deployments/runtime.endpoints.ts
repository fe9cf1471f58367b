import { Type } from 'typebox';
import { reply } from '../../../kernel/catalogue/answer.ts';
import { json } from '../../../kernel/catalogue/declarations.ts';
import { endpoint, type ManagerEndpoint } from '../../endpoint.ts';
import { sending, signedIn } from '../../resources/examples.ts';
import { connectionPlaces, nameOf, scopeOf } from '../connections/connection-calls.ts';
import { webhookExample } from '../connections/connection-declarations.ts';
import { connectionOnPod } from './connection-runtime.ts';

/** How connections fare on the pods of an environment, live. */
export const connectionRuntimeEndpoints: readonly ManagerEndpoint[] = connectionPlaces.map(
  ({ prefix, base, examplePath, whose, params, access }) =>
    endpoint({
      id: `${prefix}connection-runtime`,
      group: 'Connections',
      spec: '2 §3',
      methods: ['GET'],
      path: `${base}{name}/runtime/`,
      summary: `Counters, buffer, circuit and pool of a connection ${whose}, pod by pod.`,
      description:
        'The worker pods of the environment are asked, and the Managers where their own records go there; one that does not answer is listed with its error. The effective parameters are those in force: timeouts that are empty have taken the value of `timeout`.',
      access: access('VIEW'),
      errors: 'newer',
      params: Type.Object({ ...params, name: Type.String() }),
      query: Type.Object({ environment: Type.String({ maxLength: 100, description: 'its name' }) }),
      responses: {
        200: json('What the pods say.', Type.Object({ pods: Type.Array(connectionOnPod) })),
      },
      examples: [
        {
          name: 'without a pod',
          setUp: [{ method: 'POST', path: `${examplePath}crm/`, ...sending(webhookExample) }],
          path: `${examplePath}crm/runtime/?environment=Development`,
          ...signedIn,
          expect: { status: 200, json: { pods: [] } },
        },
        {
          name: 'an unknown one',
          path: `${examplePath}crm/runtime/?environment=Development`,
          ...signedIn,
          expect: { status: 404, json: { message: 'Connection (name: crm) was not found!' } },
        },
      ],
      handle: async ({ params: where, query, services }) => {
        const scope = await scopeOf(where, services);
        const connection = await services.connections.require(scope.id, nameOf(where));
        const environment = await services.environments.require(query.environment);
        return reply.json({ pods: await services.connectionRuntime.onPods(connection.id, environment) });
      },
    }),
);
