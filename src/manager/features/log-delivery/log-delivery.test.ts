import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { answers, FaultyTarget, hangs } from '../../../delivery/testing/faulty-target.ts';
import { systemClock } from '../../../kernel/clock.ts';
import { ManualClock } from '../../../kernel/testing/manual-clock.ts';
import type { StoredJournalRow } from '../../../model/journal.ts';
import { ADMIN_PASSWORD, startManager } from '../../testing/start-manager.ts';
import { registerWorker, takesEverything } from '../../testing/with-pods.ts';
import { logRecordOf } from './log-records.ts';

type Members = Readonly<Record<string, unknown>>;

describe('the record of a journal row', () => {
  const at = Date.UTC(2026, 0, 2);
  const time = '2026-01-02T00:00:00.000Z';
  const recordOf = (kind: 'login' | 'token' | 'audit' | 'message' | 'deployment', row: object) => {
    const value = { at, ...row } as unknown as StoredJournalRow;
    const made = logRecordOf(kind, { id: 'row-1', revision: 1, value }, 'Test');
    return made && { kind: made.kind, ...JSON.parse(JSON.stringify(made.event)) };
  };

  test('of a token has who, how it ended, its type, issue and expiry', () => {
    const row = {
      userName: 'ada',
      action: 'ISSUE',
      result: 'SUCCESS',
      tokenId: 't-1',
      issuedAt: '2026-01-01T23:59:59.000Z',
      expiresAt: '2026-01-02T01:00:00.000Z',
    };
    assert.deepEqual(recordOf('token', row), {
      kind: 'token',
      timeMs: at,
      record: {
        '@timestamp': time,
        aci: 'row-1',
        logType: 'token',
        environment: 'Test',
        user: 'ada',
        action: 'ISSUE',
        result: 'SUCCESS',
        tokenType: 'Bearer',
        issued: '2026-01-01T23:59:59.000Z',
        expires: '2026-01-02T01:00:00.000Z',
        tokenId: 't-1',
      },
    });
  });

  test('of a refused sign-in is that of a token that was not issued, without the reason', () => {
    const row = { userName: 'ada', sourceAddress: '::1', result: 'FAILURE', reason: 'wrong password' };
    assert.deepEqual(recordOf('login', row)?.record, {
      '@timestamp': time,
      aci: 'row-1',
      logType: 'token',
      environment: 'Test',
      user: 'ada',
      action: 'ISSUE',
      result: 'FAILURE',
      tokenType: 'Bearer',
      sourceAddress: '::1',
    });
  });

  test('of a change has time, user, action and object; what it was and became stays in the journal', () => {
    const row = {
      userName: 'ada',
      action: 'UPDATE',
      objectType: 'connection',
      objectName: 'crm',
      projectName: 'Default',
      before: { timeout: 1 },
      after: { timeout: 2 },
    };
    assert.deepEqual(recordOf('audit', row)?.record, {
      '@timestamp': time,
      aci: 'row-1',
      logType: 'audit',
      environment: 'Test',
      user: 'ada',
      action: 'UPDATE',
      object: { type: 'connection', name: 'crm', project: 'Default' },
    });
  });

  test('there is none of what the login journal has beside the token journal, nor of the platform itself', () => {
    assert.equal(recordOf('login', { userName: 'ada', result: 'SUCCESS', reason: 'ok' }), undefined);
    assert.equal(recordOf('message', { level: 'WARN', source: 'x', text: 'y' }), undefined);
    assert.equal(recordOf('deployment', { podName: 'w-1' }), undefined);
  });
});

/** A Manager that delivers to a target, through the environment Development and through Test. */
async function setUp(target: FaultyTarget, parameters: object = {}) {
  const clock = new ManualClock(Date.now());
  const manager = await startManager({ clock, callPod: takesEverything });
  const { request, services } = manager;
  const workers: Array<{ stop(): Promise<void> }> = [];
  for (const environmentName of ['Development', 'Test']) {
    workers.push(await registerWorker(manager, { podName: `w-${environmentName}`, environmentName, clock }));
    const name = `to${environmentName}`;
    const fullUrl = `${target.url}/${environmentName}`;
    const connection = { type: 'webhook', environmentName, httpMethod: 'POST', fullUrl, ...parameters };
    await request('POST', `/apiops/connections/${name}/`, { body: { ...connection, deploy: true } });
    const base = `/apiops/environments/${environmentName}/log-connectors/`;
    for (const kind of ['token', 'audit'])
      await request('PUT', `${base}${kind}/`, { body: { connection: { name } } });
    assert.equal((await request('POST', `${base}deploy/`)).status, 200);
  }
  const changeSomething = (name: string) => request('POST', '/apiops/projects/', { body: { name } });
  const auditRecords = () =>
    (target.records as Members[]).map(({ environment, object }) => [environment, (object as Members).name]);
  return {
    ...{ manager, request, services, clock, changeSomething, auditRecords },
    [Symbol.asyncDispose]: async () => {
      for (const worker of workers) await worker.stop();
      await manager.close();
    },
  };
}

