import type { Clock } from '../../kernel/clock.ts';
import type { OutboundCall } from '../../kernel/outbound/http-caller.ts';
import { PodRegistry } from '../../store/pods.ts';
import type { StartedManager } from './start-manager.ts';

/** What pods answer that take every revision. */
export async function takesEverything({ body }: OutboundCall) {
  const { revision = 0 } = JSON.parse(Buffer.from((body ?? '{}') as Uint8Array).toString() || '{}');
  const answer = { success: true, revision, detail: `Revision ${revision} runs.` };
  return { status: 200, headers: undefined as never, body: Buffer.from(JSON.stringify(answer)) };
}

/** Registers a worker pod, which is reached at `http://<podName>:1`. */
export async function registerWorker(
  { services }: StartedManager,
  { podName, environmentName, clock }: { podName: string; environmentName: string; clock: Clock },
) {
  const { id: environmentId } = await services.environments.require(environmentName);
  const description = {
    podName,
    module: 'worker',
    environmentId,
    address: `http://${podName}:1`,
    processId: 1,
  };
  return new PodRegistry(services.store, clock).register(description);
}
