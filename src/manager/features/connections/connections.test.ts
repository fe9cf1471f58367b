// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders of addresses are written so.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { fault } from '../../../kernel/faults.ts';
import { MASK } from '../../../kernel/mask.ts';
import { parameterDefaults } from '../../../model/connection.ts';
import type { StoredConnection } from '../../../model/connection-document.ts';
import { certificatePem } from '../../../pki/pem.ts';
import { fixtureAuthority } from '../../../pki/testing/key-store-fixtures.ts';
import { startManager } from '../../testing/start-manager.ts';
import { tokenFor } from '../../testing/token-for.ts';
import { recordingDeployment } from './testing/recording-deployment.ts';

const users: Array<{ type: string; name: string; environmentName?: string }> = [];
const recording = recordingDeployment();
const manager = await startManager({
  deployment: recording.deployment,
  connectionUsageSources: [async ({ value }) => (value.name === 'used' ? users : [])],
});
after(() => manager.close());
const { request, services } = manager;
const P = '/apiops/projects/Default/connections/';
const GLOBAL = '/apiops/connections/';
const minimal = {
  environmentName: 'Development',
  httpMethod: 'POST',
  fullUrl: 'https://crm.example/events',
} as const;
const create = (name: string, body: object = minimal, base = P) =>
  request('POST', `${base}${name}/`, { body });
const get = async (name: string, base = P) => (await request('GET', `${base}${name}/`)).json.resultList[0];
const change = (name: string, body: object, headers = {}) =>
  request('PUT', `${P}${name}/`, { body, headers });
const setOf = (
  connection: { environmentParameterList: Array<{ environmentName: string }> },
  environment: string,
) =>
  connection.environmentParameterList.find(({ environmentName }) => environmentName === environment) as
    | Record<string, unknown>
    | undefined;

const pem = Buffer.from(certificatePem(fixtureAuthority)).toString('base64');
const trustStore = (name: string) => ({ name, type: 'PEM', content: pem });
await request('POST', '/apiops/projects/Default/truststores/', { body: trustStore('partners') });
await request('POST', '/apiops/truststores/', { body: trustStore('everybody') });
await request('POST', '/apiops/projects/', { body: { name: 'Other' } });

