import { Type } from 'typebox';
import type { Endpoint } from '../kernel/catalogue/endpoint.ts';
import type { Clock } from '../kernel/clock.ts';
import { logKindSchema } from '../model/log-connector.ts';
import { type InternalGate, internalEndpoint } from '../platform/channel/internal-endpoint.ts';
import type { PodState } from '../platform/deployment/pod-state.ts';
import type { DeployedDelivery } from './deployed-delivery.ts';
import { type SampleTally, sendSamples } from './log-samples.ts';

/** Of one call. */
export const MOST_SAMPLES = 100;

export interface DeliveryEndpointsOptions {
  /** Undefined while the pod follows no environment. */
  readonly delivery: () => DeployedDelivery | undefined;
  readonly self: () => { readonly podName: string };
  readonly clock: Clock;
}

const notSent: SampleTally = { isSent: false, accepted: 0, failedOver: 0, unsent: 0, dropped: {} };

/** What the Manager asks of every pod that delivers. */
export function deliveryEndpoints(
  gate: InternalGate,
  { delivery, self, clock }: DeliveryEndpointsOptions,
): Endpoint<unknown, unknown>[] {
  return [
    internalEndpoint(gate, {
      id: 'internal-state',
      method: 'GET',
      path: 'state/',
      summary: 'How the connections of the pod fare; one of them with `connection=<id>`.',
      handle: (_, { request }): PodState => {
        const wanted = request.queryPairs.find(([name]) => name === 'connection')?.[1];
        return stateOf(delivery(), wanted);
      },
    }),
    internalEndpoint(gate, {
      id: 'internal-log-samples',
      method: 'POST',
      path: 'log-samples/',
      summary: 'Sends sample records through the log connector of their kind.',
      body: Type.Object({
        environmentId: Type.String(),
        kind: logKindSchema,
        count: Type.Integer({ minimum: 1, maximum: MOST_SAMPLES }),
      }),
      handle: ({ environmentId, kind, count }, { exchange }): Promise<SampleTally> | SampleTally => {
        const running = delivery();
        if (running?.environment.id !== environmentId) return notSent;
        const { signal } = exchange;
        return sendSamples(running, { kind, count, podName: self().podName, clock, signal });
      },
    }),
  ];
}

function stateOf(delivery: DeployedDelivery | undefined, connectionId: string | undefined): PodState {
  if (!delivery) return { revision: 0, connections: [], logConnectors: [] };
  const { environment, deployments, connections, logs } = delivery;
  return {
    environmentId: environment.id,
    revision: deployments.revision,
    connections: connections.states().filter(({ id }) => connectionId === undefined || id === connectionId),
    logConnectors: logs.states(),
  };
}
