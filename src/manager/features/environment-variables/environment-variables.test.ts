import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startManager } from '../../testing/start-manager.ts';

const manager = await startManager();
after(() => manager.close());
const { request } = manager;
const VARIABLES = '/apiops/projects/Default/environmentVariables/';
const inTest = (value?: string) => ({ environmentName: 'Test', ...(value !== undefined && { value }) });

/** The value as whoever fills placeholders sees it. */
async function valueIn(name: string, environmentName: string): Promise<string | undefined> {
  const { projects, environments, environmentVariables } = manager.services;
  const variable = await environmentVariables.require((await projects.require('Default')).id, name);
  return environmentVariables.valueIn(variable, (await environments.require(environmentName)).id);
}

test('a variable has a value for each environment', async () => {
  const valueList = [inTest('test.example'), { environmentName: 'Production', value: 'example' }];
  const created = await request('POST', VARIABLES, { body: { name: 'HOST', valueList } });
  assert.equal(created.status, 200);
  assert.deepEqual(created.json.resultList[0].valueList, valueList);
  assert.equal(await valueIn('HOST', 'Production'), 'example');
  assert.equal(await valueIn('HOST', 'Development'), undefined);
  const changed = await request('PUT', `${VARIABLES}HOST/`, { body: { valueList: [inTest()] } });
  assert.deepEqual(changed.json.resultList[0].valueList, [inTest('test.example')]);
});

test('a secret value is masked everywhere, sealed in the database, and stays when it is left out', async () => {
  const secret = 'do not tell anybody';
  const body = { name: 'SECRET', secret: true, valueList: [inTest(secret)] };
  const answers = [
    await request('POST', VARIABLES, { body }),
    await request('GET', VARIABLES),
    await request('GET', `${VARIABLES}SECRET/`),
    await request('PUT', `${VARIABLES}SECRET/`, { body: { secret: true, valueList: [inTest()] } }),
    await request('GET', '/apiops/journals/audit/'),
  ];
  for (const { status, text } of answers) {
    assert.equal(status, 200);
    assert.ok(!text.includes(secret));
  }
  assert.deepEqual(answers[2]!.json.resultList[0].valueList, [inTest('******')]);
  assert.equal(await valueIn('SECRET', 'Test'), secret);
  const { id } = await manager.services.projects.require('Default');
  const stored = await manager.services.environmentVariables.require(id, 'SECRET');
  assert.ok(!JSON.stringify(stored).includes(secret));
});

test('a secret does not become readable by declaring that it is none', async () => {
  const body = { secret: false, valueList: [inTest()] };
  const { status, json } = await request('PUT', `${VARIABLES}SECRET/`, { body });
  assert.equal(status, 400);
  assert.equal(json.resultMessage, 'The value for the environment Test is missing.');
});

test('a later environment of the same name inherits no value', async () => {
  await request('POST', '/apiops/environments/', { body: { name: 'Short' } });
  const valueList = [{ environmentName: 'Short', value: 'old' }];
  await request('POST', VARIABLES, { body: { name: 'KEPT', valueList } });
  await request('DELETE', '/apiops/environments/Short/');
  await request('POST', '/apiops/environments/', { body: { name: 'Short' } });
  const { json } = await request('GET', `${VARIABLES}KEPT/`);
  assert.deepEqual(json.resultList[0].valueList, []);
});

const refusals: Array<[name: string, body: object, message: RegExp]> = [
  ['a name that no placeholder can hold', { name: 'A B' }, /^The name must begin with a letter/],
  ['no name', {}, /^The name must begin with a letter/],
  ['a taken name', { name: 'HOST' }, /^EnvironmentVariable \(name: HOST\) is already exist!$/],
  [
    'an unknown environment',
    { name: 'X', valueList: [{ environmentName: 'No', value: '' }] },
    /^Environment \(name: No\) was not found!$/,
  ],
  ['an environment twice', { name: 'X', valueList: [inTest('a'), inTest('b')] }, /more than once/],
  ['a value that is missing', { name: 'X', valueList: [inTest()] }, /is missing/],
  [
    'a value that is no text',
    { name: 'X', valueList: [{ environmentName: 'Test', value: 1 }] },
    /at \/valueList\/0\/value must be string/,
  ],
];
for (const [name, body, message] of refusals) {
  test(`${name} is refused`, async () => {
    const { status, json } = await request('POST', VARIABLES, { body });
    assert.equal(status, 400);
    assert.match(json.resultMessage, message);
  });
}
