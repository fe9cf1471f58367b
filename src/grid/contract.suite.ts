import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Grid, GridRefusal, type GridRefusalReason, GridUnavailable } from './contract.ts';

/** A grid under test. */
export interface GridUnderTest {
  /** Another user of the same grid: a process, or what stands for one. */
  open(): Promise<Grid>;
  /** One that may be closed without the others noticing. */
  openApart(): Promise<Grid>;
  /** Lets at least so much time pass, by its clock or truly. */
  pass(ms: number): Promise<void>;
  stop(): Promise<void>;
}

/** So long that a loaded machine does not pass it between two calls. */
const LONG_MS = 60_000;
/** So short that it may be waited for. */
const SHORT_MS = 400;

/** What everybody may expect of a data grid, whatever it stands on. */
export function describeGrid(name: string, start: () => Promise<GridUnderTest>): void {
  describe(`data grid: ${name}`, () => {
    let grid: Grid;
    let other: Grid;
    let underTest: GridUnderTest;
    let mapCount = 0;
    const newName = () => `suite-${++mapCount}`;
    before(async () => {
      underTest = await start();
      [grid, other] = await Promise.all([underTest.open(), underTest.open()]);
    });
    after(async () => {
      await grid.close();
      await other.close();
      await underTest.stop();
    });

    describe('entries', () => {
      it('are what was written, in every form of JSON, as copies', async () => {
        const map = grid.map<unknown>(newName());
        const values = [0, -1.5, 1e300, '', 'ü€😀', 'a"b\n\0', true, null, [], {}, { a: [1, { b: null }] }];
        for (const [index, value] of values.entries()) await map.set(String(index), value);
        for (const [index, value] of values.entries()) assert.deepEqual(await map.get(String(index)), value);
        const list = [1];
        await map.set('list', list);
        list.push(2);
        const read = (await map.get('list')) as number[];
        read.push(3);
        assert.deepEqual(await map.get('list'), [1]);
      });

      it('are bytes in a map of bytes, whatever they are', async () => {
        const map = grid.byteMap(newName());
        const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
        await map.set('all', bytes);
        await map.set('none', Buffer.alloc(0));
        await map.set('large', Buffer.alloc(500_000, 'x'));
        bytes.fill(0);
        assert.deepEqual(
          [...(await map.get('all'))!],
          Array.from({ length: 256 }, (_, byte) => byte),
        );
        assert.equal((await map.get('none'))?.byteLength, 0);
        assert.equal((await map.get('large'))?.byteLength, 500_000);
        assert.deepEqual(
          (await map.getMany(['none', 'absent'])).map((found) => found?.byteLength),
          [0, undefined],
        );
      });

      it('are found under keys of any text', async () => {
        const map = grid.map<number>(newName());
        const keys = ['a', '{a}', '{}', 'a:b', 'a*?[b]', ' ', '\n', '__proto__', 'ü€😀', 'k'.repeat(1024)];
        await map.setMany(keys.map((key, index) => [key, index]));
        assert.deepEqual(
          await map.getMany(keys),
          keys.map((_, index) => index),
        );
        assert.deepEqual((await map.keys()).sort(), keys.toSorted());
      });

      it('are there until deleted', async () => {
        const map = grid.map<number>(newName());
        assert.deepEqual(
          [await map.has('a'), await map.get('a'), await map.delete('a')],
          [false, undefined, false],
        );
        await map.set('a', 1);
        await map.set('a', 2);
        assert.deepEqual([await map.has('a'), await map.get('a'), await map.delete('a')], [true, 2, true]);
        assert.equal(await map.has('a'), false);
      });

      it('are seen by every user of the grid, and only in their own map', async () => {
        const [one, two] = [newName(), newName()];
        await grid.map<number>(one).set('a', 1);
        assert.equal(await other.map<number>(one).get('a'), 1);
        assert.equal(await other.map<number>(two).get('a'), undefined);
      });

      it('are read and written many at once, in order', async () => {
        const map = grid.map<number>(newName());
        const keys = Array.from({ length: 500 }, (_, index) => `key-${index}`);
        await map.setMany(keys.map((key, index) => [key, index]));
        assert.deepEqual(await map.getMany([...keys.slice(490), 'absent']), [
          ...Array.from({ length: 10 }, (_, index) => 490 + index),
          undefined,
        ]);
        assert.deepEqual([await map.getMany([]), await map.setMany([])], [[], undefined]);
      });

      it('are counted, listed up to a limit, and cleared', async () => {
        const [map, neighbour] = [grid.map<number>(newName()), grid.map<number>(newName())];
        await neighbour.set('stays', 1);
        const keys = Array.from({ length: 1200 }, (_, index) => `key-${index}`);
        await map.setMany(keys.map((key) => [key, 1]));
        assert.equal(await map.size(), 1200);
        assert.deepEqual([(await map.keys(10)).length, (await map.keys()).length], [10, 1000]);
        assert.deepEqual((await map.keys(2000)).sort(), keys.toSorted());
        await map.clear();
        assert.deepEqual([await map.size(), await map.keys()], [0, []]);
        assert.deepEqual([await neighbour.size(), await map.get('key-0')], [1, undefined]);
      });
    });

    describe('expiry', () => {
      it('takes entries away after the time of the map, or of the writer', async () => {
        const map = grid.map<number>(newName(), { ttlMs: SHORT_MS });
        const lasting = grid.map<number>(newName());
        await map.set('short', 1);
        await map.set('long', 1, { ttlMs: LONG_MS });
        await map.setMany([['many', 1]]);
        await lasting.set('ever', 1);
        await lasting.set('short', 1, { ttlMs: SHORT_MS });
        await underTest.pass(SHORT_MS + 1);
        assert.deepEqual(await map.getMany(['short', 'long', 'many']), [undefined, 1, undefined]);
        assert.deepEqual(await lasting.getMany(['ever', 'short']), [1, undefined]);
        assert.deepEqual(
          [await map.size(), await map.keys(), await map.delete('short')],
          [1, ['long'], false],
        );
      });

      it('begins anew with every write, also to none', async () => {
        const map = grid.map<number>(newName());
        await map.set('a', 1, { ttlMs: SHORT_MS });
        await map.set('a', 2);
        await map.set('b', 1);
        await map.set('b', 2, { ttlMs: SHORT_MS });
        await underTest.pass(SHORT_MS + 1);
        assert.deepEqual(await map.getMany(['a', 'b']), [2, undefined]);
      });
    });

    describe('counters', () => {
      it('count from 0, by any whole number, and are numbers like others', async () => {
        const map = grid.map<number>(newName());
        assert.deepEqual(await map.increment('a'), { value: 1, remainingMs: undefined });
        assert.equal((await map.increment('a', 41)).value, 42);
        assert.equal((await map.increment('a', -50)).value, -8);
        assert.equal((await map.increment('a', 0)).value, -8);
        assert.equal(await map.get('a'), -8);
        await map.set('b', 10);
        assert.equal((await map.increment('b')).value, 11);
      });

      it('expire a fixed time after they began', async () => {
        const map = grid.map<number>(newName(), { ttlMs: LONG_MS });
        const first = await map.increment('window', 1, { ttlMs: SHORT_MS * 2 });
        assert.ok(first.remainingMs! > 0 && first.remainingMs! <= SHORT_MS * 2);
        await underTest.pass(SHORT_MS);
        const second = await map.increment('window', 1, { ttlMs: LONG_MS });
        assert.ok(second.value === 1 || second.remainingMs! <= SHORT_MS, JSON.stringify(second));
        await underTest.pass(SHORT_MS + 1);
        const third = await map.increment('window');
        assert.ok(third.value <= 2 && third.remainingMs! > SHORT_MS, JSON.stringify(third));
        await map.set('lasting', 5);
        const before = await map.increment('lasting', 1, { ttlMs: SHORT_MS });
        assert.ok(before.value === 6 && before.remainingMs! > SHORT_MS * 2);
      });

      it('lose no count among many who count at once', async () => {
        const name = newName();
        const maps = [grid.map<number>(name), other.map<number>(name)];
        const counts = await Promise.all(
          Array.from({ length: 400 }, (_, index) => maps[index % 2]!.increment('a', 1, { ttlMs: LONG_MS })),
        );
        const seen = new Set(counts.map(({ value }) => value));
        assert.equal(seen.size, 400);
        assert.equal(await grid.map<number>(name).get('a'), 400);
      });

      for (const value of ['text', 1.5, null, [1], '5', 1e300]) {
        it(`refuse an entry that holds ${JSON.stringify(value)}, and leave it`, async () => {
          const map = grid.map<unknown>(newName());
          await map.set('a', value);
          await assert.rejects(map.increment('a'), refusedAs('not-a-counter'));
          assert.deepEqual(await map.get('a'), value);
        });
      }

      it('stay within the range of whole numbers', async () => {
        const map = grid.map<number>(newName());
        await map.increment('a', Number.MAX_SAFE_INTEGER);
        await assert.rejects(map.increment('a'), refusedAs('counter-range'));
        assert.equal((await map.increment('a', -1)).value, Number.MAX_SAFE_INTEGER - 1);
      });
    });

    describe('compare-and-set', () => {
      it('writes only over what was expected', async () => {
        const map = grid.map<object>(newName());
        assert.equal(await map.compareAndSet('a', { n: 0 }, { n: 1 }), false);
        assert.equal(await map.compareAndSet('a', undefined, { n: 1 }), true);
        assert.equal(await map.compareAndSet('a', undefined, { n: 2 }), false);
        assert.equal(await map.compareAndSet('a', { n: 2 }, { n: 3 }), false);
        assert.equal(await map.compareAndSet('a', { n: 1 }, { n: 2 }), true);
        assert.deepEqual(await map.get('a'), { n: 2 });
      });

      it('removes what was expected, and finds nothing where nothing is expected', async () => {
        const map = grid.map<number>(newName());
        await map.set('a', 1);
        assert.equal(await map.compareAndSet('a', 2, undefined), false);
        assert.equal(await map.compareAndSet('a', 1, undefined), true);
        assert.equal(await map.has('a'), false);
        assert.equal(await map.compareAndSet('a', undefined, undefined), true);
        assert.equal(await map.has('a'), false);
      });

      it('compares counters and bytes too', async () => {
        const [map, bytes] = [grid.map<number>(newName()), grid.byteMap(newName())];
        await map.increment('a', 3);
        assert.equal(await map.compareAndSet('a', 3, 4), true);
        assert.equal((await map.increment('a')).value, 5);
        await bytes.set('a', Buffer.from([0, 255]));
        assert.equal(await bytes.compareAndSet('a', Buffer.from([0, 254]), Buffer.from([1])), false);
        assert.equal(await bytes.compareAndSet('a', Buffer.from([0, 255]), Buffer.from([1])), true);
        assert.deepEqual([...(await bytes.get('a'))!], [1]);
      });

      it('sets the time to live with the value', async () => {
        const map = grid.map<number>(newName());
        await map.compareAndSet('a', undefined, 1, { ttlMs: SHORT_MS });
        await map.compareAndSet('b', undefined, 1, { ttlMs: SHORT_MS });
        await map.compareAndSet('b', 1, 2);
        await underTest.pass(SHORT_MS + 1);
        assert.deepEqual(await map.getMany(['a', 'b']), [undefined, 2]);
      });

      it('has one winner among many', async () => {
        const name = newName();
        const maps = [grid.map<number>(name), other.map<number>(name)];
        const outcomes = await Promise.all(
          Array.from({ length: 100 }, (_, index) => maps[index % 2]!.compareAndSet('a', undefined, index)),
        );
        assert.equal(outcomes.filter((isWritten) => isWritten).length, 1);
        assert.equal(await maps[0]!.get('a'), outcomes.indexOf(true));
      });
    });

    describe('locks', () => {
      it('are held by one, until released', async () => {
        const name = newName();
        const lock = (await grid.lock(name, LONG_MS))!;
        assert.equal(await other.lock(name, LONG_MS), undefined);
        assert.equal(await grid.lock(name, LONG_MS), undefined);
        assert.equal(await lock.release(), true);
        const next = (await other.lock(name, LONG_MS))!;
        assert.notEqual(next.token, lock.token);
        assert.deepEqual([await lock.release(), await lock.renew()], [false, false]);
        assert.equal(await next.release(), true);
      });

      it('free themselves when the lease ends, and the late owner cannot touch them', async () => {
        const name = newName();
        const late = (await grid.lock(name, SHORT_MS))!;
        await underTest.pass(SHORT_MS + 1);
        const next = (await other.lock(name, LONG_MS))!;
        assert.ok(next);
        assert.deepEqual([await late.renew(), await late.release()], [false, false]);
        assert.equal(await next.renew(), true);
      });

      it('last as long as they are renewed', async () => {
        const name = newName();
        const lock = (await grid.lock(name, LONG_MS))!;
        assert.equal(await lock.renew(SHORT_MS), true);
        await underTest.pass(SHORT_MS + 1);
        assert.ok(await other.lock(name, LONG_MS));
      });

      it('have one owner among many who ask at once', async () => {
        const name = newName();
        const locks = await Promise.all(
          Array.from({ length: 40 }, (_, index) => [grid, other][index % 2]!.lock(name, LONG_MS)),
        );
        assert.equal(locks.filter((lock) => lock).length, 1);
      });
    });

    describe('a map with a limit', () => {
      it('of entries keeps those used last', async () => {
        const map = grid.map<number>(newName(), { maxEntries: 3 });
        for (const key of ['a', 'b', 'c']) await map.set(key, 1);
        await map.get('a');
        await map.increment('b');
        await map.set('d', 1);
        assert.deepEqual(await map.getMany(['a', 'b', 'c', 'd']), [1, 2, undefined, 1]);
        assert.deepEqual([await map.size(), (await map.keys()).sort()], [3, ['a', 'b', 'd']]);
      });

      it('of bytes keeps those used last, and nothing that is larger alone', async () => {
        const map = grid.byteMap(newName(), { maxBytes: 3000 });
        for (const key of ['a', 'b', 'c']) await map.set(key, Buffer.alloc(900));
        await map.set('d', Buffer.alloc(900));
        assert.deepEqual((await map.keys()).sort(), ['b', 'c', 'd']);
        await map.set('b', Buffer.alloc(10));
        await map.set('e', Buffer.alloc(800));
        assert.deepEqual((await map.keys()).sort(), ['b', 'c', 'd', 'e']);
        await map.set('f', Buffer.alloc(2950));
        assert.equal(await map.has('f'), false);
      });

      it('has room again when entries are deleted or expire', async () => {
        const map = grid.map<number>(newName(), { maxEntries: 2 });
        await map.set('a', 1);
        await map.set('b', 1);
        await map.delete('b');
        await map.set('c', 1, { ttlMs: SHORT_MS });
        assert.deepEqual((await map.keys()).sort(), ['a', 'c']);
        await underTest.pass(SHORT_MS + 1);
        assert.equal(await map.size(), 1);
        await map.set('d', 1);
        assert.deepEqual((await map.keys()).sort(), ['a', 'd']);
      });

      it('does everything else as others do', async () => {
        const map = grid.map<number>(newName(), { maxEntries: 10, ttlMs: LONG_MS });
        const count = await map.increment('n', 2, { ttlMs: SHORT_MS });
        assert.ok(count.value === 2 && count.remainingMs! <= SHORT_MS);
        assert.equal(await map.compareAndSet('a', undefined, 1), true);
        assert.equal(await map.compareAndSet('a', 2, 3), false);
        await map.setMany([
          ['b', 2],
          ['c', 3],
        ]);
        assert.deepEqual(await map.getMany(['a', 'b', 'c', 'd']), [1, 2, 3, undefined]);
        await underTest.pass(SHORT_MS + 1);
        assert.equal((await map.increment('n')).value, 1);
        assert.equal(await map.compareAndSet('a', 1, undefined), true);
        await assert.rejects(map.increment('__none', Number.NaN), refusedAs('number-invalid'));
        await map.set('text', 'x' as unknown as number);
        await assert.rejects(map.increment('text'), refusedAs('not-a-counter'));
        await map.clear();
        assert.equal(await map.size(), 0);
      });
    });

    describe('metrics', () => {
      it('tell of every map what was done with it, by whomever', async () => {
        const name = newName();
        const limited = newName();
        const map = grid.map<number>(name);
        await map.set('a', 1);
        await map.increment('n');
        await map.get('a');
        await other.map<number>(name).getMany(['a', 'absent']);
        await map.has('absent');
        await map.set('b', 1);
        await map.delete('b');
        const small = grid.map<number>(limited, { maxEntries: 2 });
        for (const key of ['a', 'b', 'c']) await small.set(key, 1);
        await eventually(async () => {
          const metrics = await grid.metrics();
          const { memoryBytes, ...found } = metrics.find((one) => one.name === name)!;
          assert.deepEqual(found, {
            name,
            entries: 2,
            hits: 2,
            misses: 2,
            gets: 4,
            puts: 3,
            removes: 1,
            evictions: 0,
          });
          assert.ok(memoryBytes > 0 && memoryBytes < 10_000, String(memoryBytes));
          const { entries, puts, evictions } = metrics.find((one) => one.name === limited)!;
          assert.deepEqual({ entries, puts, evictions }, { entries: 2, puts: 3, evictions: 1 });
          assert.deepEqual(
            metrics.map((one) => one.name),
            metrics.map((one) => one.name).sort(),
          );
        });
      });

      it('name the members', async () => {
        const { members, state } = await grid.cluster();
        assert.equal(state, 'ok');
        assert.ok(members.length > 0);
      });
    });

    describe('what cannot be done', () => {
      const refused: Array<[what: string, reason: GridRefusalReason, act: (grid: Grid) => unknown]> = [
        ['a map without a name', 'name-invalid', (it) => it.map('')],
        ['a map name with other characters', 'name-invalid', (it) => it.map('a:b')],
        ['a map name that is too long', 'name-invalid', (it) => it.map('a'.repeat(65))],
        ['a limit of nothing', 'number-invalid', (it) => it.map('a', { maxEntries: 0 })],
        ['a map whose entries live no time', 'number-invalid', (it) => it.map('a', { ttlMs: 0 })],
        ['an empty key', 'key-invalid', (it) => it.map('a').get('')],
        ['a key that is too long', 'key-invalid', (it) => it.map('a').get('ü'.repeat(513))],
        ['half a character as key', 'key-invalid', (it) => it.map('a').increment('\ud800')],
        ['a value without JSON', 'value-invalid', (it) => it.map('a').set('a', undefined)],
        ['a value that is a circle', 'value-invalid', (it) => it.map('a').set('a', circle())],
        ['text among bytes', 'value-invalid', (it) => it.byteMap('a').set('a', 'x' as never)],
        ['a value that is too large', 'value-too-large', (it) => it.map('a').set('a', 'ü'.repeat(2 ** 19))],
        [
          'bytes that are too many',
          'value-too-large',
          (it) => it.byteMap('a').set('a', Buffer.alloc(2 ** 20 + 1)),
        ],
        ['a time to live that is no time', 'number-invalid', (it) => it.map('a').set('a', 1, { ttlMs: 1.5 })],
        ['a step that is no whole number', 'number-invalid', (it) => it.map('a').increment('a', 0.5)],
        ['a lease of no time', 'number-invalid', (it) => it.lock('a', 0)],
      ];
      for (const [what, reason, act] of refused) {
        it(`${what} is refused`, async () => {
          await assert.rejects(async () => act(grid), refusedAs(reason));
        });
      }

      it('nothing is answered by a grid that was closed', async () => {
        const closed = await underTest.openApart();
        const map = closed.map<number>(newName());
        await map.set('a', 1);
        await closed.close();
        await closed.close();
        const calls = [map.get('a'), map.set('a', 1), map.increment('a'), map.size(), closed.ping()];
        await Promise.all(calls.map((call) => assert.rejects(call, GridUnavailable)));
      });
    });
  });
}

function refusedAs(reason: GridRefusalReason): (error: unknown) => true {
  return (error) => {
    assert.ok(error instanceof GridRefusal, String(error));
    assert.equal(error.reason, reason);
    return true;
  };
}

function circle(): object {
  const object: { self?: object } = {};
  object.self = object;
  return object;
}

/** Counts that several processes keep come together within a moment. */
async function eventually(check: () => Promise<void>): Promise<void> {
  const deadlineMs = Date.now() + 10_000;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > deadlineMs) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
