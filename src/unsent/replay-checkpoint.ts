export interface ReplayCounters {
  readonly read: number;
  readonly delivered: number;
  /** Found in the stream already, from an earlier run. */
  readonly duplicates: number;
  /** Kept in the collection: the index, or we, could not take them. */
  readonly rejected: number;
  readonly deleted: number;
}

export const noCounters: ReplayCounters = {
  read: 0,
  delivered: 0,
  duplicates: 0,
  rejected: 0,
  deleted: 0,
};

/** What a replay is to do; fixed when it begins, whatever comes into the collection later. */
export interface ReplayOrder {
  readonly source: string;
  readonly collection: string;
  readonly stream: string;
  readonly isTest: boolean;
  readonly batchSize: number;
  /** How many records at most. */
  readonly limit: number;
  /** The last record that belongs to it. */
  readonly through: string;
}

/** How far a replay came. */
export interface ReplayCheckpoint {
  readonly format: 1;
  readonly order: ReplayOrder;
  /** The last record that is done with; absent at the beginning. */
  readonly after?: string | undefined;
  readonly counters: ReplayCounters;
}
