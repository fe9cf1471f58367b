import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import { silentLog } from '../../kernel/log.ts';
import { SecretBox } from '../../kernel/secret-box.ts';
import { ManualClock } from '../../kernel/testing/manual-clock.ts';
import { StoreUnavailable } from '../../store/contract.ts';
import { BuildFailed, Deployments, type OpenedObject, type RuntimeBuilder } from './deployments.ts';
import { type DeployedObject, placeOf, type Snapshot } from './snapshots.ts';

const environmentId = 'e'.repeat(24);
const secretBox = new SecretBox(randomBytes(32));
const POLL_MS = 2000;

function deployed(id: string, content: object, box = secretBox): DeployedObject {
  const kind = 'connection' as const;
  const sealedContent = box.seal(JSON.stringify(content), placeOf(environmentId, { kind, id }));
  return { kind, id, name: id, enabled: true, digest: id, revision: 1, deployedAtMs: 1, sealedContent };
}

/** What a database and a builder would do, as a test wants it. */
function setUp({ isBroken = () => false }: { isBroken?: (object: OpenedObject) => boolean } = {}) {
  const clock = new ManualClock();
  const database = { current: undefined as Snapshot | undefined, isAway: false, reads: 0 };
  const running: { objects: readonly OpenedObject[] } = { objects: [] };
  const builds: string[] = [];
  let gate: Promise<void> = Promise.resolve();
  const builder: RuntimeBuilder = {
    kind: 'connection',
    build: async (objects) => {
      builds.push('begin');
      await gate;
      if (objects.some(isBroken)) throw new BuildFailed('The target is broken.');
      builds.push('end');
      return {
        activate: () => {
          running.objects = objects;
        },
        discard: () => builds.push('discard'),
      };
    },
  };
  const deployments = new Deployments({
    environmentId,
    snapshots: {
      newerThan: async (_, revision) => {
        database.reads++;
        if (database.isAway) throw new StoreUnavailable();
        return database.current && database.current.revision > revision ? database.current : undefined;
      },
    },
    secretBox,
    builders: [builder],
    clock,
    log: silentLog,
    pollMs: POLL_MS,
  });
  const publish = (revision: number, ...objects: DeployedObject[]) => {
    database.current = { environmentId, revision, createdAtMs: 1, createdBy: 'ada', objects };
  };
  /** Moves the time and lets what follows from it happen. */
  const pass = async (ms: number) => {
    clock.advance(ms);
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  };
  const hold = () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    gate = promise;
    return resolve;
  };
  return { deployments, database, publish, pass, running, builds, hold };
}

const healthOf = ({ deployments }: { deployments: Deployments }) =>
  deployments.check.run(AbortSignal.timeout(1000));

