import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { rawRequest } from '../../src/kernel/testing/raw-client.ts';
import { GatehouseProcess } from '../support/gatehouse-process.ts';

const user = '{"name":"Ada"}';
const create = `POST /api/user/ HTTP/1.1\r\nHost: test\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${user.length}\r\n\r\n${user}`;
const list = 'GET /api/user/ HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n';

test('users are gone after a restart', async () => {
  const data = mkdtempSync(join(tmpdir(), 'gatehouse-restart-'));
  const counts: number[] = [];
  for (const isFirst of [true, false]) {
    const gatehouse = new GatehouseProcess(['testbed', '--port', '0', '--data', data]);
    const port = await gatehouse.ready();
    if (isFirst) await rawRequest(port, create);
    counts.push(JSON.parse((await rawRequest(port, list)).body.toString()).length);
    assert.equal(await gatehouse.stop(), 0);
  }
  rmSync(data, { recursive: true });
  assert.deepEqual(counts, [1, 0]);
});
