import type { ConnectionState } from '../../delivery/connection-state.ts';

/** What a worker pod tells of itself over the channel. */
export interface PodState {
  /** That it runs. */
  readonly revision: number;
  /** Those that are deployed, or the one that was asked for. */
  readonly connections: readonly ConnectionState[];
}
