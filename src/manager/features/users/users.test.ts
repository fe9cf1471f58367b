import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ADMIN_PASSWORD, type StartedManager, startManager } from '../../testing/start-manager.ts';

const base = '/apiops/users/';
const password = 'long enough';
let manager: StartedManager;

before(async () => {
  manager = await startManager();
});
after(() => manager.close());

const create = (body: object) => manager.request('POST', base, { body: { password, ...body } });

async function signIn(client_id: string, client_secret: string) {
  const body = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret }).toString();
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  return manager.request('POST', '/apiops/auth/token', { token: null, headers, body });
}

async function tokenOf(name: string): Promise<string> {
  return (await signIn(name, password)).json.access_token;
}

describe('accounts', () => {
  test('are made, shown, changed and deleted', async () => {
    const made = await create({ name: 'Ayşe', fullName: 'Ayşe Yılmaz', email: 'ayse@example.org' });
    assert.equal(made.status, 201);
    const { id, createdAt, ...rest } = made.json;
    assert.match(id, /^[0-9a-f]{24}$/);
    assert.ok(Date.parse(createdAt) > 0);
    assert.deepEqual(rest, {
      name: 'Ayşe',
      fullName: 'Ayşe Yılmaz',
      email: 'ayse@example.org',
      enabled: true,
      locked: false,
      roles: [],
    });
    const path = `${base}${encodeURIComponent('Ayşe')}/`;
    const shown = await manager.request('GET', path);
    assert.deepEqual([shown.status, shown.json, shown.headers.get('etag')], [200, made.json, '"1"']);
    const changed = await manager.request('PUT', path, { body: { email: 'new@example.org' } });
    assert.deepEqual([changed.json.email, changed.json.fullName], ['new@example.org', '']);
    const token = await tokenOf('Ayşe');
    assert.equal((await manager.request('DELETE', path)).status, 204);
    const gone = await manager.request('GET', path);
    assert.deepEqual([gone.status, gone.json.errorKey], [404, 'USER_NOT_FOUND']);
    assert.equal((await manager.request('GET', '/apiops/tokens/', { token })).status, 401);
  });

  test('never show a password or its hash, not even in the audit journal', async () => {
    await create({ name: 'secretive' });
    const answers = [
      await manager.request('GET', `${base}secretive/`),
      await manager.request('GET', base),
      await manager.request('GET', '/apiops/journals/audit/?size=1000'),
    ];
    for (const { text } of answers) assert.ok(!/argon2|long enough|passwordHash/.test(text));
  });

  test('are listed in pages, in order, by part of their names', async () => {
    for (const name of ['list-c', 'list-a', 'list-b']) await create({ name });
    const { json } = await manager.request('GET', `${base}?search=LIST-&size=2&sort=name,desc`);
    assert.deepEqual(
      [json.total, json.items.map(({ name }: { name: string }) => name)],
      [3, ['list-c', 'list-b']],
    );
  });

  const wrong: [string, object, string][] = [
    ['no name', {}, 'VALIDATION_FAILED'],
    ['an odd name', { name: 'a\nb' }, 'VALIDATION_FAILED'],
    ['a short password', { name: 'short', password: '1234567' }, 'VALIDATION_FAILED'],
    ['a wrong type', { name: 'typed', enabled: 'yes' }, 'VALIDATION_FAILED'],
    ['an unknown member', { name: 'odd', admin: true }, 'VALIDATION_FAILED'],
    ['an address that is none', { name: 'mail', email: 'nowhere' }, 'VALIDATION_FAILED'],
    ['an unknown role', { name: 'role', roles: [{ role: 'king' }] }, 'VALIDATION_FAILED'],
  ];
  for (const [name, body, errorKey] of wrong) {
    test(`${name} is refused, and nothing is made`, async () => {
      const { status, json, headers } = await create(body);
      assert.deepEqual([status, json.errorKey, json.path], [400, errorKey, base]);
      assert.equal(headers.get('content-type'), 'application/problem+json');
      const { status: found } = await manager.request(
        'GET',
        `${base}${(body as { name?: string }).name ?? 'x'}/`,
      );
      assert.equal(found, 404);
    });
  }

  test('have unique names; a role in a project that is not there is refused', async () => {
    assert.equal((await create({ name: 'unique' })).status, 201);
    assert.deepEqual((await create({ name: 'unique' })).json.errorKey, 'USER_EXISTS');
    const { status, json } = await create({ name: 'lost', roles: [{ role: 'viewer', project: 'Nowhere' }] });
    assert.deepEqual([status, json.errorKey], [404, 'PROJECT_NOT_FOUND']);
  });

  test('are not changed upon a stale revision, which sign-ins do not make', async () => {
    await create({ name: 'edited' });
    const path = `${base}edited/`;
    const { headers } = await manager.request('GET', path);
    const ifMatch = { 'if-match': headers.get('etag')! };
    assert.equal((await signIn('edited', password)).status, 200);
    assert.equal((await manager.request('PUT', path, { body: {}, headers: ifMatch })).status, 200);
    const stale = await manager.request('PUT', path, { body: {}, headers: ifMatch });
    assert.deepEqual([stale.status, stale.json.errorKey], [412, 'RESOURCE_CONFLICT']);
    assert.equal((await manager.request('DELETE', path, { headers: ifMatch })).status, 412);
  });
});

