import type { ProcessMetrics } from '../kernel/module/metrics.ts';
import type { HttpCaller } from '../kernel/outbound/http-caller.ts';
import type { PodProcess } from '../platform/pod-processes.ts';

export interface OtherMetricsOptions {
  readonly ownIndex: number;
  readonly processes: () => Promise<readonly PodProcess[]>;
  readonly caller: Pick<HttpCaller, 'call'>;
}

/** Less than scrapers wait for the whole of it. */
const DEADLINE_MS = 2000;
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

/** The metrics of the other processes of the pod. One that does not answer has none: its tallies went with it. */
export function otherMetrics({ ownIndex, processes, caller }: OtherMetricsOptions) {
  return async (): Promise<ProcessMetrics[]> => {
    const known = await processes().catch(() => []);
    const others = known.filter(({ index }) => index !== ownIndex);
    const answers = await Promise.all(others.map((one) => ask(one).catch(() => undefined)));
    return answers.filter((answer) => answer !== undefined);
  };

  async function ask({ port }: PodProcess): Promise<ProcessMetrics | undefined> {
    const { status, body } = await caller.call({
      url: `http://127.0.0.1:${port}/metrics`,
      headers: ['Accept', 'application/json'],
      deadlineMs: DEADLINE_MS,
      maxBodyBytes: MAX_ANSWER_BYTES,
    });
    return status === 200 ? (JSON.parse(body.toString()) as ProcessMetrics) : undefined;
  }
}
