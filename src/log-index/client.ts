import type { CleanupScript } from './cleanup-script.ts';
import type {
  BulkAnswer,
  ByQueryAnswer,
  Count,
  DataStreamInfo,
  FieldMapping,
  IndexInfo,
  IndexQuery,
  IndexSettings,
  IndexStats,
  ResolvedNames,
  SearchAnswer,
  Shards,
  SnapshotInfo,
  TaskAnswer,
  TaskList,
  WriteAnswer,
} from './client-answers.ts';
import { type CallOptions, LogIndexCaller } from './log-index-caller.ts';

export interface ByQueryOptions extends Pick<CallOptions, 'signal' | 'opaqueId' | 'deadlineMs'> {
  readonly query: IndexQuery;
  readonly slices?: number | 'auto';
  readonly requestsPerSecond?: number;
  readonly scrollSize?: number;
}

/** For calls that last as long as the index is large. */
const LONG_DEADLINE_MS = 24 * 3_600_000;

/** The calls that the platform and its tools make to Elasticsearch, OpenSearch or the embedded index. */
export class LogIndexClient extends LogIndexCaller {
  info(): Promise<IndexInfo> {
    return this.read('GET', '/');
  }

  count(index: string, query: IndexQuery, options: CallOptions = {}): Promise<Count> {
    return this.read('POST', `/${name(index)}/_count`, { ...options, body: { query } });
  }

  search(index: string, body: object, options: CallOptions = {}): Promise<SearchAnswer> {
    return this.read('POST', `/${name(index)}/_search`, { ...options, body });
  }

  refresh(index: string): Promise<{ readonly _shards: Shards }> {
    return this.read('POST', `/${name(index)}/_refresh`);
  }

  resolve(expression: string): Promise<ResolvedNames> {
    return this.read('GET', `/_resolve/index/${name(expression)}`);
  }

  async dataStreams(expression: string): Promise<readonly DataStreamInfo[]> {
    const path = `/_data_stream/${name(expression)}`;
    return (await this.read<{ data_streams: DataStreamInfo[] }>('GET', path)).data_streams;
  }

  /** By index; more than one where the name is a stream or a pattern. */
  async settings(index: string): Promise<ReadonlyMap<string, IndexSettings>> {
    const answer = await this.read<Record<string, { settings: IndexSettings }>>(
      'GET',
      `/${name(index)}/_settings`,
      { query: { flat_settings: true } },
    );
    return new Map(Object.entries(answer).map(([found, { settings }]) => [found, settings]));
  }

  /** A value of null takes the setting away. */
  async changeSettings(index: string, settings: Readonly<Record<string, unknown>>): Promise<void> {
    await this.call('PUT', `/${name(index)}/_settings`, { body: settings });
  }

  /** Waits for writes that run, unlike a change of the setting. */
  async blockWrites(index: string): Promise<void> {
    await this.call('PUT', `/${name(index)}/_block/write`);
  }

  /** By index. */
  async stats(index: string): Promise<ReadonlyMap<string, IndexStats>> {
    const path = `/${name(index)}/_stats/store,docs`;
    const answer = await this.read<{ indices: Record<string, { primaries: IndexStats }> }>('GET', path);
    return new Map(Object.entries(answer.indices).map(([found, { primaries }]) => [found, primaries]));
  }

  /** The top-level fields, by index. */
  async mapping(index: string): Promise<ReadonlyMap<string, Readonly<Record<string, FieldMapping>>>> {
    type Mappings = Record<string, { mappings: { properties?: Record<string, FieldMapping> } }>;
    const answer = await this.read<Mappings>('GET', `/${name(index)}/_mapping`);
    return new Map(Object.entries(answer).map(([found, { mappings }]) => [found, mappings.properties ?? {}]));
  }

  /** Runs to its end, and answers even when documents failed: `failures` then names them. */
  updateByQuery(index: string, script: CleanupScript, options: ByQueryOptions): Promise<ByQueryAnswer> {
    return this.#runByQuery(index, '_update_by_query', { query: options.query, script }, options);
  }

  deleteByQuery(index: string, options: ByQueryOptions): Promise<ByQueryAnswer> {
    return this.#runByQuery(index, '_delete_by_query', { query: options.query }, options);
  }

  /** Resolves with the id of the task that runs. */
  startUpdateByQuery(index: string, script: CleanupScript, options: ByQueryOptions): Promise<string> {
    return this.#startByQuery(index, '_update_by_query', { query: options.query, script }, options);
  }