describe('a pod', () => {
  test('is ready at once where nothing was deployed', async () => {
    const pod = setUp();
    await assert.rejects(healthOf(pod), /could not be fetched yet/);
    await pod.deployments.start();
    assert.equal(await healthOf(pod), 'revision 0');
    await pod.deployments.stop();
  });

  test('takes the current revision before it is ready, with its secrets opened', async () => {
    const pod = setUp();
    pod.publish(4, deployed('crm', { token: 's3cret' }));
    await pod.deployments.start();
    assert.equal(pod.deployments.revision, 4);
    assert.equal(await healthOf(pod), 'revision 4');
    assert.deepEqual(
      pod.running.objects.map(({ id, content }) => [id, content]),
      [['crm', { token: 's3cret' }]],
    );
    await pod.deployments.stop();
  });

  test('takes a revision that it is told of, and answers which one runs', async () => {
    const pod = setUp();
    await pod.deployments.start();
    pod.publish(1, deployed('a', {}));
    assert.deepEqual(await pod.deployments.take(1), {
      success: true,
      revision: 1,
      detail: 'Revision 1 runs.',
    });
    // Told twice, it has nothing to do.
    const { reads } = pod.database;
    assert.equal((await pod.deployments.take(1)).success, true);
    assert.equal(pod.database.reads, reads);
    assert.equal(pod.builds.filter((step) => step === 'begin').length, 1);
    await pod.deployments.stop();
  });

  test('finds a revision by itself when the call got lost', async () => {
    const pod = setUp();
    await pod.deployments.start();
    pod.publish(1, deployed('a', {}));
    await pod.pass(POLL_MS - 1);
    assert.equal(pod.deployments.revision, 0);
    await pod.pass(1);
    assert.equal(pod.deployments.revision, 1);
    await pod.deployments.stop();
  });

  test('keeps what runs when a revision cannot be built, stays ready, and says why', async () => {
    const pod = setUp({ isBroken: ({ id }) => id === 'bad' });
    pod.publish(1, deployed('a', {}));
    await pod.deployments.start();
    pod.publish(2, deployed('a', {}), deployed('bad', {}));
    assert.deepEqual(await pod.deployments.take(2), {
      success: false,
      revision: 1,
      detail: 'Revision 2 was refused: The target is broken.',
    });
    assert.deepEqual(
      pod.running.objects.map(({ id }) => id),
      ['a'],
    );
    assert.equal(await healthOf(pod), 'revision 1; revision 2 was refused');
    // It is not built again and again, but the next one is taken.
    const builds = pod.builds.length;
    await pod.pass(POLL_MS);
    assert.equal(pod.builds.length, builds);
    pod.publish(3, deployed('b', {}));
    await pod.pass(POLL_MS);
    assert.equal(await healthOf(pod), 'revision 3');
    await pod.deployments.stop();
  });

  test('that never could take a revision is not ready', async () => {
    const pod = setUp({ isBroken: () => true });
    pod.publish(1, deployed('a', {}));
    await pod.deployments.start();
    await assert.rejects(healthOf(pod), /Revision 1 was refused: The target is broken\./);
    await pod.pass(POLL_MS);
    await assert.rejects(healthOf(pod));
    pod.publish(2);
    await pod.pass(POLL_MS);
    assert.equal(await healthOf(pod), 'revision 2');
    await pod.deployments.stop();
  });

  test('with another master key says so, and does not run half of a revision', async () => {
    const pod = setUp();
    pod.publish(1, deployed('a', {}), deployed('b', {}, new SecretBox(randomBytes(32))));
    await pod.deployments.start();
    const { success, detail } = await pod.deployments.take(1);
    assert.equal(success, false);
    assert.match(detail, /sealed with another master key/);
    assert.deepEqual(pod.running.objects, []);
    await pod.deployments.stop();
  });

  test('refuses content that was sealed for another object', async () => {
    const pod = setUp();
    pod.publish(1, { ...deployed('a', {}), id: 'b' });
    await pod.deployments.start();
    assert.match((await pod.deployments.take(1)).detail, /changed, or sealed for another place/);
    await pod.deployments.stop();
  });

  test('says when the revision it is told of is not in its database', async () => {
    const pod = setUp();
    await pod.deployments.start();
    pod.publish(1);
    assert.deepEqual(await pod.deployments.take(2), {
      success: false,
      revision: 0,
      detail: 'Revision 2 is not in the database of the pod.',
    });
    await pod.deployments.stop();
  });

  test('goes on while the database is away, and catches up', async () => {
    const pod = setUp();
    pod.publish(1, deployed('a', {}));
    await pod.deployments.start();
    pod.database.isAway = true;
    pod.publish(2, deployed('b', {}));
    await pod.pass(POLL_MS);
    assert.equal(await healthOf(pod), 'revision 1');
    await assert.rejects(pod.deployments.take(2), StoreUnavailable);
    pod.database.isAway = false;
    await pod.pass(POLL_MS);
    assert.equal(pod.deployments.revision, 2);
    await pod.deployments.stop();
  });

  test('builds one revision at a time, and the swap is never seen half done', async () => {
    const pod = setUp();
    await pod.deployments.start();
    const release = pod.hold();
    pod.publish(1, deployed('a', {}));
    const first = pod.deployments.take(1);
    await pod.pass(0);
    pod.publish(2, deployed('b', {}));
    const second = pod.deployments.take(2);
    await pod.pass(0);
    assert.deepEqual(pod.builds, ['begin']);
    assert.deepEqual(pod.running.objects, []);
    release();
    assert.deepEqual(
      (await Promise.all([first, second])).map(({ revision }) => revision),
      [1, 2],
    );
    assert.deepEqual(
      pod.running.objects.map(({ id }) => id),
      ['b'],
    );
    await pod.deployments.stop();
  });
});

test('what was built is discarded when another kind cannot be', async () => {
  const steps: string[] = [];
  const build = (name: string, fails: boolean) => async () => {
    if (fails) throw new Error('a secret stands here');
    return { activate: () => steps.push(`activate ${name}`), discard: () => steps.push(`discard ${name}`) };
  };
  const deployments = new Deployments({
    environmentId,
    snapshots: {
      newerThan: async () => ({
        environmentId,
        revision: 1,
        createdAtMs: 1,
        createdBy: 'ada',
        objects: [],
      }),
    },
    secretBox,
    builders: [
      { kind: 'connection', build: build('connections', false) },
      { kind: 'log-connectors', build: build('log connectors', true) },
    ],
    clock: new ManualClock(),
    log: silentLog,
  });
  const { success, detail } = await deployments.take(1);
  assert.equal(success, false);
  assert.deepEqual(steps, ['discard connections']);
  // Errors that nobody foresaw may hold anything.
  assert.doesNotMatch(detail, /secret/);
});