describe('a connection', () => {
  test('has every default when only what is required is given', async () => {
    const created = await create('defaults');
    assert.equal(created.status, 200, created.text);
    const connection = await get('defaults');
    const { environmentName, environmentId, ...parameters } = setOf(connection, 'Development')!;
    assert.equal(environmentName, 'Development');
    assert.match(String(environmentId), /^[0-9a-f]{24}$/);
    assert.deepEqual(parameters, {
      ...parameterDefaults(),
      httpMethod: minimal.httpMethod,
      fullUrl: minimal.fullUrl,
    });
    const { type, enabled, description, global } = connection;
    assert.deepEqual([type, enabled, description, global], ['webhook', true, '', false]);
  });

  test('has one set of parameters for each environment; a change of one leaves the others', async () => {
    await create('sets');
    const added = await change('sets', { ...minimal, environmentName: 'Test', timeout: 9 });
    assert.equal(added.status, 200, added.text);
    await change('sets', { environmentName: 'Development', timeout: 5 });
    const connection = await get('sets');
    assert.deepEqual(
      connection.environmentParameterList.map((set: Record<string, unknown>) => [
        set.environmentName,
        set.timeout,
      ]),
      [
        ['Development', 5],
        ['Test', 9],
      ],
    );
  });

  test('can be given for an environment by its id', async () => {
    const { json } = await request('GET', '/apiops/environments/Production/');
    const { environmentName: _, ...rest } = minimal;
    const created = await create('by-id', { ...rest, environmentId: json.resultList[0].id });
    assert.equal(created.status, 200, created.text);
    assert.ok(setOf(await get('by-id'), 'Production'));
    const contradiction = { ...minimal, environmentId: json.resultList[0].id };
    assert.match((await create('by-both', contradiction)).json.resultMessage, /was not found!$/);
  });

  test('keeps what a change leaves out, and empties what it gives as null or empty text', async () => {
    await create('partial', {
      ...minimal,
      timeout: 7,
      connectTimeoutSeconds: 3,
      maxRetryCount: 4,
      sleepWindow: 9,
    });
    await change('partial', { environmentName: 'Development', connectTimeoutSeconds: '', sleepWindow: null });
    const set = setOf(await get('partial'), 'Development')!;
    assert.deepEqual(
      [
        set.timeout,
        set.connectTimeoutSeconds,
        set.responseTimeoutSeconds,
        set.maxRetryCount,
        set.sleepWindow,
      ],
      [7, null, 2, 4, null],
    );
  });

  test('is renamed by a change, and keeps its id', async () => {
    const before = (await create('old name')).json.resultList[0];
    assert.equal((await change('old%20name', { name: 'new name' })).status, 200);
    assert.equal((await get('new%20name')).id, before.id);
    assert.equal((await request('GET', `${P}old%20name/`)).status, 400);
    const taken = await change('new%20name', { name: 'defaults' });
    assert.equal(taken.json.resultMessage, 'Connection (name: defaults) already exists!');
  });

  test('with 500 header rows is saved and shown whole', async () => {
    const headerList = Array.from({ length: 500 }, (_, index) => ({
      name: `X-Row-${index}`,
      value: `${index} `.padEnd(2000, 'x'),
    }));
    const created = await create('rows', { ...minimal, headerList });
    assert.equal(created.status, 200, created.text.slice(0, 200));
    assert.deepEqual(setOf(await get('rows'), 'Development')!.headerList, headerList);
  });

  test('of an older release reads with the defaults of today, and keeps its values', async () => {
    const environment = await services.environments.require('Development');
    const project = await services.projects.require('Default');
    const parameters = {
      httpMethod: 'PUT',
      fullUrl: 'https://old.example/',
      headerList: [],
      timeout: 11,
    } as const;
    const older: StoredConnection = {
      scope: project.id,
      name: 'older',
      type: 'webhook',
      description: '',
      isEnabled: true,
      parameterSets: [{ environmentId: environment.id, parameters }],
    };
    await services.connections.insert(older, 'a'.repeat(24));
    const { environmentName: _, environmentId: __, ...shown } = setOf(await get('older'), 'Development')!;
    assert.deepEqual(shown, { ...parameterDefaults(), ...parameters });
    await change('older', { description: 'touched' });
    assert.equal(setOf(await get('older'), 'Development')!.timeout, 11);
  });

  test('may use placeholders and stores of its project or of all', async () => {
    const body = { ...minimal, fullUrl: 'https://${host}/x', trustStoreName: 'partners' };
    assert.equal((await create('stores', body)).status, 200);
    const changed = await change('stores', { environmentName: 'Development', trustStoreName: 'everybody' });
    assert.equal(changed.status, 200);
    const cleared = await change('stores', { environmentName: 'Development', trustStoreName: '' });
    assert.equal(cleared.json.resultList[0].environmentParameterList[0].trustStoreName, null);
  });

  test('is unique within its project: the name is free in others and for all', async () => {
    assert.equal((await create('unique')).status, 200);
    const taken = await create('unique');
    assert.deepEqual(
      [taken.status, taken.json.resultMessage],
      [400, 'Connection (name: unique) already exists!'],
    );
    assert.equal((await create('unique', minimal, '/apiops/projects/Other/connections/')).status, 200);
    assert.equal((await create('unique', minimal, GLOBAL)).status, 200);
    assert.equal((await get('unique', GLOBAL)).global, true);
  });

  test('of two that are made at once under one name one wins', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => create('race')));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400, 400, 400, 400]);
  });

  test('keeps its project from being deleted', async () => {
    const { json } = await request('DELETE', '/apiops/projects/Other/');
    assert.equal(json.resultMessage, 'Project (Other) can not be deleted because it has 1 connections!');
  });
});

