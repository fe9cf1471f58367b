import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Fault } from '../../../kernel/faults.ts';
import type { OutboundCall } from '../../../kernel/outbound/http-caller.ts';
import { ManualClock } from '../../../kernel/testing/manual-clock.ts';
import type { DeployableObject } from '../../../platform/deployment/object-deployer.ts';
import { Snapshots } from '../../../platform/deployment/snapshots.ts';
import { PodRegistry } from '../../../store/pods.ts';
import { type StartedManager, startManager } from '../../testing/start-manager.ts';

const by = { userName: 'ada' };

/** What a pod answers to a revision. */
type Reply = (revision: number) => { readonly success: boolean; readonly detail: string } | Error;
const runs: Reply = (revision) => ({ success: true, detail: `Revision ${revision} runs.` });
const refuses: Reply = (revision) => ({ success: false, detail: `Revision ${revision} was refused.` });
const isAway: Reply = () => new Error('the target refused the connection');

interface SetUp extends AsyncDisposable {
  readonly manager: StartedManager;
  readonly crm: DeployableObject;
  /** By name; what they are told of is kept. */
  readonly pods: Map<string, Reply>;
  readonly told: Array<readonly [podName: string, revision: number]>;
  addPod(podName: string, environmentName: string, reply: Reply): Promise<void>;
  addConnection(name: string, environmentName?: string): Promise<DeployableObject>;
  latest(environmentName: string): ReturnType<Snapshots['latest']>;
}

async function setUp(): Promise<SetUp> {
  const pods = new Map<string, Reply>();
  const told: Array<readonly [string, number]> = [];
  const callPod = async ({ url, body }: OutboundCall) => {
    const { hostname } = new URL(url);
    const { revision } = JSON.parse(Buffer.from(body as Uint8Array).toString());
    told.push([hostname, revision]);
    const reply = pods.get(hostname)!(revision);
    if (reply instanceof Error) throw reply;
    const answer = Buffer.from(JSON.stringify({ ...reply, revision }));
    return { status: 200, headers: undefined as never, body: answer };
  };
  const clock = new ManualClock(Date.now());
  const manager = await startManager({ clock, callPod });
  const { services } = manager;
  const registry = new PodRegistry(services.store, clock);
  const registrations: Array<{ stop(): Promise<void> }> = [];
  const projectId = (await services.projects.require('Default')).id;
  const addConnection = async (name: string, environmentName = 'Development') => {
    const response = await manager.request('POST', `/apiops/projects/Default/connections/${name}/`, {
      body: { type: 'webhook', environmentName, httpMethod: 'POST', fullUrl: `https://${name}.example/` },
    });
    assert.equal(response.status, 200, response.text);
    const { id } = await services.connections.require(projectId, name);
    return { kind: 'connection', id, name, projectName: 'Default' } as const;
  };
  return {
    manager,
    crm: await addConnection('crm'),
    pods,
    told,
    addConnection,
    addPod: async (podName, environmentName, reply) => {
      pods.set(podName, reply);
      const { id: environmentId } = await services.environments.require(environmentName);
      const address = `http://${podName}:1`;
      registrations.push(
        await registry.register({ podName, module: 'worker', environmentId, address, processId: 1 }),
      );
    },
    latest: async (environmentName) =>
      new Snapshots(services.store).latest((await services.environments.require(environmentName)).id),
    [Symbol.asyncDispose]: async () => {
      for (const registration of registrations) await registration.stop();
      await manager.close();
    },
  };
}

const isFault = (key: string) => (error: unknown) => error instanceof Fault && error.key === key;
const statusIn = async ({ manager }: SetUp, object: DeployableObject, environmentName: string) =>
  (await manager.services.deployer.statuses(object)).find((one) => one.environmentName === environmentName);

