import { StoreTooNew } from './contract.ts';

/** What a document may be before and after: its shape is that of an older release, not of today's types. */
export type OldDocument = Record<string, unknown>;

/**
 * From one schema version to the next. Every change must be idempotent: on an engine without transactions a step that
 * was broken off runs again, and several processes may run it at once.
 */
export interface Migration {
  /** One more than the version before; the first is 2, because version 1 is what a first release wrote. */
  readonly toVersion: number;
  readonly changes: readonly MigrationChange[];
}

export type MigrationChange =
  | {
      readonly kind: 'rewrite';
      readonly collection: string;
      /** Returns the same object to leave the document alone, undefined to remove it. */
      readonly rewrite: (document: OldDocument) => OldDocument | undefined;
    }
  /** An index that no definition names any more. Missing indexes are made by themselves when a collection is opened. */
  | {
      readonly kind: 'drop-index';
      readonly collection: string;
      readonly index: 'unique' | 'indexed';
      readonly members: readonly string[];
    };

/** The steps of the platform database, oldest first. */
export const platformMigrations: readonly Migration[] = [];

const FIRST_VERSION = 1;

export function newestVersion(migrations: readonly Migration[]): number {
  return FIRST_VERSION + migrations.length;
}

/** The steps that a database of the given version still lacks; an empty database (undefined) lacks none. */
export function missingMigrations(
  migrations: readonly Migration[],
  version: number | undefined,
): readonly Migration[] {
  for (const [index, { toVersion }] of migrations.entries()) {
    if (toVersion !== FIRST_VERSION + 1 + index)
      throw new Error(`migration ${index} leads to version ${toVersion}: the steps have a gap`);
  }
  if (version === undefined) return [];
  const newest = newestVersion(migrations);
  if (version > newest) throw new StoreTooNew(version, newest);
  return migrations.slice(version - FIRST_VERSION);
}
