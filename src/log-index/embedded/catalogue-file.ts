import { randomBytes } from 'node:crypto';
import { chmodSync, closeSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** What is kept of an index beside its documents. */
export interface IndexRecord {
  readonly name: string;
  readonly uuid: string;
  readonly createdAtMs: number;
  /** The data stream it is a backing index of. */
  readonly stream: string | null;
  /** Since when another index takes the writes of its stream. */
  readonly rolledOverAtMs: number | null;
  /** JSON. */
  readonly blocks: string;
  /** JSON. */
  readonly mapping: string;
}

export interface StreamRecord {
  readonly name: string;
  readonly generation: number;
  readonly template: string;
}

export interface TemplateRecord {
  readonly name: string;
  /** JSON. */
  readonly body: string;
}

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS indices (
    name TEXT PRIMARY KEY, uuid TEXT NOT NULL, createdAtMs INTEGER NOT NULL, stream TEXT, rolledOverAtMs INTEGER,
    blocks TEXT NOT NULL, mapping TEXT NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS streams (name TEXT PRIMARY KEY, generation INTEGER NOT NULL, template TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS templates (name TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS identity (cluster TEXT NOT NULL, node TEXT NOT NULL) STRICT;
`;

/** Which indices, streams and templates there are: a small file beside those of the indices. */
export class CatalogueFile {
  readonly clusterId: string;
  readonly nodeId: string;
  readonly #database: DatabaseSync;

  constructor(path: string) {
    closeSync(openSync(path, 'a', 0o600));
    chmodSync(path, 0o600);
    this.#database = new DatabaseSync(path);
    try {
      // One process owns the index; a second one must find that out at once.
      this.#database.exec(
        `PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; ${SCHEMA}`,
      );
      const { cluster, node } = this.#identity();
      this.clusterId = cluster;
      this.nodeId = node;
    } catch (error) {
      this.#database.close();
      throw error;
    }
  }

  indices(): IndexRecord[] {
    return this.#all<IndexRecord>('SELECT * FROM indices ORDER BY createdAtMs, name');
  }

  streams(): StreamRecord[] {
    return this.#all<StreamRecord>('SELECT * FROM streams ORDER BY name');
  }

  templates(): TemplateRecord[] {
    return this.#all<TemplateRecord>('SELECT * FROM templates ORDER BY name');
  }

  saveIndex({ name, uuid, createdAtMs, stream, rolledOverAtMs, blocks, mapping }: IndexRecord): void {
    this.#database
      .prepare('INSERT OR REPLACE INTO indices VALUES (?, ?, ?, ?, ?, ?, ?)')
      .run(name, uuid, createdAtMs, stream, rolledOverAtMs, blocks, mapping);
  }

  removeIndex(name: string): void {
    this.#database.prepare('DELETE FROM indices WHERE name = ?').run(name);
  }

  saveStream({ name, generation, template }: StreamRecord): void {
    this.#database.prepare('INSERT OR REPLACE INTO streams VALUES (?, ?, ?)').run(name, generation, template);
  }

  removeStream(name: string): void {
    this.#database.prepare('DELETE FROM streams WHERE name = ?').run(name);
  }

  saveTemplate({ name, body }: TemplateRecord): void {
    this.#database.prepare('INSERT OR REPLACE INTO templates VALUES (?, ?)').run(name, body);
  }

  removeTemplate(name: string): void {
    this.#database.prepare('DELETE FROM templates WHERE name = ?').run(name);
  }

  /** All or nothing. */
  transaction(act: () => void): void {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      act();
      this.#database.exec('COMMIT');
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  close(): void {
    if (this.#database.isOpen) this.#database.close();
  }

  #identity(): { cluster: string; node: string } {
    const [known] = this.#all<{ cluster: string; node: string }>('SELECT * FROM identity');
    if (known) return known;
    const made = { cluster: newUuid(), node: newUuid() };
    this.#database.prepare('INSERT INTO identity VALUES (?, ?)').run(made.cluster, made.node);
    return made;
  }

  #all<Row>(sql: string): Row[] {
    return this.#database.prepare(sql).all() as unknown as Row[];
  }
}

/** As the engine writes its ids: 22 characters that need no escaping anywhere. */
export function newUuid(): string {
  return randomBytes(16).toString('base64url');
}
