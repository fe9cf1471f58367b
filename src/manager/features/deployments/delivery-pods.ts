import { Type } from 'typebox';
import type { Environment } from '../../../model/environment.ts';
import { type PodCall, type PodChannel, podIpOf } from '../../../platform/channel/pod-channel.ts';
import type { PodState } from '../../../platform/deployment/pod-state.ts';
import type { Stored } from '../../../store/contract.ts';
import type { Pod, PodRegistry } from '../../../store/pods.ts';
import type { SettingsService } from '../settings/settings-service.ts';

export interface DeliveryPodsOptions {
  readonly pods: Pick<PodRegistry, 'live'>;
  readonly channel: Pick<PodChannel, 'send'>;
  readonly settings: Pick<SettingsService, 'get'>;
}

/** Members that every answer about a pod that delivers has. */
export const podOfDelivery = {
  module: Type.String({ description: 'worker, or manager: it delivers its own records.' }),
  podName: Type.String(),
  podIp: Type.String(),
  revision: Type.Optional(Type.Integer({ description: 'That the pod runs.' })),
  error: Type.Optional(Type.String({ description: 'Why the pod could not be asked.' })),
};

interface AskedPod {
  readonly module: string;
  readonly podName: string;
  readonly podIp: string;
}

export interface DeliveringPod extends AskedPod {
  readonly revision?: number;
  readonly error?: string;
  readonly state?: PodState;
}

const DEADLINE_MS = 5_000;

/** The pods that deliver for an environment: its workers, and the Managers where their own records go there. */
export class DeliveryPods {
  readonly #options: DeliveryPodsOptions;

  constructor(options: DeliveryPodsOptions) {
    this.#options = options;
  }

  async live({ id, value }: Stored<Environment>): Promise<Pod[]> {
    const { pods, settings } = this.#options;
    const { environmentName } = await settings.get('log-delivery');
    const managers = environmentName === value.name ? await pods.live('manager') : [];
    return [...(await pods.live('worker', id)), ...managers];
  }

  /** What each of them tells of itself; one that does not answer is there with its error. */
  async states(environment: Stored<Environment>, path = 'state/'): Promise<DeliveringPod[]> {
    const call = { method: 'GET', path, isRepeatable: true } as const;
    const asked = await this.askEach(await this.live(environment), call);
    return asked.flatMap(({ answer, ...pod }) => {
      if (answer === undefined) return [pod];
      const state = answer as PodState;
      // A Manager that has only begun to follow another environment has nothing to say of this one.
      if (state.environmentId !== environment.id) return [];
      return [{ ...pod, revision: state.revision, state }];
    });
  }

  /** All at once. */
  askEach(
    pods: readonly Pod[],
    call: Omit<PodCall, 'deadlineMs'>,
    deadlineMs = DEADLINE_MS,
  ): Promise<Array<AskedPod & { readonly answer?: unknown; readonly error?: string }>> {
    const { channel } = this.#options;
    return Promise.all(
      pods.map(async (pod) => {
        const asked = { module: pod.module, podName: pod.podName, podIp: podIpOf(pod) };
        try {
          return { ...asked, answer: await channel.send(pod, { ...call, deadlineMs }) };
        } catch (error) {
          return { ...asked, error: (error as Error).message };
        }
      }),
    );
  }
}
