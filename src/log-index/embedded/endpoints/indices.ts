import { illegalArgument, invalidRequest } from '../engine-error.ts';
import { type IndexCall, indexEndpoint, isOn } from '../index-endpoint.ts';
import { parseNames, patternOf } from '../index-names.ts';
import { blockNames, isUnblocking, readBlockSettings, toldSettings } from '../index-settings.ts';
import { readDefinition } from '../index-template.ts';
import type { LogIndex } from '../log-index.ts';
import { allShards } from './searches.ts';

const createIndex = indexEndpoint({
  id: 'log-index-index-create',
  methods: ['PUT'],
  path: '/{index}',
  summary: 'Makes an index that belongs to no stream.',
  takesBody: true,
  handle: async (call) => {
    const definition = readDefinition((await call.json()) ?? {});
    const { name } = call.services.registry.createIndex(call.path.index!, definition);
    return { acknowledged: true, shards_acknowledged: true, index: name };
  },
});

const deleteIndex = indexEndpoint({
  id: 'log-index-index-delete',
  methods: ['DELETE'],
  path: '/{index}',
  summary: 'Deletes one index with its documents.',
  handle: ({ path, services }) => {
    const [part, ...others] = parseNames(path.index!);
    if (!part || part.pattern || others.length > 0)
      throw illegalArgument('the embedded log index deletes one index at a time, by its name');
    services.registry.resolve(part.text);
    if (services.registry.streams.has(part.text))
      throw illegalArgument(
        `The provided expression [${part.text}] matches a data stream, specify the corresponding concrete indices instead.`,
      );
    services.registry.deleteIndex(part.text);
    return { acknowledged: true };
  },
});

const getSettings = indexEndpoint({
  id: 'log-index-settings',
  methods: ['GET'],
  path: '/{index}/_settings',
  summary: 'The settings of indices.',
  parameters: ['flat_settings'],
  handle: (call) => {
    const isFlat = isOn(call.query.flat_settings);
    return perIndex(call, (index) => ({ settings: toldSettings(index.settings(), isFlat) }));
  },
});

const putSettings = indexEndpoint({
  id: 'log-index-settings-change',
  methods: ['PUT'],
  path: '/{index}/_settings',
  summary: 'Sets blocks, or takes them away with null.',
  takesBody: true,
  handle: async (call) => {
    const body = await call.json();
    const indices = call.services.registry.search(call.path.index!);
    const changes = readBlockSettings(body);
    if (changes.size === 0) throw invalidRequest('no settings to update');
    if (!isUnblocking(changes)) for (const index of indices) index.refuseWhenBlocked('metadata-write');
    for (const index of indices) index.changeBlocks(changes);
    return { acknowledged: true };
  },
});

const addBlock = indexEndpoint({
  id: 'log-index-block',
  methods: ['PUT'],
  path: '/{index}/_block/{block}',
  summary: 'Sets a block once the writes that run are over.',
  handle: ({ path, services }) => {
    const block = blockNames.find((name) => name === path.block && name !== 'read_only_allow_delete');
    if (!block) throw illegalArgument(`No block found with name ${path.block}`);
    const indices = services.registry.search(path.index!);
    // Nothing else runs within a turn, so no write is half done here.
    for (const index of indices) index.changeBlocks(new Map([[block, 'true']]));
    const told = indices.map(({ name }) => ({ name, blocked: true }));
    return { acknowledged: true, shards_acknowledged: true, indices: told };
  },
});

const refresh = indexEndpoint({
  id: 'log-index-refresh',
  methods: ['POST', 'GET'],
  path: '/{index}/_refresh',
  aliases: ['/_refresh'],
  summary: 'Everything written is found afterwards, as it was before.',
  handle: ({ path, services }) => ({ _shards: allShards(services.registry.search(path.index ?? '*')) }),
});

const forceMerge = indexEndpoint({
  id: 'log-index-forcemerge',
  methods: ['POST'],
  path: '/{index}/_forcemerge',
  summary: 'Gives the space of deleted and replaced documents back to the disk.',
  parameters: ['only_expunge_deletes', 'flush'],
  handle: async ({ path, query, services }) => {
    if (!isOn(query.only_expunge_deletes))
      throw illegalArgument('the embedded log index has no segments: it knows [only_expunge_deletes] alone');
    const indices = services.registry.search(path.index!);
    // Only a block of everything is in its way; a write block is not (tried on OpenSearch).
    for (const index of indices) index.refuseWhenBlocked('metadata-write');
    for (const { file } of indices) await file.shrink();
    return { _shards: allShards(indices) };
  },
});