describe('saving is refused', () => {
  const refusals: Array<[what: string, name: string, body: object, message: RegExp]> = [
    ['a name with a leading space', '%20crm', minimal, /^The name must be 1 to 100 letters/],
    ['a blank name', '%20', minimal, /^Connection name can not be empty!$/],
    ['a name with special characters', 'a%2Fb', minimal, /^The name must be/],
    ['another name in the body', 'one', { ...minimal, name: 'two' }, /can not be changed from one to two/],
    [
      'no environment',
      'x',
      { httpMethod: 'POST', fullUrl: 'https://a.example/' },
      /^environmentName value can not be empty!$/,
    ],
    [
      'an unknown environment',
      'x',
      { ...minimal, environmentName: 'Nowhere' },
      /^Environment \(name: Nowhere\) was not found!$/,
    ],
    [
      'another type',
      'x',
      { ...minimal, type: 'kafka' },
      /at \/type must be equal to one of the allowed values: webhook/,
    ],
    ['a member that nobody knows', 'x', { ...minimal, retries: 3 }, /must not have the member retries/],
    [
      'a row without a value',
      'x',
      { ...minimal, headerList: [{ name: 'A', value: '' }] },
      /^At \/headerList\/0: name and value must both be filled\.$/,
    ],
    [
      'a mask for a secret that is not there',
      'x',
      { ...minimal, headerList: [{ name: 'Cookie', value: MASK }] },
      /^At \/headerList: the value of Cookie is masked; give it anew\.$/,
    ],
    [
      'a password in the address',
      'x',
      { ...minimal, fullUrl: 'https://a:b@c.example/' },
      /^At \/fullUrl: must not hold a user name or password/,
    ],
    [
      'a trust store that is not there',
      'x',
      { ...minimal, trustStoreName: 'none' },
      /^TrustStore \(name: none\) was not found!$/,
    ],
    [
      'a key store that is not there',
      'x',
      { ...minimal, keyStoreName: 'none' },
      /^KeyStore \(name: none\) was not found!$/,
    ],
    [
      'a throttle above 2000',
      'x',
      { ...minimal, producerThrottleMs: 2001 },
      /at \/producerThrottleMs must be <= 2000/,
    ],
    [
      'TLS 1.1',
      'x',
      { ...minimal, tlsVersionList: ['TLSv1.1'] },
      /at \/tlsVersionList\/0 must be equal to one of/,
    ],
    [
      'a long description',
      'x',
      { ...minimal, description: 'x'.repeat(1001) },
      /at \/description must NOT have more than 1000/,
    ],
  ];
  for (const [what, name, body, message] of refusals) {
    test(`for ${what}`, async () => {
      const { status, json } = await create(name, body);
      assert.equal(status, 400);
      assert.match(json.resultMessage, message);
    });
  }

  test('for reserved names also when a connection is renamed', async () => {
    await create('reserving');
    for (const name of ['import', 'test-connection', 'name-exist']) {
      const { status, json } = await change('reserving', { name });
      assert.deepEqual([status, json.resultMessage], [400, `The name ${name} is reserved.`]);
    }
  });

  test('for parameters of an environment that has none yet without method or address', async () => {
    await create('incomplete');
    const { json } = await change('incomplete', { environmentName: 'Test', timeout: 3 });
    assert.match(json.resultMessage, /required property 'httpMethod'/);
    const nameless = await change('incomplete', { timeout: 3 });
    assert.equal(nameless.json.resultMessage, 'environmentName value can not be empty!');
  });

  test('for a body beyond its bound', async () => {
    const { status } = await create('huge', { ...minimal, description: 'x'.repeat(5 * 1024 * 1024) });
    assert.equal(status, 413);
  });
});

