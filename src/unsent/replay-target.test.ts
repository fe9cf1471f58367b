import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { SearchAnswer } from '../log-index/client-answers.ts';
import { findCorrelationId } from './replay-target.ts';

const STREAM = 'gateway-log-apiproxy-production';

/** An index that finds nothing, and of whose two shards so many did not answer. */
const indexWith = (failed: number) => ({
  mapping: async () => new Map(),
  search: async (): Promise<SearchAnswer> => ({
    _shards: { total: 2, successful: 2 - failed, failed },
    hits: { total: { value: 0, relation: 'eq' }, hits: [] },
  }),
});

it('a record that no shard has is not there', async () => {
  assert.deepEqual(await findCorrelationId(indexWith(0), STREAM, 'a'), { hits: 0, indices: [] });
});

it('a record may be in a shard that did not answer: it is not said to be missing', async () => {
  await assert.rejects(findCorrelationId(indexWith(1), STREAM, 'a'), {
    kind: 'failed',
    message: '1 of 2 shards of gateway-log-apiproxy-* failed',
  });
});
