import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../kernel/clock.ts';
import { CatalogueFile, type IndexRecord } from './catalogue-file.ts';
import { EngineError, illegalArgument, indexNotFound } from './engine-error.ts';
import { IndexFile } from './index-file.ts';
import { checkIndexName, parseNames } from './index-names.ts';
import { type IndexDefinition, type IndexTemplate, readTemplate, templateFor } from './index-template.ts';
import { LogIndex, newIndexRecord } from './log-index.ts';

/** A data stream: its backing indices, the oldest first. The last one takes the writes. */
export interface DataStream {
  readonly name: string;
  readonly template: string;
  readonly generation: number;
  readonly indices: readonly LogIndex[];
}

/** What an expression of names stands for. */
export interface Resolved {
  readonly indices: readonly LogIndex[];
  readonly streams: readonly DataStream[];
}

export interface IndexRegistryOptions {
  /** Made when it is not there. */
  readonly folder: string;
  readonly clock: Clock;
}

/** Every index, data stream and template there is. */
export class IndexRegistry {
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #catalogue: CatalogueFile;
  readonly #indices = new Map<string, LogIndex>();
  readonly #streams = new Map<string, DataStream>();
  readonly #templates = new Map<string, IndexTemplate>();

  constructor({ folder, clock }: IndexRegistryOptions) {
    this.#folder = folder;
    this.#clock = clock;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#catalogue = new CatalogueFile(join(folder, 'catalogue.db'));
    try {
      this.#load();
    } catch (error) {
      this.close();
      throw error;
    }
  }

  get clusterId(): string {
    return this.#catalogue.clusterId;
  }

  get nodeId(): string {
    return this.#catalogue.nodeId;
  }

  get streams(): ReadonlyMap<string, DataStream> {
    return this.#streams;
  }

  get templates(): ReadonlyMap<string, IndexTemplate> {
    return this.#templates;
  }

  /** The indices and streams of an expression such as `a,b*`. A plain name must exist, a pattern may find nothing. */
  resolve(expression: string): Resolved {
    const indices = new Set<LogIndex>();
    const streams = new Set<DataStream>();
    for (const { text, pattern } of parseNames(expression)) {
      const found = pattern ? this.#matching(text, pattern) : this.#named(text);
      for (const index of found.indices) indices.add(index);
      for (const stream of found.streams) streams.add(stream);
    }
    return { indices: [...indices], streams: [...streams] };
  }

  /** As `resolve`, but a plain name that does not exist finds nothing. */
  resolveIfThere(name: string): Resolved {
    const isThere = name.includes('*') || this.#indices.has(name) || this.#streams.has(name);
    return isThere ? this.resolve(name) : { indices: [], streams: [] };
  }

  /** The indices behind an expression, those of streams included. */
  search(expression: string): LogIndex[] {
    const { indices, streams } = this.resolve(expression);
    return [...new Set([...indices, ...streams.flatMap((stream) => stream.indices)])];
  }

