import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../kernel/clock.ts';
import { startTestbed } from '../testing/start-testbed.ts';
import type { GrpcCall } from './call.ts';
import { loadSchema } from './schema.ts';
import { healthService } from './services/health-service.ts';

test('Watch ends with UNAVAILABLE when the service stops, so that a stop need not wait for watchers', async () => {
  await using testbed = await startTestbed();
  const stopping = new AbortController();
  const services = { ...testbed.services, stopping: stopping.signal, clock: systemClock };
  const call = { services, signal: new AbortController().signal } as unknown as GrpcCall;
  const requests = (async function* () {
    yield { service: '' };
  })();
  const changes = healthService(loadSchema()).Watch!.handle(requests, call)[Symbol.asyncIterator]();
  assert.deepEqual(await changes.next(), { done: false, value: { status: 1 } });
  stopping.abort();
  await assert.rejects(changes.next(), { name: 'GrpcError', code: 14, message: 'the service is stopping' });
});
