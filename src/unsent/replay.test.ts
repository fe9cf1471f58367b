import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { systemClock } from '../kernel/clock.ts';
import { LogIndexClient } from '../log-index/client.ts';
import { startEmbeddedIndex } from '../log-index/embedded/testing/start-embedded-index.ts';
import { trafficLogTemplate, trafficLogTemplateName } from '../log-index/traffic-log-template.ts';
import { openStore } from '../store/open-store.ts';
import { openUnsentSource } from '../store/unsent/open-unsent-source.ts';
import { BulkDelivery } from './bulk-delivery.ts';
import { planReplay } from './plan-replay.ts';
import { type ReplayOptions, replay } from './replay.ts';
import { ReplayJournal } from './replay-journal.ts';

const parent = mkdtempSync(join(tmpdir(), 'gatehouse-unsent-replay-'));
const started = await startEmbeddedIndex();
const index = new LogIndexClient({ url: started.url });
await index.putTemplate(trafficLogTemplateName, trafficLogTemplate);
after(async () => {
  await index[Symbol.asyncDispose]();
  await started[Symbol.asyncDispose]();
  rmSync(parent, { recursive: true, force: true });
});

const RECORDS = 5;

/** Records that wait, a stream for them, and what a process needs that replays them. */
async function scene() {
  const dataFolder = mkdtempSync(join(parent, 'data-'));
  await (await openStore({ dataFolder })).close();
  const source = (await openUnsentSource({ dataFolder }))!;
  const records = source.records('UnsentMessage');
  const content = (at: number) => `{"@timestamp":"2026-01-01T00:00:0${at}.000Z","aci":"${at}"}`;
  await records.append(
    Array.from({ length: RECORDS }, (_, at) => ({
      log_timestamp: '',
      connector_id: '',
      content: content(at),
    })),
  );
  const stream = `gateway-log-apiproxy-${randomUUID()}`;
  await index.createDataStream(stream);
  const folder = mkdtempSync(join(parent, 'work-'));
  const wish = {
    source: 's',
    collection: 'c',
    stream,
    batchSize: 3,
    totalBatches: undefined,
    skip: 0,
    testSize: undefined,
  };
  const calls: IndexCalls = {
    bulk: (...call) => index.bulk(...call),
    search: (...call) => index.search(...call),
    refresh: (...call) => index.refresh(...call),
  };
  const options = async (): Promise<ReplayOptions> => {
    const journal = new ReplayJournal(folder);
    return {
      records,
      journal,
      delivery: new BulkDelivery({ index: calls, stream, clock: systemClock }),
      checkpoint: journal.load() ?? (await planReplay(records, wish))!.checkpoint,
      batchBytes: 1e6,
      maxRecordBytes: 1e6,
      signal: new AbortController().signal,
    };
  };
  const arrived = async () => {
    await index.refresh(stream);
    const { hits } = await index.search(stream, { size: 100, sort: [{ '@timestamp': 'asc' }] });
    return hits.hits.map(({ _source }) => _source!.aci);
  };
  return { records, stream, folder, calls, options, arrived, close: () => source[Symbol.asyncDispose]() };
}

type IndexCalls = {
  -readonly [Name in 'bulk' | 'search' | 'refresh']: LogIndexClient[Name];
};

/** Stands for the end of the process: the call with this number never comes back, with or without having had its effect. */
class CutOff {
  readonly reached = Promise.withResolvers<void>();
  readonly #at: number;
  readonly #hasEffect: boolean;
  #calls = 0;

  constructor(at: number, hasEffect: boolean) {
    this.#at = at;
    this.#hasEffect = hasEffect;
  }