describe('secrets', () => {
  const secret = 'n0body-reads-this';
  const body = {
    ...minimal,
    fullUrl: `https://crm.example/?token=${secret}`,
    headerList: [
      { name: 'Authorization', value: `Bearer ${secret}` },
      { name: 'X-Origin', value: 'gateway' },
    ],
  };

  test('never come back, nor lie readable in the database', async () => {
    const answers = [
      await create('secret', body),
      await request('GET', `${P}secret/`),
      await request('GET', `${P}?type=webhook&size=1000`),
      await request('POST', `${P}secret/disable/`),
      await request('POST', `${P}secret/enable/`),
      await request('GET', `${P}secret/export/`),
      await request('GET', '/apiops/journals/audit/?size=200'),
    ];
    for (const { status, text } of answers) {
      assert.equal(status, 200, text);
      assert.ok(!text.includes(secret));
      assert.doesNotMatch(text, /sealed/);
    }
    for (const file of ['platform.db', 'platform.db-wal'])
      assert.ok(!readFileSync(join(manager.dataFolder, file)).includes(secret), file);
  });

  test('stay when their masks are sent back', async () => {
    const shown = setOf(await get('secret'), 'Development')!;
    assert.equal(shown.fullUrl, `https://crm.example/?token=${MASK}`);
    const { environmentId: _, ...sentBack } = shown;
    const changed = await change('secret', { ...sentBack, timeout: 8 });
    assert.equal(changed.status, 200, changed.text);
    const { id: scope } = await services.projects.require('Default');
    const stored = await services.connections.require(scope, 'secret');
    const environment = await services.environments.require('Development');
    const opened = services.connections.parametersFor(stored, environment.id)!;
    assert.deepEqual([opened.fullUrl, opened.headerList, opened.timeout], [body.fullUrl, body.headerList, 8]);
  });

  test('are used by a trial of unsaved changes, and of the connection as it is', async () => {
    const { status, json } = await request('POST', `${P}secret/test-connection/`, {
      body: {
        environmentName: 'Development',
        timeout: 3,
        headerList: [{ name: 'Authorization', value: MASK }],
      },
    });
    assert.deepEqual([status, json.success, json.envName], [200, true, 'Development']);
    const tried = recording.tried.at(-1)!;
    assert.deepEqual(
      [tried.name, tried.parameters.timeout, tried.parameters.headerList],
      ['secret', 3, [{ name: 'Authorization', value: `Bearer ${secret}` }]],
    );
    await request('POST', `${P}secret/test-connection/`, { body: { environmentName: 'Development' } });
    assert.equal(recording.tried.at(-1)!.parameters.fullUrl, body.fullUrl);
    assert.equal(setOf(await get('secret'), 'Development')!.timeout, 8);
  });
});

describe('a trial of unsaved parameters', () => {
  const path = `${P}test-connection/`;

  test('runs in the chosen environment with the defaults of what is left out', async () => {
    const { status } = await request('POST', path, { body: { ...minimal, environmentName: 'Test' } });
    assert.equal(status, 200);
    const { parameters, name } = recording.tried.at(-1)!;
    assert.deepEqual(
      [name, parameters.connectTimeoutSeconds, parameters.batchMaxEvents],
      ['unsaved', 2, 100],
    );
  });

  test('is refused for what could not be saved, in the newer contract', async () => {
    const wrong = await request('POST', path, { body: { ...minimal, fullUrl: 'nowhere' } });
    assert.deepEqual([wrong.status, wrong.json.errorKey], [400, 'VALIDATION_FAILED']);
    const unknown = await request('POST', path, { body: { ...minimal, environmentName: 'Nowhere' } });
    assert.deepEqual([unknown.status, unknown.json.errorKey], [404, 'ENVIRONMENT_NOT_FOUND']);
  });

  test('works on a connection that is disabled', async () => {
    await create('off', { ...minimal, enabled: false });
    const { json } = await request('POST', `${P}off/test-connection/`, {
      body: { environmentName: 'Development' },
    });
    assert.equal(json.success, true);
  });
});

