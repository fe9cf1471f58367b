import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { Type } from 'typebox';
import { ClientFailure } from '../../http1/client/client-failure.ts';
import { systemClock } from '../../kernel/clock.ts';
import { silentLog } from '../../kernel/log.ts';
import { type RunningModule, startModule } from '../../kernel/module/module-service.ts';
import { HttpCaller } from '../../kernel/outbound/http-caller.ts';
import { systemRandom } from '../../kernel/random.ts';
import { rawRequest } from '../../kernel/testing/raw-client.ts';
import type { Pod } from '../../store/pods.ts';
import { CallVerifier, createCallSigner } from './call-signature.ts';
import { internalEndpoint } from './internal-endpoint.ts';
import { PodCallFailed, PodChannel, podIpOf } from './pod-channel.ts';

const key = randomBytes(32);
const environmentId = 'e'.repeat(24);
const gate = { verifier: new CallVerifier(key, systemClock), environmentId };
const handled: unknown[] = [];
const slow = Promise.withResolvers<object>();

let module: RunningModule;
const caller = new HttpCaller();
before(async () => {
  module = await startModule({
    module: 'sample',
    host: '127.0.0.1',
    port: 0,
    endpoints: [
      internalEndpoint(gate, {
        id: 'sum',
        method: 'POST',
        path: 'sum/',
        summary: 'Adds.',
        body: Type.Object({ one: Type.Number(), other: Type.Number() }),
        maxBytes: 100,
        handle: ({ one, other }) => {
          handled.push({ one, other });
          return { sum: one + other };
        },
      }),
      internalEndpoint(gate, {
        id: 'slow',
        method: 'GET',
        path: 'slow/',
        summary: 'Waits.',
        handle: () => slow.promise,
      }),
      internalEndpoint(gate, {
        id: 'large',
        method: 'GET',
        path: 'large/',
        summary: 'Says much.',
        handle: () => 'x'.repeat(9 * 1024 * 1024),
      }),
    ],
    services: {},
    checks: [],
    shutdownTimeoutMs: 0,
    log: silentLog,
  });
});
after(async () => {
  slow.resolve({});
  await caller[Symbol.asyncDispose]();
  await module.stop();
});

const podAt = (address: string, of = environmentId): Pod => ({
  podName: 'w-1',
  module: 'worker',
  environmentId: of,
  address,
  processId: 1,
  startedAtMs: 0,
  heartbeatAtMs: 0,
});
const channelWith = (signingKey: Buffer) =>
  new PodChannel({
    call: (call) => caller.call(call),
    signer: createCallSigner(signingKey, { clock: systemClock, random: systemRandom }),
  });
const channel = channelWith(key);
const often = { deadlineMs: 5000, isRepeatable: true } as const;
const sum = { ...often, method: 'POST', path: 'sum/', body: { one: 1, other: 2 } } as const;

/** The call fails so; whether another pod may be asked instead. */
async function assertFails(call: Promise<unknown>, message: RegExp, isUntouched: boolean): Promise<void> {
  await assert.rejects(call, (error) => {
    assert.ok(error instanceof PodCallFailed);
    assert.match(error.message, message);
    assert.equal(error.isUntouched, isUntouched);
    return true;
  });
}

describe('the channel to a pod', () => {
  test('brings a call and its answer', async () => {
    assert.deepEqual(await channel.send(podAt(module.url), sum), { sum: 3 });
  });

  test('is closed to another key and to the pods of another environment', async () => {
    const before = handled.length;
    const stranger = channelWith(randomBytes(32));
    await assertFails(stranger.send(podAt(module.url), sum), /another master key/, true);
    await assertFails(channel.send(podAt(module.url, 'f'.repeat(24)), sum), /another master key/, true);
    assert.equal(handled.length, before);
  });

  test('does not read a body of somebody who does not have the key', async () => {
    const head = 'POST /gateway/internal/sum/ HTTP/1.1\r\nHost: a\r\nContent-Length: 50\r\n';
    const { status } = await rawRequest(module.port, `${head}Connection: close\r\n\r\n`);
    assert.equal(status, 401);
  });

  test('tells a pod that is not there from one that is too slow', async () => {
    await assertFails(channel.send(podAt('http://127.0.0.1:1'), sum), /^The pod does not answer: /, true);
    const late = channel.send(podAt(module.url), { ...often, method: 'GET', path: 'slow/', deadlineMs: 50 });
    await assertFails(late, /^The pod does not answer: /, false);
  });

  test('does not take more than it can hold, in either direction', async () => {
    const many = { ...sum, body: { one: 1, other: 2, more: 'x'.repeat(100) } };
    await assertFails(channel.send(podAt(module.url), many), /^The pod answered 413\.$/, false);
    const large = channel.send(podAt(module.url), { ...often, method: 'GET', path: 'large/' });
    await assertFails(large, /^The pod does not answer: /, false);
  });

  test('asks again, signed anew, when the pod closed a kept connection just then; but not what must happen once', async () => {
    const stale = () => new ClientFailure('stale-connection', { phase: 'response', isRequestSent: true });
    const signatures: unknown[] = [];
    const flaky = new PodChannel({
      call: async (call) => {
        signatures.push(call.headers?.[1]);
        if (signatures.length % 2 === 1) throw stale();
        return caller.call(call);
      },
      signer: createCallSigner(key, { clock: systemClock, random: systemRandom }),
    });
    assert.deepEqual(await flaky.send(podAt(module.url), sum), { sum: 3 });
    assert.equal(new Set(signatures).size, 2);
    const once = flaky.send(podAt(module.url), { ...sum, isRepeatable: false });
    await assertFails(once, /^The pod does not answer: a connection that was used again/, false);
    assert.equal(signatures.length, 3);
  });

  test('checks what is sent', async () => {
    const wrong = { ...sum, body: { one: '1' } };
    await assertFails(channel.send(podAt(module.url), wrong), /^The pod answered 400\.$/, false);
  });
});

const addresses: Array<[address: string, ip: string]> = [
  ['http://10.0.0.7:8091', '10.0.0.7'],
  ['http://[fd00::1]:8091', 'fd00::1'],
];
for (const [address, ip] of addresses) {
  test(`the pod at ${address} has the address ${ip}`, () => assert.equal(podIpOf({ address }), ip));
}
