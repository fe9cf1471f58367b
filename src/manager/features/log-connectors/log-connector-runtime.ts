import { type Static, Type } from 'typebox';
import type { SampleTally } from '../../../delivery/log-samples.ts';
import { fault } from '../../../kernel/faults.ts';
import type { Environment } from '../../../model/environment.ts';
import { type LogKind, logKindSchema } from '../../../model/log-connector.ts';
import type { Stored } from '../../../store/contract.ts';
import { type DeliveryPods, podOfDelivery } from '../deployments/delivery-pods.ts';

const connectionState = (description: string) => Type.Optional(Type.Unknown({ description }));

/** How the log connectors of an environment fare on one pod. */
export const logConnectorsOnPod = Type.Object(
  {
    ...podOfDelivery,
    connectors: Type.Optional(
      Type.Array(
        Type.Object({
          kind: logKindSchema,
          enabled: Type.Boolean(),
          keepUnsent: Type.Boolean(),
          connection: connectionState('counters, buffer, circuit and pool; absent when it is not deployed'),
          failoverConnection: connectionState('the same of the failover connection'),
          unrouted: Type.Unknown({ description: 'what came while the connection was not deployed' }),
        }),
      ),
    ),
  },
  { $id: 'LogConnectorsOnPod' },
);
type LogConnectorsOnPod = Static<typeof logConnectorsOnPod>;

/** What became of sample records on one pod. */
export const samplesOnPod = Type.Object(
  {
    module: podOfDelivery.module,
    podName: Type.String(),
    podIp: Type.String(),
    error: podOfDelivery.error,
    isSent: Type.Optional(Type.Boolean({ description: 'false: no log connector of this kind is deployed' })),
    accepted: Type.Optional(Type.Integer({ description: 'inside; the counters tell how they end' })),
    failedOver: Type.Optional(Type.Integer()),
    unsent: Type.Optional(Type.Integer()),
    dropped: Type.Optional(Type.Record(Type.String(), Type.Integer(), { description: 'by reason' })),
  },
  { $id: 'SamplesOnPod' },
);
type SamplesOnPod = Static<typeof samplesOnPod>;

export interface SampleOrder {
  readonly kind: LogKind;
  readonly count: number;
  /** One pod; otherwise all of them. */
  readonly podName?: string | undefined;
}

/** A full buffer holds up each of them for a while. */
const SAMPLES_MS = 20_000;

/** Asks all pods of an environment at once about their log connectors. */
export class LogConnectorRuntime {
  readonly #pods: DeliveryPods;

  constructor(pods: DeliveryPods) {
    this.#pods = pods;
  }

  async onPods(environment: Stored<Environment>): Promise<LogConnectorsOnPod[]> {
    const asked = await this.#pods.states(environment);
    return asked.map(({ state, ...pod }) => {
      if (!state) return pod;
      const stateOf = (id: string | null) => state.connections.find((connection) => connection.id === id);
      const connectors = state.logConnectors.map(
        ({ kind, enabled, keepUnsent, connectionId, failoverConnectionId, unrouted }) => {
          const [connection, failoverConnection] = [stateOf(connectionId), stateOf(failoverConnectionId)];
          return {
            kind,
            enabled,
            keepUnsent,
            ...(connection && { connection }),
            ...(failoverConnection && { failoverConnection }),
            unrouted,
          };
        },
      );
      return { ...pod, connectors };
    });
  }

  async sendSamples(
    environment: Stored<Environment>,
    { kind, count, podName }: SampleOrder,
  ): Promise<SamplesOnPod[]> {
    const live = await this.#pods.live(environment);
    const pods = podName === undefined ? live : live.filter((pod) => pod.podName === podName);
    const environmentName = environment.value.name;
    if (live.length === 0) throw fault('deployment.no-live-pod', { environmentName });
    if (pods.length === 0) throw fault('log-connector.pod-unknown', { environmentName, podName });
    const body = { environmentId: environment.id, kind, count };
    const call = { method: 'POST', path: 'log-samples/', body, isRepeatable: false } as const;
    const asked = await this.#pods.askEach(pods, call, SAMPLES_MS);
    return asked.map(({ answer, ...pod }) => ({ ...pod, ...(answer as SampleTally | undefined) }));
  }
}
