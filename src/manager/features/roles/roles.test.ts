import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type StartedManager, startManager } from '../../testing/start-manager.ts';

const base = '/apiops/roles/';
let manager: StartedManager;

before(async () => {
  manager = await startManager();
});
after(() => manager.close());

const secrets = (action: string) => ({ category: 'SECRETS', action });

async function tokenOf(name: string, role: string): Promise<string> {
  const { users, tokens } = manager.services;
  const details = { fullName: '', email: '', enabled: true, roles: [{ role }] };
  const { id } = await users.create({ name, password: 'long enough', ...details });
  return (await tokens.issueAtSignIn(id, undefined)).value;
}

test('admin, operator and viewer are ready', async () => {
  const { json } = await manager.request('GET', base);
  assert.deepEqual(
    json.ready.map(({ name }: { name: string }) => name),
    ['admin', 'operator', 'viewer'],
  );
  const [admin, operator, viewer] = json.ready;
  assert.equal(admin.permissions.length, 6 * 4);
  assert.ok(viewer.permissions.every(({ action }: { action: string }) => action === 'VIEW'));
  assert.ok(operator.permissions.every(({ category }: { category: string }) => category !== 'IDENTITY'));
  assert.equal((await manager.request('GET', `${base}viewer/`)).json.ready, true);
});

for (const [method, path] of [
  ['PUT', `${base}admin/`],
  ['DELETE', `${base}viewer/`],
] as const) {
  test(`${method} of a ready role is refused`, async () => {
    const body = method === 'PUT' ? { permissions: [] } : undefined;
    const { status, json } = await manager.request(method, path, { body });
    assert.deepEqual([status, json.errorKey], [409, 'ROLE_READY']);
  });
}

test('roles are made, changed and deleted', async () => {
  const body = { name: 'keeper', description: 'keeps', permissions: [secrets('VIEW')] };
  const made = await manager.request('POST', base, { body });
  assert.deepEqual([made.status, made.json], [201, { ...body, ready: false }]);
  assert.equal((await manager.request('POST', base, { body })).json.errorKey, 'ROLE_EXISTS');
  assert.equal(
    (await manager.request('POST', base, { body: { name: 'admin' } })).json.errorKey,
    'ROLE_EXISTS',
  );
  const stale = { 'if-match': '"7"' };
  const refused = await manager.request('PUT', `${base}keeper/`, { body, headers: stale });
  assert.deepEqual([refused.status, refused.json.errorKey], [412, 'RESOURCE_CONFLICT']);
  const changed = await manager.request('PUT', `${base}keeper/`, { body: { permissions: [] } });
  assert.deepEqual(changed.json, { name: 'keeper', description: '', permissions: [], ready: false });
  assert.equal((await manager.request('DELETE', `${base}keeper/`)).status, 204);
  assert.equal((await manager.request('GET', `${base}keeper/`)).status, 404);
});

const wrong: [string, object][] = [
  ['an unknown category', { name: 'x', permissions: [{ category: 'WEATHER', action: 'VIEW' }] }],
  ['an unknown action', { name: 'x', permissions: [{ category: 'SECRETS', action: 'SING' }] }],
  ['the same permission twice', { name: 'x', permissions: [secrets('VIEW'), secrets('VIEW')] }],
  ['an unknown member', { name: 'x', rights: [] }],
  ['an odd name', { name: '../x' }],
];
for (const [name, body] of wrong) {
  test(`${name} is refused`, async () => {
    const { status, json } = await manager.request('POST', base, { body });
    assert.deepEqual([status, json.errorKey], [400, 'VALIDATION_FAILED']);
  });
}

test('a role counts for who has it, and a change of it at once', async () => {
  const body = { name: 'watcher', permissions: [{ category: 'IDENTITY', action: 'MANAGE' }] };
  await manager.request('POST', base, { body });
  const token = await tokenOf('watching', 'watcher');
  assert.equal((await manager.request('GET', base, { token })).status, 200);
  await manager.request('PUT', `${base}watcher/`, { body: { permissions: [secrets('VIEW')] } });
  assert.equal((await manager.request('GET', base, { token })).status, 403);
});

test('a role that somebody has is not deleted', async () => {
  await manager.request('POST', base, { body: { name: 'worn' } });
  await tokenOf('wearer', 'worn');
  const { status, json } = await manager.request('DELETE', `${base}worn/`);
  assert.deepEqual([status, json.errorKey], [409, 'ROLE_IN_USE']);
  await manager.services.users.remove('wearer', undefined);
  assert.equal((await manager.request('DELETE', `${base}worn/`)).status, 204);
});
