import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startManager } from '../../testing/start-manager.ts';

const path = '/apiops/profile/';

test('everybody sees their own account and what it may do, also who may see no other', async () => {
  await using manager = await startManager();
  const { users, tokens, roles } = manager.services;
  const permissions = [{ category: 'SECRETS', action: 'VIEW' } as const];
  await roles.create({ name: 'auditor', description: '', permissions });
  const assigned = [{ role: 'auditor' }, { role: 'viewer', project: 'Default' }, { role: 'gone' }];
  const details = { fullName: 'Ada', email: '', enabled: true };
  const { id } = await users.create({ name: 'ada', password: 'long enough', ...details, roles: assigned });
  const { value: token } = await tokens.issueAtSignIn(id, undefined);
  assert.equal((await manager.request('GET', '/apiops/users/ada/', { token })).status, 403);
  const { status, json, headers } = await manager.request('GET', path, { token });
  assert.deepEqual([status, headers.get('etag')], [200, '"1"']);
  assert.deepEqual([json.id, json.name, json.fullName, json.roles], [id, 'ada', 'Ada', assigned]);
  const [auditor, viewer, gone] = json.grants;
  assert.deepEqual(auditor, { role: 'auditor', permissions });
  assert.deepEqual([viewer.role, viewer.project, viewer.permissions.length], ['viewer', 'Default', 6]);
  assert.deepEqual(gone, { role: 'gone', permissions: [] });
});

test('an account called like the path is nobody special', async () => {
  await using manager = await startManager();
  const body = { name: 'profile', password: 'long enough' };
  assert.equal((await manager.request('POST', '/apiops/users/', { body })).status, 201);
  assert.equal((await manager.request('GET', path)).json.name, 'admin');
});

test('without a token nobody is told anything', async () => {
  await using manager = await startManager();
  const { status, json } = await manager.request('GET', path, { token: null });
  assert.deepEqual([status, json.errorKey], [401, 'TOKEN_MISSING']);
});
