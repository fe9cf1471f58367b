import { type Static, Type } from 'typebox';
import type { Environment } from '../../../model/environment.ts';
import { type PodChannel, podIpOf } from '../../../platform/channel/pod-channel.ts';
import type { PodState } from '../../../platform/deployment/pod-state.ts';
import type { Stored } from '../../../store/contract.ts';
import type { Pod, PodRegistry } from '../../../store/pods.ts';

/** How a connection fares on one pod. */
export const connectionOnPod = Type.Object(
  {
    podName: Type.String(),
    podIp: Type.String(),
    revision: Type.Optional(Type.Integer({ description: 'That the pod runs.' })),
    connection: Type.Optional(
      Type.Unknown({
        description:
          'Counters, buffer, circuit, pool and effective parameters; absent where it is not deployed.',
      }),
    ),
    error: Type.Optional(Type.String({ description: 'Why the pod could not be asked.' })),
  },
  { $id: 'ConnectionOnPod' },
);
type ConnectionOnPod = Static<typeof connectionOnPod>;

export interface ConnectionRuntimeOptions {
  readonly pods: Pick<PodRegistry, 'live'>;
  readonly channel: Pick<PodChannel, 'send'>;
  readonly deadlineMs?: number;
}

/** Asks all pods of an environment at once how a connection fares. */
export class ConnectionRuntime {
  readonly #options: ConnectionRuntimeOptions;

  constructor(options: ConnectionRuntimeOptions) {
    this.#options = options;
  }

  async onPods(connectionId: string, environment: Stored<Environment>): Promise<ConnectionOnPod[]> {
    const pods = await this.#options.pods.live('worker', environment.id);
    return Promise.all(pods.map((pod) => this.#on(pod, connectionId)));
  }

  async #on(pod: Pod, connectionId: string): Promise<ConnectionOnPod> {
    const { channel, deadlineMs = 5_000 } = this.#options;
    const place = { podName: pod.podName, podIp: podIpOf(pod) };
    try {
      const path = `state/?connection=${encodeURIComponent(connectionId)}`;
      const { revision, connections } = (await channel.send(pod, {
        method: 'GET',
        path,
        deadlineMs,
        isRepeatable: true,
      })) as PodState;
      const [connection] = connections;
      return { ...place, revision, ...(connection && { connection }) };
    } catch (error) {
      return { ...place, error: (error as Error).message };
    }
  }
}
