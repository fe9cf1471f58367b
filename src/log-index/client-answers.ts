/** `{query: …}` of count, search and by-query calls. */
export type IndexQuery = Readonly<Record<string, unknown>>;

export interface Shards {
  readonly total: number;
  readonly successful: number;
  readonly failed: number;
}

export interface IndexInfo {
  readonly version: {
    readonly number: string;
    /** `opensearch`, or `gatehouse` for the embedded index; Elasticsearch names none. */
    readonly distribution?: string;
  };
}

export interface Count {
  readonly count: number;
  readonly _shards: Shards;
}

export interface Hit {
  readonly _index: string;
  readonly _id: string;
  readonly _source?: Readonly<Record<string, unknown>>;
  readonly sort?: readonly unknown[];
}

export interface SearchAnswer {
  readonly _shards: Shards;
  readonly hits: {
    readonly total?: { readonly value: number; readonly relation: 'eq' | 'gte' };
    readonly hits: readonly Hit[];
  };
}

/** The counters of an update or delete by query (spec 2 §4.6 rule 13). */
export interface ByQueryCounters {
  readonly total: number;
  readonly updated?: number;
  readonly deleted?: number;
  readonly noops: number;
  readonly version_conflicts: number;
  readonly batches: number;
  readonly retries: { readonly bulk: number; readonly search: number };
  readonly throttled_millis: number;
  readonly requests_per_second: number;
  readonly canceled?: string;
}

export interface ByQueryAnswer extends ByQueryCounters {
  readonly took: number;
  readonly timed_out: boolean;
  readonly failures: readonly ByQueryFailure[];
}

export interface ByQueryFailure {
  readonly index?: string;
  readonly id?: string;
  readonly status?: number;
  readonly cause?: { readonly type?: string; readonly reason?: string };
}

export interface TaskInfo {
  readonly node: string;
  readonly id: number;
  readonly action: string;
  readonly description?: string;
  readonly status?: ByQueryCounters;
  readonly running_time_in_nanos: number;
  readonly cancellable: boolean;
  readonly headers?: Readonly<Record<string, string>>;
  readonly parent_task_id?: string;
}

export interface TaskAnswer {
  readonly completed: boolean;
  readonly task: TaskInfo;
  readonly response?: ByQueryAnswer;
  readonly error?: { readonly type?: string; readonly reason?: string };
}

export interface TaskList {
  readonly nodes: Readonly<Record<string, { readonly tasks: Readonly<Record<string, TaskInfo>> }>>;
  readonly node_failures?: readonly unknown[];
}

export interface ResolvedNames {
  readonly indices: ReadonlyArray<{ readonly name: string; readonly data_stream?: string }>;
  readonly aliases: ReadonlyArray<{ readonly name: string; readonly indices: readonly string[] }>;
  readonly data_streams: ReadonlyArray<{
    readonly name: string;
    readonly backing_indices: readonly string[];
  }>;
}

export interface DataStreamInfo {
  readonly name: string;
  readonly generation: number;
  readonly indices: ReadonlyArray<{ readonly index_name: string }>;
}

/** Flat: `index.blocks.write` → `true`, absent where it is not set. */
export type IndexSettings = Readonly<Record<string, string>>;

export interface IndexStats {
  readonly docs: { readonly count: number; readonly deleted: number };
  readonly store: { readonly size_in_bytes: number };
}

export interface SnapshotInfo {
  readonly snapshot: string;
  readonly state: string;
  readonly indices?: readonly string[];
  readonly end_time_in_millis?: number;
}

export interface FieldMapping {
  readonly type?: string;
  readonly fields?: Readonly<Record<string, FieldMapping>>;
  readonly properties?: Readonly<Record<string, FieldMapping>>;
}

export interface WriteAnswer {
  readonly _index: string;
  readonly _id: string;
  readonly result: string;
  readonly _shards: Shards;
}

export interface BulkAnswer {
  readonly errors: boolean;
  readonly items: ReadonlyArray<{ readonly create?: BulkItemAnswer; readonly index?: BulkItemAnswer }>;
}

export interface BulkItemAnswer {
  readonly _index: string;
  readonly _id: string;
  readonly status: number;
  readonly _shards?: Shards;
  readonly error?: {
    readonly type: string;
    readonly reason: string;
    readonly caused_by?: { readonly reason?: string };
  };
}
