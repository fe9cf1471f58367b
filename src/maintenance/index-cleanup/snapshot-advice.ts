import type { LogIndexClient } from '../../log-index/client.ts';
import { LogIndexFailure } from '../../log-index/log-index-failure.ts';

const MOST_REPOSITORIES = 10;

/** When the index engine was last saved, as far as it lets us see (spec 2 §4.6 rule 14). */
export async function latestSnapshotText(client: LogIndexClient, index: string): Promise<string> {
  try {
    const repositories = Object.keys(await client.snapshotRepositories());
    if (repositories.length === 0) return 'none, there is no snapshot repository';
    const found = await Promise.all(
      repositories.slice(0, MOST_REPOSITORIES).map(async (repository) =>
        (await client.snapshots(repository))
          .filter(({ state, indices }) => state === 'SUCCESS' && (indices?.includes(index) ?? true))
          .map(({ snapshot, end_time_in_millis: endMs = 0 }) => ({
            name: `${repository}/${snapshot}`,
            endMs,
          })),
      ),
    );
    const [latest] = found.flat().sort((one, other) => other.endMs - one.endMs);
    return latest ? `${new Date(latest.endMs).toISOString()} (${latest.name})` : 'none that holds this index';
  } catch (error) {
    if (!(error instanceof LogIndexFailure)) throw error;
    return 'not known: the snapshots cannot be read';
  }
}
