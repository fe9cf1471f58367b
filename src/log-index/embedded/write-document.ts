import { EngineError, illegalArgument } from './engine-error.ts';
import type { Written } from './index-file.ts';
import type { LogIndex } from './log-index.ts';
import { parseSource } from './source-document.ts';

/** `create` refuses an id that is there already; `index` puts its document in place of it. */
export type OperationType = 'create' | 'index';

export interface WriteResult extends Written {
  readonly isNew: boolean;
}

/** Writes one document, within the transaction of its index. Throws what the engine would answer. */
export function writeDocument(index: LogIndex, type: OperationType, id: string, bytes: Buffer): WriteResult {
  index.refuseWhenBlocked('write');
  const { source, document } = parseSource(bytes);
  const read = index.mapping.read(document, id, index.stream !== null);
  const created = index.file.insert({ id, source, ...read });
  if (created) return { ...created, isNew: true };
  const existing = index.file.find(id)!;
  if (type === 'create') throw versionConflict(index, id, existing.version);
  const oldTerms = index.mapping.termsOf(JSON.parse(existing.source));
  return { ...index.file.replace(existing, { source, ...read }, oldTerms), isNew: false };
}

/** A stream only grows, and only through its name (spec 2 §4.7 writes to it so). */
export function refuseWrongTarget(index: LogIndex, target: string, type: OperationType): void {
  if (index.stream === null) return;
  if (target !== index.stream)
    throw illegalArgument(
      `index request with op_type=${type} targeting backing indices is disallowed, target corresponding data stream [${index.stream}] instead`,
    );
  if (type !== 'create')
    throw illegalArgument('only write ops with an op_type of create are allowed in data streams');
}

function versionConflict(index: LogIndex, id: string, version: number): EngineError {
  return new EngineError(
    409,
    'version_conflict_engine_exception',
    `[${id}]: version conflict, document already exists (current version [${version}])`,
    { members: { index: index.name, shard: '0', index_uuid: index.uuid } },
  );
}

/** The answer to a write, or the item of a bulk answer. */
export function toldWrite(index: LogIndex, id: string, { version, seqNo, isNew }: WriteResult): object {
  return {
    _index: index.name,
    _id: id,
    _version: version,
    result: isNew ? 'created' : 'updated',
    _shards: { total: 1, successful: 1, failed: 0 },
    _seq_no: seqNo,
    _primary_term: 1,
  };
}
