import type { Log } from '../kernel/log.ts';
import type { PodDescription, PodRegistry } from '../store/pods.ts';

/** Registers the pod and keeps it alive in the registry; resolves with what takes it out again. */
export async function registerPod(
  pods: PodRegistry,
  pod: PodDescription,
  log: Log,
): Promise<() => Promise<void>> {
  const { podName, address } = pod;
  const registration = await pods.register(pod, {
    onFailure: (err) => log.warn({ event: 'pod.heartbeat.failed', podName, err }),
    onReplaced: () => log.error({ event: 'pod.replaced', podName }),
  });
  log.info({ event: 'pod.registered', podName, address });
  return async () => {
    try {
      await registration.stop();
    } catch (err) {
      // The database is away; without heartbeats the pod is soon taken for gone.
      log.warn({ event: 'pod.removal.failed', podName, err });
    }
  };
}
