import { EngineError, illegalArgument } from '../engine-error.ts';
import { indexEndpoint } from '../index-endpoint.ts';
import { patternOf } from '../index-names.ts';
import type { DataStream, IndexRegistry } from '../index-registry.ts';

const createStream = indexEndpoint({
  id: 'log-index-stream-create',
  methods: ['PUT'],
  path: '/_data_stream/{name}',
  summary: 'Makes a data stream by the template that matches its name.',
  handle: ({ path, services }) => {
    services.registry.createStream(path.name!);
    return { acknowledged: true };
  },
});

const getStreams = indexEndpoint({
  id: 'log-index-streams',
  methods: ['GET'],
  path: '/_data_stream',
  aliases: ['/_data_stream/{name}'],
  summary: 'Data streams with their backing indices, the oldest first.',
  handle: ({ path, services }) => ({
    data_streams: streamsOf(services.registry, path.name ?? '*').map((stream) => ({
      name: stream.name,
      timestamp_field: { name: '@timestamp' },
      indices: stream.indices.map(({ name, uuid }) => ({ index_name: name, index_uuid: uuid })),
      generation: stream.generation,
      status: 'GREEN',
      template: stream.template,
    })),
  }),
});

const deleteStream = indexEndpoint({
  id: 'log-index-stream-delete',
  methods: ['DELETE'],
  path: '/_data_stream/{name}',
  summary: 'Deletes a data stream with all its documents.',
  handle: ({ path, services }) => {
    for (const stream of streamsOf(services.registry, path.name!)) services.registry.deleteStream(stream);
    return { acknowledged: true };
  },
});

const rollOver = indexEndpoint({
  id: 'log-index-rollover',
  methods: ['POST'],
  path: '/{index}/_rollover',
  summary: 'Begins a new backing index of a stream.',
  takesBody: true,
  handle: async (call) => {
    const body = ((await call.json()) ?? {}) as object;
    if (Object.keys(body).length > 0)
      throw illegalArgument(
        'the embedded log index rolls over without conditions; its own are settings of it',
      );
    const { oldIndex, newIndex } = call.services.registry.rollOver(call.path.index!);
    return {
      acknowledged: true,
      shards_acknowledged: true,
      old_index: oldIndex,
      new_index: newIndex,
      rolled_over: true,
      dry_run: false,
      conditions: {},
    };
  },
});

const putTemplate = indexEndpoint({
  id: 'log-index-template-put',
  methods: ['PUT', 'POST'],
  path: '/_index_template/{name}',
  summary: 'Says what indices and streams are made with.',
  takesBody: true,
  handle: async (call) => {
    call.services.registry.putTemplate(call.path.name!, await call.json());
    return { acknowledged: true };
  },
});

const getTemplates = indexEndpoint({
  id: 'log-index-templates',
  methods: ['GET'],
  path: '/_index_template',
  aliases: ['/_index_template/{name}'],
  summary: 'The index templates.',
  handle: ({ path, services }) => {
    const name = path.name ?? '*';
    const pattern = patternOf(name);
    const found = [...services.registry.templates.values()].filter((template) => pattern.test(template.name));
    if (found.length === 0 && !name.includes('*')) throw templateMissing(name);
    return {
      index_templates: found.map((template) => ({ name: template.name, index_template: template.body })),
    };
  },
});

const deleteTemplate = indexEndpoint({
  id: 'log-index-template-delete',
  methods: ['DELETE'],
  path: '/_index_template/{name}',
  summary: 'Deletes an index template that no stream uses.',
  handle: ({ path, services }) => {
    if (!services.registry.templates.has(path.name!)) throw templateMissing(path.name!);
    services.registry.deleteTemplate(path.name!);
    return { acknowledged: true };
  },
});

export const streamEndpoints = [
  createStream,
  getStreams,
  deleteStream,
  rollOver,
  putTemplate,
  getTemplates,
  deleteTemplate,
];

/** An index that is no stream is no error, and no stream. */
function streamsOf(registry: IndexRegistry, expression: string): readonly DataStream[] {
  return registry.resolve(expression).streams;
}

function templateMissing(name: string): EngineError {
  return new EngineError(404, 'resource_not_found_exception', `index template matching [${name}] not found`);
}
