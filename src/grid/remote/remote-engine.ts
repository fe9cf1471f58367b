import type { GridCluster, MapLimits, MapMetrics } from '../contract.ts';
import type { GridEngine, GridUsage, MapEngine, PayloadKind } from '../engine.ts';
import { createCacheCaller } from './cache-caller.ts';
import { OperationBatcher } from './operation-batcher.ts';
import { OwnerFinder, type OwnerFinderOptions } from './owner-finder.ts';
import { RemoteMap } from './remote-map.ts';

export interface RemoteEngineOptions extends OwnerFinderOptions {
  /** After which an unanswered call rejects. */
  readonly deadlineMs?: number;
}

const DEFAULT_DEADLINE_MS = 1000;

/** The data grid that a Cache pod of the environment holds for all other processes. */
export class RemoteEngine implements GridEngine {
  readonly #batcher: OperationBatcher;

  constructor({ deadlineMs = DEFAULT_DEADLINE_MS, ...finding }: RemoteEngineOptions) {
    const caller = createCacheCaller(deadlineMs);
    this.#batcher = new OperationBatcher({ owner: new OwnerFinder(finding), caller, deadlineMs });
  }

  map(name: string, kind: PayloadKind, limits: MapLimits): MapEngine {
    return new RemoteMap(name, { kind, ...limits }, this.#batcher);
  }

  async ping(): Promise<void> {
    await this.#batcher.run({ op: 'ping' });
  }

  async cluster(): Promise<GridCluster> {
    const cluster = (await this.#batcher.run({ op: 'cluster' })) as GridCluster;
    return { ...cluster, members: cluster.members.map((member) => ({ ...member, local: false })) };
  }

  async metrics(): Promise<MapMetrics[]> {
    return (await this.#batcher.run({ op: 'metrics' })) as MapMetrics[];
  }

  usage(): GridUsage {
    return this.#batcher.usage;
  }

  async close(): Promise<void> {
    await this.#batcher.close();
  }
}
