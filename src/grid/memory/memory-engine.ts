import { type Clock, systemClock } from '../../kernel/clock.ts';
import {
  type GridCluster,
  GridRefusal,
  GridUnavailable,
  type MapLimits,
  type MapMetrics,
} from '../contract.ts';
import type { GridEngine, MapEngine, PayloadKind } from '../engine.ts';
import { MemoryMap } from './memory-map.ts';

const MOST_MAPS = 1000;
const SWEEP_EVERY_MS = 1000;
/** Of all maps together: looking takes the event loop's time, about a millisecond for so many. */
const LOOKED_OVER_BY_A_SWEEP = 50_000;
const LOOKED_OVER_IN_A_MAP = 10_000;

/** The data grid inside this process. */
export class MemoryEngine implements GridEngine {
  readonly #clock: Clock;
  readonly #maps = new Map<string, MemoryMap>();
  readonly #closing = new AbortController();

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
    this.#sweepNowAndThen();
  }

  map(name: string, _kind: PayloadKind, limits: MapLimits): MapEngine {
    const known = this.#maps.get(name);
    if (!known && this.#maps.size >= MOST_MAPS) throw new GridRefusal('too-many-maps');
    const map = known ?? new MemoryMap(name, this.#clock);
    map.limit(limits);
    if (this.#closing.signal.aborted) map.close();
    this.#maps.set(name, map);
    return map;
  }

  async ping(): Promise<void> {
    if (this.#closing.signal.aborted) throw new GridUnavailable();
  }

  async cluster(): Promise<GridCluster> {
    await this.ping();
    return {
      engine: 'memory',
      state: 'ok',
      members: [{ address: 'in process', role: 'owner', local: true }],
    };
  }

  async metrics(): Promise<MapMetrics[]> {
    await this.ping();
    this.#sweep();
    return Array.from(this.#maps.values(), (map) => map.metrics());
  }

  async close(): Promise<void> {
    this.#closing.abort();
    for (const map of this.#maps.values()) map.close();
  }

  /** Maps that nobody uses any more give their memory back too. */
  async #sweepNowAndThen(): Promise<void> {
    const { signal } = this.#closing;
    for (;;) {
      await this.#clock.sleep(SWEEP_EVERY_MS, signal).catch(() => undefined);
      if (signal.aborted) return;
      this.#sweep();
    }
  }

  #sweep(): void {
    const share = Math.ceil(LOOKED_OVER_BY_A_SWEEP / Math.max(this.#maps.size, 1));
    for (const map of this.#maps.values()) map.sweep(Math.min(share, LOOKED_OVER_IN_A_MAP));
  }
}