describe('locking and disabling', () => {
  for (const [end, begin, member] of [
    ['lock', 'unlock', 'locked'],
    ['disable', 'enable', 'enabled'],
  ] as const) {
    test(`${end} refuses sign-in and tokens at once, ${begin} lets both in again`, async () => {
      const name = `to-${end}`;
      await create({ name });
      const token = await tokenOf(name);
      const ended = await manager.request('POST', `${base}${name}/${end}/`);
      assert.deepEqual([ended.status, ended.json[member]], [200, end === 'lock']);
      assert.equal((await signIn(name, password)).status, 401);
      assert.equal((await manager.request('GET', '/apiops/tokens/', { token })).status, 401);
      const begun = await manager.request('POST', `${base}${name}/${begin}`);
      assert.deepEqual([begun.status, begun.json[member]], [200, end !== 'lock']);
      assert.equal((await manager.request('GET', '/apiops/tokens/', { token })).status, 200);
      assert.equal((await signIn(name, password)).status, 200);
    });
  }

  test('nobody is locked twice over: what an administrator locked no failed sign-in shortens', async () => {
    await create({ name: 'held' });
    await manager.request('POST', `${base}held/lock/`);
    for (let time = 0; time < 6; time++) await signIn('held', 'wrong');
    const { json } = await manager.request('GET', `${base}held/`);
    assert.deepEqual([json.locked, json.lockedUntil], [true, undefined]);
  });
});

describe('the last administrator', () => {
  const body = { roles: [] };
  for (const [what, ask] of [
    ['deleted', () => manager.request('DELETE', `${base}admin/`)],
    ['disabled', () => manager.request('POST', `${base}admin/disable/`)],
    ['locked', () => manager.request('POST', `${base}admin/lock/`)],
    ['stripped of the role', () => manager.request('PUT', `${base}admin/roles/`, { body })],
  ] as const) {
    test(`can not be ${what}`, async () => {
      const { status, json } = await ask();
      assert.deepEqual([status, json.errorKey], [409, 'USER_LAST_ADMINISTRATOR']);
      assert.equal((await manager.request('GET', `${base}admin/`)).status, 200);
    });
  }

  test('stays, also when two administrators end each other at the same time in two processes', async () => {
    await using one = await startManager();
    await using other = await startManager({ dataFolder: one.dataFolder });
    const roles = [{ role: 'admin' }];
    const made = await one.request('POST', base, { body: { name: 'second', password, roles } });
    assert.equal(made.status, 201);
    const answers = await Promise.all([
      one.services.users.setEnabled('second', false).then(
        () => 'done',
        ({ key }) => key,
      ),
      other.services.users.setEnabled('admin', false).then(
        () => 'done',
        ({ key }) => key,
      ),
    ]);
    assert.deepEqual(answers.toSorted(), ['done', 'user.last-administrator']);
  });

  test('is one of two who can sign in: then the other may go', async () => {
    await create({ name: 'deputy', roles: [{ role: 'admin' }] });
    assert.equal((await manager.request('POST', `${base}deputy/disable/`)).status, 200);
    assert.equal((await manager.request('DELETE', `${base}admin/`)).json.errorKey, 'USER_LAST_ADMINISTRATOR');
    assert.equal((await manager.request('DELETE', `${base}deputy/`)).status, 204);
  });
});

