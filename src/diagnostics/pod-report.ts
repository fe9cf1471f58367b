import type { Log } from '../kernel/log.ts';
import type { Diagnostic, DiagnosticSources } from './diagnostic.ts';
import { loadNotice } from './load-notice.ts';

/** Who answers. */
export interface PodIdentity {
  readonly podName: string;
  readonly podIp: string;
  readonly envName: string;
  readonly version: string;
}

/** What one pod tells about itself: the content of each diagnostic under its key. */
export interface PodReport {
  readonly podName: string;
  readonly podIp: string;
  /** Milliseconds. */
  readonly responseTime: number;
  /** Why something, or everything, is missing. */
  readonly error?: string;
  /** That it cost the pod something to answer. */
  readonly notice?: string;
  readonly [member: string]: unknown;
}

/** One part that hangs must not hold up the others. */
const COLLECT_DEADLINE_MS = 4000;

/** The report of this pod. What cannot be had is named in `error`; the rest is there. */
export async function podReport(
  identity: PodIdentity,
  chosen: readonly Diagnostic[],
  sources: DiagnosticSources,
  log: Log,
): Promise<PodReport> {
  const begunAtMs = performance.now();
  const missing: string[] = [];
  const contents = await Promise.all(
    chosen.map(async (diagnostic) => {
      try {
        return [diagnostic.key, await withinDeadline(diagnostic, sources)] as const;
      } catch (err) {
        log.warn({ event: 'diagnostics.collect.failed', diagnostic: diagnostic.name, err });
        missing.push(diagnostic.key);
        return [diagnostic.key, undefined] as const;
      }
    }),
  );
  return {
    ...identity,
    responseTime: Math.round(performance.now() - begunAtMs),
    ...(missing.length > 0 && { error: `could not be collected: ${missing.join(', ')}; the log tells more` }),
    ...(chosen.some(({ loadsPod }) => loadsPod) && { notice: loadNotice }),
    ...Object.fromEntries(contents),
  };
}

async function withinDeadline({ name, collect }: Diagnostic, sources: DiagnosticSources): Promise<unknown> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new Error(`${name} took longer than ${COLLECT_DEADLINE_MS} ms`)),
    COLLECT_DEADLINE_MS,
  );
  try {
    return await Promise.race([collect(sources), late]);
  } finally {
    clearTimeout(timer);
  }
}