describe('deploying', () => {
  test('changes one object and nothing else, even when its neighbours were changed', async () => {
    await using world = await setUp();
    const { manager, crm, addConnection, latest } = world;
    await world.addPod('w-1', 'Development', runs);
    const { deployer } = manager.services;
    const other = await addConnection('other');
    await deployer.deploy(crm, ['Development'], by);
    const before = (await latest('Development'))!.objects;
    const change = { environmentName: 'Development', timeout: 9 };
    await manager.request('PUT', '/apiops/projects/Default/connections/crm/', { body: change });
    await deployer.deploy(other, ['Development'], by);
    const { objects } = (await latest('Development'))!;
    assert.deepEqual(
      objects.find(({ id }) => id === crm.id),
      before[0],
    );
    assert.equal(objects.length, 2);
    assert.equal((await statusIn(world, crm, 'Development'))?.redeployRequired, true);
    assert.equal((await statusIn(world, other, 'Development'))?.redeployRequired, false);
  });

  test('at the same time loses nobody, and every pod hears of every revision', async () => {
    await using world = await setUp();
    await world.addPod('w-1', 'Development', runs);
    const objects = await Promise.all(
      Array.from({ length: 12 }, (_, index) => world.addConnection(`c${index}`)),
    );
    const { deployer } = world.manager.services;
    const results = await Promise.all(objects.map((object) => deployer.deploy(object, ['Development'], by)));
    assert.ok(results.every(({ success }) => success));
    assert.equal((await world.latest('Development'))?.objects.length, 12);
    assert.deepEqual(
      world.told.map(([, revision]) => revision).sort((one, other) => one - other),
      Array.from({ length: 12 }, (_, index) => index + 1),
    );
  });

  test('is refused as a whole when one of the environments cannot take it', async () => {
    await using world = await setUp();
    const { deployer } = world.manager.services;
    await world.addPod('w-1', 'Development', runs);
    await assert.rejects(deployer.deploy(world.crm, [], by), isFault('deployment.no-environment'));
    await assert.rejects(
      deployer.deploy(world.crm, ['Development', 'Nowhere'], by),
      isFault('environment.not-found'),
    );
    // It has parameters for Development alone.
    await world.addPod('w-2', 'Test', runs);
    await assert.rejects(
      deployer.deploy(world.crm, ['Development', 'Test'], by),
      isFault('deployment.no-parameters'),
    );
    const production = await world.addConnection('production', 'Production');
    await assert.rejects(deployer.deploy(production, ['Production'], by), isFault('deployment.no-live-pod'));
    assert.deepEqual(world.told, []);
    assert.equal(await world.latest('Development'), undefined);
  });

  test('names every pod, those that are away too, and keeps what was written', async () => {
    await using world = await setUp();
    await world.addPod('w-1', 'Development', runs);
    await world.addPod('w-2', 'Development', isAway);
    const result = await world.manager.services.deployer.deploy(world.crm, ['Development'], by);
    assert.equal(result.success, false);
    assert.deepEqual(
      result.detailList.map(({ podName, podIp, success }) => [podName, podIp, success]),
      [
        ['w-1', 'w-1', true],
        ['w-2', 'w-2', false],
      ],
    );
    assert.match(result.detailList[1]!.detail, /^The pod does not answer: the target refused/);
    assert.equal((await world.latest('Development'))?.revision, 1);
    assert.equal((await statusIn(world, world.crm, 'Development'))?.deployed, true);
  });

  test('what no pod can run is withdrawn, and the environment stays as it was', async () => {
    await using world = await setUp();
    const { deployer } = world.manager.services;
    await world.addPod('w-1', 'Development', runs);
    const other = await world.addConnection('other');
    await deployer.deploy(other, ['Development'], by);
    const before = (await world.latest('Development'))!.objects;
    world.pods.set('w-1', (revision) => (revision === 2 ? refuses(revision) : runs(revision)));
    const { success, detailList } = await deployer.deploy(world.crm, ['Development'], by);
    assert.equal(success, false);
    assert.equal(detailList[0]?.detail, 'Revision 2 was refused. The environment stays as it was.');
    assert.deepEqual((await world.latest('Development'))?.objects, before);
    assert.deepEqual(world.told, [
      ['w-1', 1],
      ['w-1', 2],
      ['w-1', 3],
    ]);
    assert.equal((await statusIn(world, world.crm, 'Development'))?.deployed, false);
  });

  test('what one of two pods can run stays', async () => {
    await using world = await setUp();
    await world.addPod('w-1', 'Development', runs);
    await world.addPod('w-2', 'Development', refuses);
    await world.manager.services.deployer.deploy(world.crm, ['Development'], by);
    assert.equal((await world.latest('Development'))?.objects.length, 1);
  });

  test('writes down what each pod said', async () => {
    await using world = await setUp();
    await world.addPod('w-1', 'Development', runs);
    await world.addPod('w-2', 'Development', isAway);
    const { services } = world.manager;
    await services.deployer.deploy(world.crm, ['Development'], by);
    const { rows } = await services.journals.list('deployment', {}, { offset: 0, limit: 10 });
    const told = rows.map(({ value }) => value as unknown as Record<string, unknown>);
    assert.deepEqual(
      told.map(({ podName, result, userName, objectName }) => [podName, result, userName, objectName]).sort(),
      [
        ['w-1', 'SUCCESS', 'ada', 'crm'],
        ['w-2', 'FAILURE', 'ada', 'crm'],
      ],
    );
  });

  test('leaves nothing readable in the database', async () => {
    await using world = await setUp();
    await world.addPod('w-1', 'Development', runs);
    await world.manager.request('PUT', '/apiops/projects/Default/connections/crm/', {
      body: {
        environmentName: 'Development',
        headerList: [{ name: 'X-Note', value: 'not so secret, but nobody must rely on that' }],
      },
    });
    await world.manager.services.deployer.deploy(world.crm, ['Development'], by);
    assert.doesNotMatch(JSON.stringify(await world.latest('Development')), /secret|example/);
  });
});

