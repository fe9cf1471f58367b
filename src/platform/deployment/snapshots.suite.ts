import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Fault } from '../../kernel/faults.ts';
import type { Store } from '../../store/contract.ts';
import { newId } from '../../store/new-id.ts';
import { type DeployedObject, type NextSnapshot, Snapshots } from './snapshots.ts';

const objectNamed = (name: string, revision = 1, sealedContent = 'v1'): DeployedObject => ({
  kind: 'connection',
  id: name,
  name,
  enabled: true,
  digest: name,
  revision,
  deployedAtMs: 5,
  sealedContent,
});
const next = (change: NextSnapshot['change']): NextSnapshot => ({
  createdAtMs: 7,
  createdBy: 'ada',
  environmentName: 'Test',
  change,
});
const adding = (name: string) => next((objects, revision) => [...objects, objectNamed(name, revision)]);
const idsOf = (snapshot: { readonly objects: readonly DeployedObject[] } | undefined) =>
  snapshot?.objects.map(({ id }) => id);

/** What holds for revisions on whatever engine the database runs. `open` makes another connection to the same one. */
export function describeSnapshots(engineName: string, open: () => Promise<Store>): void {
  describe(`the revisions of an environment on ${engineName}`, () => {
    const stores: Store[] = [];
    before(async () => {
      stores.push(await open(), await open());
    });
    after(async () => {
      for (const store of stores) await store.close();
    });

    test('begin at 1 and grow by one; each holds what the one before held, and the change', async () => {
      const snapshots = new Snapshots(stores[0]!);
      const environmentId = newId();
      assert.equal(await snapshots.latest(environmentId), undefined);
      await snapshots.next(environmentId, adding('b'));
      const second = await snapshots.next(environmentId, adding('a'));
      assert.deepEqual(second, {
        environmentId,
        revision: 2,
        createdAtMs: 7,
        createdBy: 'ada',
        objects: [objectNamed('a', 2), objectNamed('b', 1)],
      });
      assert.deepEqual(await snapshots.latest(environmentId), second);
      assert.equal(await snapshots.newerThan(environmentId, 2), undefined);
      assert.deepEqual(await snapshots.newerThan(environmentId, 0), second);
    });

    test('are those of one environment alone', async () => {
      const snapshots = new Snapshots(stores[0]!);
      const [one, other] = [newId(), newId()];
      await snapshots.next(one, adding('a'));
      assert.equal(await snapshots.latest(other), undefined);
      assert.equal((await snapshots.next(other, adding('b')))?.revision, 1);
    });

    test('do not grow when there is nothing to change', async () => {
      const snapshots = new Snapshots(stores[0]!);
      const environmentId = newId();
      await snapshots.next(environmentId, adding('a'));
      assert.equal(
        await snapshots.next(
          environmentId,
          next(() => undefined),
        ),
        undefined,
      );
      assert.equal((await snapshots.latest(environmentId))?.revision, 1);
    });

    test('of many who deploy at once, in two processes, none is lost', async () => {
      const environmentId = newId();
      const both = stores.map((store) => new Snapshots(store));
      const names = Array.from({ length: 30 }, (_, index) => `c${String(index).padStart(2, '0')}`);
      await Promise.all(names.map((name, index) => both[index % 2]!.next(environmentId, adding(name))));
      for (const snapshots of both) {
        const latest = await snapshots.latest(environmentId);
        assert.equal(latest?.revision, 30);
        assert.deepEqual(idsOf(latest), names);
        // Each object tells the revision that brought it, and no two came with the same.
        assert.equal(new Set(latest?.objects.map(({ revision }) => revision)).size, 30);
      }
    });

    test('that are old go; the newest twenty stay', async () => {
      const snapshots = new Snapshots(stores[0]!);
      const environmentId = newId();
      for (let count = 0; count < 23; count++) await snapshots.next(environmentId, adding(String(count)));
      const kept = await stores[0]!
        .collection<{ environmentId: string; revision: number }>({
          name: 'revisions',
          unique: [['environmentId', 'revision']],
          indexed: [],
        })
        .list({ where: { environmentId }, orderBy: { member: 'revision' } });
      assert.deepEqual(
        kept.map(({ value }) => value.revision),
        Array.from({ length: 20 }, (_, index) => index + 4),
      );
    });

    test('that no database could hold are refused, and nothing is written', async () => {
      const snapshots = new Snapshots(stores[0]!, { maxBytes: 2000 });
      const environmentId = newId();
      const big = next((objects) => [...objects, objectNamed('big', 1, 'x'.repeat(2000))]);
      await assert.rejects(
        snapshots.next(environmentId, big),
        (error) => error instanceof Fault && error.key === 'deployment.too-large',
      );
      assert.equal(await snapshots.latest(environmentId), undefined);
    });
  });
}
