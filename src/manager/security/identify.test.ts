import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ManualClock } from '../../kernel/testing/manual-clock.ts';
import { rawRequest } from '../../kernel/testing/raw-client.ts';
import { type StartedManager, startManager } from '../testing/start-manager.ts';

const EMPTY_KEY = 'Empty Key! Client must be authenticated to access this resource.';
const path = '/apiops/test/healthcheck/';
let manager: StartedManager;
const clock = new ManualClock();

before(async () => {
  manager = await startManager({ clock });
});
after(() => manager.close());

const askWith = (headers: Record<string, string>) => manager.request('GET', path, { token: null, headers });

async function tokenOf(name: string, roles: { role: string; project?: string }[] = []) {
  const { users, tokens } = manager.services;
  const details = { fullName: '', email: '', enabled: true };
  const user = await users.create({ name, password: 'long enough', ...details, roles });
  return { user, token: (await tokens.issueAtSignIn(user.id, undefined)).value };
}

describe('who is calling', () => {
  test('a valid token with its prefix is let in, with and without the trailing slash', async () => {
    for (const target of [path, path.slice(0, -1)]) {
      const { status, text } = await manager.request('GET', target);
      assert.deepEqual([status, text], [200, 'OK']);
    }
  });

  const withoutKey: [string, (token: string) => Record<string, string>][] = [
    ['no header', () => ({})],
    ['the bare token', (token) => ({ authorization: token })],
    ['lower-case bearer', (token) => ({ authorization: `bearer ${token}` })],
    ['upper-case BEARER', (token) => ({ authorization: `BEARER ${token}` })],
    ['another scheme', (token) => ({ authorization: `Token ${token}` })],
    ['Basic', () => ({ authorization: `Basic ${btoa('admin:correct horse battery staple')}` })],
    ['Bearer and nothing more', () => ({ authorization: 'Bearer ' })],
    ['Bearer without a space', (token) => ({ authorization: `Bearer${token}` })],
    ['a tab for the space', (token) => ({ authorization: `Bearer\t${token}` })],
    [
      'a cookie',
      (token) => ({ cookie: `access_token=${token}; Authorization=Bearer ${token}; token=${token}` }),
    ],
    [
      'another header field',
      (token) => ({ 'x-auth-token': token, 'proxy-authorization': `Bearer ${token}` }),
    ],
  ];
  for (const [name, headersOf] of withoutKey) {
    test(`${name} is an empty key`, async () => {
      const { status, json, headers } = await askWith(headersOf(manager.adminToken));
      assert.deepEqual([status, json], [401, { status: 'FAILURE', resultMessage: EMPTY_KEY }]);
      assert.match(headers.get('www-authenticate')!, /^Bearer /);
      assert.equal(headers.get('set-cookie'), null);
    });
  }

  test('a token in the query or in the body is an empty key', async () => {
    const answer = await manager.request('GET', `${path}?access_token=${manager.adminToken}`, {
      token: null,
    });
    assert.equal(answer.json.resultMessage, EMPTY_KEY);
  });

  const notValid = ['x', 'gh_pat_', `gh_pat_${'A'.repeat(43)}`, `gh_pat_${'A'.repeat(5000)}`, ' ', '\u00fc'];
  for (const token of notValid.filter((text) => text.trim() !== '')) {
    test(`the token ${token.slice(0, 20)} is not valid`, async () => {
      const { status, json } = await askWith({ authorization: `Bearer ${token}` });
      assert.deepEqual([status, json], [401, { status: 'FAILURE', resultMessage: 'Token is not valid!' }]);
    });
  }

  test('two spaces, a token in other letters, and more behind it are not valid', async () => {
    const { adminToken } = manager;
    for (const value of [` ${adminToken}`, adminToken.toLowerCase(), `${adminToken}x`, `${adminToken}, x`]) {
      const { status, json } = await askWith({ authorization: `Bearer ${value}` });
      assert.deepEqual([status, json.resultMessage], [401, 'Token is not valid!']);
    }
  });

  test('the header sent twice is not valid, even with the same token', async () => {
    const field = `Authorization: Bearer ${manager.adminToken}\r\n`;
    const { port } = manager;
    const bytes = `GET ${path} HTTP/1.1\r\nHost: x\r\n${field}${field}Connection: close\r\n\r\n`;
    const answer = await rawRequest(port, bytes);
    assert.match(answer.wire.toString('latin1'), /^HTTP\/1\.1 401 [\s\S]*Token is not valid!/);
  });

  test('unknown paths and methods below /apiops are no way around', async () => {
    assert.equal((await manager.request('GET', '/apiops/nothing/', { token: null })).status, 404);
    assert.equal((await manager.request('POST', path, { token: null })).status, 405);
  });
});

