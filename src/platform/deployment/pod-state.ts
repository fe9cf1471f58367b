import type { ConnectionState } from '../../delivery/connection-state.ts';
import type { LogConnectorState } from '../../delivery/log-router.ts';

/** What a pod tells of its delivery over the channel. */
export interface PodState {
  /** Whose revisions it follows; absent when it follows none. */
  readonly environmentId?: string;
  /** That it runs. */
  readonly revision: number;
  /** Those that are deployed, or the one that was asked for. */
  readonly connections: readonly ConnectionState[];
  readonly logConnectors: readonly LogConnectorState[];
}
