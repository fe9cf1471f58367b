import type { Pod } from '../store/pods.ts';
import type { Grid, GridMember, MapMetrics } from './contract.ts';
import { ownerOf } from './remote/owner-finder.ts';

/** The content of the `datagrid` diagnostic (spec 2 §4.3). */
export interface DataGridReport {
  readonly engine: string;
  readonly cluster: {
    readonly state: string;
    readonly size: number;
    readonly members: readonly GridMember[];
  };
  readonly maps: readonly MapMetrics[];
}

/** A grid inside the process knows no other pods; who they are is told beside it. */
export async function reportDataGrid(
  grid: Pick<Grid, 'cluster' | 'metrics'>,
  cachePods: () => Promise<GridMember[]>,
): Promise<DataGridReport> {
  const [{ engine, state, members }, maps] = await Promise.all([grid.cluster(), grid.metrics()]);
  const shown = engine === 'memory' ? await cachePods() : members;
  return { engine, cluster: { state, size: shown.length, members: shown }, maps };
}

/** Of the pods of a grid in memory one holds the maps; the others hold none and wait for its end. */
export function membersOfPods(pods: readonly Pod[], ownPodName: string): GridMember[] {
  const owner = ownerOf(pods);
  return pods.map((pod) => ({
    address: pod.address,
    role: pod === owner ? 'owner' : 'standby',
    local: pod.podName === ownPodName,
  }));
}
