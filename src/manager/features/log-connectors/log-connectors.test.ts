import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ManualClock } from '../../../kernel/testing/manual-clock.ts';
import { startManager } from '../../testing/start-manager.ts';
import { tokenFor } from '../../testing/token-for.ts';
import { registerWorker, takesEverything } from '../../testing/with-pods.ts';

const BASE = '/apiops/environments/Development/log-connectors/';

/** A Manager with one worker pod, a connection for all projects and one of the default project. */
async function setUp() {
  const clock = new ManualClock(Date.now());
  const manager = await startManager({ clock, callPod: takesEverything });
  const worker = await registerWorker(manager, { podName: 'w-1', environmentName: 'Development', clock });
  const { request } = manager;
  const connect = async (path: string, parameters: object = {}) => {
    const response = await request('POST', path, {
      body: {
        type: 'webhook',
        environmentName: 'Development',
        httpMethod: 'POST',
        fullUrl: 'https://logs.example/',
        ...parameters,
      },
    });
    assert.equal(response.status, 200, response.text);
  };
  await connect('/apiops/connections/siem/');
  await connect('/apiops/projects/Default/connections/spare/');
  return {
    manager,
    request,
    connect,
    put: (kind: string, body: object, headers = {}) => request('PUT', `${BASE}${kind}/`, { body, headers }),
    deployConnection: async (path: string) =>
      assert.equal((await request('POST', `${path}deploy/?environment=Development`)).status, 200),
    [Symbol.asyncDispose]: async () => {
      await worker.stop();
      await manager.close();
    },
  };
}

const siem = { name: 'siem' };
const spare = { name: 'spare', projectName: 'Default' };

