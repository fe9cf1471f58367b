import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Clock } from '../kernel/clock.ts';
import type { BulkAnswer, BulkItemAnswer, SearchAnswer } from '../log-index/client-answers.ts';
import { type FailureKind, LogIndexFailure } from '../log-index/log-index-failure.ts';
import { BulkDelivery } from './bulk-delivery.ts';
import type { PreparedRecord } from './prepared-record.ts';

const oneShard = { total: 1, successful: 1, failed: 0 };

function recordOf(id: string): PreparedRecord {
  const record = {
    key: id,
    id,
    timestamp: undefined,
    connectorId: undefined,
    content: '{}',
    bytes: 2,
    exported: () => id,
  };
  const head = `{"create":{"_id":"${id}"}}`;
  return { record, aci: undefined, head, content: '{}', bytes: head.length + 4 };
}

const records = (...ids: string[]) => ids.map(recordOf);

/** Answers each bulk call by the next of the given steps; keeps which ids each call held. */
class ScriptedIndex {
  readonly calls: string[] = [];
  readonly searches: string[] = [];
  readonly present = new Set<string>();
  readonly #steps: Array<(ids: readonly string[]) => Partial<BulkItemAnswer>[]>;

  constructor(...steps: Array<(ids: readonly string[]) => Partial<BulkItemAnswer>[]>) {
    this.#steps = steps;
  }

