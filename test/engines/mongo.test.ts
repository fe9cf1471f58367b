import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, describe, it } from 'node:test';
import { describeSnapshots } from '../../src/platform/deployment/snapshots.suite.ts';
import { describeStore, type Engine } from '../../src/store/contract.suite.ts';
import { StoreUnavailable } from '../../src/store/contract.ts';
import { describeMigrations } from '../../src/store/migrations.suite.ts';
import { openStore } from '../../src/store/open-store.ts';
import { describeIdentity } from './mongo/identity.suite.ts';
import { fetchMongoServer, MongoServerProcess } from './mongo/mongo-server.ts';

const fetched = fetchMongoServer();

if ('classpath' in fetched) {
  const server = await MongoServerProcess.start(fetched.classpath);
  after(() => server.stop());
  const urlOf = (database: string) => `mongodb://127.0.0.1:${server.port}/${database}`;
  const dataFolder = '/nowhere';

  describeStore(
    'a MongoDB server',
    async (): Promise<Engine> => ({
      open: (deadlineMs) => openStore({ url: urlOf('suite'), dataFolder, deadlineMs }),
      takeAway: () => server.pause(),
      bringBack: async () => server.resume(),
      stop: async () => {},
    }),
  );
  describeMigrations('a MongoDB server', async () => {
    const url = urlOf(`migrations_${randomUUID()}`);
    return (migrations) => openStore({ url, dataFolder, migrations });
  });
  const revisions = urlOf(`revisions_${randomUUID()}`);
  describeSnapshots('a MongoDB server', () => openStore({ url: revisions, dataFolder }));
  describeIdentity(urlOf(`identity_${randomUUID()}`));
  describe('the connection to a MongoDB server', () => describeConnection(server));
} else it('platform database on a MongoDB server', { skip: fetched.missing });

function describeConnection(server: MongoServerProcess): void {
  const open = (path = '', deadlineMs = 1000) =>
    openStore({ url: `mongodb://127.0.0.1:${server.port}${path}`, dataFolder: '/nowhere', deadlineMs });

  it('uses the database that the URL names, or one of its own', async () => {
    const stores = await Promise.all([open(), open('/gatehouse'), open('/other'), open('/?appName=x')]);
    const [unnamed, named, other, withOptions] = stores.map((store) =>
      store.collection<{ n: number }>({ name: 'a', unique: [], indexed: [] }),
    );
    await unnamed!.insert({ n: 1 });
    const counts = await Promise.all([named!.count(), other!.count(), withOptions!.count()]);
    assert.deepEqual(counts, [1, 0, 1]);
    await Promise.all(stores.map((store) => store.close()));
  });

  it('gives documents from before a unique key their place under it', async () => {
    const [earlier, later] = await Promise.all([open('/keys'), open('/keys')]);
    const without = earlier.collection<{ name?: string }>({ name: 'a', unique: [], indexed: [] });
    await without.insertMany([{ name: 'a' }, {}, {}]);
    const withKey = later.collection<{ name?: string }>({ name: 'a', unique: [['name']], indexed: [] });
    await assert.rejects(withKey.insert({ name: 'a' }), /same name/);
    await withKey.insert({ name: 'b' });
    assert.equal(await withKey.count(), 4);
    await Promise.all([earlier.close(), later.close()]);
  });

  it('tells within the deadline that the server hangs, for reads as well, and finds it again', async (test) => {
    const store = await open('/hang', 300);
    test.after(() => store.close());
    const collection = store.collection({ name: 'a', unique: [], indexed: [] });
    await collection.insert({});
    await server.pause();
    try {
      const began = performance.now();
      const calls = [store.ping(), collection.list(), collection.count(), collection.get('x')];
      await Promise.all(calls.map((call) => assert.rejects(call, StoreUnavailable)));
      // The driver's own patience is thirty seconds.
      assert.ok(performance.now() - began < 10_000);
    } finally {
      server.resume();
    }
    await store.ping();
    assert.equal(await collection.count(), 1);
  });

  it('does not open without a server, and says no word of the credentials', async () => {
    const secret = 'tell-nobody';
    const urls = [
      `mongodb://admin:${secret}@127.0.0.1:1/gatehouse`,
      `mongodb://admin:${secret}@127.0.0.1:${server.port}:7/x`,
      `mongodb://admin:${secret}@`,
      `postgres://admin:${secret}@127.0.0.1/x`,
    ];
    for (const url of urls) {
      await assert.rejects(openStore({ url, dataFolder: '/nowhere', deadlineMs: 300 }), (error: Error) => {
        for (let cause: unknown = error; cause instanceof Error; cause = cause.cause)
          assert.doesNotMatch(`${cause.message} ${cause.stack}`, new RegExp(secret));
        return true;
      });
    }
  });
}
