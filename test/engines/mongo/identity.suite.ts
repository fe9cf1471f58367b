import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { systemClock } from '../../../src/kernel/clock.ts';
import { type StartedManager, startManager } from '../../../src/manager/testing/start-manager.ts';

const PASSWORD = 'long enough';

/** Users, roles and tokens on a database server, through two Managers at once. */
export function describeIdentity(databaseUrl: string): void {
  describe('users and tokens on a MongoDB server', () => {
    // It goes by itself, because first starts wait for each other, and can be put forward.
    let aheadMs = 0;
    const clock = { ...systemClock, now: () => systemClock.now() + aheadMs };
    let managers: [StartedManager, StartedManager];
    before(async () => {
      const start = () => startManager({ clock, databaseUrl });
      managers = await Promise.all([start(), start()]);
    });
    after(async () => {
      for (const manager of managers) await manager.close();
    });

    const create = (body: object) =>
      managers[0].request('POST', '/apiops/users/', { body: { password: PASSWORD, ...body } });
    const signIn = (manager: StartedManager, userName: string, password = PASSWORD) => {
      const form = { grant_type: 'client_credentials', client_id: userName, client_secret: password };
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      const body = new URLSearchParams(form).toString();
      return manager.request('POST', '/apiops/auth/token', { token: null, headers, body });
    };
    const tokenOf = async (userName: string): Promise<string> =>
      (await signIn(managers[0], userName)).json.access_token;
    const statusesOf = (token: string) =>
      Promise.all(
        managers.map(async (manager) => (await manager.request('GET', '/apiops/profile/', { token })).status),
      );

    it('are made once by two first starts at the same time', async () => {
      const [one, other] = managers;
      const users = await one.request('GET', '/apiops/users/');
      assert.deepEqual([users.json.total, users.json.items[0].name], [1, 'admin']);
      const environments = await other.request('GET', '/apiops/environments/');
      assert.equal(environments.json.resultCount, 3);
      assert.deepEqual(await statusesOf(other.adminToken), [200, 200]);
    });

    it('are found by part of their names, in order, in pages', async () => {
      for (const name of ['page-c', 'page-a', 'page-b', 'other']) await create({ name });
      const { json } = await managers[1].request('GET', '/apiops/users/?search=PAGE-&sort=name,desc&size=2');
      const names = json.items.map(({ name }: { name: string }) => name);
      assert.deepEqual([json.total, names], [3, ['page-c', 'page-b']]);
      const taken = await create({ name: 'page-a' });
      assert.deepEqual([taken.status, taken.json.errorKey], [409, 'USER_EXISTS']);
    });

    it('are locked after five failures, wherever those were counted, and for as long as it was set', async () => {
      await create({ name: 'guessed' });
      for (let attempt = 0; attempt < 5; attempt++)
        assert.equal((await signIn(managers[attempt % 2]!, 'guessed', 'wrong guess')).status, 401);
      assert.equal((await signIn(managers[0], 'guessed')).status, 401);
      aheadMs += 15 * 60_000;
      assert.equal((await signIn(managers[1], 'guessed')).status, 200);
      const { json } = await managers[0].request('GET', '/apiops/journals/login/?user=guessed');
      const reasons = json.items.map(({ reason }: { reason: string }) => reason);
      assert.deepEqual(reasons, ['ok', 'locked', ...Array(5).fill('wrong password')]);
    });

    it('keep an edit that somebody else has overtaken from being lost', async () => {
      await create({ name: 'edited' });
      const edit = (manager: StartedManager, fullName: string) =>
        manager.request('PUT', '/apiops/users/edited/', {
          body: { fullName },
          headers: { 'if-match': '"1"' },
        });
      const statuses = (
        await Promise.all(managers.map((manager, index) => edit(manager, `editor ${index}`)))
      ).map(({ status }) => status);
      assert.deepEqual(statuses.sort(), [200, 412]);
    });

    it('are refused by every Manager once revoked, disabled or expired through one', async () => {
      await create({ name: 'owner' });
      const [revoked, kept] = [await tokenOf('owner'), await tokenOf('owner')];
      assert.deepEqual(await statusesOf(revoked), [200, 200]);
      const body = { token: revoked };
      assert.equal((await managers[0].request('POST', '/apiops/tokens/revoke/', { body })).status, 204);
      assert.deepEqual([await statusesOf(revoked), await statusesOf(kept)].flat(), [401, 401, 200, 200]);
      await managers[1].request('POST', '/apiops/users/owner/disable/');
      assert.deepEqual(await statusesOf(kept), [401, 401]);
      await managers[1].request('POST', '/apiops/users/owner/enable/');
      aheadMs += 3600_000;
      assert.deepEqual(await statusesOf(kept), [401, 401]);
    });

    it('hand out one working value when both Managers regenerate a token at once', async () => {
      const { json: made } = await managers[0].request('POST', '/apiops/tokens/', {
        body: { name: 'contended' },
      });
      const path = `/apiops/tokens/${made.id}/regenerate/`;
      const token = managers[0].adminToken;
      const answers = await Promise.all(managers.map(({ request }) => request('POST', path, { token })));
      const given = answers.filter(({ status }) => status === 200).map(({ json }) => json.token as string);
      const working = (await Promise.all(given.map(statusesOf))).filter(([status]) => status === 200);
      assert.deepEqual([working, await statusesOf(made.token)], [[[200, 200]], [401, 401]]);
    });

    it('leave one administrator when two demote each other at once', async () => {
      await create({ name: 'second', roles: [{ role: 'admin' }] });
      const demote = (manager: StartedManager, name: string) =>
        manager.request('PUT', `/apiops/users/${name}/roles/`, { body: { roles: [] } });
      const answers = await Promise.all([demote(managers[0], 'second'), demote(managers[1], 'admin')]);
      assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    });
  });
}
