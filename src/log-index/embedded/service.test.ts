import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { defaultLimits } from '../../http1/limits.ts';
import { LogIndexClient } from '../client.ts';
import { defaultRetention } from './retention.ts';
import { type EmbeddedIndexServiceOptions, startEmbeddedIndexService } from './service.ts';

async function started(options: Partial<EmbeddedIndexServiceOptions> = {}) {
  const data = mkdtempSync(join(tmpdir(), 'gatehouse-log-index-'));
  const service = await startEmbeddedIndexService({
    port: 0,
    data,
    logLevel: 'silent',
    shutdownTimeout: 0,
    logIndexKeepDays: defaultRetention.keepDays,
    logIndexKeepBytes: defaultRetention.keepBytes,
    ...options,
  });
  return {
    service,
    async [Symbol.asyncDispose]() {
      await service.stop();
      rmSync(data, { recursive: true, force: true });
    },
  };
}

test('what all requests together send is bounded, and the refusal is told as the engine tells errors', async () => {
  await using index = await started({ maxContentBytes: 1000 });
  const search = (paddingBytes: number) =>
    fetch(`${index.service.url}/_search`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: `{"query":{"match_all":{}}${' '.repeat(paddingBytes)}}`,
    });
  assert.equal((await search(0)).status, 200);
  const refused = await search(defaultLimits.maxUnreadBodyBytes + 1000);
  assert.equal(refused.status, 503);
  const { error } = (await refused.json()) as { error: { reason: string } };
  assert.match(error.reason, /^The request bodies of this moment/);
});

test('an environment is given its stream once; what is there already stays, and what cannot be made harms nobody', async () => {
  await using index = await started();
  await using client = new LogIndexClient({ url: index.service.url });
  const { makeTrafficLogStream } = index.service;
  makeTrafficLogStream('Müller Co');
  const stream = 'gateway-log-apiproxy-müller-co';
  const before = await client.dataStreams(stream);
  await client.create(stream, '1', { '@timestamp': '2026-01-01T00:00:00.000Z' });
  makeTrafficLogStream('Müller Co');
  makeTrafficLogStream('x'.repeat(300));
  assert.deepEqual(await client.dataStreams('*'), before);
  assert.equal((await client.count(stream, { match_all: {} })).count, 1);
});