  startDeleteByQuery(index: string, options: ByQueryOptions): Promise<string> {
    return this.#startByQuery(index, '_delete_by_query', { query: options.query }, options);
  }

  #runByQuery(index: string, action: string, body: object, options: ByQueryOptions): Promise<ByQueryAnswer> {
    return this.call('POST', `/${name(index)}/${action}`, {
      ...callOptionsOf(options),
      query: byQueryParameters(options, true),
      deadlineMs: options.deadlineMs ?? LONG_DEADLINE_MS,
      body,
      accepts: (_, answer) => isByQueryAnswer(answer),
    });
  }

  async #startByQuery(index: string, action: string, body: object, options: ByQueryOptions): Promise<string> {
    const { task } = await this.call<{ task: string }>('POST', `/${name(index)}/${action}`, {
      ...callOptionsOf(options),
      query: byQueryParameters(options, false),
      body,
    });
    return task;
  }

  tasks(actions: string): Promise<TaskList> {
    return this.read('GET', '/_tasks', { query: { actions, detailed: true } });
  }

  task(id: string): Promise<TaskAnswer> {
    return this.read('GET', `/_tasks/${name(id)}`);
  }

  cancelTask(id: string): Promise<TaskList> {
    return this.call('POST', `/_tasks/${name(id)}/_cancel`);
  }

  rethrottle(id: string, requestsPerSecond: number): Promise<TaskList> {
    return this.call('POST', `/_update_by_query/${name(id)}/_rethrottle`, {
      query: { requests_per_second: requestsPerSecond },
    });
  }

  forceMerge(
    index: string,
    options: Pick<CallOptions, 'signal'> = {},
  ): Promise<{ readonly _shards: Shards }> {
    return this.call('POST', `/${name(index)}/_forcemerge`, {
      ...options,
      query: { only_expunge_deletes: true },
      deadlineMs: LONG_DEADLINE_MS,
    });
  }

  /** Lines of `{"create":{"_id":…}}` and a document each, the last one ended too. */
  bulk(target: string, lines: Uint8Array, options: CallOptions = {}): Promise<BulkAnswer> {
    return this.call('POST', `/${name(target)}/_bulk`, { ...options, body: lines });
  }

  /** Fails with `conflict` when the id is there already. */
  create(
    target: string,
    id: string,
    document: Uint8Array | object,
    options: CallOptions = {},
  ): Promise<WriteAnswer> {
    return this.call('PUT', `/${name(target)}/_create/${name(id)}`, { ...options, body: document });
  }

  async putTemplate(templateName: string, body: object): Promise<void> {
    await this.call('PUT', `/_index_template/${name(templateName)}`, { body });
  }

  async createDataStream(stream: string): Promise<void> {
    await this.call('PUT', `/_data_stream/${name(stream)}`);
  }

  async deleteDataStream(stream: string): Promise<void> {
    await this.call('DELETE', `/_data_stream/${name(stream)}`);
  }

  rollOver(stream: string): Promise<{ readonly old_index: string; readonly new_index: string }> {
    return this.call('POST', `/${name(stream)}/_rollover`);
  }

  /** Repositories by name; an engine without any answers with none. */
  snapshotRepositories(): Promise<Readonly<Record<string, unknown>>> {
    return this.read('GET', '/_snapshot');
  }

  async snapshots(repository: string): Promise<readonly SnapshotInfo[]> {
    const path = `/_snapshot/${name(repository)}/_all`;
    return (await this.read<{ snapshots: SnapshotInfo[] }>('GET', path)).snapshots;
  }
}

/** Names travel in the path: nothing in one may end its segment. */
const name = (text: string) => encodeURIComponent(text).replaceAll('%2C', ',').replaceAll('%2A', '*');

/** Conflicts proceed and everything is found afterwards (spec 2 §4.6 rule 8). */
function byQueryParameters({ slices, requestsPerSecond, scrollSize }: ByQueryOptions, waits: boolean) {
  return {
    conflicts: 'proceed',
    wait_for_completion: waits,
    refresh: true,
    slices,
    requests_per_second: requestsPerSecond,
    scroll_size: scrollSize,
  };
}

function callOptionsOf({ signal, opaqueId }: ByQueryOptions): CallOptions {
  return { ...(signal && { signal }), ...(opaqueId !== undefined && { opaqueId }) };
}

/** A run with failures carries the status of the first, and its counters all the same. */
function isByQueryAnswer(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'failures' in body && 'version_conflicts' in body;
}
