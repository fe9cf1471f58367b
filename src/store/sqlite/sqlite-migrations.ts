import { type Migration, type MigrationChange, missingMigrations, newestVersion } from '../migrations.ts';
import { indexNameOf, tableOf } from './sqlite-collection.ts';
import type { SqliteConnection } from './sqlite-connection.ts';

const PAGE_ROWS = 500;

/** Each step and its version are one transaction: whatever happens in between, the file is either before or after it. */
export function migrateSqlite(connection: SqliteConnection, migrations: readonly Migration[]): void {
  connection.attemptInPlace(() => {
    // The lock is taken before the version is read: of several processes that start together one does the work.
    while (connection.transaction(() => takeStep(connection, migrations)));
  });
}

/** Whether there may be more to do. */
function takeStep(connection: SqliteConnection, migrations: readonly Migration[]): boolean {
  const version = versionOf(connection);
  const [step] = missingMigrations(migrations, version);
  for (const change of step?.changes ?? []) applyChange(connection, change);
  const reached = step?.toVersion ?? newestVersion(migrations);
  if (reached !== version) connection.database.exec(`PRAGMA user_version = ${reached}`);
  return step !== undefined;
}

/** SQLite answers 0 for a file nobody has written a version to. */
function versionOf({ database }: SqliteConnection): number | undefined {
  return Number(database.prepare('PRAGMA user_version').get()!.user_version) || undefined;
}

function applyChange(connection: SqliteConnection, change: MigrationChange): void {
  if (change.kind === 'drop-index') {
    const index = indexNameOf(change.collection, change.index, change.members);
    connection.database.exec(`DROP INDEX IF EXISTS ${index}`);
  } else if (hasTable(connection, change.collection)) rewriteDocuments(connection, change);
}

function hasTable({ database }: SqliteConnection, collection: string): boolean {
  const find = database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?");
  return find.get(tableOf(collection)) !== undefined;
}

function rewriteDocuments(
  { database }: SqliteConnection,
  { collection, rewrite }: Extract<MigrationChange, { kind: 'rewrite' }>,
): void {
  const table = tableOf(collection);
  const page = database.prepare(`SELECT id, doc FROM ${table} WHERE id > ? ORDER BY id LIMIT ${PAGE_ROWS}`);
  const update = database.prepare(`UPDATE ${table} SET revision = revision + 1, doc = ? WHERE id = ?`);
  const remove = database.prepare(`DELETE FROM ${table} WHERE id = ?`);
  let last = '';
  for (;;) {
    const rows = page.all(last) as unknown as { readonly id: string; readonly doc: string }[];
    if (rows.length === 0) return;
    for (const { id, doc } of rows) {
      const before = JSON.parse(doc);
      const after = rewrite(before);
      if (after === undefined) remove.run(id);
      else if (after !== before) update.run(JSON.stringify(after), id);
      last = id;
    }
  }
}