describe('a log connector', () => {
  test('names a global connection and one of a project, and is shown with them', async () => {
    await using world = await setUp();
    const { status, json, headers } = await world.put('audit', {
      connection: siem,
      failoverConnection: spare,
      keepUnsent: true,
    });
    const shown = {
      kind: 'audit',
      enabled: true,
      connection: siem,
      failoverConnection: spare,
      keepUnsent: true,
    };
    assert.equal(status, 200);
    assert.deepEqual(json, shown);
    assert.equal(headers.get('etag'), '"1"');
    assert.deepEqual((await world.request('GET', `${BASE}audit/`)).json, shown);
    const { json: list } = await world.request('GET', BASE);
    assert.deepEqual([list.items, list.total], [[shown], 1]);
  });

  test('keeps its connections when they are renamed or moved to global', async () => {
    await using world = await setUp();
    await world.put('audit', { connection: spare });
    await world.request('POST', '/apiops/projects/Default/connections/spare/move-to-global/');
    await world.request('PUT', '/apiops/connections/spare/', { body: { name: 'reserve' } });
    const { json } = await world.request('GET', `${BASE}audit/`);
    assert.deepEqual(json.connection, { name: 'reserve' });
  });

  const refusals: ReadonlyArray<readonly [string, object, number, RegExp]> = [
    [
      'an unknown connection',
      { connection: { name: 'none' } },
      404,
      /Connection \(name: none\) was not found!/,
    ],
    [
      'an unknown project',
      { connection: { name: 'spare', projectName: 'None' } },
      404,
      /Project \(None\) is not found!/,
    ],
    [
      'an unknown failover',
      { connection: siem, failoverConnection: { name: 'none' } },
      404,
      /Connection \(name: none\)/,
    ],
    [
      'the connection as its own failover',
      { connection: siem, failoverConnection: siem },
      400,
      /can not be its own failover!/,
    ],
    ['a connection without a method that carries a body', { connection: { name: 'reader' } }, 409, /GET/],
    [
      'a failover without a method that carries a body',
      { connection: siem, failoverConnection: { name: 'reader' } },
      409,
      /GET/,
    ],
    [
      'a connection without parameters for the environment',
      { connection: { name: 'elsewhere' } },
      409,
      /no parameters for Environment \(Development\)!/,
    ],
    ['no connection', { keepUnsent: true }, 400, /connection/],
    ['an unknown member', { connection: siem, retry: true }, 400, /must not have the member retry/],
  ];
  for (const [what, body, status, text] of refusals)
    test(`is refused with ${what}, and nothing is saved`, async () => {
      await using world = await setUp();
      await world.connect('/apiops/connections/reader/', { httpMethod: 'GET' });
      await world.connect('/apiops/connections/elsewhere/', { environmentName: 'Test' });
      const answer = await world.put('token', body);
      assert.equal(answer.status, status, answer.text);
      assert.match(answer.json.message, text);
      assert.equal((await world.request('GET', BASE)).json.total, 0);
    });

  test('is not overwritten by who has not seen it', async () => {
    await using world = await setUp();
    await world.put('audit', { connection: siem });
    const stale = await world.put('audit', { connection: spare }, { 'if-match': '"7"' });
    assert.equal(stale.status, 412, stale.text);
    const seen = await world.put('audit', { connection: spare }, { 'if-match': '"1"' });
    assert.deepEqual([seen.status, seen.json.connection], [200, spare]);
  });

  test('stands in the audit journal when it is made, changed and removed', async () => {
    await using world = await setUp();
    await world.put('audit', { connection: siem });
    await world.put('audit', { connection: siem, enabled: false });
    await world.request('DELETE', `${BASE}audit/`);
    const { json } = await world.request('GET', '/apiops/journals/audit/');
    const told = json.items.filter(
      ({ objectType }: Record<string, string>) => objectType === 'log connector',
    );
    assert.deepEqual(
      told.map(({ action, objectName }: Record<string, string>) => `${action} ${objectName}`).sort(),
      ['CREATE audit (Development)', 'DELETE audit (Development)', 'UPDATE audit (Development)'],
    );
  });

  test('may be looked at by who only looks, and is changed by nobody else than who manages', async () => {
    await using world = await setUp();
    const token = await tokenFor(world.manager.services, 'vera', [{ role: 'viewer' }]);
    assert.equal((await world.request('GET', BASE, { token })).status, 200);
    const attempts = [
      ['PUT', `${BASE}audit/`, { connection: siem }],
      ['DELETE', `${BASE}audit/`],
      ['POST', `${BASE}deploy/`],
      ['POST', `${BASE}undeploy/`],
      ['POST', `${BASE}audit/send-samples/`, {}],
    ] as const;
    for (const [method, path, body] of attempts)
      assert.equal((await world.request(method, path, { token, body })).status, 403, `${method} ${path}`);
  });

  test('goes with its environment', async () => {
    await using world = await setUp();
    await world.request('POST', '/apiops/environments/', { body: { name: 'Staging' } });
    await world.connect('/apiops/connections/staged/', { environmentName: 'Staging' });
    const path = '/apiops/environments/Staging/log-connectors/audit/';
    await world.request('PUT', path, { body: { connection: { name: 'staged' } } });
    assert.equal((await world.request('DELETE', '/apiops/environments/Staging/')).status, 200);
    const usages = await world.request('GET', '/apiops/connections/staged/usages/');
    assert.deepEqual(usages.json, { items: [], total: 0 });
  });
});