describe('deployment', () => {
  const asked = () => recording.asked.splice(0);

  test('is not touched by saving alone', async () => {
    asked();
    const created = await create('quiet');
    assert.equal(created.json.deploymentResult, undefined);
    await change('quiet', { environmentName: 'Development', timeout: 4 });
    assert.deepEqual(asked(), []);
  });

  test('follows a save that asks for it: to the environment saved, or to those named', async () => {
    const created = await create('deployed', { ...minimal, deploy: true });
    assert.equal(created.json.deploymentResult.success, true);
    assert.equal(created.json.deploymentResult.detailList[0].podName, 'worker-1');
    assert.equal(created.json.resultList[0].deploymentList[0].deployed, true);
    await change('deployed', { ...minimal, environmentName: 'Test' });
    await change('deployed', { deploy: true, deployTargetEnvironmentNameList: ['Test', 'Development'] });
    assert.deepEqual(asked(), [
      ['deploy', 'deployed', 'Development'],
      ['deploy', 'deployed', 'Test', 'Development'],
    ]);
    const nowhere = await change('deployed', { deploy: true });
    assert.match(
      nowhere.json.resultMessage,
      /^Connection \(name: deployed\) is saved, but not deployed: deployTarget/,
    );
  });

  test('that fails leaves the connection saved, and says so', async () => {
    recording.failWith = fault('deployment.no-live-pod', { environmentName: 'Development' });
    const created = await create('half', { ...minimal, deploy: true });
    recording.failWith = undefined;
    assert.equal(created.status, 400);
    assert.equal(
      created.json.resultMessage,
      'Connection (name: half) is saved, but not deployed: Environment (Development) has no live worker pod!',
    );
    assert.equal((await get('half')).name, 'half');
    asked();
  });

  test('is asked for by itself, for one environment or several, and taken back', async () => {
    const { status, json } = await request(
      'POST',
      `${P}deployed/deploy/?environment=Test&environment=Development`,
    );
    assert.deepEqual([status, json.envName], [200, 'Test, Development']);
    const undeployed = await request('POST', `${P}deployed/undeploy/?environment=Test`);
    assert.equal(undeployed.json.deploymentResult.success, true);
    assert.deepEqual(asked(), [
      ['deploy', 'deployed', 'Test', 'Development'],
      ['undeploy', 'deployed', 'Test'],
    ]);
    const nowhere = await request('POST', `${P}deployed/deploy/`);
    assert.deepEqual([nowhere.status, nowhere.json.errorKey], [400, 'VALIDATION_FAILED']);
  });

  test('learns at once that a connection was switched off or on, whichever way', async () => {
    const off = await request('POST', `${P}deployed/disable/`);
    assert.deepEqual([off.json.enabled, off.json.deploymentResult.success], [false, true]);
    await change('deployed', { enabled: true });
    await change('deployed', { enabled: true });
    assert.deepEqual(asked(), [
      ['setEnabled', 'deployed', false],
      ['setEnabled', 'deployed', true],
    ]);
    assert.equal(setOf(await get('deployed'), 'Development')!.fullUrl, minimal.fullUrl);
  });

  test('ends when the connection is deleted', async () => {
    const { json } = await request('DELETE', `${P}deployed/`);
    assert.deepEqual([json.status, json.deploymentResult.success], ['SUCCESS', true]);
    assert.deepEqual(asked(), [['undeploy', 'deployed']]);
  });
});

test('a connection that can not be withdrawn from the pods is not deleted', async () => {
  await create('stuck');
  recording.failWith = fault('store.unavailable');
  const { status } = await request('DELETE', `${P}stuck/`);
  recording.failWith = undefined;
  assert.equal(status, 503);
  assert.equal((await get('stuck')).name, 'stuck');
});

test('secrets that another master key sealed are given anew', async () => {
  const dataFolder = await mkdtemp(join(tmpdir(), 'connections-'));
  const body = { ...minimal, headerList: [{ name: 'Authorization', value: 'Bearer old' }] };
  {
    await using first = await startManager({ dataFolder });
    await first.request('POST', `${P}sealed/`, { body });
  }
  await using second = await startManager({ dataFolder });
  const shown = await second.request('GET', `${P}sealed/`);
  assert.equal(shown.status, 200);
  const change = (headerList: object[]) =>
    second.request('PUT', `${P}sealed/`, { body: { environmentName: 'Development', headerList } });
  const masked = await change([{ name: 'Authorization', value: MASK }]);
  assert.match(masked.json.resultMessage, /the value of Authorization is masked; give it anew/);
  assert.equal((await change([{ name: 'Authorization', value: 'Bearer new' }])).status, 200);
  assert.deepEqual(second.errors, []);
  await rm(dataFolder, { recursive: true });
});

