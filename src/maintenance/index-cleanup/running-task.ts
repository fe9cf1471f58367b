import type { LogIndexClient } from '../../log-index/client.ts';
import type { ByQueryCounters, TaskInfo, TaskList } from '../../log-index/client-answers.ts';

/** A run that the index is at. */
export interface RunningTask {
  readonly id: string;
  readonly action: string;
  /** What its caller named it by. */
  readonly opaqueId: string;
  readonly seen: SeenCounters;
}

/** How far a run was when it was last looked at. */
export type SeenCounters = Required<
  Pick<ByQueryCounters, 'total' | 'updated' | 'deleted' | 'noops' | 'version_conflicts' | 'batches'>
>;

const BY_QUERY = '*byquery';

export async function runningTasks(client: LogIndexClient): Promise<readonly RunningTask[]> {
  return tasksIn(await client.tasks(BY_QUERY)).map(({ task }) => task);
}

/** Runs that change documents of this index. */
export async function runsOn(client: LogIndexClient, index: string): Promise<readonly RunningTask[]> {
  const all = tasksIn(await client.tasks(BY_QUERY));
  return all.filter(({ description }) => targetsOf(description).includes(index)).map(({ task }) => task);
}

/** A run in slices is one task with one more for each slice; what the slices have done belongs to it. */
function tasksIn({ nodes = {} }: TaskList): ReadonlyArray<{ task: RunningTask; description: string }> {
  const entries = Object.values(nodes).flatMap(({ tasks }) => Object.entries(tasks));
  return entries
    .filter(([, { parent_task_id: parent }]) => parent === undefined)
    .map(([id, info]) => {
      const slices = entries
        .filter(([, { parent_task_id: parent }]) => parent === id)
        .map(([, slice]) => slice);
      const task = {
        id,
        action: info.action,
        opaqueId: info.headers?.['X-Opaque-Id'] ?? '',
        seen: seenIn([info, ...slices]),
      };
      return { task, description: info.description ?? '' };
    });
}

/** `update-by-query [one,other] updated with …`. */
function targetsOf(description: string): string[] {
  return /^(?:update|delete)-by-query \[([^\]]*)\]/.exec(description)?.[1]?.split(/,\s*/) ?? [];
}

export function seenIn(tasks: readonly TaskInfo[]): SeenCounters {
  const sum = (name: keyof SeenCounters) =>
    tasks.reduce((total, { status }) => total + (status?.[name] ?? 0), 0);
  return {
    total: sum('total'),
    updated: sum('updated'),
    deleted: sum('deleted'),
    noops: sum('noops'),
    version_conflicts: sum('version_conflicts'),
    batches: sum('batches'),
  };
}

/** Documents that are dealt with, one way or another. */
export function dealtWith({ updated, deleted, noops, version_conflicts: conflicts }: SeenCounters): number {
  return updated + deleted + noops + conflicts;
}
