import { runBulk } from '../bulk.ts';
import { checkId, parseBulk } from '../bulk-lines.ts';
import { newUuid } from '../catalogue-file.ts';
import { illegalArgument } from '../engine-error.ts';
import { checkRefresh, type IndexCall, indexEndpoint, jsonAnswer } from '../index-endpoint.ts';
import { type OperationType, refuseWrongTarget, toldWrite, writeDocument } from '../write-document.ts';

const create = indexEndpoint({
  id: 'log-index-create',
  methods: ['PUT', 'POST'],
  path: '/{index}/_create/{id}',
  summary: 'Writes a document under an id that must be new.',
  parameters: ['refresh'],
  takesBody: true,
  handle: (call) => write(call, 'create', call.path.id!),
});

const createWithoutId = indexEndpoint({
  id: 'log-index-doc',
  methods: ['POST'],
  path: '/{index}/_doc',
  summary: 'Writes a document under an id of its own.',
  parameters: ['refresh', 'op_type'],
  takesBody: true,
  handle: (call) => {
    operationOf(call.query.op_type, 'create');
    return write(call, 'create', newUuid());
  },
});

const put = indexEndpoint({
  id: 'log-index-doc-id',
  methods: ['PUT', 'POST'],
  path: '/{index}/_doc/{id}',
  summary: 'Writes a document under an id, in place of the one that is there.',
  parameters: ['refresh', 'op_type'],
  takesBody: true,
  handle: (call) => write(call, operationOf(call.query.op_type, 'index'), call.path.id!),
});

const bulk = indexEndpoint({
  id: 'log-index-bulk',
  methods: ['POST', 'PUT'],
  path: '/_bulk',
  summary: 'Writes many documents; each succeeds or fails alone.',
  parameters: ['refresh'],
  takesBody: true,
  handle: writeBulk,
});

const indexBulk = indexEndpoint({
  id: 'log-index-bulk-index',
  methods: ['POST', 'PUT'],
  path: '/{index}/_bulk',
  summary: 'Writes many documents to one index.',
  parameters: ['refresh'],
  takesBody: true,
  handle: writeBulk,
});

export const documentEndpoints = [create, createWithoutId, put, bulk, indexBulk];

async function write(call: IndexCall, type: OperationType, id: string): Promise<object> {
  const { path, query, services } = call;
  checkRefresh(query.refresh);
  checkId(id);
  return call.withBytes(async (bytes) => {
    const index = services.registry.writeTarget(path.index!);
    refuseWrongTarget(index, path.index!, type);
    const result = index.file.transaction(() => writeDocument(index, type, id, bytes));
    if (index.hasNewFields) index.save();
    await index.file.settle();
    return jsonAnswer(result.isNew ? 201 : 200, toldWrite(index, id, result));
  });
}

async function writeBulk(call: IndexCall): Promise<object> {
  const { path, query, services } = call;
  checkRefresh(query.refresh);
  return call.withBytes(async (bytes) => {
    const beganAtMs = services.clock.now();
    const items = await runBulk(services.registry, parseBulk(bytes, path.index));
    const errors = items.some((item) => Object.values(item)[0]!.status >= 300);
    return { took: services.clock.now() - beganAtMs, errors, items };
  });
}

function operationOf(text: string | undefined, fallback: OperationType): OperationType {
  if (text === undefined) return fallback;
  if (text === 'create' || text === 'index') return text;
  throw illegalArgument(`opType must be 'create' or 'index', found: [${text}]`);
}
