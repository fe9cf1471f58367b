import { type IndexRecord, newUuid } from './catalogue-file.ts';
import { mapperError } from './engine-error.ts';
import type { IndexFile } from './index-file.ts';
import { type BlockName, type Blocks, blockedBy } from './index-settings.ts';
import { Mapping } from './mapping.ts';

/** Saves what is kept of an index beside its documents. */
export type SaveIndex = (record: IndexRecord) => void;

/** One index: a plain one, or a backing index of a data stream. */
export class LogIndex {
  readonly name: string;
  readonly uuid: string;
  readonly createdAtMs: number;
  readonly stream: string | null;
  readonly mapping: Mapping;
  readonly file: IndexFile;
  readonly #save: SaveIndex;
  #blocks: Blocks;
  #rolledOverAtMs: number | null;
  #savedFieldCount: number;

  constructor(record: IndexRecord, file: IndexFile, save: SaveIndex) {
    this.name = record.name;
    this.uuid = record.uuid;
    this.createdAtMs = record.createdAtMs;
    this.stream = record.stream;
    this.mapping = new Mapping(JSON.parse(record.mapping));
    this.file = file;
    this.#save = save;
    this.#blocks = JSON.parse(record.blocks);
    this.#rolledOverAtMs = record.rolledOverAtMs;
    this.#savedFieldCount = this.mapping.fieldCount;
  }

  get blocks(): Blocks {
    return this.#blocks;
  }

  get rolledOverAtMs(): number | null {
    return this.#rolledOverAtMs;
  }

  /** Throws when a block stands in the way. */
  refuseWhenBlocked(level: Parameters<typeof blockedBy>[2]): void {
    const blocked = blockedBy(this.name, this.#blocks, level);
    if (blocked) throw blocked;
  }

  changeBlocks(changes: ReadonlyMap<BlockName, string | null>): void {
    const kept = Object.entries({ ...this.#blocks, ...Object.fromEntries(changes) });
    this.#blocks = Object.fromEntries(kept.filter(([, value]) => value !== null));
    this.save();
  }

  rollOver(nowMs: number): void {
    this.#rolledOverAtMs = nowMs;
    this.save();
  }

  /** Whether documents brought fields that are not saved yet. */
  get hasNewFields(): boolean {
    return this.mapping.fieldCount !== this.#savedFieldCount;
  }

  save(): void {
    this.#save(this.#record());
    this.#savedFieldCount = this.mapping.fieldCount;
  }

  #record(): IndexRecord {
    const { name, uuid, createdAtMs, stream } = this;
    return {
      name,
      uuid,
      createdAtMs,
      stream,
      rolledOverAtMs: this.#rolledOverAtMs,
      blocks: JSON.stringify(this.#blocks),
      mapping: JSON.stringify(this.mapping),
    };
  }

  /** The settings in the words of the wire, flat. */
  settings(): Record<string, string> {
    const blocks = Object.entries(this.#blocks).map(([name, value]) => [`index.blocks.${name}`, value!]);
    return {
      ...(Object.fromEntries(blocks) as Record<string, string>),
      'index.creation_date': String(this.createdAtMs),
      ...(this.stream !== null && { 'index.hidden': 'true' }),
      'index.number_of_replicas': '0',
      'index.number_of_shards': '1',
      'index.provided_name': this.name,
      'index.uuid': this.uuid,
    };
  }
}

/** The record of an index that is about to be made. */
export function newIndexRecord(
  options: Pick<IndexRecord, 'name' | 'createdAtMs' | 'stream'> & { blocks: Blocks; mapping: unknown },
): IndexRecord {
  const { name, createdAtMs, stream, blocks } = options;
  const mapping = new Mapping(withTimestamp(options.mapping, stream !== null));
  return {
    name,
    uuid: newUuid(),
    createdAtMs,
    stream,
    rolledOverAtMs: null,
    blocks: JSON.stringify(blocks),
    mapping: JSON.stringify(mapping),
  };
}

/** A backing index has the timestamp of its stream, whatever its template says of other fields. */
function withTimestamp(mapping: unknown = {}, isBacking: boolean): unknown {
  if (!isBacking) return mapping;
  const { properties = {}, ...rest } = mapping as { properties?: Record<string, { type?: string }> };
  const timestamp = properties['@timestamp'] ?? { type: 'date' };
  if (timestamp.type !== 'date') throw mapperError('data stream timestamp field [@timestamp] must be a date');
  return {
    ...rest,
    _data_stream_timestamp: { enabled: true },
    properties: { ...properties, '@timestamp': timestamp },
  };
}
