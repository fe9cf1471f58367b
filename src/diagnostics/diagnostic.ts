import type { TSchema } from 'typebox';
import type { HealthReport } from '../kernel/module/health.ts';
import type { ConnectionRegistry } from './connection-registry.ts';
import type { ExecutorPools } from './executor-pools.ts';
import type { ProcessProbe } from './process-probe.ts';
import type { ThreadWatch } from './thread-watch.ts';

/** The modules that can be looked into (spec 2 §4.3). */
export type DiagnosedModule = 'worker' | 'cache';

/** One thing that a pod tells about itself. */
export interface Diagnostic {
  /** The last segment of its path. */
  readonly name: string;
  /** The member of the pod object that holds its content. */
  readonly key: string;
  readonly modules: readonly DiagnosedModule[];
  readonly summary: string;
  readonly description?: string;
  /** Its answers say so. */
  readonly loadsPod?: true;
  readonly content: TSchema;
  readonly collect: (sources: DiagnosticSources) => unknown;
  /** One content of those that several processes of a pod have; without it the first stands for all. */
  readonly combine?: (contents: readonly never[]) => unknown;
}

/** Where the contents come from. */
export interface DiagnosticSources {
  readonly probe: ProcessProbe;
  readonly threads: Pick<ThreadWatch, 'ask'>;
  readonly executorPools: ExecutorPools;
  readonly connections: ConnectionRegistry;
  readonly health: () => Promise<HealthReport>;
  /** What the data grid says of itself; only where there is one. */
  readonly dataGrid: () => Promise<unknown>;
  /** Texts that must not be shown, wherever they stand. */
  readonly secrets: readonly string[];
}

export const everyModule: readonly DiagnosedModule[] = ['worker', 'cache'];
