import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ManualClock } from '../../../kernel/testing/manual-clock.ts';
import { type StartedManager, startManager } from '../../testing/start-manager.ts';

const clock = new ManualClock();
let manager: StartedManager;
/** Another process on the same database. */
let other: StartedManager;

before(async () => {
  manager = await startManager({ clock });
  other = await startManager({ clock, dataFolder: manager.dataFolder });
});
after(async () => {
  await other.close();
  await manager.close();
});

const create = (body: object, token = manager.adminToken) =>
  manager.request('POST', '/apiops/tokens/', { body, token });

async function newUserToken(name: string): Promise<string> {
  const { users, tokens } = manager.services;
  const details = { fullName: '', email: '', enabled: true, roles: [] };
  const { id } = await users.create({ name, password: 'long enough', ...details });
  return (await tokens.issueAtSignIn(id, undefined)).value;
}

/** What each of the two processes says to a token. */
async function statusesOf(token: string): Promise<number[]> {
  const path = '/apiops/test/healthcheck/';
  return [
    (await manager.request('GET', path, { token })).status,
    (await other.request('GET', path, { token })).status,
  ];
}

describe('making tokens', () => {
  test('the value is shown once, and nowhere kept', async () => {
    const { status, json, headers } = await create({ name: 'once' });
    assert.equal(status, 201);
    assert.match(json.token, /^gh_pat_[A-Za-z0-9_-]{43}$/);
    assert.equal(headers.get('cache-control'), 'no-store');
    assert.deepEqual(await statusesOf(json.token), [200, 200]);
    const list = await manager.request('GET', '/apiops/tokens/');
    const listed = list.json.items.find(({ id }: { id: string }) => id === json.id);
    assert.deepEqual([listed.name, listed.source, listed.token], ['once', 'PROFILE', undefined]);
    assert.ok(!list.text.includes(json.token));
  });

  test('one without expiry never expires, one with expires then', async () => {
    const expiresAt = new Date(clock.now() + 60_000).toISOString();
    const timed = await create({ name: 'timed', expiresAt });
    const lasting = await create({ name: 'lasting', expiresAt: null });
    assert.deepEqual([timed.json.expiresAt, lasting.json.expiresAt], [expiresAt, undefined]);
    clock.advance(60_000);
    assert.deepEqual(await statusesOf(timed.json.token), [401, 401]);
    assert.deepEqual(await statusesOf(lasting.json.token), [200, 200]);
    const { json } = await manager.request('GET', '/apiops/tokens/');
    const isExpired = (name: string) =>
      json.items.find((item: { name: string }) => item.name === name).expired;
    assert.deepEqual([isExpired('timed'), isExpired('lasting')], [true, false]);
  });

  const wrong: [string, object, string][] = [
    ['no name', {}, 'VALIDATION_FAILED'],
    ['a name of odd characters', { name: 'a/b' }, 'VALIDATION_FAILED'],
    ['a name of the wrong type', { name: 7 }, 'VALIDATION_FAILED'],
    ['a time that has passed', { name: 'past', expiresAt: '2001-01-01T00:00:00Z' }, 'VALIDATION_FAILED'],
    ['a time that is none', { name: 'none', expiresAt: 'tomorrow' }, 'VALIDATION_FAILED'],
    ['a member that nobody knows', { name: 'odd', scope: 'all' }, 'VALIDATION_FAILED'],
  ];
  for (const [name, body, errorKey] of wrong) {
    test(`${name} is refused`, async () => {
      const { status, json } = await create(body);
      assert.deepEqual([status, json.errorKey], [400, errorKey]);
      assert.equal(typeof json.correlationId, 'string');
    });
  }

  test('an account has each name once, and other accounts may have it too', async () => {
    assert.equal((await create({ name: 'taken' })).status, 201);
    const { status, json } = await create({ name: 'taken' });
    assert.deepEqual([status, json.errorKey], [409, 'TOKEN_EXISTS']);
    assert.equal((await create({ name: 'taken' }, await newUserToken('namesake'))).status, 201);
  });
});

describe('listing tokens', () => {
  test('shows only the own ones, the presented one marked, in pages', async () => {
    const token = await newUserToken('lister');
    for (const name of ['a', 'b', 'c']) {
      clock.advance(1);
      await create({ name }, token);
    }
    const { json } = await manager.request('GET', '/apiops/tokens/?size=2&page=1&sort=createdAt,asc', {
      token,
    });
    assert.deepEqual([json.total, json.items.map(({ name }: { name: string }) => name)], [4, ['b', 'c']]);
    const first = await manager.request('GET', '/apiops/tokens/?size=1', { token });
    assert.deepEqual([first.json.items[0].source, first.json.items[0].current], ['SIGN_IN', true]);
  });

  test('the time of the last use is written down at most once a minute', async () => {
    const token = await newUserToken('user-of-tokens');
    const lastUsed = async () => {
      await manager.request('GET', '/apiops/test/healthcheck/', { token });
      const { json } = await manager.request('GET', '/apiops/tokens/', { token });
      return Date.parse(json.items[0].lastUsedAt);
    };
    const first = clock.now();
    assert.equal(await lastUsed(), first);
    clock.advance(59_999);
    assert.equal(await lastUsed(), first);
    clock.advance(1);
    assert.equal(await lastUsed(), first + 60_000);
  });
});

