import type { Collection as DriverCollection } from 'mongodb';
import type { CollectionDefinition } from '../contract.ts';
import { fromMongo, keyNameOf, keysOf, type MongoDocument } from './mongo-documents.ts';
import { memberPath } from './mongo-filter.ts';

type Documents = DriverCollection<MongoDocument>;

/** Making an index that is there already is no work for the server. */
export async function ensureIndexes<Value extends object>(
  documents: Documents,
  { unique, indexed }: CollectionDefinition<Value>,
): Promise<void> {
  for (const members of unique) {
    const path = `keys.${keyNameOf(members)}`;
    await fillMissingKeys(documents, members);
    await documents.createIndex({ [path]: 1 }, { unique: true, name: indexNameOf('unique', members) });
  }
  // Lists are filtered and ordered by the members of unique keys as well.
  for (const members of [...unique, ...indexed]) {
    const path = Object.fromEntries([...members.map((member) => [memberPath(member), 1]), ['_id', 1]]);
    await documents.createIndex(path, { name: indexNameOf('indexed', members) });
  }
}

export function indexNameOf(kind: 'unique' | 'indexed', members: readonly string[]): string {
  return `${kind}-${keyNameOf(members)}`;
}

/** The unique key that a server's message about a duplicate speaks of; undefined when it is the id. */
export function keyOfIndex(message: string): string | undefined {
  return /\bunique-([\w-]+)/.exec(message)?.[1];
}

/** Documents written before the key was defined do not have its text yet. */
async function fillMissingKeys(documents: Documents, members: readonly string[]): Promise<void> {
  const path = `keys.${keyNameOf(members)}`;
  for await (const document of documents.find({ [path]: { $exists: false } })) {
    const { id, revision, value } = fromMongo<object>(document);
    const key = keysOf(id, value, [members])[keyNameOf(members)];
    // Who changed it meanwhile wrote the key, too.
    await documents.updateOne({ _id: id, revision }, { $set: { [path]: key } });
  }
}
