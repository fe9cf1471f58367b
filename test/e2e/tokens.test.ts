import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { GatehouseProcess } from '../support/gatehouse-process.ts';

const PASSWORD = 'correct horse battery staple';

/** Two Managers, each a process of its own, on one data folder. */
describe('tokens and two Manager processes', () => {
  const data = mkdtempSync(join(tmpdir(), 'gatehouse-tokens-'));
  const processes: GatehouseProcess[] = [];
  const ports: number[] = [];

  before(async () => {
    for (let count = 0; count < 2; count++) {
      const environment = { GATEHOUSE_ADMIN_PASSWORD: PASSWORD, GATEHOUSE_LOG_LEVEL: 'error' };
      const started = new GatehouseProcess(['manager', '--port', '0', '--data', data], environment);
      processes.push(started);
      ports.push(await started.readyPort('manager'));
    }
  });
  after(async () => {
    for (const started of processes) assert.equal(await started.stop(), 0, started.stderr);
    rmSync(data, { recursive: true, force: true });
  });

  const send = (manager: number, method: string, path: string, token: string, body?: object) =>
    fetch(`http://127.0.0.1:${ports[manager]}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });

  async function signIn(manager: number, client_id = 'admin', client_secret = PASSWORD): Promise<string> {
    const response = await fetch(`http://127.0.0.1:${ports[manager]}/apiops/auth/token`, {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret }),
    });
    assert.equal(response.status, 200);
    return ((await response.json()) as { access_token: string }).access_token;
  }

  /** Asked again and again, so that whatever a process keeps of a token is kept. */
  async function assertAnswers(token: string, status: number): Promise<void> {
    for (const manager of [0, 1, 0, 1, 0, 1]) {
      const response = await send(manager, 'GET', '/apiops/test/healthcheck/', token);
      assert.equal(response.status, status, `manager ${manager}`);
    }
  }

  test('a token revoked through one is refused by the other at once', async () => {
    const [admin, leaked] = [await signIn(0), await signIn(0)];
    await assertAnswers(leaked, 200);
    assert.equal((await send(1, 'POST', '/apiops/tokens/revoke/', admin, { token: leaked })).status, 204);
    await assertAnswers(leaked, 401);
    await assertAnswers(admin, 200);
  });

  test('a token regenerated through one has one value for both', async () => {
    const admin = await signIn(0);
    const made = (await (await send(0, 'POST', '/apiops/tokens/', admin, { name: 'renewed' })).json()) as {
      id: string;
      token: string;
    };
    await assertAnswers(made.token, 200);
    const path = `/apiops/tokens/${made.id}/regenerate/`;
    const renewed = (await (await send(1, 'POST', path, admin)).json()) as { token: string };
    await assertAnswers(made.token, 401);
    await assertAnswers(renewed.token, 200);
  });

  test('an account locked or disabled through one is refused by the other at once', async () => {
    const admin = await signIn(0);
    const user = { name: 'grace', password: 'long enough' };
    assert.equal((await send(0, 'POST', '/apiops/users/', admin, user)).status, 201);
    const token = await signIn(1, user.name, user.password);
    for (const [end, begin] of [
      ['lock', 'unlock'],
      ['disable', 'enable'],
    ]) {
      await assertAnswers(token, 200);
      assert.equal((await send(1, 'POST', `/apiops/users/grace/${end}/`, admin)).status, 200);
      await assertAnswers(token, 401);
      assert.equal((await send(0, 'POST', `/apiops/users/grace/${begin}/`, admin)).status, 200);
    }
  });
});