describe('what becomes of a token', () => {
  test('it expires at its time, and says so', async () => {
    const { user } = await tokenOf('expiring');
    const { value } = await manager.services.tokens.issueAtSignIn(user.id, 5000);
    clock.advance(4999);
    assert.equal((await manager.request('GET', path, { token: value })).status, 200);
    clock.advance(1);
    const { status, json } = await manager.request('GET', path, { token: value });
    assert.deepEqual([status, json], [401, { status: 'FAILURE', resultMessage: 'Token was expired!' }]);
  });

  test('a locked, a disabled and a deleted owner are answered byte for byte like an unknown token', async () => {
    const { users } = manager.services;
    const unknown = await manager.request('GET', path, { token: `gh_pat_${'A'.repeat(43)}` });
    const changes = {
      locked: (name: string) => users.lock(name),
      disabled: (name: string) => users.setEnabled(name, false),
      deleted: (name: string) => users.remove(name, undefined),
    };
    for (const [name, change] of Object.entries(changes)) {
      const { user, token } = await tokenOf(name);
      const expired = (await manager.services.tokens.issueAtSignIn(user.id, 1)).value;
      clock.advance(1);
      assert.equal((await manager.request('GET', path, { token })).status, 200);
      await change(name);
      for (const value of [token, expired]) {
        const answer = await manager.request('GET', path, { token: value });
        assert.deepEqual([answer.status, answer.text], [unknown.status, unknown.text], name);
        assert.deepEqual(fields(answer.headers), fields(unknown.headers), name);
      }
    }
    await users.unlock('locked');
    await users.setEnabled('disabled', true);
  });
});

describe('what a caller may do', () => {
  before(async () => {
    const { projects } = manager.services;
    for (const name of ['One', 'Two'])
      await projects.create({ name, description: '', relativePath: '', tags: [] });
  });

  test('a role everywhere counts in every project; viewing is all that a viewer may', async () => {
    const { token } = await tokenOf('everywhere', [{ role: 'viewer' }]);
    assert.equal((await manager.request('GET', '/apiops/projects/One/', { token })).status, 200);
    const refused = await manager.request('DELETE', '/apiops/projects/One/', { token });
    assert.deepEqual(
      [refused.status, refused.json],
      [
        400,
        { status: 'FAILURE', resultMessage: 'User does not have required permission for this operation!' },
      ],
    );
  });

  test('a role in one project counts there; another project is told like one that is not there', async () => {
    const { token } = await tokenOf('inside', [{ role: 'operator', project: 'One' }]);
    assert.equal((await manager.request('GET', '/apiops/projects/One/', { token })).status, 200);
    const hidden = await manager.request('GET', '/apiops/projects/Two/', { token });
    const absent = await manager.request('GET', '/apiops/projects/Three/', { token });
    assert.deepEqual(hidden.json, { status: 'FAILURE', resultMessage: 'Project (Two) is not found!' });
    assert.equal(hidden.status, 400);
    assert.equal(hidden.text.replace('Two', 'Three'), absent.text);
    const list = await manager.request('GET', '/apiops/projects/', { token });
    assert.deepEqual(
      list.json.resultList.map(({ name }: { name: string }) => name),
      ['One'],
    );
  });

  test('other contracts refuse with 403 and a stable key', async () => {
    const { token } = await tokenOf('nobody');
    const problem = await manager.request('GET', '/apiops/users/', { token });
    assert.deepEqual([problem.status, problem.json.errorKey], [403, 'ACCESS_DENIED']);
    const newer = await manager.request('GET', '/apiops/settings/', { token });
    assert.deepEqual([newer.status, newer.json.errorKey], [403, 'ACCESS_DENIED']);
    const empty = await manager.request('GET', '/apiops/settings/', { token: null });
    assert.deepEqual(
      [empty.status, empty.json.errorKey, empty.json.message],
      [401, 'TOKEN_MISSING', EMPTY_KEY],
    );
  });

  test('who may not do it is refused before the input is looked at', async () => {
    const { token } = await tokenOf('early');
    const answer = await manager.request('POST', '/apiops/users/', { token, body: '{broken' });
    assert.equal(answer.status, 403);
  });
});

function fields(headers: Headers): [string, string][] {
  return [...headers].filter(([name]) => name !== 'date');
}
