import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startManager } from '../../testing/start-manager.ts';

const manager = await startManager();
after(() => manager.close());
const { request } = manager;
const BREAKER = '/apiops/settings/connector-circuit-breaker/';

test('the circuit breaker of connections has the defaults of the specification', async () => {
  const { json, headers } = await request('GET', BREAKER);
  assert.deepEqual(json, {
    category: 'connector-circuit-breaker',
    title: 'Logging & Monitoring, Connector Circuit Breaker',
    values: {
      enabled: false,
      errorWindow: 10,
      errorThresholdValue: 5,
      sleepWindow: 30,
      halfOpenEnabled: true,
    },
  });
  assert.equal(headers.get('etag'), '"0"');
});

test('every category is listed with its schema and answers by its name', async () => {
  const { json } = await request('GET', '/apiops/settings/');
  assert.deepEqual(
    json.items.map(({ category }: { category: string }) => category),
    ['security', 'connector-circuit-breaker', 'log-delivery', 'journals'],
  );
  for (const { category, schema } of json.items) {
    const { values } = (await request('GET', `/apiops/settings/${category}/`)).json;
    assert.deepEqual(Object.keys(values), Object.keys(schema.properties));
  }
});

test('a change takes effect at once; what is left out takes its default', async () => {
  const first = await request('PUT', BREAKER, { body: { enabled: true, sleepWindow: 60 } });
  assert.equal(first.status, 200);
  assert.equal(first.headers.get('etag'), '"1"');
  assert.equal((await manager.services.settings.get('connector-circuit-breaker')).sleepWindow, 60);
  const second = await request('PUT', BREAKER, { body: { enabled: true } });
  assert.equal(second.json.values.sleepWindow, 30);
});

test('a stale revision is a conflict in the newer contract', async () => {
  const { headers } = await request('GET', BREAKER);
  const ifMatch = { 'if-match': headers.get('etag')! };
  assert.equal((await request('PUT', BREAKER, { body: {}, headers: ifMatch })).status, 200);
  const stale = await request('PUT', BREAKER, { body: {}, headers: ifMatch });
  assert.equal(stale.status, 412);
  assert.equal(stale.json.errorKey, 'RESOURCE_CONFLICT');
});

test('a category that does not exist is 404 and names those that do', async () => {
  for (const method of ['GET', 'PUT']) {
    const { status, json } = await request(method, '/apiops/settings/none/');
    assert.equal(status, 404);
    assert.equal(json.errorKey, 'RESOURCE_NOT_FOUND');
    assert.match(json.correlationId, /^[0-9a-f-]{36}$/);
    assert.match(json.message, /security/);
  }
});

const refusals: Array<[name: string, body: unknown, message: RegExp]> = [
  ['a threshold of 0', { errorThresholdValue: 0 }, /at \/errorThresholdValue must be >= 1/],
  ['a threshold above 10000', { errorThresholdValue: 10_001 }, /must be <= 10000/],
  ['a sleep window above an hour', { sleepWindow: 3601 }, /must be <= 3600/],
  ['a wrong type', { enabled: 'yes' }, /at \/enabled must be boolean/],
  ['an unknown member', { other: 1 }, /must not have the member other/],
  ['an array', [], /must be object/],
];
for (const [name, body, message] of refusals) {
  test(`${name} is refused and changes nothing`, async () => {
    const before = (await request('GET', BREAKER)).text;
    const { status, json } = await request('PUT', BREAKER, { body });
    assert.equal(status, 400);
    assert.equal(json.errorKey, 'VALIDATION_FAILED');
    assert.match(json.message, message);
    assert.equal((await request('GET', BREAKER)).text, before);
  });
}