/** Other turns of the loop bring it about. */
async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const deadlineMs = Date.now() + 20_000;
  while (!(await isSo())) {
    assert.ok(Date.now() < deadlineMs, 'it does not come true');
    await systemClock.sleep(5);
  }
}

describe('log delivery of the Manager', () => {
  test('begins with the revision that is there, through the environment of the settings', async () => {
    await using target = await FaultyTarget.start(answers(200));
    await using world = await setUp(target);
    await world.changeSomething('before');
    assert.equal(target.socketCount, 0);
    await world.services.logDelivery.start('m-1');
    await world.changeSomething('after');
    await target.untilRequests(1);
    assert.deepEqual(world.auditRecords(), [['Development', 'after']]);
  });

  test('follows the settings to another environment, and rests when that is gone', async () => {
    await using target = await FaultyTarget.start(answers(200));
    await using world = await setUp(target);
    const { request, services, clock } = world;
    await services.logDelivery.start('m-1');
    const untilItDelivers = (environmentName: string | undefined) =>
      until(() => {
        clock.advance(2000);
        return services.logDelivery.running?.environment.name === environmentName;
      });
    const choose = async (environmentName: string) => {
      const { status } = await request('PUT', '/apiops/settings/log-delivery/', {
        body: { environmentName },
      });
      assert.equal(status, 200);
      await untilItDelivers(environmentName);
    };
    const isThere = (environmentName: string, object: string) =>
      world.auditRecords().some(([where, what]) => where === environmentName && what === object);
    await choose('Test');
    await world.changeSomething('one');
    await until(() => isThere('Test', 'one'));
    await request('POST', '/apiops/environments/', { body: { name: 'Brief' } });
    await choose('Brief');
    assert.equal((await request('DELETE', '/apiops/environments/Brief/')).status, 200);
    await untilItDelivers(undefined);
    assert.equal((await world.changeSomething('two')).status, 200);
    await choose('Development');
    await world.changeSomething('three');
    await until(() => isThere('Development', 'three'));
    assert.ok(!world.auditRecords().some(([, what]) => what === 'two'));
  });

  test('is not sent to an environment that does not exist', async () => {
    await using manager = await startManager();
    const body = { environmentName: 'Nowhere' };
    const { status, json } = await manager.request('PUT', '/apiops/settings/log-delivery/', { body });
    assert.deepEqual([status, json.errorKey], [404, 'ENVIRONMENT_NOT_FOUND']);
  });

  test('has a new revision the moment that it is deployed', async () => {
    await using target = await FaultyTarget.start(answers(200));
    await using world = await setUp(target);
    await world.services.logDelivery.start('m-1');
    await world.request('PUT', '/apiops/environments/Development/log-connectors/audit/', {
      body: { connection: { name: 'toDevelopment' }, enabled: false },
    });
    assert.equal(world.services.logDelivery.running!.logs.sends('audit'), true);
    await world.request('POST', '/apiops/environments/Development/log-connectors/deploy/');
    assert.equal(world.services.logDelivery.running!.logs.sends('audit'), false);
  });

  test('holds no request up and fails none while the target hangs and the buffer is full', async () => {
    await using target = await FaultyTarget.start(hangs);
    await using world = await setUp(target, { batchBufferMemoryBytes: 1024 });
    await world.services.logDelivery.start('m-1');
    for (let n = 0; n < 20; n++) assert.equal((await world.changeSomething(`project ${n}`)).status, 200);
    const { json } = await world.request('GET', '/apiops/journals/audit/?size=200');
    const written = json.items.filter(({ objectType }: { objectType: string }) => objectType === 'project');
    assert.equal(written.length, 20);
    const [state] = world.services.logDelivery.running!.connections.states();
    // The clock of the producers stands still: nobody waited for the room that there is not.
    assert.ok(state!.state.waitingProducers > 0);
    assert.equal(state!.counters.accepted, 20);
  });

  test('sends neither passwords nor tokens', async () => {
    await using target = await FaultyTarget.start(answers(200));
    await using world = await setUp(target);
    await world.services.logDelivery.start('m-1');
    const form = `grant_type=client_credentials&client_id=admin&client_secret=${encodeURIComponent(ADMIN_PASSWORD)}`;
    const signedIn = await fetch(`http://127.0.0.1:${world.manager.port}/apiops/auth/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: form,
    });
    const { access_token: token } = (await signedIn.json()) as { access_token: string };
    await world.request('PUT', '/apiops/connections/toTest/', {
      body: {
        environmentName: 'Test',
        headerList: [{ name: 'Authorization', value: 'Bearer for-the-target' }],
      },
    });
    await target.untilRequests(2);
    const sent = target.requests.map(({ body }) => body.toString()).join('\n');
    for (const secret of [token, ADMIN_PASSWORD, 'for-the-target']) assert.ok(!sent.includes(secret), secret);
  });
});