describe('passwords', () => {
  const change = (name: string, body: object, token?: string) =>
    manager.request('POST', `${base}${name}/password/`, { body, ...(token && { token }) });

  test('are changed by their owner, who names the current one', async () => {
    await create({ name: 'owner' });
    const token = await tokenOf('owner');
    const newPassword = 'another one';
    for (const body of [{ newPassword }, { newPassword, currentPassword: 'wrong' }]) {
      const { status, json } = await change('owner', body, token);
      assert.deepEqual([status, json.errorKey], [403, 'USER_PASSWORD_WRONG']);
    }
    assert.equal((await change('owner', { newPassword, currentPassword: password }, token)).status, 204);
    assert.equal((await signIn('owner', password)).status, 401);
    assert.equal((await signIn('owner', newPassword)).status, 200);
    assert.equal((await manager.request('GET', '/apiops/tokens/', { token })).status, 200);
  });

  test('that are guessed by a stolen token lock the account', async () => {
    await create({ name: 'stolen' });
    const token = await tokenOf('stolen');
    const statuses = [];
    for (let time = 0; time < 6; time++) {
      const body = { newPassword: 'mine now!', currentPassword: `guess ${time}` };
      statuses.push((await change('stolen', body, token)).status);
    }
    assert.deepEqual(statuses, [403, 403, 403, 403, 403, 401]);
  });

  test('of others are changed by who may manage identities, and by nobody else', async () => {
    await create({ name: 'forgetful' });
    await create({ name: 'curious' });
    assert.equal((await change('forgetful', { newPassword: 'reminded of' })).status, 204);
    assert.equal((await signIn('forgetful', 'reminded of')).status, 200);
    const token = await tokenOf('curious');
    const answers = [];
    for (const name of ['forgetful', 'nobody-at-all'])
      answers.push(await change(name, { newPassword: 'mine now!' }, token));
    for (const { status, json } of answers) assert.deepEqual([status, json.errorKey], [403, 'ACCESS_DENIED']);
  });
});

describe('nobody gets more than was given to them', () => {
  const steward = { name: 'steward', permissions: [{ category: 'IDENTITY', action: 'MANAGE' }] };
  let token: string;

  before(async () => {
    await manager.request('POST', '/apiops/roles/', { body: steward });
    await create({ name: 'steward', roles: [{ role: 'steward' }] });
    token = await tokenOf('steward');
  });

  test('who manages identities makes users and gives what they have', async () => {
    const body = { name: 'helper', password, roles: [{ role: 'steward' }] };
    assert.equal((await manager.request('POST', base, { token, body })).status, 201);
  });

  const attempts: [string, () => Promise<{ status: number }>][] = [
    [
      'make an administrator',
      () =>
        manager.request('POST', base, {
          token,
          body: { name: 'king', password, roles: [{ role: 'admin' }] },
        }),
    ],
    [
      'become one',
      () => manager.request('PUT', `${base}steward/roles/`, { token, body: { roles: [{ role: 'admin' }] } }),
    ],
    [
      'be more in a project',
      () =>
        manager.request('PUT', `${base}steward/roles/`, {
          token,
          body: { roles: [{ role: 'operator', project: 'Default' }] },
        }),
    ],
    [
      'take over an administrator',
      () => manager.request('POST', `${base}admin/password/`, { token, body: { newPassword: 'mine now!' } }),
    ],
    ['lock one out', () => manager.request('POST', `${base}admin/lock/`, { token })],
    [
      'widen a role',
      () =>
        manager.request('PUT', '/apiops/roles/steward/', {
          token,
          body: { permissions: [{ category: 'SECRETS', action: 'VIEW' }] },
        }),
    ],
  ];
  for (const [what, attempt] of attempts) {
    test(`but can not ${what}`, async () => assert.equal((await attempt()).status, 403));
  }

  test('the administrator is still who they were', async () => {
    assert.equal((await signIn('admin', ADMIN_PASSWORD)).status, 200);
  });
});

test('what was given in a project goes with it', async () => {
  await manager.request('POST', '/apiops/projects/', { body: { name: 'Passing' } });
  await create({
    name: 'guest',
    roles: [
      { role: 'viewer', project: 'Passing' },
      { role: 'viewer', project: 'Default' },
    ],
  });
  await manager.request('DELETE', '/apiops/projects/Passing/');
  const { json } = await manager.request('GET', `${base}guest/`);
  assert.deepEqual(json.roles, [{ role: 'viewer', project: 'Default' }]);
});
