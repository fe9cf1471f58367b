import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { reply } from '../kernel/catalogue/answer.ts';
import type { Endpoint } from '../kernel/catalogue/endpoint.ts';
import { silentLog } from '../kernel/log.ts';
import { type RunningModule, startModule } from '../kernel/module/module-service.ts';
import { HttpCaller } from '../kernel/outbound/http-caller.ts';
import type { PodProcess } from '../platform/pod-processes.ts';
import { MOST_INTERNAL_BYTES } from './internal.endpoints.ts';
import { relayToFirst } from './relay.ts';

const caller = new HttpCaller();
const running: RunningModule[] = [];
after(async () => {
  await caller.close();
  await Promise.all(running.map((module) => module.stop()));
});

async function serve(endpoint: Endpoint<unknown, unknown>): Promise<number> {
  const module = await startModule({
    module: 'worker',
    host: '127.0.0.1',
    port: 0,
    endpoints: [endpoint],
    services: {},
    checks: [],
    shutdownTimeoutMs: 1000,
    log: silentLog,
  });
  running.push(module);
  return module.port;
}

/** A first process that answers with what reached it. */
const echo: Endpoint<unknown, unknown> = {
  id: 'echo',
  group: 'g',
  methods: ['ANY'],
  path: '/gateway/internal/{call**}',
  summary: '',
  responses: {},
  examples: [],
  handle: async ({ request: { method, target, headers }, exchange: { body } }) =>
    reply.json(
      {
        method,
        target,
        authorization: headers.get('authorization'),
        body: (await body.bytes(1000)).toString(),
      },
      { status: 409 },
    ),
};

/** One that answers with how much reached it. */
const measure: Endpoint<unknown, unknown> = {
  ...echo,
  handle: async ({ exchange: { body } }) =>
    reply.json({ bytes: (await body.bytes(MOST_INTERNAL_BYTES)).length }),
};

describe('an internal call that reaches another process than the first', () => {
  test('is passed on as it is, and so is the answer', async () => {
    const first: PodProcess = { index: 0, processId: 1, port: await serve(echo) };
    const port = await serve(relayToFirst({ caller, processes: async () => [first] }));
    const answer = await fetch(`http://127.0.0.1:${port}/gateway/internal/some/call/?x=%2F`, {
      method: 'POST',
      headers: { authorization: 'signed' },
      body: '{"a":1}',
    });
    assert.equal(answer.status, 409);
    assert.match(answer.headers.get('content-type') ?? '', /^application\/json/);
    assert.deepEqual(await answer.json(), {
      method: 'POST',
      target: '/gateway/internal/some/call/?x=%2F',
      authorization: 'signed',
      body: '{"a":1}',
    });
  });

  test('is passed on whole, as large as the largest may be', async () => {
    const first: PodProcess = { index: 0, processId: 1, port: await serve(measure) };
    const port = await serve(relayToFirst({ caller, processes: async () => [first] }));
    const answer = await fetch(`http://127.0.0.1:${port}/gateway/internal/test-connection/`, {
      method: 'POST',
      body: Buffer.alloc(MOST_INTERNAL_BYTES),
    });
    assert.deepEqual(await answer.json(), { bytes: MOST_INTERNAL_BYTES });
  });

  test('is told to come back while the first is being started anew', async () => {
    const port = await serve(relayToFirst({ caller, processes: async () => [] }));
    const answer = await fetch(`http://127.0.0.1:${port}/gateway/internal/state/`);
    assert.deepEqual([answer.status, answer.headers.get('retry-after')], [503, '1']);
  });

  test('is told the same when the first has just died', async () => {
    const dead: PodProcess = { index: 0, processId: 1, port: 9 };
    const port = await serve(relayToFirst({ caller, processes: async () => [dead] }));
    assert.equal((await fetch(`http://127.0.0.1:${port}/gateway/internal/state/`)).status, 503);
  });
});