const getMapping = indexEndpoint({
  id: 'log-index-mapping',
  methods: ['GET'],
  path: '/{index}/_mapping',
  summary: 'The fields of indices.',
  handle: (call) => perIndex(call, ({ mapping }) => ({ mappings: mapping.toJSON() })),
});

const getFieldMapping = indexEndpoint({
  id: 'log-index-mapping-field',
  methods: ['GET'],
  path: '/{index}/_mapping/field/{fields}',
  summary: 'Single fields of indices, by name or pattern.',
  handle: (call) => {
    const patterns = call.path.fields!.split(',').map(patternOf);
    return perIndex(call, ({ mapping }) => {
      const found = [...mapping.leaves()].filter(([path]) => patterns.some((pattern) => pattern.test(path)));
      const told = found.map(([path, field]) => {
        const name = path.slice(path.lastIndexOf('.') + 1);
        return [path, { full_name: path, mapping: { [name]: field } }];
      });
      return { mappings: Object.fromEntries(told) };
    });
  },
});

const stats = indexEndpoint({
  id: 'log-index-stats',
  methods: ['GET'],
  path: '/{index}/_stats',
  aliases: ['/{index}/_stats/{metrics}'],
  summary: 'Documents and bytes of indices.',
  handle: async ({ path, services }) => {
    const metrics = (path.metrics ?? 'docs,store').split(',');
    const unknown = metrics.find((metric) => metric !== 'docs' && metric !== 'store');
    if (unknown !== undefined) throw illegalArgument(`the embedded log index has no metric [${unknown}]`);
    const indices = services.registry.search(path.index!);
    for (const index of indices) index.refuseWhenBlocked('metadata-read');
    const told: Record<string, object> = {};
    const sum = { docs: { count: 0, deleted: 0 }, store: { size_in_bytes: 0, reserved_in_bytes: 0 } };
    for (const { name, uuid, file } of indices) {
      const docs = { count: await file.count({ sql: '1', parameters: [] }), deleted: file.replacedCount };
      const store = { size_in_bytes: file.sizeBytes, reserved_in_bytes: 0 };
      sum.docs.count += docs.count;
      sum.docs.deleted += docs.deleted;
      sum.store.size_in_bytes += store.size_in_bytes;
      const picked = pick({ docs, store }, metrics);
      told[name] = { uuid, primaries: picked, total: picked };
    }
    const all = pick(sum, metrics);
    return { _shards: allShards(indices), _all: { primaries: all, total: all }, indices: told };
  },
});

const resolve = indexEndpoint({
  id: 'log-index-resolve',
  methods: ['GET'],
  path: '/_resolve/index/{index}',
  summary: 'What a name stands for: indices or streams.',
  handle: ({ path, services }) => {
    const { registry } = services;
    // A name that is not there is no error here.
    const found = parseNames(path.index!).map(({ text }) => registry.resolveIfThere(text));
    const indices = found.flatMap((one) => one.indices);
    const streams = found.flatMap((one) => one.streams);
    return {
      indices: indices.map(({ name, stream }) => ({
        name,
        attributes: stream === null ? ['open'] : ['hidden', 'open'],
        ...(stream !== null && { data_stream: stream }),
      })),
      aliases: [],
      data_streams: streams.map((stream) => ({
        name: stream.name,
        backing_indices: stream.indices.map(({ name }) => name),
        timestamp_field: '@timestamp',
      })),
    };
  },
});

export const indexEndpoints = [
  createIndex,
  deleteIndex,
  getSettings,
  putSettings,
  addBlock,
  refresh,
  forceMerge,
  getMapping,
  getFieldMapping,
  stats,
  resolve,
];

function perIndex({ path, services }: IndexCall, tell: (index: LogIndex) => object): object {
  const indices = services.registry.search(path.index!);
  for (const index of indices) index.refuseWhenBlocked('metadata-read');
  return Object.fromEntries(indices.map((index) => [index.name, tell(index)]));
}

function pick(stats: Readonly<Record<string, object>>, metrics: readonly string[]): object {
  return Object.fromEntries(Object.entries(stats).filter(([name]) => metrics.includes(name)));
}
