import type { Clock } from '../../../kernel/clock.ts';
import type { Log } from '../../../kernel/log.ts';
import {
  type JournalKind,
  type JournalRow,
  journalCollection,
  journalKinds,
  type StoredJournalRow,
} from '../../../model/journal.ts';
import type { Collection, Filter, Store, Stored } from '../../../store/contract.ts';
import type { SettingsService } from '../settings/settings-service.ts';
import { masked } from './masking.ts';

export interface JournalFilter {
  readonly from?: number;
  /** Not included. */
  readonly to?: number;
  readonly userName?: string;
  readonly result?: string;
}

/** Somebody who wants to hear of rows that were written. Called at once; it must not throw and not take time. */
export type JournalListener = (kind: JournalKind, row: Stored<StoredJournalRow>) => void;

export interface JournalPage {
  readonly rows: readonly Stored<StoredJournalRow>[];
  readonly total: number;
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** Old rows are looked for at most so often, and after so many new ones. */
const PRUNE_EVERY_MS = 60 * 60 * 1000;
const PRUNE_EVERY_ROWS = 10_000;

export interface JournalsOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly settings: SettingsService;
  readonly log: Pick<Log, 'error'>;
}

/** The journals of the platform: rows are added, read and, when they are old, removed; never changed. */
export class Journals {
  readonly #options: JournalsOptions;
  readonly #collections: Readonly<Record<JournalKind, Collection<StoredJournalRow>>>;
  readonly #pruning = new Map<JournalKind, { readonly nextAt: number; rowsUntil: number }>();

  readonly #listeners: JournalListener[] = [];

  constructor(options: JournalsOptions) {
    this.#options = options;
    const open = (kind: JournalKind) => options.store.collection<StoredJournalRow>(journalCollection(kind));
    this.#collections = Object.fromEntries(journalKinds.map((kind) => [kind, open(kind)])) as Record<
      JournalKind,
      Collection<StoredJournalRow>
    >;
  }

  /** From now on, and for as long as the journals are there. */
  follow(listener: JournalListener): void {
    this.#listeners.push(listener);
  }

  login(row: JournalRow<'login'>): Promise<void> {
    return this.#append('login', row);
  }

  audit(row: JournalRow<'audit'>): Promise<void> {
    return this.#append('audit', row);
  }

  token(row: JournalRow<'token'>): Promise<void> {
    return this.#append('token', row);
  }

  deployment(row: JournalRow<'deployment'>): Promise<void> {
    return this.#append('deployment', row);
  }

  message(row: JournalRow<'message'>): Promise<void> {
    return this.#append('message', row);
  }

  /** The newest first. */
  async list(
    kind: JournalKind,
    filter: JournalFilter,
    page: { readonly offset: number; readonly limit: number },
  ): Promise<JournalPage> {
    const { from, to, userName, result } = filter;
    const range = { ...(from !== undefined && { atLeast: from }), ...(to !== undefined && { below: to }) };
    const where: Filter<StoredJournalRow> = {
      ...(Object.keys(range).length > 0 && { at: range }),
      ...(userName !== undefined && { userName }),
      ...(result !== undefined && { result }),
    };
    const collection = this.#collections[kind];
    const orderBy = { member: 'at' as const, descending: true };
    const [rows, total] = await Promise.all([
      collection.list({ where, orderBy, ...page }),
      collection.count(where),
    ]);
    return { rows, total };
  }

  /** Never rejects: what happened has happened, whether or not it could be written down. */
  async #append<Kind extends JournalKind>(kind: Kind, row: JournalRow<Kind>): Promise<void> {
    const { clock, log } = this.#options;
    try {
      const entry = { ...(masked(row) as JournalRow<Kind>), at: clock.now() };
      const written = await this.#collections[kind].insert(entry as StoredJournalRow);
      for (const tell of this.#listeners) tell(kind, written);
      await this.#pruneSometimes(kind);
    } catch (err) {
      log.error({ event: 'journal.not-written', journal: kind, row: masked(row), err });
    }
  }

  async #pruneSometimes(kind: JournalKind): Promise<void> {
    const now = this.#options.clock.now();
    const due = this.#pruning.get(kind);
    if (due && now < due.nextAt && --due.rowsUntil > 0) return;
    this.#pruning.set(kind, { nextAt: now + PRUNE_EVERY_MS, rowsUntil: PRUNE_EVERY_ROWS });
    await this.prune(kind);
  }

  /** Of all journals: other modules write rows as well, and leave it to the Manager to remove them. */
  async pruneAll(): Promise<void> {
    for (const kind of journalKinds) await this.prune(kind);
  }

  /** Removes what is older than the settings say, and the oldest of what is more than they allow. */
  async prune(kind: JournalKind): Promise<void> {
    const { clock, settings } = this.#options;
    const { maxRows, ...retention } = await settings.get('journals');
    const collection = this.#collections[kind];
    await collection.removeWhere({ at: { below: clock.now() - retention[`${kind}RetentionDays`] * DAY_MS } });
    const [oldestKept] = await collection.list({
      orderBy: { member: 'at', descending: true },
      offset: maxRows - 1,
      limit: 1,
    });
    if (oldestKept) await collection.removeWhere({ at: { below: oldestKept.value.at } });
  }
}
