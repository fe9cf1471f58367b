import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { type Store, StoreTooNew } from './contract.ts';
import type { Migration, OldDocument } from './migrations.ts';

export type OpenWith = (migrations: readonly Migration[]) => Promise<Store>;

/** How a database of an older release becomes one of this release, on every engine. */
export function describeMigrations(
  engineName: string,
  emptyDatabase: (test: TestContext) => Promise<OpenWith>,
): void {
  describe(`migration of a platform database on ${engineName}`, () => {
    it('does nothing with a database of the same version', async (test) => {
      const open = await emptyDatabase(test);
      await writeVersion1(open);
      const store = await open([]);
      assert.deepEqual(await contents(version1(store)), [{ title: 'a' }, { title: 'b' }, { title: 'c' }]);
      await store.close();
    });

    it('rewrites documents, drops the old key and makes the new one', async (test) => {
      const open = await emptyDatabase(test);
      const ids = await writeVersion1(open);
      const store = await open([renameTitle]);
      const books = version2(store);
      assert.deepEqual(await contents(books), [{ name: 'a' }, { name: 'b' }, { name: 'c' }]);
      assert.equal((await books.findOne({ name: 'b' }))?.id, ids[1]);
      assert.equal((await books.findOne({ name: 'b' }))?.revision, 2);
      await assert.rejects(books.insert({ name: 'a' }), /same name/);
      await books.insert({ name: 'd', title: 'x' });
      await books.insert({ name: 'e', title: 'x' });
      await store.close();
    });

    it('takes several steps in order, each once', async (test) => {
      const open = await emptyDatabase(test);
      await writeVersion1(open);
      let rewrites = 0;
      const addPages: Migration = {
        toVersion: 3,
        changes: [
          {
            kind: 'rewrite',
            collection: 'books',
            rewrite: (book) => {
              rewrites++;
              assert.ok(typeof book.name === 'string', 'step 2 came before');
              return 'pages' in book ? book : { ...book, pages: 1 };
            },
          },
        ],
      };
      for (let round = 0; round < 2; round++) {
        const store = await open([renameTitle, addPages]);
        assert.deepEqual((await contents(version2(store)))[0], { name: 'a', pages: 1 });
        await store.close();
      }
      assert.equal(rewrites, 3);
    });

    it('removes documents and leaves alone what need not change', async (test) => {
      const open = await emptyDatabase(test);
      const ids = await writeVersion1(open);
      const store = await open([stepOf((book) => (book.title === 'b' ? undefined : book))]);
      const books = version1(store);
      assert.equal(await books.get(ids[1]!), undefined);
      assert.equal((await books.get(ids[0]!))?.revision, 1);
      await store.close();
    });

    it('leaves rewritten documents under their keys', async (test) => {
      const open = await emptyDatabase(test);
      await writeVersion1(open);
      const store = await open([stepOf((book) => ('pages' in book ? book : { ...book, pages: 1 }))]);
      await assert.rejects(version1(store).insert({ title: 'b' }), /same title/);
      assert.equal(await version1(store).count(), 3);
      await store.close();
    });

    it('goes on where a step broke off', async (test) => {
      const open = await emptyDatabase(test);
      await writeVersion1(open);
      let rewrites = 0;
      const breaking = stepOf((book) => {
        if (++rewrites === 2) throw new Error('power cut');
        return renamed(book);
      });
      await assert.rejects(open([breaking]), /power cut/);
      const store = await open([renameTitle]);
      assert.deepEqual(await contents(version2(store)), [{ name: 'a' }, { name: 'b' }, { name: 'c' }]);
      await store.close();
    });

    it('can be begun by several processes at once', async (test) => {
      const open = await emptyDatabase(test);
      await writeVersion1(open);
      const stores = await Promise.all(Array.from({ length: 4 }, () => open([renameTitle])));
      for (const store of stores)
        assert.deepEqual(await contents(version2(store)), [{ name: 'a' }, { name: 'b' }, { name: 'c' }]);
      await Promise.all(stores.map((store) => store.close()));
    });

    it('takes no step on an empty database, now or later', async (test) => {
      const open = await emptyDatabase(test);
      const never = stepOf(() => assert.fail('nothing is old here'));
      const first = await open([never]);
      await version1(first).insert({ title: 'new' });
      await first.close();
      await (await open([never])).close();
    });

    it('passes over a collection that is not there', async (test) => {
      const open = await emptyDatabase(test);
      await (await open([])).close();
      await (await open([renameTitle])).close();
    });

    it('refuses a database of a newer release and leaves it as it is', async (test) => {
      const open = await emptyDatabase(test);
      await writeVersion1(open);
      await (await open([renameTitle])).close();
      await assert.rejects(open([]), (error) => {
        assert.ok(error instanceof StoreTooNew);
        assert.match(error.message, /version 2.*up to 1/);
        return true;
      });
      const store = await open([renameTitle]);
      assert.equal(await version2(store).count(), 3);
      await store.close();
    });

    it('refuses steps with a gap', async (test) => {
      const open = await emptyDatabase(test);
      await assert.rejects(open([{ toVersion: 3, changes: [] }]), /gap/);
    });
  });
}

interface Book {
  name?: string;
  title?: string;
}

const version1 = (store: Store) =>
  store.collection<Book>({ name: 'books', unique: [['title']], indexed: [] });
const version2 = (store: Store) => store.collection<Book>({ name: 'books', unique: [['name']], indexed: [] });

async function writeVersion1(open: OpenWith): Promise<string[]> {
  const store = await open([]);
  const ids = [];
  for (const title of ['a', 'b', 'c']) ids.push((await version1(store).insert({ title })).id);
  await store.close();
  return ids;
}

async function contents(books: ReturnType<typeof version1>): Promise<Book[]> {
  const found = (await books.list()).map(({ value }) => value);
  return found.sort((a, b) => ((a.name ?? a.title)! < (b.name ?? b.title)! ? -1 : 1));
}

function stepOf(rewrite: (book: OldDocument) => OldDocument | undefined): Migration {
  return { toVersion: 2, changes: [{ kind: 'rewrite', collection: 'books', rewrite }] };
}

/** Idempotent: what is renamed already stays the same object. */
function renamed(book: OldDocument): OldDocument {
  if (!('title' in book)) return book;
  const { title, ...others } = book;
  return { name: title, ...others };
}

const renameTitle: Migration = {
  toVersion: 2,
  changes: [
    { kind: 'drop-index', collection: 'books', index: 'unique', members: ['title'] },
    { kind: 'rewrite', collection: 'books', rewrite: renamed },
  ],
};
