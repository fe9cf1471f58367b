import { createHash } from 'node:crypto';
import { type CleanupScript, cleanupScript } from '../../log-index/cleanup-script.ts';
import type { IndexQuery } from '../../log-index/client-answers.ts';
import type { Configuration, Operation, Scope } from './configuration.ts';

/** What is asked of the index, made of the configuration alone. */
export interface Plan {
  readonly query: IndexQuery;
  /** Undefined when documents are deleted. */
  readonly script: CleanupScript | undefined;
  readonly resultFile: 'update_result.json' | 'delete_result.json';
  /** The same for the same work, so that a run of ours is known again among the tasks of the index. */
  readonly mark: string;
  /** Calls that change something, in their order; a write block adds two around them. */
  readonly calls: readonly string[];
}

export function planOf(configuration: Configuration): Plan {
  const { index, operation, scope, forcesMerge } = configuration;
  const query = queryOf(scope);
  const script = scriptOf(operation);
  const action = operation.kind === 'clean' ? '_update_by_query' : '_delete_by_query';
  const run = `POST /${index}/${action}?${parametersOf(configuration)}`;
  return {
    query,
    script,
    resultFile: operation.kind === 'clean' ? 'update_result.json' : 'delete_result.json',
    mark: `gatehouse-index-cleanup-${hashOf({ index, query, script })}`,
    calls: [run, ...(forcesMerge ? [`POST /${index}/_forcemerge?only_expunge_deletes=true`] : [])],
  };
}

/** As the call will carry them: what was announced is what is done. */
function parametersOf({ isAsync, slices, requestsPerSecond, batchSize }: Configuration): string {
  return [
    `conflicts=proceed&wait_for_completion=${!isAsync}&refresh=true`,
    ...(slices === undefined ? [] : [`slices=${slices}`]),
    ...(requestsPerSecond === undefined ? [] : [`requests_per_second=${requestsPerSecond}`]),
    ...(batchSize === undefined ? [] : [`scroll_size=${batchSize}`]),
  ].join('&');
}

/** spec 2 §4.6 rule 3. */
export function queryOf({ proxy, period }: Scope): IndexQuery {
  const filter = [
    ...(proxy ? [{ term: { [proxy.field]: proxy.value } }] : []),
    ...(period ? [{ range: { '@timestamp': { gte: period.start, lte: period.end } } }] : []),
  ];
  return filter.length === 0 ? { match_all: {} } : { bool: { filter } };
}

function scriptOf(operation: Operation): CleanupScript | undefined {
  return operation.kind === 'clean' ? cleanupScript(operation.mode, operation.fields) : undefined;
}

function hashOf(value: object): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16);
}
