import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startManager } from '../testing/start-manager.ts';
import { networkOf } from './guards.ts';
import { RateLimit } from './rate-limit.ts';

test('as many hits as allowed pass in a minute, and one more whenever one is refilled', () => {
  const limit = new RateLimit(10);
  for (let hit = 0; hit < 60; hit++) assert.equal(limit.hit('a', 60, 0), 0);
  assert.equal(limit.hit('a', 60, 0), 1000);
  assert.equal(limit.hit('a', 60, 400), 600);
  assert.equal(limit.hit('a', 60, 1000), 0);
  assert.ok(limit.hit('a', 60, 1000) > 0);
  assert.equal(limit.hit('b', 60, 1000), 0);
});

test('a hit that is refused is not counted', () => {
  const limit = new RateLimit(10);
  assert.equal(limit.hit('a', 1, 0), 0);
  for (let hit = 0; hit < 100; hit++) limit.hit('a', 1, 0);
  assert.equal(limit.hit('a', 1, 60_000), 0);
});

test('no more keys are kept than allowed; the longest idle goes first', () => {
  const limit = new RateLimit(2);
  for (const key of ['a', 'b', 'a', 'c']) limit.hit(key, 2, 0);
  assert.equal(limit.size, 2);
  assert.ok(limit.hit('a', 2, 0) > 0);
  assert.equal(limit.hit('b', 2, 0), 0);
});

const networks = [
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
] as const;
for (const [address, network] of networks) {
  test(`${address} counts as ${network}`, () => assert.equal(networkOf(address), network));
}

const signIn = (userName: string) => ({
  token: null,
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: `grant_type=client_credentials&client_id=${userName}&client_secret=wrong`,
});

test('a 429 depends on the attempted name alone, not on whether there is such an account', async () => {
  await using manager = await startManager();
  const { settings } = manager.services;
  await settings.put('security', { ...(await settings.get('security')), signInsPerMinuteAndName: 1 });
  const answers = [];
  for (const name of ['admin', 'nobody']) {
    assert.equal((await manager.request('POST', '/apiops/auth/token', signIn(name))).status, 401);
    answers.push(await manager.request('POST', '/apiops/auth/token', signIn(name)));
  }
  const [known, unknown] = answers;
  assert.equal(known!.status, 429);
  assert.equal(known!.json.error, 'temporarily_unavailable');
  assert.match(known!.headers.get('retry-after')!, /^\d+$/);
  assert.deepEqual([unknown!.status, unknown!.text], [known!.status, known!.text]);
  const right = {
    ...signIn('admin'),
    body: `${signIn('admin').body}`.replace('wrong', 'correct+horse+battery+staple'),
  };
  assert.equal((await manager.request('POST', '/apiops/auth/token', right)).status, 429);
});

test('a 429 counts the attempts of an address under whatever names', async () => {
  await using manager = await startManager();
  const { settings } = manager.services;
  await settings.put('security', { ...(await settings.get('security')), signInsPerMinuteAndAddress: 2 });
  const statuses = [];
  for (const name of ['a', 'b', 'c'])
    statuses.push((await manager.request('POST', '/apiops/auth/token', signIn(name))).status);
  assert.deepEqual(statuses, [401, 401, 429]);
});

test('requests without a valid token are told to wait; valid tokens of the same address are not', async () => {
  await using manager = await startManager();
  const { settings } = manager.services;
  await settings.put('security', { ...(await settings.get('security')), requestsPerMinuteAndAddress: 2 });
  const path = '/apiops/test/healthcheck/';
  const statuses = [];
  for (const token of [null, 'x', 'x']) statuses.push((await manager.request('GET', path, { token })).status);
  assert.deepEqual(statuses, [401, 401, 429]);
  assert.equal((await manager.request('GET', path)).status, 200);
});