  #named(name: string): Resolved {
    const index = this.#indices.get(name);
    if (index) return { indices: [index], streams: [] };
    const stream = this.#streams.get(name);
    if (stream) return { indices: [], streams: [stream] };
    throw indexNotFound(name);
  }

  /** Backing indices are hidden: only a pattern that begins with a dot, as their names do, finds them by themselves. */
  #matching(text: string, pattern: RegExp): Resolved {
    const findsHidden = text.startsWith('.');
    return {
      indices: [...this.#indices.values()].filter(
        ({ name, stream }) => pattern.test(name) && (stream === null || findsHidden),
      ),
      streams: [...this.#streams.values()].filter(({ name }) => pattern.test(name)),
    };
  }

  /** The index that a write to this name goes to; a first write makes what its template says. */
  writeTarget(name: string): LogIndex {
    const stream = this.#streams.get(name) ?? this.#streamOfFirstWrite(name);
    if (stream) return stream.indices.at(-1)!;
    return this.#indices.get(name) ?? this.createIndex(name, { blocks: {}, mapping: {} });
  }

  #streamOfFirstWrite(name: string): DataStream | undefined {
    if (this.#indices.has(name)) return undefined;
    checkIndexName(name);
    return templateFor(name, this.#templates.values())?.makesStreams ? this.createStream(name) : undefined;
  }

  createIndex(name: string, { blocks, mapping }: IndexDefinition): LogIndex {
    checkIndexName(name);
    const existing = this.#indices.get(name);
    if (existing)
      throw new EngineError(
        400,
        'resource_already_exists_exception',
        `index [${name}/${existing.uuid}] already exists`,
        { members: { index: name, index_uuid: existing.uuid } },
      );
    if (this.#streams.has(name))
      throw new EngineError(400, 'resource_already_exists_exception', `data_stream [${name}] already exists`);
    if (templateFor(name, this.#templates.values())?.makesStreams)
      throw illegalArgument(
        `cannot create index with name [${name}], because it matches with a template that creates data streams only, use create data stream api instead`,
      );
    const template = templateFor(name, this.#templates.values(), false);
    const isBare = Object.keys(mapping as object).length === 0;
    return this.#make(
      newIndexRecord({
        name,
        createdAtMs: this.#clock.now(),
        stream: null,
        blocks: { ...template?.definition.blocks, ...blocks },
        mapping: isBare ? template?.definition.mapping : mapping,
      }),
    );
  }

  createStream(name: string): DataStream {
    checkIndexName(name);
    if (name.startsWith('.ds-')) throw illegalArgument(`data_stream [${name}] must not start with '.ds-'`);
    if (this.#streams.has(name) || this.#indices.has(name))
      throw new EngineError(400, 'resource_already_exists_exception', `data_stream [${name}] already exists`);
    const template = templateFor(name, this.#templates.values());
    if (!template) throw illegalArgument(`no matching index template found for data stream [${name}]`);
    if (!template.makesStreams)
      throw illegalArgument(
        `matching index template [${template.name}] for data stream [${name}] has no data stream template`,
      );
    return this.#addBackingIndex({ name, template: template.name, generation: 0, indices: [] });
  }

  /** A fresh backing index takes the writes from now on. */
  rollOver(name: string): { oldIndex: string; newIndex: string } {
    const stream = this.#streams.get(name);
    if (!stream) {
      this.#named(name);
      throw illegalArgument(`rollover target [${name}] is not a data stream`);
    }
    const old = stream.indices.at(-1)!;
    const rolled = this.#addBackingIndex(stream);
    old.rollOver(this.#clock.now());
    return { oldIndex: old.name, newIndex: rolled.indices.at(-1)!.name };
  }

  #addBackingIndex(stream: DataStream): DataStream {
    const nowMs = this.#clock.now();
    const generation = stream.generation + 1;
    const template = this.#templates.get(stream.template);
    const record = newIndexRecord({
      name: backingName(stream.name, nowMs, generation),
      createdAtMs: nowMs,
      stream: stream.name,
      blocks: template?.definition.blocks ?? {},
      mapping: template?.definition.mapping,
    });
    checkIndexName(record.name);
    const index = this.#make(record, () => this.#catalogue.saveStream({ ...stream, generation }));
    const grown = { ...stream, generation, indices: [...stream.indices, index] };
    this.#streams.set(stream.name, grown);
    return grown;
  }

  /** The file first: a file that nobody names is found and removed at the next start. */
  #make(record: IndexRecord, saveMore?: () => void): LogIndex {
    const index = new LogIndex(record, new IndexFile(this.#pathOf(record.uuid)), (changed) =>
      this.#catalogue.saveIndex(changed),
    );
    this.#catalogue.transaction(() => {
      index.save();
      saveMore?.();
    });
    this.#indices.set(index.name, index);
    return index;
  }

  deleteIndex(name: string): void {
    const index = this.#indices.get(name);
    if (!index) throw indexNotFound(name);
    const stream = index.stream === null ? undefined : this.#streams.get(index.stream);
    if (stream && stream.indices.at(-1) === index)
      throw illegalArgument(
        `index [${name}] is the write index for data stream [${stream.name}] and cannot be deleted`,
      );
    this.#drop(index);
    if (stream)
      this.#streams.set(stream.name, {
        ...stream,
        indices: stream.indices.filter((other) => other !== index),
      });
  }

  deleteStream(stream: DataStream): void {
    this.#streams.delete(stream.name);
    this.#catalogue.removeStream(stream.name);
    for (const index of stream.indices) this.#drop(index);
  }

  #drop(index: LogIndex): void {
    this.#catalogue.removeIndex(index.name);
    this.#indices.delete(index.name);
    index.file.destroy();
  }

  putTemplate(name: string, body: unknown): void {
    const template = readTemplate(name, body);
    const rival = [...this.#templates.values()].find(
      (other) =>
        other.name !== name &&
        other.priority === template.priority &&
        other.patterns.some((pattern) => template.patterns.includes(pattern)),
    );
    if (rival)
      throw illegalArgument(
        `index template [${name}] has index patterns matching patterns from existing templates [${rival.name}] with the same priority`,
      );
    this.#catalogue.saveTemplate({ name, body: JSON.stringify(template.body) });
    this.#templates.set(name, template);
  }

  deleteTemplate(name: string): void {
    const user = [...this.#streams.values()].find(({ template }) => template === name);
    if (user)
      throw illegalArgument(
        `unable to remove composable templates [${name}] as they are in use by a data streams [${user.name}]`,
      );
    this.#catalogue.removeTemplate(name);
    this.#templates.delete(name);
  }

  close(): void {
    for (const { file } of this.#indices.values()) file.close();
    this.#catalogue.close();
  }

  #load(): void {
    for (const { name, body } of this.#catalogue.templates())
      this.#templates.set(name, readTemplate(name, JSON.parse(body)));
    const records = this.#catalogue.indices();
    this.#removeOrphans(new Set(records.map(({ uuid }) => uuid)));
    for (const record of records) {
      const file = new IndexFile(this.#pathOf(record.uuid));
      this.#indices.set(
        record.name,
        new LogIndex(record, file, (changed) => this.#catalogue.saveIndex(changed)),
      );
    }
    for (const stream of this.#catalogue.streams()) {
      const indices = [...this.#indices.values()].filter((index) => index.stream === stream.name);
      this.#streams.set(stream.name, { ...stream, indices: indices.sort(byGeneration) });
    }
  }

  /** What a crash left between the making of a file and the naming of it, or the other way round. */
  #removeOrphans(known: ReadonlySet<string>): void {
    for (const name of readdirSync(this.#folder)) {
      const uuid = /^index-(.+)\.db(-wal|-shm)?$/.exec(name)?.[1];
      if (uuid !== undefined && !known.has(uuid)) rmSync(join(this.#folder, name), { force: true });
    }
  }

  #pathOf(uuid: string): string {
    return join(this.#folder, `index-${uuid}.db`);
  }
}

/** `.ds-<stream>-yyyy.MM.dd-000001` */
function backingName(stream: string, nowMs: number, generation: number): string {
  const day = new Date(nowMs).toISOString().slice(0, 10).replaceAll('-', '.');
  return `.ds-${stream}-${day}-${String(generation).padStart(6, '0')}`;
}

function byGeneration(one: LogIndex, other: LogIndex): number {
  return generationOf(one) - generationOf(other);
}

function generationOf({ name }: LogIndex): number {
  return Number(name.slice(name.lastIndexOf('-') + 1));
}
