/** The names it has, by the version of the platform that wrote it (spec 2 §4.7). This one writes the first. */
export const unsentCollections = ['UnsentMessage', 'log_UnsentMessage'] as const;
export type UnsentCollection = (typeof unsentCollections)[number];

/** A record that could not be delivered, as it is put aside for being replayed (spec 2 §2.5). */
export interface UnsentRecord {
  /** When the record was made, ISO 8601. */
  readonly log_timestamp: string;
  readonly connector_id: string;
  /** The record itself: JSON text that holds `aci`. */
  readonly content: string;
}

/** A record as it is found: anybody may have written it, so nothing of it is sure but that it has an id. */
export interface WaitingRecord {
  /** Where it stands in its collection. */
  readonly key: string;
  /** What its document in the index is called, so that it can be created only once. */
  readonly id: string;
  readonly timestamp: string | undefined;
  readonly connectorId: string | undefined;
  /** Undefined when it is no text, or longer than the reader takes. */
  readonly content: string | undefined;
  /** How large it is, about. */
  readonly bytes: number;
  /** The whole record as one line of JSON, which the tools of its database can import again. */
  exported(): string;
}

export interface ReadWindow {
  /** Only what stands behind it. */
  readonly after?: string | undefined;
  /** Only what stands up to it, itself included. */
  readonly through?: string | undefined;
  readonly limit: number;
  /** No more than fit; one comes in any case. */
  readonly maxBytes: number;
}

/** One collection of unsent records, in the order of their ids, which is the order they came in. */
export interface UnsentRecords {
  append(records: readonly UnsentRecord[]): Promise<void>;
  count(): Promise<number>;
  /** What it takes on the disk. */
  storageBytes(): Promise<number>;
  first(): Promise<WaitingRecord | undefined>;
  last(): Promise<WaitingRecord | undefined>;
  /** The key of the record that has so many before it; undefined when there are not so many. */
  keyAt(position: number): Promise<string | undefined>;
  /** Who goes on behind the last one read never meets a record twice, whatever became of it. */
  read(window: ReadWindow): Promise<WaitingRecord[]>;
  /** Resolves with how many were there. */
  delete(keys: readonly string[]): Promise<number>;
  /** Gives the space of deleted records back to the disk. */
  compact(): Promise<void>;
}

/** What is kept of the replay that runs, or ran last. */
export interface TurnNote {
  readonly holder: string;
  /** From then on anybody may take it. */
  readonly expiresAtMs: number;
  readonly isEndWanted: boolean;
  /** What the holder says of itself, as JSON text. */
  readonly report: string;
}

/** One replay at a time, whoever runs it: the right to it stands in the database itself. */
export interface ReplayTurn {
  read(): Promise<TurnNote | undefined>;
  /** Whether it is the holder's now. From another who still has it, it is taken only when `from` names that one. */
  take(note: TurnNote, nowMs: number, from?: string): Promise<boolean>;
  /** Resolves with the note as it stands, or undefined when it is another's by now. */
  keep(note: Omit<TurnNote, 'isEndWanted'>): Promise<TurnNote | undefined>;
  /** Asks whoever has it to end; resolves with whether somebody has it. */
  wantEnd(nowMs: number): Promise<boolean>;
}

export type Primary = { readonly isPrimary: true } | { readonly isPrimary: false; readonly primary?: string };

/** The database that unsent records stand in. It is opened as it is: nothing is made or migrated. */
export interface UnsentSource extends AsyncDisposable {
  /** What people call it; without user and password. */
  readonly name: string;
  readonly turn: ReplayTurn;
  /** Whether it may be written to, and who may where it may not. */
  primary(): Promise<Primary>;
  /** Those of the two that there are. */
  collections(): Promise<UnsentCollection[]>;
  records(collection: UnsentCollection): UnsentRecords;
}

/** A longer record is not read whole: no index takes it. */
export const LARGEST_RECORD_BYTES = 64 * 2 ** 20;