describe('a deployed connection', () => {
  const deployed = async () => {
    const world = await setUp();
    await world.addPod('w-1', 'Development', runs);
    await world.manager.services.deployer.deploy(world.crm, ['Development'], by);
    return world;
  };

  test('needs another deployment when anything that it was made of has changed, and only then', async () => {
    await using world = await deployed();
    const { request } = world.manager;
    const isOutdated = async () => (await statusIn(world, world.crm, 'Development'))?.redeployRequired;
    const put = (body: object) => request('PUT', '/apiops/projects/Default/connections/crm/', { body });
    const redeploy = () => world.manager.services.deployer.deploy(world.crm, ['Development'], by);

    await put({ description: 'only words' });
    assert.equal(await isOutdated(), false);
    await put({ environmentName: 'Test', httpMethod: 'POST', fullUrl: 'https://elsewhere.example/' });
    assert.equal(await isOutdated(), false);

    await put({ environmentName: 'Development', fullUrl: ['https://', '{host}/'].join('$') });
    assert.equal(await isOutdated(), true);
    await redeploy();
    assert.equal(await isOutdated(), false);

    const variable = {
      name: 'host',
      valueList: [{ environmentName: 'Development', value: 'crm.example' }],
    };
    await request('POST', '/apiops/projects/Default/environmentVariables/', { body: variable });
    assert.equal(await isOutdated(), true);
    await redeploy();
    assert.equal(await isOutdated(), false);

    const breaker = { errorThresholdValue: 7 };
    await request('PUT', '/apiops/settings/connector-circuit-breaker/', { body: breaker });
    assert.equal(await isOutdated(), true);
  });

  test('is taken from its pods, and the environment is unpublished with the last one', async () => {
    await using world = await deployed();
    const { services } = world.manager;
    const status = async () =>
      services.deployments.environmentStatus((await world.latest('Development'))!.environmentId);
    assert.equal(await status(), 'PUBLISHED');
    assert.equal((await services.environments.require('Development')).value.status, 'PUBLISHED');
    const result = await services.deployer.undeploy(world.crm, by);
    assert.equal(result?.success, true);
    assert.equal(await status(), 'UNPUBLISHED');
    assert.equal((await services.environments.require('Development')).value.status, 'UNPUBLISHED');
    assert.equal(await services.deployer.undeploy(world.crm, by), undefined);
  });

  test('is switched off where it is deployed, with the parameters that it was deployed with', async () => {
    await using world = await deployed();
    const { services, request } = world.manager;
    const before = (await world.latest('Development'))!.objects[0]!;
    await request('PUT', '/apiops/projects/Default/connections/crm/', {
      body: { environmentName: 'Development', timeout: 9 },
    });
    await services.deployer.setEnabled(world.crm, false, by);
    const [after] = (await world.latest('Development'))!.objects;
    assert.deepEqual(after, { ...before, enabled: false, revision: 2 });
    assert.equal(await services.deployer.setEnabled(world.crm, false, by), undefined);
  });

  test('goes on as one of no project when it is moved to all of them', async () => {
    await using world = await deployed();
    const { request } = world.manager;
    const before = (await world.latest('Development'))!.objects[0]!;
    assert.equal(before.projectName, 'Default');
    const { json } = await request('POST', '/apiops/projects/Default/connections/crm/move-to-global/');
    assert.equal((json as { deploymentResult?: { success: boolean } }).deploymentResult?.success, true);
    const { objects, revision } = (await world.latest('Development'))!;
    const { projectName: _, ...rest } = before;
    assert.deepEqual(objects, [rest]);
    assert.equal(revision, 2);
  });

  test('is not given back to the pods when it was taken away, whatever they say', async () => {
    await using world = await deployed();
    world.pods.set('w-1', refuses);
    const result = await world.manager.services.deployer.undeploy(world.crm, by);
    assert.equal(result?.success, false);
    assert.deepEqual((await world.latest('Development'))?.objects, []);
  });
});

test('the revisions of an environment go with it, and not before it is unpublished', async () => {
  await using world = await setUp();
  const { manager } = world;
  await manager.request('POST', '/apiops/environments/', { body: { name: 'Staging' } });
  await world.addPod('w-1', 'Staging', runs);
  const staged = await world.addConnection('staged', 'Staging');
  const { id } = await manager.services.environments.require('Staging');
  await manager.services.deployer.deploy(staged, ['Staging'], by);
  const remove = () => manager.request('DELETE', '/apiops/environments/Staging/');
  assert.equal((await remove()).status, 400);
  await manager.services.deployer.undeploy(staged, by);
  const snapshots = new Snapshots(manager.services.store);
  assert.equal((await snapshots.latest(id))?.revision, 2);
  assert.equal((await remove()).status, 200);
  assert.equal(await new Snapshots(manager.services.store).latest(id), undefined);
});