describe('ending tokens, seen by two processes', () => {
  test('regenerating refuses the old value at once and keeps name and lifetime', async () => {
    const expiresAt = new Date(clock.now() + 5000).toISOString();
    const { json: made } = await create({ name: 'renewed', expiresAt });
    const { json: bystander } = await create({ name: 'bystander' });
    assert.deepEqual(await statusesOf(made.token), [200, 200]);
    clock.advance(3000);
    const { status, json } = await manager.request('POST', `/apiops/tokens/${made.id}/regenerate/`);
    assert.deepEqual([status, json.id, json.name], [200, made.id, 'renewed']);
    assert.equal(Date.parse(json.expiresAt), clock.now() + 5000);
    assert.deepEqual(await statusesOf(made.token), [401, 401]);
    assert.deepEqual(await statusesOf(json.token), [200, 200]);
    assert.deepEqual(await statusesOf(bystander.token), [200, 200]);
  });

  test('of regenerations at the same time every value that was handed out and not replaced works', async () => {
    const { json: made } = await create({ name: 'contended' });
    const path = `/apiops/tokens/${made.id}/regenerate/`;
    const answers = await Promise.all(
      [manager, other, manager, other].map(({ request }) =>
        request('POST', path, { token: manager.adminToken }),
      ),
    );
    const given = answers.filter(({ status }) => status === 200).map(({ json }) => json.token as string);
    assert.ok(given.length >= 1);
    for (const { json } of answers.filter(({ status }) => status !== 200))
      assert.equal(json.errorKey, 'RESOURCE_CONFLICT');
    const working = [];
    for (const token of given) if ((await statusesOf(token))[0] === 200) working.push(token);
    assert.equal(working.length, 1);
    assert.deepEqual(await statusesOf(made.token), [401, 401]);
  });

  test('revoking by value ends that value alone, whoever it belongs to', async () => {
    const [one, another] = [(await create({ name: 'leaked' })).json, (await create({ name: 'safe' })).json];
    const finder = await newUserToken('finder');
    assert.deepEqual(await statusesOf(one.token), [200, 200]);
    const revoke = (token: string) =>
      other.request('POST', '/apiops/tokens/revoke/', { token: finder, body: { token } });
    assert.equal((await revoke(one.token)).status, 204);
    assert.deepEqual(await statusesOf(one.token), [401, 401]);
    assert.deepEqual(await statusesOf(another.token), [200, 200]);
    const again = await revoke(one.token);
    assert.deepEqual([again.status, again.json.errorKey], [404, 'TOKEN_NOT_FOUND']);
  });

  test('a token can revoke itself', async () => {
    const token = await newUserToken('leaving');
    const answer = await manager.request('POST', '/apiops/tokens/revoke', { token, body: { token } });
    assert.equal(answer.status, 204);
    assert.deepEqual(await statusesOf(token), [401, 401]);
  });

  test('deleting ends it; those of others are not there', async () => {
    const { json: made } = await create({ name: 'deleted' });
    const stranger = await newUserToken('stranger');
    for (const path of [
      `/apiops/tokens/${made.id}/`,
      '/apiops/tokens/000000000000000000000000/',
      '/apiops/tokens/x/',
    ]) {
      const { status, json } = await manager.request('DELETE', path, { token: stranger });
      assert.deepEqual([status, json.errorKey], [404, 'TOKEN_NOT_FOUND']);
    }
    const foreign = await manager.request('POST', `/apiops/tokens/${made.id}/regenerate/`, {
      token: stranger,
    });
    assert.equal(foreign.status, 404);
    assert.deepEqual(await statusesOf(made.token), [200, 200]);
    assert.equal((await manager.request('DELETE', `/apiops/tokens/${made.id}/`)).status, 204);
    assert.deepEqual(await statusesOf(made.token), [401, 401]);
  });

  test('locking or disabling the owner in one process refuses the token in the other at once', async () => {
    const token = await newUserToken('owner');
    const { users } = other.services;
    for (const [end, begin] of [
      [() => users.lock('owner'), () => users.unlock('owner')],
      [() => users.setEnabled('owner', false), () => users.setEnabled('owner', true)],
    ] as const) {
      assert.deepEqual(await statusesOf(token), [200, 200]);
      await end();
      assert.deepEqual(await statusesOf(token), [401, 401]);
      await begin();
    }
    assert.deepEqual(await statusesOf(token), [200, 200]);
  });

  test('what happens to tokens stands in the token journal, without their values', async () => {
    const { rows } = await manager.services.journals.list('token', {}, { offset: 0, limit: 1000 });
    const actions = new Set(rows.map(({ value }) => (value as unknown as { action: string }).action));
    assert.deepEqual(actions, new Set(['ISSUE', 'REGENERATE', 'REVOKE', 'DELETE']));
    assert.ok(!JSON.stringify(rows).includes('gh_pat_'));
  });
});
