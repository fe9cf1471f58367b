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

/** Undefined when the text is none of ours: the file stands where everybody who may write there can change it. */
export function checkpointIn(text: string): ReplayCheckpoint | undefined {
  let value: Partial<ReplayCheckpoint> | null;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { format, order, after, counters } = value ?? {};
  const isKnown =
    format === 1 &&
    typeof order?.through === 'string' &&
    Number.isSafeInteger(order.limit) &&
    ['string', 'undefined'].includes(typeof after) &&
    Object.keys(noCounters).every((name) => Number.isSafeInteger(counters?.[name as keyof ReplayCounters]));
  return isKnown ? (value as ReplayCheckpoint) : undefined;
}
