import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, describe, it } from 'node:test';
import { MongoClient, ObjectId } from 'mongodb';
import { describeReplayUnsent } from '../../src/maintenance/unsent-replay/replay-unsent.suite.ts';
import { openUnsentSource } from '../../src/store/unsent/open-unsent-source.ts';
import { describeUnsentRecords } from '../../src/store/unsent/unsent-records.suite.ts';
import { fetchMongoServer, MongoServerProcess } from './mongo/mongo-server.ts';
import { startOpenSearch } from './opensearch/opensearch-server.ts';

const fetched = fetchMongoServer();

if ('classpath' in fetched) {
  const [server, index] = await Promise.all([MongoServerProcess.start(fetched.classpath), startOpenSearch()]);
  after(() => server.stop());
  const urlOf = (database: string) => `mongodb://127.0.0.1:${server.port}/${database}`;
  const openAt = async (url: string) => (await openUnsentSource({ url, dataFolder: '/nowhere' }))!;

  describeUnsentRecords('a MongoDB server', { open: () => openAt(urlOf(`unsent_${randomUUID()}`)) });
  describe('unsent records that others wrote into MongoDB', () => describeForeignRecords(urlOf, openAt));

  if ('url' in index) {
    after(() => index.stop());
    describeReplayUnsent('MongoDB server and OpenSearch', async () => ({
      indexUrl: index.url,
      knowsCompact: false,
      database: async () => {
        const databaseUrl = urlOf(`replay_${randomUUID()}`);
        return { source: await openAt(databaseUrl), settings: { databaseUrl, data: '/nowhere' } };
      },
    }));
  } else it('replay on OpenSearch', { skip: index.missing });
} else it('unsent records on a MongoDB server', { skip: fetched.missing });

function describeForeignRecords(
  urlOf: (database: string) => string,
  openAt: (url: string) => ReturnType<typeof openUnsentSource>,
): void {
  it('ours are flat, as other tools know them', async () => {
    const url = urlOf(`flat_${randomUUID()}`);
    await using source = (await openAt(url))!;
    await source
      .records('UnsentMessage')
      .append([{ log_timestamp: '2026-01-01T00:00:00.000Z', connector_id: 'c', content: '{}' }]);
    await using client = new MongoClient(url);
    const found = await client.db().collection('UnsentMessage').findOne();
    assert.ok(found!._id instanceof ObjectId);
    const { _id, ...members } = found!;
    assert.deepEqual(members, {
      log_timestamp: '2026-01-01T00:00:00.000Z',
      connector_id: 'c',
      content: '{}',
    });
  });

  it('texts and ObjectIds as ids are both read, in order, and never taken for each other', async () => {
    const url = urlOf(`mixed_${randomUUID()}`);
    await using client = new MongoClient(url);
    const hex = '65a000000000000000000001';
    await client
      .db()
      .collection<{ _id: string | ObjectId; content: unknown }>('UnsentMessage')
      .insertMany([
        { _id: new ObjectId(hex), content: 'object id' },
        { _id: hex, content: 'text' },
        { _id: 'b', content: { aci: 'no text' } },
        { _id: new ObjectId('65a000000000000000000002'), content: 'last' },
      ]);
    await using source = (await openAt(url))!;
    const records = source.records('UnsentMessage');
    const window = { limit: 10, maxBytes: 1e6 };
    const all = await records.read(window);
    assert.deepEqual(
      all.map(({ id, content }) => [id, content]),
      [
        [`text-${hex}`, 'text'],
        ['b', undefined],
        [hex, 'object id'],
        ['65a000000000000000000002', 'last'],
      ],
    );
    for (const [at, { key }] of all.entries()) {
      assert.equal(await records.keyAt(at), key);
      assert.deepEqual(
        await idsOf({ after: key }),
        all.slice(at + 1).map(({ id }) => id),
      );
      assert.deepEqual(
        await idsOf({ through: key }),
        all.slice(0, at + 1).map(({ id }) => id),
      );
    }
    assert.match(all[2]!.exported(), /^\{"_id":\{"\$oid":"65a000000000000000000001"\}/);
    assert.equal(await records.delete([all[0]!.key, all[3]!.key]), 2);
    assert.deepEqual(await idsOf({}), ['b', hex]);

    async function idsOf(bounds: object): Promise<string[]> {
      return (await records.read({ ...window, ...bounds })).map(({ id }) => id);
    }
  });
}