  wrap<Arguments extends unknown[], Result>(
    act: (...given: Arguments) => Promise<Result>,
  ): (...given: Arguments) => Promise<Result> {
    return async (...given) => {
      const isLast = ++this.#calls === this.#at;
      // A process that has ended does nothing any more.
      if (this.#calls > this.#at) return new Promise<never>(() => {});
      if (!isLast) return act(...given);
      if (this.#hasEffect) await act(...given);
      this.reached.resolve();
      return new Promise<never>(() => {});
    };
  }
}

describe('a replay that is cut off', () => {
  for (const hasEffect of [false, true])
    it(`${hasEffect ? 'after' : 'before'} any of its steps is gone on with: nothing is lost, nothing is there twice`, async () => {
      let cuts = 0;
      for (let step = 1; ; step++) {
        const at = await scene();
        const cutOff = new CutOff(step, hasEffect);
        const options = await at.options();
        const { records, journal } = options;
        for (const name of ['bulk', 'search', 'refresh'] as const)
          at.calls[name] = cutOff.wrap(at.calls[name] as never) as never;
        const running = replay({
          ...options,
          records: Object.assign(Object.create(records), {
            read: (window: never) => records.read(window),
            delete: cutOff.wrap((keys: readonly string[]) => records.delete(keys)),
          }),
          journal: {
            append: cutOff.wrap((file, lines) => journal.append(file, lines)),
            save: cutOff.wrap((checkpoint) => journal.save(checkpoint)),
            forget: () => journal.forget(),
          },
        });
        const isWhole = await Promise.race([
          running.then(() => true),
          cutOff.reached.promise.then(() => false),
        ]);
        if (!isWhole) {
          cuts++;
          for (const name of ['bulk', 'search', 'refresh'] as const)
            at.calls[name] = (index[name] as (...call: never[]) => never).bind(index) as never;
          await index.rollOver(at.stream);
          const { end } = await replay(await at.options());
          assert.equal(end, 'finished');
        }
        assert.deepEqual(await at.arrived(), ['0', '1', '2', '3', '4'], `cut off at step ${step}`);
        assert.equal(await at.records.count(), 0);
        const backup = readFileSync(join(at.folder, 'replay-unsent.backup.ndjson'), 'utf8');
        const kept = backup
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line)._id);
        assert.equal(new Set(kept).size, RECORDS);
        await at.close();
        if (isWhole) break;
      }
      assert.ok(cuts >= 10, `${cuts} steps`);
    });
});

it('a replay that is asked to end ends after its batch', async () => {
  const at = await scene();
  const ending = new AbortController();
  const result = await replay({
    ...(await at.options()),
    signal: ending.signal,
    onPass: () => ending.abort(),
  });
  assert.deepEqual([result.end, result.counters.deleted], ['cancelled', 3]);
  assert.equal(await at.records.count(), 2);
  assert.equal((await replay(await at.options())).end, 'finished');
  assert.equal((await at.arrived()).length, RECORDS);
  await at.close();
});

it('a replay that is asked to end during its last batch is finished', async () => {
  const at = await scene();
  const ending = new AbortController();
  const result = await replay({
    ...(await at.options()),
    signal: ending.signal,
    onProgress: ({ read }) => read === RECORDS && ending.abort(),
  });
  assert.ok(ending.signal.aborted);
  assert.deepEqual([result.end, result.counters.deleted], ['finished', RECORDS]);
  assert.equal(new ReplayJournal(at.folder).load(), undefined);
  await at.close();
});

it('half a line that a killed process left is taken away before the next is written', async () => {
  const journal = new ReplayJournal(mkdtempSync(join(parent, 'torn-')));
  const path = journal.pathOf('backup');
  for (const [before, expected] of [
    ['{"a":1}\n{"b":', '{"a":1}\nnew\n'],
    [`{"a":1}\n${'x'.repeat(200_000)}`, '{"a":1}\nnew\n'],
    ['torn', 'new\n'],
    ['{"a":1}\n', '{"a":1}\nnew\n'],
    ['', 'new\n'],
  ] as const) {
    writeFileSync(path, before);
    await new ReplayJournal(journal.folder).append('backup', ['new']);
    assert.equal(readFileSync(path, 'utf8'), expected);
  }
});
