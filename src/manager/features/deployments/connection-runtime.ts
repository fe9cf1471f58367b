import { type Static, Type } from 'typebox';
import type { Environment } from '../../../model/environment.ts';
import type { Stored } from '../../../store/contract.ts';
import { type DeliveryPods, podOfDelivery } from './delivery-pods.ts';

/** How a connection fares on one pod. */
export const connectionOnPod = Type.Object(
  {
    ...podOfDelivery,
    connection: Type.Optional(
      Type.Unknown({
        description:
          'Counters, buffer, circuit, pool and effective parameters; absent where it is not deployed.',
      }),
    ),
  },
  { $id: 'ConnectionOnPod' },
);
type ConnectionOnPod = Static<typeof connectionOnPod>;

/** Asks all pods of an environment at once how a connection fares. */
export class ConnectionRuntime {
  readonly #pods: Pick<DeliveryPods, 'states'>;

  constructor(pods: Pick<DeliveryPods, 'states'>) {
    this.#pods = pods;
  }

  async onPods(connectionId: string, environment: Stored<Environment>): Promise<ConnectionOnPod[]> {
    const path = `state/?connection=${encodeURIComponent(connectionId)}`;
    const asked = await this.#pods.states(environment, path);
    return asked.map(({ state, ...pod }) => {
      const connection = state?.connections[0];
      return { ...pod, ...(connection && { connection }) };
    });
  }
}
