import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type StartedManager, startManager } from '../../testing/start-manager.ts';

let manager: StartedManager;

before(async () => {
  manager = await startManager();
});
after(() => manager.close());

const probes = [
  ['/apiops/test/healthcheck/', 'OK'],
  ['/apiops/test/healthcheck', 'OK'],
  ['/apiops/test/hello/World/', 'Hello World'],
  ['/apiops/test/hello/World', 'Hello World'],
  ['/apiops/test/hello/%3Cb%3E%20%C5%9F/', 'Hello <b> ş'],
] as const;

for (const [path, expected] of probes) {
  test(`${path} answers ${expected} as plain text to a token, and 401 without`, async () => {
    const { status, text, headers } = await manager.request('GET', path);
    assert.deepEqual([status, text], [200, expected]);
    assert.equal(headers.get('content-type'), 'text/plain; charset=utf-8');
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
    const without = await manager.request('GET', path, { token: null });
    assert.deepEqual([without.status, without.json.status], [401, 'FAILURE']);
  });
}
