import type { ConnectionUsage } from '../kernel/http-connections.ts';

/** Connections to others that are kept for the next call. */
export interface ConnectionPool {
  readonly name: string;
  /** In use. */
  readonly leased: number;
  /** Open and free. */
  readonly available: number;
  /** Callers that wait for one. */
  readonly pending: number;
  readonly maxTotal: number;
}

/** Asked whenever somebody wants to know; which pools there are may change between two questions. */
export type ConnectionPoolSource = () => readonly ConnectionPool[];

export interface ConnectionsContent {
  readonly active: number;
  readonly idle: number;
  readonly listeners: ReadonlyArray<{ readonly name: string } & ConnectionUsage>;
  readonly pools: readonly ConnectionPool[];
}

/** Every HTTP connection of this process: those of clients at its listeners and its own to others. */
export class ConnectionRegistry {
  readonly #listeners = new Map<string, () => ConnectionUsage>();
  readonly #pools = new Set<ConnectionPoolSource>();

  registerListener(name: string, usage: () => ConnectionUsage): void {
    this.#listeners.set(name, usage);
  }

  /** Returns what takes the source out again. */
  registerPools(source: ConnectionPoolSource): () => void {
    this.#pools.add(source);
    return () => this.#pools.delete(source);
  }

  content(): ConnectionsContent {
    const listeners = [...this.#listeners].map(([name, usage]) => ({ name, ...usage() }));
    const pools = [...this.#pools].flatMap((source) => source());
    return {
      active: sum(listeners, ({ active }) => active) + sum(pools, ({ leased }) => leased),
      idle: sum(listeners, ({ idle }) => idle) + sum(pools, ({ available }) => available),
      listeners,
      pools,
    };
  }
}

function sum<Item>(items: readonly Item[], count: (item: Item) => number): number {
  return items.reduce((total, item) => total + count(item), 0);
}