describe('a connection that something uses', () => {
  test('is not deleted unless forced, and names its users', async () => {
    await create('used');
    users.push(
      { type: 'log connector', name: 'traffic', environmentName: 'Test' },
      { type: 'job', name: 'nightly' },
    );
    const { json: usages } = await request('GET', `${P}used/usages/`);
    assert.deepEqual(usages, { items: users, total: 2 });
    const refused = await request('DELETE', `${P}used/`);
    assert.equal(refused.status, 400);
    assert.equal(
      refused.json.resultMessage,
      'Connection (name: used) can not be deleted because it is used by log connector traffic (Test), job nightly!',
    );
    assert.equal((await request('DELETE', `${P}used/?force=true`)).status, 200);
    assert.equal((await request('GET', `${P}used/`)).status, 400);
  });
});

describe('the name check', () => {
  test('answers nameExist for the names of this project alone', async () => {
    const ask = async (name: string, base = P) =>
      (await request('GET', `${base}name-exist/?name=${name}&type=webhook`)).json;
    assert.deepEqual(await ask('defaults'), { nameExist: true });
    assert.deepEqual(await ask('Defaults'), { nameExist: false });
    assert.deepEqual(await ask('defaults', GLOBAL), { nameExist: false });
  });
});

describe('moving to global', () => {
  const move = (name: string, token?: string) =>
    request('POST', `${P}${name}/move-to-global/`, token ? { token } : {});

  test('takes the connection from its project to all of them, with its secrets', async () => {
    await create('mover', { ...minimal, headerList: [{ name: 'Authorization', value: 'Bearer moved' }] });
    const { id } = await get('mover');
    const { status, json } = await move('mover');
    assert.deepEqual([status, json.global, json.id], [200, true, id]);
    assert.equal((await request('GET', `${P}mover/`)).status, 400);
    const moved = await services.connections.require('global', 'mover');
    const environment = await services.environments.require('Development');
    assert.equal(
      services.connections.parametersFor(moved, environment.id)!.headerList[0]!.value,
      'Bearer moved',
    );
  });

  test('is refused while it refers to what is the project’s own, or the name is taken', async () => {
    await create('bound', { ...minimal, trustStoreName: 'partners' });
    const variable = { name: 'host', valueList: [{ environmentName: 'Development', value: 'crm.example' }] };
    await request('POST', '/apiops/projects/Default/environmentVariables/', { body: variable });
    await create('placed', { ...minimal, fullUrl: ['https://', '{host}/'].join('$') });
    for (const [name, reference] of [
      ['bound', /TrustStore \(name: partners\)/],
      ['placed', /EnvironmentVariable \(name: host\)/],
    ] as const) {
      const { status, json } = await move(name);
      assert.deepEqual([status, json.errorKey], [409, 'CONNECTION_NOT_MOVABLE']);
      assert.match(json.message, reference);
    }
    const taken = await move('unique');
    assert.deepEqual([taken.status, taken.json.errorKey], [409, 'CONNECTION_EXISTS']);
  });

  test('needs the permission over everything', async () => {
    const token = await tokenFor(services, 'local', [{ role: 'operator', project: 'Default' }]);
    const { status, json } = await move('defaults', token);
    assert.deepEqual([status, json.errorKey], [403, 'ACCESS_DENIED']);
  });
});