  async bulk(_stream: string, lines: Uint8Array): Promise<BulkAnswer> {
    const ids = [
      ...Buffer.from(lines)
        .toString()
        .matchAll(/"_id":"(\w+)"/g),
    ].map(([, id]) => id!);
    this.calls.push(ids.join(' '));
    const items = (this.#steps.shift() ?? created)(ids);
    return {
      errors: false,
      items: items.map((item, at) => ({
        create: { _index: 'i', _id: ids[at]!, status: 201, _shards: oneShard, ...item },
      })),
    };
  }

  async search(_stream: string, body: object): Promise<SearchAnswer> {
    const { values } = (body as { query: { ids: { values: string[] } } }).query.ids;
    this.searches.push(values.join(' '));
    const hits = values.filter((id) => this.present.has(id)).map((_id) => ({ _index: 'i', _id }));
    return { _shards: oneShard, hits: { hits } };
  }

  async refresh() {
    this.searches.push('refresh');
    return { _shards: oneShard };
  }
}

const created = (ids: readonly string[]) => ids.map(() => ({}));
const fails =
  (
    kind: FailureKind,
    details: { status?: number; isRequestSent?: boolean } = {},
    before?: (ids: readonly string[]) => void,
  ) =>
  (ids: readonly string[]): never => {
    before?.(ids);
    throw new LogIndexFailure(kind, `it is ${kind}`, details);
  };
const error = (status: number, type = 'some_exception') => ({
  status,
  error: { type, reason: 'because' },
  _shards: undefined,
});

function deliveryTo(index: ScriptedIndex, sleeps: number[] = []): BulkDelivery {
  const clock: Clock = { now: () => 0, sleep: async (ms) => void sleeps.push(ms) };
  return new BulkDelivery({ index, stream: 's', clock, attempts: 4, backoffMs: 100 });
}

async function outcomes(index: ScriptedIndex, ...ids: string[]) {
  const { outcomes: found, failure } = await deliveryTo(index).deliver(records(...ids));
  return { failure: failure?.kind, ...Object.fromEntries([...found].map(([id, { kind }]) => [id, kind])) };
}

describe('bulk delivery', () => {
  it('a record is delivered when a shard has it and none failed, with replicas too', async () => {
    const index = new ScriptedIndex(() => [
      {},
      { _shards: { total: 2, successful: 2, failed: 0 } },
      { _shards: { total: 2, successful: 1, failed: 0 } },
      { _shards: { total: 2, successful: 1, failed: 1 } },
      { _shards: { total: 1, successful: 0, failed: 1 } },
    ]);
    assert.deepEqual(await outcomes(index, 'a', 'b', 'c', 'd', 'e'), {
      failure: undefined,
      a: 'delivered',
      b: 'delivered',
      c: 'delivered',
      d: 'refused',
      e: 'refused',
    });
  });

  it('ids that are in the stream already are not sent, whatever backing index holds them', async () => {
    const index = new ScriptedIndex();
    index.present.add('b');
    assert.deepEqual(await outcomes(index, 'a', 'b'), { failure: undefined, a: 'delivered', b: 'duplicate' });
    assert.deepEqual(index.calls, ['a']);
  });

  it('a conflict says that the record is there', async () => {
    const index = new ScriptedIndex(() => [error(409, 'version_conflict_engine_exception'), {}]);
    assert.deepEqual(await outcomes(index, 'a', 'b'), { failure: undefined, a: 'duplicate', b: 'delivered' });
  });

  it('a record that the index cannot take is refused; the others are delivered', async () => {
    const index = new ScriptedIndex(() => [{}, error(400, 'mapper_parsing_exception')]);
    assert.deepEqual(await outcomes(index, 'a', 'b'), { failure: undefined, a: 'delivered', b: 'refused' });
    assert.deepEqual(index.calls, ['a b']);
  });

  it('only what the index was too busy for is sent again, each time later', async () => {
    const index = new ScriptedIndex(
      () => [{}, error(429), error(503)],
      () => [error(429), {}],
    );
    const sleeps: number[] = [];
    const { failure } = await deliveryTo(index, sleeps).deliver(records('a', 'b', 'c'));
    assert.equal(failure, undefined);
    assert.deepEqual(index.calls, ['a b c', 'b c', 'b']);
    assert.deepEqual(sleeps, [100, 200]);
  });

  it('an index that stays busy is a failure; what it took until then counts', async () => {
    const busy = () => [error(429)];
    const index = new ScriptedIndex(() => [{}, error(429)], busy, busy, busy);
    assert.deepEqual(await outcomes(index, 'a', 'b'), { failure: 'busy', a: 'delivered' });
  });

  it('after an answer that never came the stream is asked first, and only the rest is sent again', async () => {
    const index = new ScriptedIndex(
      fails('lost', { isRequestSent: true }, (ids) => index.present.add(ids[0]!)),
    );
    assert.deepEqual(await outcomes(index, 'a', 'b'), { failure: undefined, a: 'delivered', b: 'delivered' });
    assert.deepEqual(index.calls, ['a b', 'b']);
    assert.deepEqual(index.searches, ['a b', 'refresh', 'a b']);
  });

  it('an index that nobody answers for is tried again, then it is a failure and nothing counts', async () => {
    const away = fails('unreachable', { isRequestSent: false });
    const index = new ScriptedIndex(away, away, away, away);
    assert.deepEqual(await outcomes(index, 'a'), { failure: 'unreachable' });
    assert.equal(index.calls.length, 4);
  });

  for (const kind of ['blocked', 'unauthorised', 'index-missing', 'failed', 'malformed'] as const)
    it(`a target that is ${kind} fails at once`, async () => {
      const index = new ScriptedIndex(fails(kind));
      assert.deepEqual(await outcomes(index, 'a'), { failure: kind });
      assert.equal(index.calls.length, 1);
    });

  it('a block that single documents tell of stops it too', async () => {
    const index = new ScriptedIndex(() => [{}, error(429, 'cluster_block_exception')]);
    assert.deepEqual(await outcomes(index, 'a', 'b'), { failure: 'blocked', a: 'delivered' });
  });

  it('a request that is too large is cut until it fits; one that never fits is refused', async () => {
    const tooLarge = fails('refused', { status: 413 });
    const index = new ScriptedIndex(tooLarge, tooLarge, created, tooLarge, created);
    assert.deepEqual(await outcomes(index, 'a', 'b', 'c'), {
      failure: undefined,
      a: 'delivered',
      b: 'refused',
      c: 'delivered',
    });
    assert.deepEqual(index.calls, ['a b c', 'a b', 'a', 'b', 'c']);
  });

  it('an answer that does not fit the request is no success of anybody', async () => {
    const index = new ScriptedIndex(() => [{}]);
    assert.deepEqual(await outcomes(index, 'a', 'b'), { failure: 'malformed' });
  });

  it('shards that do not answer hide what they hold: nothing is sent', async () => {
    const index = new ScriptedIndex();
    index.search = async () => ({ _shards: { total: 2, successful: 1, failed: 1 }, hits: { hits: [] } });
    assert.deepEqual(await outcomes(index, 'a'), { failure: 'failed' });
    assert.deepEqual(index.calls, []);
  });
});
