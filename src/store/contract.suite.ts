import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  type Collection,
  type Condition,
  DuplicateKey,
  type Filter,
  StaleRevision,
  type Store,
  StoreUnavailable,
} from './contract.ts';

/** An empty database of an engine, and ways to trouble it. */
export interface Engine {
  /** Each call gives an instance of its own, as another process would have. */
  open(deadlineMs?: number): Promise<Store>;
  /** Writes get no answer from now on. */
  takeAway(): Promise<void>;
  bringBack(): Promise<void>;
  stop(): Promise<void>;
}

interface Thing {
  name?: string | null;
  project?: string;
  size?: number | null;
  isOpen?: boolean;
  /** Documents hold whatever JSON holds. */
  body?: unknown;
}

let collectionCount = 0;

/** What every engine of the platform database does in the same way. */
export function describeStore(engineName: string, start: () => Promise<Engine>): void {
  describe(`platform database on ${engineName}`, () => {
    let engine: Engine;
    let store: Store;
    let otherStore: Store;

    before(async () => {
      engine = await start();
      [store, otherStore] = await Promise.all([engine.open(), engine.open()]);
    });
    after(async () => {
      await Promise.all([store?.close(), otherStore?.close()]);
      await engine?.stop();
    });

    /** An empty collection of its own for each test, as two processes see it. */
    function things(): readonly [Collection<Thing>, Collection<Thing>] {
      const definition = {
        name: `things_${++collectionCount}`,
        unique: [['name'], ['project', 'size']],
        indexed: [['project', 'name'], ['size']],
      } as const;
      return [store.collection<Thing>(definition), otherStore.collection<Thing>(definition)];
    }

    describe('documents', () => {
      it('gives back what was inserted, to everybody', async () => {
        const [mine, others] = things();
        const inserted = await mine.insert({ name: 'one', size: 3 });
        assert.match(inserted.id, /^[0-9a-f]{24}$/);
        assert.deepEqual(inserted, { id: inserted.id, revision: 1, value: { name: 'one', size: 3 } });
        assert.deepEqual(await mine.get(inserted.id), inserted);
        assert.deepEqual(await others.get(inserted.id), inserted);
      });

      it('takes a given id once', async () => {
        const [collection] = things();
        const id = 'abcdefabcdefabcdefabcdef';
        assert.equal((await collection.insert({ name: 'first' }, id)).id, id);
        await assert.rejects(collection.insert({ name: 'second' }, id), (error) => {
          assert.ok(error instanceof DuplicateKey);
          assert.deepEqual(error.members, ['id']);
          return true;
        });
        assert.equal((await collection.get(id))?.value.name, 'first');
      });

      it('knows nothing of an id that nobody inserted', async () => {
        const [collection] = things();
        assert.equal(await collection.get('000000000000000000000000'), undefined);
        assert.equal(await collection.get("' OR 1=1 --"), undefined);
        assert.equal(await collection.remove('000000000000000000000000'), false);
      });

      const bodies: Record<string, unknown> = {
        'text of every plane': 'ğüşıöç İ 漢字 🏛️ \u0000 \u2028 \\ " \'',
        'numbers at their limits': [0, -1, 0.1, 2 ** 31, 2 ** 53 - 1, -(2 ** 53 - 1), 1e300, 5e-324],
        'nothing in many forms': { none: null, empty: '', list: [], object: {}, nested: [[], [null]] },
        'names that are operators elsewhere': {
          $where: 'sleep(1000)',
          $set: { a: 1 },
          'a.b': { 'c.$d': 1 },
          '%24': '%',
          '': 'no name',
          'x\u0000y': 1,
          _id: 'mine',
          _bsontype: 'ObjectId',
          $ref: 'a',
          $id: 'b',
          revision: -7,
          constructor: 'x',
          "'); DROP TABLE c_things; --": true,
        },
        'names of the prototype': JSON.parse('{"__proto__": {"polluted": true}, "toString": 1}'),
        'a large text': 'x'.repeat(8 * 1024 * 1024),
        'many members': Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`m${index}`, index])),
      };
      for (const [title, body] of Object.entries(bodies)) {
        it(`keeps ${title}`, async () => {
          const [mine, others] = things();
          const { id } = await mine.insert({ body });
          assert.deepEqual((await others.get(id))?.value, { body });
          await mine.replace(id, 1, { name: 'replaced', body });
          assert.deepEqual((await others.get(id))?.value, { name: 'replaced', body });
          await mine.change({ id }, { set: { body: [body] } });
          assert.deepEqual((await others.get(id))?.value, { name: 'replaced', body: [body] });
        });
      }

      it('inserts many in order', async () => {
        const [collection] = things();
        await collection.insertMany([]);
        await collection.insertMany(Array.from({ length: 2500 }, (_, size) => ({ name: `n${size}`, size })));
        assert.equal(await collection.count(), 2500);
        assert.equal((await collection.findOne({ name: 'n2499' }))?.value.size, 2499);
      });

      it('tells of a key that is taken among many', async () => {
        const [collection] = things();
        await assert.rejects(
          collection.insertMany([{ name: 'a' }, { name: 'b' }, { name: 'a' }]),
          DuplicateKey,
        );
        // Whatever was written before the failure, the collection goes on working.
        await collection.insert({ name: 'c' });
      });
    });

    describe('optimistic locking', () => {
      it('counts revisions', async () => {
        const [collection] = things();
        const { id } = await collection.insert({ name: 'a' });
        assert.deepEqual(await collection.replace(id, 1, { name: 'b' }), {
          id,
          revision: 2,
          value: { name: 'b' },
        });
        assert.equal((await collection.change({ id }, { set: { size: 1 } }))?.revision, 3);
        assert.equal((await collection.get(id))?.revision, 3);
      });

      it('refuses to replace what somebody else changed or removed', async () => {
        const [mine, others] = things();
        const { id } = await mine.insert({ name: 'a' });
        await others.replace(id, 1, { name: 'theirs' });
        await assert.rejects(mine.replace(id, 1, { name: 'mine' }), StaleRevision);
        assert.equal((await mine.get(id))?.value.name, 'theirs');
        await others.remove(id);
        await assert.rejects(mine.replace(id, 2, { name: 'mine' }), StaleRevision);
        assert.equal(await mine.get(id), undefined);
      });

      it('lets one of many replacers win', async () => {
        const [mine, others] = things();
        const { id } = await mine.insert({ size: 0 });
        const attempts = await Promise.allSettled(
          Array.from({ length: 20 }, (_, index) =>
            (index % 2 ? mine : others).replace(id, 1, { size: index + 1 }),
          ),
        );
        assert.equal(attempts.filter(({ status }) => status === 'fulfilled').length, 1);
        assert.equal((await mine.get(id))?.revision, 2);
      });

      it('removes only the revision it was told', async () => {
        const [collection] = things();
        const { id } = await collection.insert({ name: 'a' });
        await collection.replace(id, 1, { name: 'b' });
        await assert.rejects(collection.remove(id, 1), StaleRevision);
        assert.equal(await collection.remove(id, 2), true);
        assert.equal(await collection.remove(id, 2), false);
      });
    });

    describe('unique keys', () => {
      it('refuses a second document and names the members', async () => {
        const [mine, others] = things();
        await mine.insert({ name: 'taken' });
        await mine.insert({ project: 'p', size: 1 });
        await assert.rejects(others.insert({ name: 'taken' }), (error) => {
          assert.ok(error instanceof DuplicateKey);
          assert.deepEqual(error.members, ['name']);
          return true;
        });
        await assert.rejects(others.insert({ project: 'p', size: 1 }), (error) => {
          assert.ok(error instanceof DuplicateKey);
          assert.deepEqual(error.members, ['project', 'size']);
          return true;
        });
        assert.equal(await mine.count(), 2);
      });

      it('tells upper from lower case, and text from text that looks like it', async () => {
        const [collection] = things();
        for (const name of ['a', 'A', 'a ', 'á', 'a\u0301', '1', '["a"]', '', 'a\u0000', 'a\u0000b'])
          await collection.insert({ name });
        assert.equal(await collection.count(), 10);
        assert.equal((await collection.list({ where: { name: 'a' } })).length, 1);
        assert.equal((await collection.list({ where: { name: 'a\u0000b' } })).length, 1);
      });

      it('does not bind documents that lack a member of the key', async () => {
        const [collection] = things();
        for (let round = 0; round < 3; round++) {
          await collection.insert({});
          await collection.insert({ name: null });
          await collection.insert({ project: 'p' });
          await collection.insert({ size: 1 });
        }
        assert.equal(await collection.count(), 12);
      });

      it('holds when documents are replaced and changed', async () => {
        const [collection] = things();
        await collection.insert({ name: 'taken' });
        const { id } = await collection.insert({ name: 'other', project: 'p', size: 1 });
        await collection.insert({ project: 'p', size: 2 });
        await assert.rejects(collection.replace(id, 1, { name: 'taken' }), DuplicateKey);
        await assert.rejects(collection.change({ id }, { set: { name: 'taken' } }), DuplicateKey);
        await assert.rejects(collection.change({ id }, { increment: { size: 1 } }), DuplicateKey);
        assert.deepEqual((await collection.get(id))?.value, { name: 'other', project: 'p', size: 1 });
      });

      it('frees a key when its document is removed, replaced or changed', async () => {
        const [collection] = things();
        const first = await collection.insert({ name: 'a' });
        await collection.remove(first.id);
        const second = await collection.insert({ name: 'a' });
        await collection.replace(second.id, 1, { name: 'b' });
        const third = await collection.insert({ name: 'a' });
        await collection.change({ id: third.id }, { unset: ['name'] });
        const fourth = await collection.insert({ name: 'a' });
        await collection.change({ id: fourth.id }, { set: { name: 'c' } });
        await collection.insert({ name: 'a' });
        assert.equal(await collection.count(), 4);
      });

      it('lets one of many inserters have the name', async () => {
        const [mine, others] = things();
        const attempts = await Promise.allSettled(
          Array.from({ length: 40 }, (_, index) => (index % 2 ? mine : others).insert({ name: 'wanted' })),
        );
        assert.equal(attempts.filter(({ status }) => status === 'fulfilled').length, 1);
        for (const attempt of attempts)
          if (attempt.status === 'rejected') assert.ok(attempt.reason instanceof DuplicateKey);
      });
    });

    describe('conditions', () => {
      let collection: Collection<Thing>;
      before(async () => {
        [collection] = things();
        await collection.insertMany([
          { name: 'alpha', size: 1, isOpen: true },
          { name: 'Beta', size: 2, isOpen: false },
          { name: 'beta 100%_.*', size: 2.5 },
          { name: 'ÉCOLE', size: -1 },
          { name: "x' OR '1'='1", size: null },
          { name: '7' },
          {},
        ]);
      });

      const everything = ['alpha', 'Beta', 'beta 100%_.*', 'ÉCOLE', "x' OR '1'='1", '7', undefined];
      const but = (...names: (string | undefined)[]) => everything.filter((name) => !names.includes(name));
      const cases: [string, Filter<Thing>, (string | undefined)[]][] = [
        ['nothing asked', {}, everything],
        ['a member that is undefined asks nothing', { name: undefined }, everything],
        ['equal text', { name: 'alpha' }, ['alpha']],
        ['equal text, other case', { name: 'ALPHA' }, []],
        ['equal number', { size: 2 }, ['Beta']],
        ['text is no number', { name: 7 }, []],
        ['equal boolean', { isOpen: true }, ['alpha']],
        ['the other boolean', { isOpen: false }, ['Beta']],
        ['null is not there', { size: null }, ["x' OR '1'='1", '7', undefined]],
        ['one of', { name: { in: ['alpha', '7', 'nobody'] } }, ['alpha', '7']],
        ['one of none', { name: { in: [] } }, []],
        ['one of, with null', { size: { in: [1, null] } }, ['alpha', "x' OR '1'='1", '7', undefined]],
        ['one of booleans', { isOpen: { in: [true, false] } }, ['alpha', 'Beta']],
        ['not', { name: { not: 'alpha' } }, but('alpha')],
        ['not null', { name: { not: null } }, but(undefined)],
        ['above', { size: { above: 2 } }, ['beta 100%_.*']],
        ['at least', { size: { atLeast: 2 } }, ['Beta', 'beta 100%_.*']],
        ['below', { size: { below: 1 } }, ['ÉCOLE']],
        ['at most', { size: { atMost: 1 } }, ['alpha', 'ÉCOLE']],
        ['between', { size: { above: -1, below: 2.5 } }, ['alpha', 'Beta']],
        ['text between', { name: { atLeast: 'a', below: 'b' } }, ['alpha']],
        ['numbers are not below text', { size: { below: 'a' } }, []],
        ['text is not above numbers', { name: { above: 0 } }, []],
        ['contains, any case', { name: { contains: 'BETA' } }, ['Beta', 'beta 100%_.*']],
        ['contains, accents in any case', { name: { contains: 'éco' } }, ['ÉCOLE']],
        ['contains signs of patterns', { name: { contains: '%_.*' } }, ['beta 100%_.*']],
        ['contains is no pattern', { name: { contains: 'al.ha' } }, []],
        ['contains half a pattern', { name: { contains: '[(' } }, []],
        ['contains a quote', { name: { contains: "' or '" } }, ["x' OR '1'='1"]],
        ['contains nothing', { name: { contains: '' } }, but(undefined)],
        ['exists', { size: { exists: true } }, ['alpha', 'Beta', 'beta 100%_.*', 'ÉCOLE']],
        ['exists not', { size: { exists: false } }, ["x' OR '1'='1", '7', undefined]],
        ['several', { size: { atLeast: 1 }, isOpen: true }, ['alpha']],
        ['injected text', { name: "' OR '1'='1" }, []],
      ];
      for (const [title, where, expected] of cases) {
        it(title, async () => {
          const found = await collection.list({ where });
          assert.deepEqual(found.map(({ value }) => value.name).sort(), [...expected].sort());
          assert.equal(await collection.count(where), expected.length);
        });
      }

      it('the id of the document', async () => {
        const [first, second] = await collection.list();
        const where: Filter<Thing> = { id: { in: [first!.id, second!.id] } };
        assert.equal(await collection.count(where), 2);
        assert.deepEqual(await collection.findOne({ id: second!.id }), second);
      });

      it('refuses names that are no plain words', async () => {
        for (const name of ["name') --", '$where', 'a.b', '', 'name"', '__proto__.x']) {
          const where = JSON.parse(JSON.stringify({ [name]: 'x' })) as Record<string, Condition>;
          await assert.rejects(collection.list({ where }), TypeError, name);
          await assert.rejects(collection.list({ orderBy: { member: name as 'name' } }), TypeError, name);
          await assert.rejects(collection.change({}, { set: { [name]: 1 } }), TypeError, name);
          await assert.rejects(collection.change({}, { increment: { [name]: 1 } }), TypeError, name);
          await assert.rejects(collection.change({}, { unset: [name as 'name'] }), TypeError, name);
        }
        assert.equal(await collection.count(), everything.length);
      });

      it('a count follows every change, whoever made it', async () => {
        const [mine, others] = things();
        assert.equal(await mine.count({ size: 1 }), 0);
        const { id } = await others.insert({ size: 1 });
        assert.equal(await mine.count({ size: 1 }), 1);
        await mine.insert({ size: 1 });
        assert.deepEqual([await mine.count({ size: 1 }), await others.count({ size: 1 })], [2, 2]);
        await others.change({ id }, { set: { size: 2 } });
        assert.deepEqual([await mine.count({ size: 1 }), await mine.count()], [1, 2]);
      });
    });

    describe('order and pages', () => {
      it('orders by a member, both ways, with ties by id and without overlap', async () => {
        const [collection] = things();
        await collection.insertMany(
          Array.from({ length: 57 }, (_, index) => ({ isOpen: true, body: index % 3 })),
        );
        for (const descending of [false, true]) {
          const orderBy = { member: 'body', descending } as const;
          const whole = await collection.list({ orderBy });
          const pages = [];
          for (let offset = 0; offset < 60; offset += 10)
            pages.push(...(await collection.list({ orderBy, offset, limit: 10 })));
          assert.deepEqual(pages, whole);
          const sign = descending ? -1 : 1;
          const sorted = whole.toSorted(
            (a, b) => sign * ((a.value.body as number) - (b.value.body as number) || (a.id < b.id ? -1 : 1)),
          );
          assert.deepEqual(whole, sorted);
        }
      });

      it('orders text by code point and puts documents without the member first', async () => {
        const [collection] = things();
        await collection.insertMany(['b', 'B', 'a', 'ä', '🏛', '10', '9'].map((name) => ({ name })));
        await collection.insert({});
        const names = (await collection.list({ orderBy: { member: 'name' } })).map(({ value }) => value.name);
        assert.deepEqual(names, [undefined, '10', '9', 'B', 'a', 'b', 'ä', '🏛']);
      });

      it('orders by id unless told otherwise', async () => {
        const [collection] = things();
        await collection.insertMany(Array.from({ length: 20 }, () => ({})));
        const ids = (await collection.list()).map(({ id }) => id);
        assert.deepEqual(ids, ids.toSorted());
        const backwards = await collection.list({ orderBy: { member: 'id', descending: true } });
        assert.deepEqual(
          backwards.map(({ id }) => id),
          ids.toReversed(),
        );
      });

      it('gives at most 1000 unless told otherwise, and none when asked for none', async () => {
        const [collection] = things();
        await collection.insertMany(Array.from({ length: 1200 }, () => ({})));
        assert.equal((await collection.list()).length, 1000);
        assert.equal((await collection.list({ limit: 1100 })).length, 1100);
        assert.equal((await collection.list({ limit: 0 })).length, 0);
        assert.equal((await collection.list({ offset: 1199 })).length, 1);
        assert.equal((await collection.list({ offset: 5000 })).length, 0);
      });
    });

    describe('atomic change', () => {
      it('sets, removes and adds in one step', async () => {
        const [collection] = things();
        const { id } = await collection.insert({ name: 'a', size: 3, isOpen: true });
        const changed = await collection.change(
          { name: 'a' },
          { set: { name: 'b', body: { deep: [1] } }, unset: ['isOpen'], increment: { size: -5 } },
        );
        assert.deepEqual(changed, { id, revision: 2, value: { name: 'b', size: -2, body: { deep: [1] } } });
        assert.deepEqual(await collection.get(id), changed);
      });

      it('adds to a member that is not there or null from 0, in whole and broken numbers', async () => {
        const [collection] = things();
        for (const value of [{}, { size: null }]) {
          const { id } = await collection.insert(value);
          assert.equal((await collection.change({ id }, { increment: { size: 2 } }))?.value.size, 2);
          assert.equal((await collection.change({ id }, { increment: { size: 0.5 } }))?.value.size, 2.5);
        }
        const { id } = await collection.insert({ body: null });
        await collection.change({ id }, { increment: { body: Date.UTC(2026, 0) } });
        await collection.change({ id }, { increment: { body: 1 } });
        assert.equal((await collection.get(id))?.value.body, Date.UTC(2026, 0) + 1);
      });

      it('changes the first by id of those that match, and nothing when none does', async () => {
        const [collection] = things();
        await collection.insertMany(Array.from({ length: 5 }, () => ({ isOpen: true })));
        const [first] = await collection.list();
        assert.equal((await collection.change({ isOpen: true }, { set: { isOpen: false } }))?.id, first!.id);
        assert.equal(await collection.count({ isOpen: true }), 4);
        assert.equal(await collection.change({ name: 'nobody' }, { set: { size: 1 } }), undefined);
      });

      it('loses none of 100 increments from two instances', async () => {
        const [mine, others] = things();
        const { id } = await mine.insert({ body: 0 });
        const results = await Promise.all(
          Array.from({ length: 100 }, (_, index) =>
            (index % 2 ? mine : others).change({ id }, { increment: { body: 1 } }),
          ),
        );
        const seen = results.map((result) => result?.value.body as number).sort((a, b) => a - b);
        assert.deepEqual(
          seen,
          Array.from({ length: 100 }, (_, index) => index + 1),
        );
        assert.deepEqual(await mine.get(id), { id, revision: 101, value: { body: 100 } });
      });

      it('loses none of the increments of a member that is part of a unique key', async () => {
        const [mine, others] = things();
        const { id } = await mine.insert({ project: 'p', size: 0 });
        await Promise.all(
          Array.from({ length: 20 }, (_, index) =>
            (index % 2 ? mine : others).change({ id }, { increment: { size: 1 } }),
          ),
        );
        assert.equal((await mine.get(id))?.value.size, 20);
      });

      it('gives a lease to one of many', async () => {
        const [mine, others] = things();
        const { id } = await mine.insert({ isOpen: true });
        const results = await Promise.all(
          Array.from({ length: 40 }, (_, index) =>
            (index % 2 ? mine : others).change({ id, isOpen: true }, { set: { isOpen: false, body: index } }),
          ),
        );
        const winners = results.filter((result) => result !== undefined);
        assert.equal(winners.length, 1);
        assert.deepEqual(await others.get(id), winners[0]);
      });

      it('hands each of many jobs to one taker', async () => {
        const [mine, others] = things();
        await mine.insertMany(Array.from({ length: 30 }, () => ({ isOpen: true })));
        const taken = await Promise.all(
          Array.from({ length: 50 }, (_, index) =>
            (index % 2 ? mine : others).change({ isOpen: true }, { set: { isOpen: false } }),
          ),
        );
        const ids = taken.filter((job) => job !== undefined).map(({ id }) => id);
        assert.equal(ids.length, 30);
        assert.equal(new Set(ids).size, 30);
      });
    });

    it('removes what matches and says how many', async () => {
      const [collection] = things();
      await collection.insertMany(Array.from({ length: 2010 }, (_, size) => ({ size })));
      assert.equal(await collection.removeWhere({ size: { below: 4 } }), 4);
      assert.equal(await collection.removeWhere({ size: { below: 4 } }), 0);
      assert.equal(await collection.removeWhere({ size: { atLeast: 10 } }), 2000);
      assert.equal(await collection.removeWhere({}), 6);
      assert.equal(await collection.count(), 0);
    });

    it('keeps collections apart and refuses a name or a second definition that cannot be', async () => {
      const [collection] = things();
      const [another] = things();
      await collection.insert({ name: 'a' });
      assert.equal(await another.count(), 0);
      assert.throws(() => store.collection({ name: 'a b; --', unique: [], indexed: [] }), TypeError);
      const name = `things_${collectionCount}`;
      assert.throws(() => store.collection({ name, unique: [], indexed: [] }), /another definition/);
    });

    it('rejects within the deadline while the engine is away, and works when it is back', async (test) => {
      const deadlineMs = 500;
      const hasty = await engine.open(deadlineMs);
      test.after(() => hasty.close());
      const collection = hasty.collection<Thing>({ name: 'away', unique: [], indexed: [] });
      await collection.insert({ name: 'before' });
      await engine.takeAway();
      try {
        const began = performance.now();
        const attempts = [
          collection.insert({ name: 'lost' }),
          collection.insertMany([{ name: 'lost' }]),
          collection.change({}, { set: { name: 'lost' } }),
          collection.removeWhere({}),
        ];
        await Promise.all(attempts.map((attempt) => assert.rejects(attempt, StoreUnavailable)));
        // A busy machine may be late; what has no deadline waits for good.
        assert.ok(performance.now() - began < deadlineMs * 20, 'the deadline holds');
      } finally {
        await engine.bringBack();
      }
      await hasty.ping();
      await collection.insert({ name: 'after' });
    });

    it('rejects every call once it is closed', async () => {
      const closed = await engine.open(500);
      const collection = closed.collection<Thing>({ name: 'closed', unique: [], indexed: [] });
      await closed.close();
      await closed.close();
      await assert.rejects(collection.insert({}), StoreUnavailable);
      await assert.rejects(collection.list(), StoreUnavailable);
      await assert.rejects(collection.count(), StoreUnavailable);
      await assert.rejects(closed.ping(), StoreUnavailable);
    });
  });
}