describe('who may do what', () => {
  test('a viewer sees, and changes nothing', async () => {
    const token = await tokenFor(services, 'looking', [{ role: 'viewer' }]);
    const seen = await request('GET', `${P}defaults/`, { token });
    assert.equal(seen.status, 200);
    assert.equal(setOf(seen.json.resultList[0], 'Development')!.environmentId, undefined);
    const older: Array<[string, string]> = [
      ['POST', 'mine/'],
      ['PUT', 'defaults/'],
      ['DELETE', 'defaults/'],
    ];
    for (const [method, path] of older) {
      const { status, json } = await request(method, P + path, { token, body: minimal });
      assert.deepEqual(
        [status, json.resultMessage],
        [400, 'User does not have required permission for this operation!'],
      );
    }
    const newer: Array<[string, string]> = [
      ['POST', 'defaults/enable/'],
      ['POST', 'defaults/disable/'],
      ['POST', 'defaults/deploy/?environment=Test'],
      ['POST', 'defaults/undeploy/?environment=Test'],
      ['POST', 'defaults/test-connection/'],
      ['POST', 'test-connection/'],
      ['POST', 'defaults/move-to-global/'],
      ['GET', 'defaults/export/'],
      ['POST', 'import/check/'],
      ['POST', 'import/'],
    ];
    for (const [method, path] of newer) {
      const { status, json } = await request(method, P + path, { token });
      assert.deepEqual([status, json.errorKey], [403, 'ACCESS_DENIED'], path);
    }
  });

  test('a project that the caller may not see is told like one that is not there', async () => {
    const token = await tokenFor(services, 'elsewhere', [{ role: 'operator', project: 'Other' }]);
    const { status, json } = await request('GET', `${P}name-exist/?name=x`, { token });
    assert.deepEqual([status, json.errorKey], [404, 'PROJECT_NOT_FOUND']);
    assert.equal(
      (await request('GET', '/apiops/projects/Other/connections/?type=webhook', { token })).status,
      200,
    );
  });

  test('who may save but not deploy is told before anything is saved', async () => {
    await services.roles.create({
      name: 'saver',
      description: '',
      permissions: [{ category: 'CONNECTIONS', action: 'MANAGE' }],
    });
    const token = await tokenFor(services, 'saving', [{ role: 'saver' }]);
    const refused = await request('POST', `${P}saved/`, { token, body: { ...minimal, deploy: true } });
    assert.equal(refused.json.resultMessage, 'User does not have required permission for this operation!');
    assert.equal((await request('GET', `${P}saved/`)).status, 400);
    assert.equal((await request('POST', `${P}saved/`, { token, body: minimal })).status, 200);
  });
});

describe('a revision', () => {
  test('guards every change against one that came between', async () => {
    await create('guarded');
    const { headers } = await request('GET', `${P}guarded/`);
    const stale = { 'if-match': headers.get('etag')! };
    assert.equal((await change('guarded', { description: 'first' }, stale)).status, 200);
    const second = await change('guarded', { description: 'second' }, stale);
    assert.equal(second.json.resultMessage, 'The resource was changed meanwhile; read it again.');
    for (const verb of ['enable', 'disable', 'move-to-global']) {
      const { status } = await request('POST', `${P}guarded/${verb}/`, { headers: stale });
      assert.equal(status, 412, verb);
    }
    const kept = await request('DELETE', `${P}guarded/`, { headers: stale });
    assert.equal(kept.status, 400);
    assert.equal((await get('guarded')).description, 'first');
  });
});

test('every change stands in the audit journal, with what it was and what it became', async () => {
  await create('audited', { ...minimal, description: 'before' });
  await change('audited', { description: 'after' });
  await request('POST', `${P}audited/disable/`);
  await request('DELETE', `${P}audited/`);
  const { json } = await request('GET', '/apiops/journals/audit/?size=20');
  const rows = json.items.filter(({ objectName }: { objectName: string }) => objectName === 'audited');
  assert.deepEqual(
    rows.map((row: Record<string, unknown>) => row.action),
    ['DELETE', 'DISABLE', 'UPDATE', 'CREATE'],
  );
  assert.deepEqual([rows[2].before.description, rows[2].after.description], ['before', 'after']);
  assert.equal(rows[3].projectName, 'Default');
});

test('for log delivery a method without a body is refused', async () => {
  await create('by-get', { ...minimal, httpMethod: 'GET' });
  const { id } = await services.projects.require('Default');
  const environment = await services.environments.require('Development');
  const unfit = await services.connections.require(id, 'by-get');
  assert.throws(() => services.connections.refuseForLogs(unfit, environment), {
    key: 'connection.method-without-body',
    message: /its method GET in Environment \(Development\) has no body!$/,
  });
  services.connections.refuseForLogs(await services.connections.require(id, 'defaults'), environment);
});

test('nothing of all this was unforeseen', () => {
  assert.deepEqual(manager.errors, []);
});