describe('a connection that log connectors use', () => {
  test('names them as its users, and is deleted only by force', async () => {
    await using world = await setUp();
    await world.put('token', { connection: siem, failoverConnection: spare });
    await world.put('audit', { connection: spare });
    const usages = await world.request('GET', '/apiops/projects/Default/connections/spare/usages/');
    assert.deepEqual(usages.json.items, [
      { type: 'log connector', name: 'audit', environmentName: 'Development' },
      { type: 'log connector', name: 'token', environmentName: 'Development' },
    ]);
    const path = '/apiops/projects/Default/connections/spare/';
    const refused = await world.request('DELETE', path);
    assert.equal(refused.status, 400);
    assert.match(refused.json.resultMessage, /log connector audit \(Development\), log connector token/);
    assert.equal((await world.request('DELETE', `${path}?force=true`)).status, 200);
    const { json } = await world.request('GET', `${BASE}token/`);
    assert.deepEqual([json.connection, json.failoverConnection], [siem, null]);
    const deployment = await world.request('POST', `${BASE}deploy/`);
    assert.deepEqual([deployment.status, deployment.json.errorKey], [409, 'DEPENDENCY_NOT_FOUND']);
  });

  test('does not get a method without a body where they use it, and may elsewhere', async () => {
    await using world = await setUp();
    await world.put('token', { connection: siem });
    const put = (body: object) => world.request('PUT', '/apiops/connections/siem/', { body });
    const refused = await put({ environmentName: 'Development', httpMethod: 'HEAD' });
    assert.equal(refused.status, 400);
    assert.match(refused.json.resultMessage, /HEAD/);
    const elsewhere = { environmentName: 'Test', httpMethod: 'HEAD', fullUrl: 'https://logs.example/' };
    assert.equal((await put(elsewhere)).status, 200);
  });

  test('does not get one by an import either', async () => {
    await using world = await setUp();
    await world.put('token', { connection: siem });
    const headers = { authorization: `Bearer ${world.manager.adminToken}` };
    // Another one of that name, with a method without a body, is imported over it.
    const other = '/apiops/projects/Default/connections/siem/';
    await world.connect(other, { httpMethod: 'GET' });
    const file = await fetch(`http://127.0.0.1:${world.manager.port}${other}export/`, { headers });
    const content = Buffer.from(await file.arrayBuffer()).toString('base64');
    const body = { content, overwrite: true };
    const answer = await world.request('POST', '/apiops/connections/import/', { body });
    assert.equal(answer.status, 409, answer.text);
    assert.match(answer.json.message, /GET/);
    const { json } = await world.request('GET', '/apiops/connections/siem/');
    assert.equal(json.resultList[0].environmentParameterList[0].httpMethod, 'POST');
  });
});

describe('the log connectors of an environment', () => {
  test('are deployed once their connections are, and want it again when they change', async () => {
    await using world = await setUp();
    const deployment = async () => (await world.request('GET', BASE)).json.deployment;
    assert.deepEqual(await deployment(), { deployed: false, redeployRequired: false });
    await world.put('audit', { connection: siem, failoverConnection: spare });
    assert.equal((await deployment()).redeployRequired, true);
    await world.deployConnection('/apiops/connections/siem/');
    const early = await world.request('POST', `${BASE}deploy/`);
    assert.deepEqual(
      [early.status, early.json.message],
      [409, 'Deploy Connection (name: spare) to Environment (Development) first!'],
    );
    await world.deployConnection('/apiops/projects/Default/connections/spare/');
    const { json } = await world.request('POST', `${BASE}deploy/`);
    assert.equal(json.deploymentResult.detail, 'Runs on 1 pod.');
    const { lastDeployTime, ...status } = await deployment();
    assert.deepEqual(status, { deployed: true, redeployRequired: false, revision: 3 });
    assert.ok(Date.parse(lastDeployTime) > 0);
    // Not by what changes in the connections, which have a deployment of their own.
    await world.request('PUT', '/apiops/connections/siem/', {
      body: { environmentName: 'Development', timeout: 9 },
    });
    assert.equal((await deployment()).redeployRequired, false);
    await world.put('audit', { connection: siem, failoverConnection: spare, keepUnsent: true });
    assert.equal((await deployment()).redeployRequired, true);
  });

  test('are taken from the pods when the last one is removed and that is deployed', async () => {
    await using world = await setUp();
    await world.put('audit', { connection: siem });
    await world.deployConnection('/apiops/connections/siem/');
    await world.request('POST', `${BASE}deploy/`);
    await world.request('DELETE', `${BASE}audit/`);
    assert.equal((await world.request('GET', BASE)).json.deployment.redeployRequired, true);
    const { json } = await world.request('POST', `${BASE}deploy/`);
    assert.equal(json.deploymentResult.success, true);
    assert.deepEqual((await world.request('GET', BASE)).json.deployment, {
      deployed: false,
      redeployRequired: false,
    });
  });

  test('send samples through pods that are there, and through no other', async () => {
    await using world = await setUp();
    const sample = (body: object) => world.request('POST', `${BASE}audit/send-samples/`, { body });
    const elsewhere = await sample({ podName: 'w-9' });
    assert.deepEqual(
      [elsewhere.status, elsewhere.json.message],
      [404, 'Environment (Development) has no live pod w-9!'],
    );
    assert.equal((await sample({ count: 101 })).status, 400);
    assert.deepEqual(
      (await sample({ podName: 'w-1' })).json.pods.map(({ podName }: { podName: string }) => podName),
      ['w-1'],
    );
  });
});
