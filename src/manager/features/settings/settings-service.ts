import type { Clock } from '../../../kernel/clock.ts';
import { fault } from '../../../kernel/faults.ts';
import { type CategoryName, defaultSettings, type SettingsOf } from '../../../model/settings-category.ts';
import {
  type Collection,
  DuplicateKey,
  StaleRevision,
  type Store,
  type Stored,
} from '../../../store/contract.ts';

interface StoredSettings {
  readonly category: string;
  readonly values: Readonly<Record<string, unknown>>;
}

/** A category's values, and the revision they have; 0 as long as nobody changed them. */
export interface CategoryValues<Name extends CategoryName = CategoryName> {
  readonly revision: number;
  readonly values: SettingsOf<Name>;
}

/** What another process changed is seen after so long. */
const FRESH_MS = 1000;

/** The settings of the installation. Reading is cheap: values are kept for a second. */
export class SettingsService {
  readonly #collection: Collection<StoredSettings>;
  readonly #clock: Clock;
  readonly #kept = new Map<
    CategoryName,
    { readonly until: number; readonly read: Promise<CategoryValues> }
  >();

  constructor({ store, clock }: { readonly store: Store; readonly clock: Clock }) {
    this.#collection = store.collection<StoredSettings>({
      name: 'settings',
      unique: [['category']],
      indexed: [],
    });
    this.#clock = clock;
  }

  /** The values in force. */
  async get<Name extends CategoryName>(name: Name): Promise<SettingsOf<Name>> {
    const now = this.#clock.now();
    let kept = this.#kept.get(name);
    if (!kept || kept.until <= now) {
      kept = { until: now + FRESH_MS, read: this.read(name) };
      this.#kept.set(name, kept);
      kept.read.catch(() => this.#kept.delete(name));
    }
    return (await kept.read).values as SettingsOf<Name>;
  }

  /** The values as they stand in the database now. */
  async read<Name extends CategoryName>(name: Name): Promise<CategoryValues<Name>> {
    return categoryValues(name, await this.#collection.findOne({ category: name }));
  }

  /** Puts whole values, already checked, in place of the old ones. A given revision must still be the current one. */
  async put<Name extends CategoryName>(
    name: Name,
    values: SettingsOf<Name>,
    expectedRevision?: number,
  ): Promise<{ readonly before: CategoryValues<Name>; readonly after: CategoryValues<Name> }> {
    const stored = await this.#collection.findOne({ category: name });
    const before = categoryValues(name, stored);
    if (expectedRevision !== undefined && expectedRevision !== before.revision) throw fault('revision.stale');
    const value = { category: name, values };
    try {
      const after = stored
        ? await this.#collection.replace(stored.id, stored.revision, value)
        : await this.#collection.insert(value);
      return { before, after: categoryValues(name, after) };
    } catch (error) {
      // Somebody else came first. Without a revision given the last write wins.
      if (!(error instanceof StaleRevision || error instanceof DuplicateKey)) throw error;
      if (expectedRevision !== undefined) throw fault('revision.stale', {}, [], { cause: error });
      return this.put(name, values);
    } finally {
      this.#kept.delete(name);
    }
  }
}

/** Settings that a newer release added have their defaults in what an older one stored. */
function categoryValues<Name extends CategoryName>(
  name: Name,
  stored: Stored<StoredSettings> | undefined,
): CategoryValues<Name> {
  const defaults = defaultSettings(name);
  const known = Object.entries(stored?.value.values ?? {}).filter(([member]) => member in defaults);
  return { revision: stored?.revision ?? 0, values: { ...defaults, ...Object.fromEntries(known) } };
}
