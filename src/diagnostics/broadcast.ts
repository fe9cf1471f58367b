import { ClientFailure } from '../http1/client/client-failure.ts';
import type { OutboundAnswer, OutboundCall } from '../kernel/outbound/http-caller.ts';
import type { Pod, PodRegistry } from '../store/pods.ts';
import type { PodReport } from './pod-report.ts';

export interface BroadcastOptions {
  readonly module: string;
  readonly environmentId: string;
  readonly pods: Pick<PodRegistry, 'live'>;
  readonly call: (call: OutboundCall) => Promise<OutboundAnswer>;
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
/** A dump of many threads has some hundred kilobytes. */
const MAX_REPORT_BYTES = 4 * 1024 * 1024;

export type Broadcast = (
  name: string,
  own: { readonly podName: string; readonly report: Promise<PodReport> },
  signal: AbortSignal,
) => Promise<BroadcastResult>;

/**
 * Asks every other living pod of the same module and environment, and puts the answers beside the own one. The others are
 * asked with `internal=true`, upon which none asks any further: there is no way to a loop. Whoever does not answer well
 * appears with its error.
 */
export function createBroadcast(options: BroadcastOptions): Broadcast {
  const { module, environmentId, pods, call, deadlines = DEADLINES } = options;

  return async (name, own, signal) => {
    const whole = AbortSignal.any([signal, AbortSignal.timeout(deadlines.wholeMs)]);
    const listed = await list();
    const others = listed.pods.filter(({ podName }) => podName !== own.podName);
    const [report, ...reports] = await Promise.all([
      own.report,
      ...inTurns(others, (pod) => ask(pod, name, whole)),
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

  async function ask(pod: Pod, name: string, signal: AbortSignal): Promise<PodReport> {
    const begunAtMs = performance.now();
    const described = () => ({
      podName: pod.podName,
      podIp: ipOf(pod.address),
      responseTime: Math.round(performance.now() - begunAtMs),
    });
    try {
      const { status, body } = await call({
        url: `${pod.address}/gateway/diagnostics/${name}?internal=true`,
        // Asked too seldom for a connection to be worth keeping.
        headers: ['Authorization', environmentId, 'Accept', 'application/json', 'Connection', 'close'],
        deadlineMs: deadlines.podMs,
        maxBodyBytes: MAX_REPORT_BYTES,
        signal,
      });
      return { ...reportIn(status, body, pod), responseTime: described().responseTime };
    } catch (error) {
      return { ...described(), error: reasonOf(error, signal) };
    }
  }
}

class BadReport extends Error {}

function reportIn(status: number, body: Buffer, { podName }: Pod): PodReport {
  if (status !== 200) throw new BadReport(`answered with status ${status}`);
  const report = parsed(body);
  if (typeof report !== 'object' || report === null || Array.isArray(report))
    throw new BadReport('answered with something else than a report');
  if ((report as PodReport).podName !== podName) throw new BadReport('another pod answers at its address');
  return report as PodReport;
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw new BadReport('answered with something else than JSON');
  }
}

/** In words for whoever reads the answer; failures of calls hold no secret. */
function reasonOf(error: unknown, signal: AbortSignal): string {
  if (error instanceof BadReport) return error.message;
  if (signal.aborted) return 'no answer within the time for all pods';
  return `no answer: ${error instanceof ClientFailure ? error.message : 'unexpected failure'}`;
}

/** `http://10.0.0.7:8091` → `10.0.0.7`. */
export function ipOf(address: string): string {
  return URL.canParse(address) ? new URL(address).hostname.replace(/^\[|\]$/g, '') : '';
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
