import {
  constants,
  type ELDHistogram,
  type EventLoopUtilization,
  monitorEventLoopDelay,
  type PerformanceEntry,
  type PerformanceNodeEntry,
  PerformanceObserver,
  performance,
} from 'node:perf_hooks';

export interface GarbageCollection {
  readonly name: string;
  readonly collectionCount: number;
  /** Milliseconds. */
  readonly collectionTime: number;
}

/** How late the event loop is, in milliseconds, over the latest one or two minutes. */
export interface EventLoopDelay {
  readonly mean: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

const collectors: ReadonlyMap<number, string> = new Map([
  [constants.NODE_PERFORMANCE_GC_MINOR, 'minor'],
  [constants.NODE_PERFORMANCE_GC_MINOR_MARK_SWEEP, 'minor mark-sweep'],
  [constants.NODE_PERFORMANCE_GC_MAJOR, 'major'],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, 'incremental marking'],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, 'weak callbacks'],
]);

const RESOLUTION_MS = 20;
const WINDOW_MS = 60_000;

/** Counts what Node only tells while it happens: garbage collections and the delay of the event loop. */
export class ProcessProbe {
  readonly #collections = new Map<string, { count: number; timeMs: number }>(
    [...collectors.values()].map((name) => [name, { count: 0, timeMs: 0 }]),
  );
  readonly #observer = new PerformanceObserver((list) => this.#countCollections(list.getEntries()));
  /** Two that take turns in being the older, so that the figures are recent and yet never of a moment alone. */
  #newer = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  #older = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  #newerUtilization = performance.eventLoopUtilization();
  #olderUtilization = this.#newerUtilization;
  #timer: NodeJS.Timeout | undefined;

  start(): void {
    this.#observer.observe({ entryTypes: ['gc'] });
    this.#newer.enable();
    this.#older.enable();
    this.#timer = setInterval(() => this.#turn(), WINDOW_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#observer.disconnect();
    this.#newer.disable();
    this.#older.disable();
  }

  collections(): GarbageCollection[] {
    this.#countCollections(this.#observer.takeRecords());
    return [...this.#collections].map(([name, { count, timeMs }]) => ({
      name,
      collectionCount: count,
      collectionTime: Math.round(timeMs),
    }));
  }

  eventLoopDelay(): EventLoopDelay {
    const { count, mean, max } = this.#older;
    if (count === 0) return { mean: 0, p50: 0, p99: 0, max: 0 };
    const percentile = (part: number) => delayMs(this.#older.percentile(part));
    return { mean: delayMs(mean), p50: percentile(50), p99: percentile(99), max: delayMs(max) };
  }

  /** The part of the time in which the event loop had something to do, from 0 to 1. */
  eventLoopUtilization(): number {
    const { utilization } = performance.eventLoopUtilization(this.#olderUtilization);
    return Math.round(utilization * 1000) / 1000;
  }

  /** The newer one has seen a minute by now and will have seen two when it is let go. */
  #turn(): void {
    const oldest: ELDHistogram = this.#older;
    this.#older = this.#newer;
    this.#newer = oldest;
    oldest.reset();
    const utilization: EventLoopUtilization = performance.eventLoopUtilization();
    this.#olderUtilization = this.#newerUtilization;
    this.#newerUtilization = utilization;
  }

  #countCollections(entries: readonly PerformanceEntry[]): void {
    for (const entry of entries) {
      const { detail, duration } = entry as PerformanceNodeEntry;
      const counted = this.#collections.get(collectors.get(detail?.kind) ?? '');
      if (!counted) continue;
      counted.count++;
      counted.timeMs += duration;
    }
  }
}

/** Node measures from timer to timer, so the timer's own time is part of it. */
function delayMs(nanoseconds: number): number {
  return Math.max(0, Math.round((nanoseconds / 1e6 - RESOLUTION_MS) * 100) / 100);
}
