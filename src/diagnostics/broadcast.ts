import type { Pod, PodRegistry } from '../store/pods.ts';
import type { PodReport } from './pod-report.ts';
import type { ReportCall } from './report-call.ts';

export interface BroadcastOptions {
  readonly module: string;
  readonly environmentId: string;
  readonly pods: Pick<PodRegistry, 'live'>;
  readonly ask: ReportCall;
  readonly deadlines?: BroadcastDeadlines;
}

interface BroadcastDeadlines {
  readonly listMs: number;
  readonly podMs: number;
  readonly wholeMs: number;
}

export interface BroadcastResult {
  readonly pods: readonly PodReport[];
  /** Why there may be pods that are not listed. */
  readonly error?: string;
}

const DEADLINES: BroadcastDeadlines = { listMs: 2000, podMs: 5000, wholeMs: 10_000 };
const MOST_AT_ONCE = 32;

export type Broadcast = (
  question: { readonly name: string; readonly keys: readonly string[] },
  own: { readonly podName: string; readonly report: Promise<PodReport> },
  signal: AbortSignal,
) => Promise<BroadcastResult>;

/**
 * Asks every other living pod of the same module and environment, and puts the answers beside the own one. The others are
 * asked with `internal=true`, upon which none asks any further: there is no way to a loop. Whoever does not answer well
 * appears with its error.
 */
export function createBroadcast(options: BroadcastOptions): Broadcast {
  const { module, environmentId, pods, ask, deadlines = DEADLINES } = options;

  return async ({ name, keys }, own, signal) => {
    const whole = AbortSignal.any([signal, AbortSignal.timeout(deadlines.wholeMs)]);
    const listed = await list();
    const others = listed.pods.filter(({ podName }) => podName !== own.podName);
    const [report, ...reports] = await Promise.all([
      own.report,
      ...inTurns(others, ({ podName, address }) =>
        ask({
          podName,
          address,
          path: `${name}?internal=true`,
          keys,
          deadlineMs: deadlines.podMs,
          signal: whole,
        }),
      ),
    ]);
    signal.throwIfAborted();
    return {
      ...(listed.error && { error: listed.error }),
      pods: [report!, ...reports].toSorted((a, b) => (a.podName < b.podName ? -1 : 1)),
    };
  };

  /** Without the database there is still this pod's own answer, which is wanted then more than ever. */
  async function list(): Promise<{ readonly pods: readonly Pod[]; readonly error?: string }> {
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(new Error('late')), deadlines.listMs);
    try {
      return { pods: await Promise.race([pods.live(module, environmentId), late]) };
    } catch {
      return { pods: [], error: 'the other pods are not known: the platform database does not answer' };
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Begins so many at once, and the next whenever one is done. */
function inTurns<Item, Result>(
  items: readonly Item[],
  run: (item: Item) => Promise<Result>,
): Promise<Result>[] {
  const settled = items.map(() => Promise.withResolvers<Result>());
  const queue = items.entries();
  const work = async () => {
    for (const [index, item] of queue) settled[index]!.resolve(await run(item));
  };
  for (let worker = 0; worker < Math.min(MOST_AT_ONCE, items.length); worker++) void work();
  return settled.map(({ promise }) => promise);
}
