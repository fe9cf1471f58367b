import type { Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';
import type { IndexRegistry } from './index-registry.ts';
import type { LogIndex } from './log-index.ts';

/** How long and how much the streams keep, and when a backing index is full. */
export interface RetentionSettings {
  /** An index goes this long after it took its last write. */
  readonly keepDays: number;
  /** Over all streams together. */
  readonly keepBytes: number;
  readonly rolloverBytes: number;
  readonly rolloverAgeMs: number;
}

const DAY_MS = 86_400_000;
const LOOK_MS = 60_000;

export const defaultRetention: RetentionSettings = {
  keepDays: 30,
  keepBytes: 10 * 2 ** 30,
  rolloverBytes: 512 * 2 ** 20,
  rolloverAgeMs: DAY_MS,
};

export interface RetentionOptions {
  readonly registry: IndexRegistry;
  readonly settings: RetentionSettings;
  readonly clock: Clock;
  readonly log: Log;
}

/** Looks after the streams once a minute: begins new backing indices, and drops the oldest when there is too much. */
export class Retention {
  readonly #options: RetentionOptions;
  readonly #stopping = new AbortController();
  readonly #ended: Promise<void>;

  constructor(options: RetentionOptions) {
    this.#options = options;
    this.#ended = this.#keepLooking();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#ended;
  }

  async #keepLooking(): Promise<void> {
    const { clock, log } = this.#options;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        applyRetention(this.#options);
      } catch (err) {
        log.error({ event: 'log-index.retention.failed', err });
      }
      await clock.sleep(LOOK_MS, signal).catch(() => {});
    }
  }
}

/** One look. Indices that belong to no stream are nobody's but their maker's. */
export function applyRetention({ registry, settings, clock, log }: RetentionOptions): void {
  const nowMs = clock.now();
  for (const stream of registry.streams.values()) {
    const current = stream.indices.at(-1)!;
    if (isFull(current, settings, nowMs))
      log.info({ event: 'log-index.rolled-over', ...registry.rollOver(stream.name) });
  }
  const closed = [...registry.streams.values()]
    .flatMap(({ indices }) => indices.slice(0, -1))
    .sort((one, other) => closedAt(one) - closedAt(other));
  let bytes = [...registry.streams.values()]
    .flatMap(({ indices }) => indices)
    .reduce((sum, { file }) => sum + file.sizeBytes, 0);
  for (const index of closed) {
    const isOld = closedAt(index) <= nowMs - settings.keepDays * DAY_MS;
    if (!isOld && bytes <= settings.keepBytes) continue;
    const { sizeBytes } = index.file;
    bytes -= sizeBytes;
    registry.deleteIndex(index.name);
    log.info({ event: 'log-index.dropped', index: index.name, reason: isOld ? 'age' : 'size', sizeBytes });
  }
}

/** An empty index never is: there is nothing in it that could grow old. */
function isFull({ file, createdAtMs }: LogIndex, settings: RetentionSettings, nowMs: number): boolean {
  if (file.isEmpty) return false;
  return file.sizeBytes >= settings.rolloverBytes || nowMs - createdAtMs >= settings.rolloverAgeMs;
}

function closedAt({ rolledOverAtMs, createdAtMs }: LogIndex): number {
  return rolledOverAtMs ?? createdAtMs;
}
