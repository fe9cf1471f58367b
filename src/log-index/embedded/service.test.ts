import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { defaultLimits } from '../../http1/limits.ts';
import { defaultRetention } from './retention.ts';
import { startEmbeddedIndexService } from './service.ts';

test('what all requests together send is bounded, and the refusal is told as the engine tells errors', async () => {
  const data = mkdtempSync(join(tmpdir(), 'gatehouse-log-index-'));
  const service = await startEmbeddedIndexService({
    port: 0,
    data,
    logLevel: 'silent',
    shutdownTimeout: 0,
    logIndexKeepDays: defaultRetention.keepDays,
    logIndexKeepBytes: defaultRetention.keepBytes,
    maxContentBytes: 1000,
  });
  try {
    const search = (paddingBytes: number) =>
      fetch(`${service.url}/_search`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: `{"query":{"match_all":{}}${' '.repeat(paddingBytes)}}`,
      });
    assert.equal((await search(0)).status, 200);
    const refused = await search(defaultLimits.maxUnreadBodyBytes + 1000);
    assert.equal(refused.status, 503);
    const { error } = (await refused.json()) as { error: { reason: string } };
    assert.match(error.reason, /^The request bodies of this moment/);
  } finally {
    await service.stop();
    rmSync(data, { recursive: true, force: true });
  }
});
