import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startManager } from '../../testing/start-manager.ts';
import { tokenFor } from '../../testing/token-for.ts';

const manager = await startManager();
after(() => manager.close());
const { request } = manager;

test('a fresh installation has Development, Test and Production', async () => {
  const { json } = await request('GET', '/apiops/environments/');
  assert.deepEqual(
    json.resultList.map(({ name, type, status }: Record<string, string>) => [name, type, status]),
    [
      ['Development', 'DEVELOPMENT', 'UNPUBLISHED'],
      ['Production', 'PRODUCTION', 'UNPUBLISHED'],
      ['Test', 'TEST', 'UNPUBLISHED'],
    ],
  );
  assert.equal(json.resultCount, 3);
});

test('ids have 96 bits and differ; a change keeps them', async () => {
  const { json } = await request('GET', '/apiops/environments/');
  const ids = json.resultList.map(({ id }: { id: string }) => id);
  for (const id of ids) assert.match(id, /^[0-9a-f]{24}$/);
  assert.equal(new Set(ids).size, 3);
  const input = { description: 'try here', type: 'TEST', accessUrl: 'https://test.example/api' };
  const changed = await request('PUT', '/apiops/environments/Test/', { body: input });
  assert.equal(changed.status, 200);
  assert.deepEqual(changed.json.resultList, [{ id: ids[2], name: 'Test', ...input, status: 'UNPUBLISHED' }]);
});

for (const role of ['viewer', 'operator']) {
  test(`a ${role} sees the environments without the ids that open their diagnostics`, async () => {
    const token = await tokenFor(manager.services, role, [{ role }]);
    const paths = ['environments/', 'environments/Test/', 'projects/Default/environments/'];
    for (const path of paths) {
      const { status, json, text } = await request('GET', `/apiops/${path}`, { token });
      assert.equal(status, 200);
      assert.ok(json.resultList.length > 0);
      assert.doesNotMatch(text, /"id"|[0-9a-f]{24}/);
    }
    const refused = await request('POST', '/apiops/environments/', { token, body: { name: 'Mine' } });
    assert.equal(refused.status, 400);
    assert.equal(refused.json.resultMessage, 'User does not have required permission for this operation!');
  });
}

test('an environment is made and deleted', async () => {
  const created = await request('POST', '/apiops/environments/', { body: { name: 'Staging' } });
  assert.equal(created.json.resultList[0].type, 'DEVELOPMENT');
  assert.equal((await request('DELETE', '/apiops/environments/Staging/')).status, 200);
  const { json } = await request('GET', '/apiops/environments/Staging/');
  assert.equal(json.resultMessage, 'Environment (name: Staging) was not found!');
});

test('the environments of a project are asked for by its name', async () => {
  const { json } = await request('GET', '/apiops/projects/Default/environments/');
  assert.equal(json.resultCount, 3);
  const unknown = await request('GET', '/apiops/projects/none/environments/');
  assert.equal(unknown.status, 400);
  assert.equal(unknown.json.resultMessage, 'Project (none) is not found!');
});

const refusals: Array<[name: string, body: unknown, message: RegExp]> = [
  ['a taken name', { name: 'Test' }, /^Environment \(name: Test\) is already exist!$/],
  ['no name', {}, /^The name must be/],
  ['an unknown type', { name: 'a', type: 'OTHER' }, /at \/type must be equal to one of.*DEVELOPMENT/],
  ['an address that is none', { name: 'a', accessUrl: 'javascript:1' }, /at \/accessUrl must match/],
  ['an id of the caller', { name: 'a', id: '0'.repeat(24) }, /must not have the member id/],
  ['a status of the caller', { name: 'a', status: 'PUBLISHED' }, /must not have the member status/],
];
for (const [name, body, message] of refusals) {
  test(`${name} is refused`, async () => {
    const { status, json } = await request('POST', '/apiops/environments/', { body });
    assert.equal(status, 400);
    assert.match(json.resultMessage, message);
  });
}
