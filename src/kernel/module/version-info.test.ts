import assert from 'node:assert/strict';
import { test } from 'node:test';
import { version } from '../version.ts';
import { versionInfoOf } from './version-info.ts';

test('an image says where it comes from', async () => {
  const environment = { GATEHOUSE_COMMIT: 'abc', GATEHOUSE_BUILD_TIME: '2026-04-01T00:00:00Z' };
  assert.deepEqual(await versionInfoOf('worker', environment)(), {
    module: 'worker',
    version,
    commit: 'abc',
    buildTime: '2026-04-01T00:00:00Z',
    nodeVersion: process.versions.node,
  });
});

test('without that a clone is asked, and what nobody knows is unknown', async () => {
  const { commit, buildTime } = await versionInfoOf('worker', {})();
  assert.match(commit, /^([0-9a-f]{40}|unknown)$/);
  assert.match(buildTime, /^(\d{4}-\d\d-\d\dT\S+|unknown)$/);
  assert.equal(commit === 'unknown', buildTime === 'unknown');
});
