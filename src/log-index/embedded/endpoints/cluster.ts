import { version } from '../../../kernel/version.ts';
import { readPerSecond } from '../by-query-request.ts';
import { indexEndpoint, isOn } from '../index-endpoint.ts';
import { patternOf } from '../index-names.ts';

/** Who is answering: neither Elasticsearch nor OpenSearch, and it says so. */
const root = indexEndpoint({
  id: 'log-index-root',
  methods: ['GET'],
  path: '/',
  summary: 'Which index this is.',
  handle: ({ services }) => ({
    name: 'gatehouse',
    cluster_name: 'gatehouse',
    cluster_uuid: services.registry.clusterId,
    version: { distribution: 'gatehouse', number: version },
    tagline: 'The embedded log index of Gatehouse',
  }),
});

const listTasks = indexEndpoint({
  id: 'log-index-tasks',
  methods: ['GET'],
  path: '/_tasks',
  summary: 'The runs that are going on.',
  parameters: ['actions', 'detailed'],
  handle: ({ query, services }) => {
    const patterns = (query.actions ?? '*').split(',').map(patternOf);
    const matches = (action: string) => patterns.some((pattern) => pattern.test(action));
    return services.tasks.list(matches, isOn(query.detailed));
  },
});

const getTask = indexEndpoint({
  id: 'log-index-task',
  methods: ['GET'],
  path: '/_tasks/{task}',
  summary: 'A run, or the result of one that is over.',
  handle: ({ path, services }) => services.tasks.get(path.task!),
});

const cancelTask = indexEndpoint({
  id: 'log-index-task-cancel',
  methods: ['POST'],
  path: '/_tasks/{task}/_cancel',
  summary: 'Ends a run with the batch it is at.',
  handle: ({ path, services }) => services.tasks.cancel(path.task!),
});

const rethrottle = indexEndpoint({
  id: 'log-index-task-rethrottle',
  methods: ['POST'],
  path: '/_update_by_query/{task}/_rethrottle',
  aliases: ['/_delete_by_query/{task}/_rethrottle'],
  summary: 'Changes the speed of a run.',
  parameters: ['requests_per_second'],
  handle: ({ path, query, services }) =>
    services.tasks.rethrottle(path.task!, readPerSecond(query.requests_per_second ?? '')),
});

const snapshots = indexEndpoint({
  id: 'log-index-snapshots',
  methods: ['GET'],
  path: '/_snapshot',
  aliases: ['/_snapshot/_all'],
  summary: 'The snapshot repositories: none. The data folder is what is to be backed up.',
  handle: () => ({}),
});

export const clusterEndpoints = [root, listTasks, getTask, cancelTask, rethrottle, snapshots];
