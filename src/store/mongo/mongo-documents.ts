import type { Stored } from '../contract.ts';

/** A document as MongoDB holds it. */
export interface MongoDocument {
  readonly _id: string;
  readonly revision: number;
  readonly doc: Record<string, unknown>;
  /** One entry per unique key, see keyOf. */
  readonly keys: Record<string, string>;
}

export type UniqueKeys = ReadonlyArray<readonly string[]>;

export function toMongo(id: string, revision: number, value: object, unique: UniqueKeys): MongoDocument {
  return {
    _id: id,
    revision,
    doc: encoded(value) as Record<string, unknown>,
    keys: keysOf(id, value, unique),
  };
}

export function fromMongo<Value>({ _id, revision, doc }: MongoDocument): Stored<Value> {
  return { id: _id, revision, value: decoded(doc) as Value };
}

/**
 * A unique key is kept as one text beside the document, under an ordinary unique index: indexes that pass over
 * documents without a member are not known to every server that speaks this protocol. Who lacks a member gets a text
 * that nobody else can have.
 */
export function keysOf(id: string, value: object, unique: UniqueKeys): Record<string, string> {
  return Object.fromEntries(unique.map((members) => [keyNameOf(members), keyOf(id, value, members)]));
}

function keyOf(id: string, value: object, members: readonly string[]): string {
  const parts = members.map((member) => (value as Record<string, unknown>)[member]);
  return parts.some((part) => part === undefined || part === null) ? `none ${id}` : JSON.stringify(parts);
}

/** The members can be read back from it. */
export function keyNameOf(members: readonly string[]): string {
  return members.join('-');
}

export function membersOfKey(keyName: string): readonly string[] {
  return keyName.split('-');
}

/** Names that mean something to the server or the driver instead of being data. */
const reserved = /[%$.\0]|^_bsontype$/;
const reservedCharacters = /[%$.\0]|^_(?=bsontype$)/g;

/** What JSON makes of the value, with names that MongoDB keeps as they are. */
export function encoded(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_name, part) =>
    renamed(part, (name) => (reserved.test(name) ? name.replace(reservedCharacters, percentEncoded) : name)),
  );
}

function decoded(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(decoded);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [
      name.includes('%') ? decodeURIComponent(name) : name,
      decoded(part),
    ]),
  );
}

function renamed(value: unknown, rename: (name: string) => string): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const names = Object.keys(value);
  if (!names.some((name) => reserved.test(name))) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [rename(name), part]));
}

function percentEncoded(character: string): string {
  return `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
}
