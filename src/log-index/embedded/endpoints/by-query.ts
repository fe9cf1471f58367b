import { type ByQueryAct, readByQuery } from '../by-query-request.ts';
import { ByQueryRun } from '../by-query-run.ts';
import { checkRefresh, type IndexCall, indexEndpoint, isOn, jsonAnswer } from '../index-endpoint.ts';

const parameters = [
  'conflicts',
  'wait_for_completion',
  'refresh',
  'slices',
  'requests_per_second',
  'scroll_size',
];

const update = indexEndpoint({
  id: 'log-index-update-by-query',
  methods: ['POST'],
  path: '/{index}/_update_by_query',
  summary: 'Runs the cleanup script on the documents that meet a query.',
  parameters,
  takesBody: true,
  handle: (call) => runByQuery(call, 'update'),
});

const remove = indexEndpoint({
  id: 'log-index-delete-by-query',
  methods: ['POST'],
  path: '/{index}/_delete_by_query',
  summary: 'Deletes the documents that meet a query.',
  parameters,
  takesBody: true,
  handle: (call) => runByQuery(call, 'delete'),
});

export const byQueryEndpoints = [update, remove];

/** The run goes on when its caller leaves: only a cancellation ends it early. */
async function runByQuery(call: IndexCall, kind: ByQueryAct['kind']): Promise<object> {
  const { path, query, services, opaqueId } = call;
  checkRefresh(query.refresh);
  const waits = isOn(query.wait_for_completion, true);
  const request = readByQuery(kind, path.index!, await call.json(), query);
  const run = new ByQueryRun(request, services.registry.search(path.index!), services.clock);
  const { id, done } = services.tasks.start(
    { action: `indices:data/write/${kind}/byquery`, description: request.description, opaqueId, run },
    !waits,
  );
  if (!waits) {
    // Whoever asks for the task is told how it ended.
    done.catch(() => {});
    return { task: id };
  }
  await done;
  return jsonAnswer(run.httpStatus, run.response());
}
