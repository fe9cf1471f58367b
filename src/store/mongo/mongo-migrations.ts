import type { Db } from 'mongodb';
import {
  type Migration,
  type MigrationChange,
  missingMigrations,
  newestVersion,
  type OldDocument,
} from '../migrations.ts';
import { fromMongo, type MongoDocument, membersOfKey, toMongo } from './mongo-documents.ts';
import { indexNameOf } from './mongo-indexes.ts';

/** Not a name that a collection of the contract can have. */
const SCHEMA_COLLECTION = 'gatehouse-schema';
const INDEX_NOT_FOUND = 27;
const NAMESPACE_NOT_FOUND = 26;

interface SchemaDocument {
  readonly _id: 'schema';
  readonly version: number;
}

/**
 * There are no transactions: the version is written after the step, and a step that was broken off runs again.
 * Processes that do the same step at once do no harm, because each document is written only if it is still as read.
 */
export async function migrateMongo(database: Db, migrations: readonly Migration[]): Promise<void> {
  const schema = database.collection<SchemaDocument>(SCHEMA_COLLECTION);
  const version = (await schema.findOne({ _id: 'schema' }))?.version;
  for (const { toVersion, changes } of missingMigrations(migrations, version)) {
    for (const change of changes) await applyChange(database, change);
    await schema.updateOne({ _id: 'schema', version: toVersion - 1 }, { $set: { version: toVersion } });
  }
  if (version === undefined) {
    const first = { $setOnInsert: { version: newestVersion(migrations) } };
    await schema.updateOne({ _id: 'schema' }, first, { upsert: true });
  }
}

async function applyChange(database: Db, change: MigrationChange): Promise<void> {
  if (change.kind === 'drop-index') await dropIndex(database, change);
  else await rewriteDocuments(database, change);
}

async function dropIndex(
  database: Db,
  { collection, index, members }: Extract<MigrationChange, { kind: 'drop-index' }>,
): Promise<void> {
  try {
    await database.collection(collection).dropIndex(indexNameOf(index, members));
  } catch (error) {
    const { code } = error as { readonly code?: number };
    if (code !== INDEX_NOT_FOUND && code !== NAMESPACE_NOT_FOUND) throw error;
  }
}

async function rewriteDocuments(
  database: Db,
  { collection, rewrite }: Extract<MigrationChange, { kind: 'rewrite' }>,
): Promise<void> {
  const documents = database.collection<MongoDocument>(collection);
  for await (const document of documents.find({}).sort({ _id: 1 })) {
    const { id, revision, value } = fromMongo<OldDocument>(document);
    const after = rewrite(value);
    const asRead = { _id: id, revision };
    if (after === undefined) await documents.deleteOne(asRead);
    else if (after !== value) {
      const unique = Object.keys(document.keys).map(membersOfKey);
      await documents.replaceOne(asRead, toMongo(id, revision + 1, after, unique));
    }
  }
}
