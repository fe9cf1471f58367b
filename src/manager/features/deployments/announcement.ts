import type { Clock } from '../../../kernel/clock.ts';
import { type PodChannel, podIpOf } from '../../../platform/channel/pod-channel.ts';
import type { PodDeployment } from '../../../platform/deployment/deployment-result.ts';
import type { Taken } from '../../../platform/deployment/deployments.ts';
import type { Pod } from '../../../store/pods.ts';

/** What a pod made of a revision. */
export interface PodReply extends PodDeployment {
  /** It was reached, and cannot run the revision. */
  readonly isRefused: boolean;
}

export interface AnnouncerOptions {
  readonly channel: Pick<PodChannel, 'send'>;
  readonly clock: Clock;
  /** For each pod: fetching, building and swapping. */
  readonly deadlineMs: number;
}

/** Tells all pods of a revision at once. Each is in the result, those that do not answer with why. */
export function announceRevision(
  pods: readonly Pod[],
  { envName, revision }: { readonly envName: string; readonly revision: number },
  { channel, clock, deadlineMs }: AnnouncerOptions,
): Promise<PodReply[]> {
  return Promise.all(pods.map(tell));

  async function tell(pod: Pod): Promise<PodReply> {
    const startedAtMs = clock.now();
    const { success, detail, isRefused } = await reply(pod);
    const { podName } = pod;
    const responseTime = clock.now() - startedAtMs;
    return { envName, podName, podIp: podIpOf(pod), success, detail, responseTime, isRefused };
  }

  async function reply(pod: Pod): Promise<Pick<PodReply, 'success' | 'detail' | 'isRefused'>> {
    try {
      const { success, detail } = (await channel.send(pod, {
        method: 'POST',
        path: 'revisions/',
        body: { revision },
        deadlineMs,
        isRepeatable: true,
      })) as Taken;
      return { success, detail, isRefused: !success };
    } catch (error) {
      return { success: false, detail: (error as Error).message, isRefused: false };
    }
  }
}
