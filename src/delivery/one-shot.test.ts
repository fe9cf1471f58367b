import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import type { AddressSource } from '../http1/client/client-options.ts';
import { localhostIdentity, strangerIdentity } from '../kernel/testing/tls-identities.ts';
import { openDeliveryPool } from './delivery-pool.ts';
import { type ContactResult, contactOnce } from './one-shot.ts';
import { FakeCollector } from './testing/fake-collector.ts';
import {
  answers,
  FaultyTarget,
  type FaultyTargetOptions,
  hangs,
  type Reaction,
  resets,
  writes,
} from './testing/faulty-target.ts';
import { ScriptedPool } from './testing/scripted-pool.ts';
import { type TestSettings, testSettings } from './testing/test-delivery.ts';

const timeouts = { connectMs: 400, responseMs: 400, idleMs: 400 };
const NOW_MS = Date.UTC(2026, 0, 1);

async function contact(given: TestSettings, addresses?: AddressSource): Promise<ContactResult> {
  const settings = testSettings({ timeouts, ...given });
  const pool = openDeliveryPool(settings.pool, addresses);
  try {
    return await contactOnce({ settings, pool, signal: AbortSignal.timeout(10_000), nowMs: NOW_MS });
  } finally {
    await pool.destroy();
  }
}

test('a success names the status and how long each phase took, also for a disabled connection', async () => {
  await using target = await FaultyTarget.start(answers(201));
  const result = await contact({ fullUrl: `${target.url}/in?a=1`, isEnabled: false });
  assert.ok(result.isSuccess);
  assert.equal(result.status, 201);
  assert.equal(result.failure, undefined);
  for (const phase of ['connect', 'write', 'response'] as const) assert.ok(result.phases[phase]! >= 0, phase);
  assert.ok(result.totalMs >= result.phases.response!);
  const [request] = target.requests;
  assert.equal(request!.target, '/in?a=1');
  assert.deepEqual(JSON.parse(request!.body.toString()), {
    '@timestamp': '2026-01-01T00:00:00.000Z',
    message: 'test connection',
    connection: 'Logs',
    environment: 'Development',
  });
});

test('it calls as a delivery would: method, headers, batch form, compression', async () => {
  await using target = await FaultyTarget.start(answers(200));
  await contact({
    fullUrl: target.url,
    httpMethod: 'PUT',
    batchEnabled: true,
    gzipEnabled: true,
    headerList: [{ name: 'X-Key', value: 'k' }],
  });
  const [request] = target.requests;
  assert.equal(request!.method, 'PUT');
  assert.equal(request!.headers['x-key'], 'k');
  assert.equal(request!.headers['content-type'], 'application/x-ndjson');
  assert.match(gunzipSync(request!.body).toString(), /^\{.*\}\n$/);
});

test('a method without a body sends none', async () => {
  await using target = await FaultyTarget.start(answers(200));
  const result = await contact({ fullUrl: target.url, httpMethod: 'GET' });
  assert.ok(result.isSuccess);
  assert.equal(target.requests[0]!.body.length, 0);
});

test('a collector gets a valid event', async () => {
  await using collector = await FakeCollector.start({ token: 't', usesAck: true });
  const result = await contact({
    fullUrl: collector.url,
    eventCollectorEnabled: true,
    headerList: [{ name: 'Authorization', value: 'Splunk t' }],
  });
  assert.ok(result.isSuccess, result.detail);
  assert.equal(collector.events.length, 1);
  const refused = await contact({ fullUrl: collector.url, eventCollectorEnabled: true });
  assert.equal(refused.failure!.errorClass, 'authentication-failed');
  assert.match(refused.detail, /status 401, collector code 2/);
});

for (const [code, reason, errorClass, hint] of [
  ['ENOTFOUND', 'dns-not-found', 'configuration', /does not exist .*: check the parameters/],
  ['EAI_AGAIN', 'dns-failed', 'target-5xx', /could not be resolved/],
] as const)
  test(`a name that the resolver answers with ${code}: ${errorClass}, in the phase dns`, async () => {
    const result = await contact(
      { fullUrl: 'http://name.test/' },
      {
        refuses: () => false,
        lookup: (_name, _options, callback) =>
          setImmediate(() => callback(Object.assign(new Error(code), { code }), '', 0)),
      },
    );
    assert.deepEqual(result.failure, { errorClass, reason, phase: 'dns' });
    assert.match(result.detail, hint);
    assert.ok(result.phases.dns! >= 0);
  });

interface Case {
  readonly name: string;
  readonly reaction?: Reaction;
  readonly target?: FaultyTargetOptions;
  readonly settings?: TestSettings;
  /** Class, reason, phase. */
  readonly failure: readonly [string, string, string];
}
const tls = { tls: localhostIdentity };
const cases: readonly Case[] = [
  { name: '404', reaction: answers(404), failure: ['target-4xx', 'status-404', 'status'] },
  { name: '400', reaction: answers(400), failure: ['target-4xx', 'status-400', 'status'] },
  {
    name: 'a redirect',
    reaction: answers(301, ['Location: /x']),
    failure: ['target-4xx', 'status-301', 'status'],
  },
  { name: '401', reaction: answers(401), failure: ['authentication-failed', 'status-401', 'status'] },
  { name: '403', reaction: answers(403), failure: ['authentication-failed', 'status-403', 'status'] },
  { name: '429', reaction: answers(429), failure: ['target-5xx', 'status-429', 'status'] },
  { name: '503', reaction: answers(503), failure: ['target-5xx', 'status-503', 'status'] },
  { name: 'no answer', reaction: hangs, failure: ['timeout', 'response-timeout', 'response'] },
  {
    name: 'half an answer',
    reaction: writes('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx'),
    failure: ['timeout', 'idle-timeout', 'body'],
  },
  { name: 'a reset', reaction: resets(), failure: ['target-5xx', 'connection-reset', 'response'] },
  {
    name: 'garbage',
    reaction: writes('hello\r\n\r\n'),
    failure: ['target-5xx', 'answer-invalid', 'response'],
  },
  {
    name: 'an untrusted certificate',
    target: tls,
    settings: { trustStoreName: 't', material: { trustedCertificates: [strangerIdentity.cert] } },
    failure: ['target-5xx', 'tls-issuer-unknown', 'tls'],
  },
  {
    name: 'a certificate of another name',
    target: tls,
    settings: {
      trustStoreName: 't',
      verifyHostname: true,
      material: { trustedCertificates: [localhostIdentity.cert] },
    },
    failure: ['target-5xx', 'tls-hostname-mismatch', 'tls'],
  },
  {
    name: 'a client certificate demanded',
    target: {
      tls: { ...localhostIdentity, requestCert: true, rejectUnauthorized: true, maxVersion: 'TLSv1.2' },
    },
    failure: ['authentication-failed', 'tls-client-certificate-required', 'tls'],
  },
  {
    name: 'a TLS handshake that hangs',
    target: { onConnection: () => {} },
    settings: { timeouts },
    failure: ['timeout', 'connect-timeout', 'tls'],
  },
];
for (const { name, reaction = answers(200), target: options, settings, failure } of cases) {
  test(`${name}: ${failure.join(', ')}`, async () => {
    await using target = await FaultyTarget.start(reaction, options);
    const isSilent = options?.onConnection !== undefined;
    const fullUrl = isSilent ? target.url.replace('http:', 'https:') : target.url;
    const result = await contact({ fullUrl, ...settings });
    assert.equal(result.isSuccess, false);
    const { errorClass, reason, phase } = result.failure!;
    assert.deepEqual([errorClass, reason, phase], failure);
    assert.match(result.detail, /: /);
  });
}

test('a refused connection fails in its phase', async () => {
  const gone = await FaultyTarget.start(hangs);
  const { url } = gone;
  await gone[Symbol.asyncDispose]();
  const { failure } = await contact({ fullUrl: url });
  assert.deepEqual(failure, { errorClass: 'target-5xx', reason: 'connect-refused', phase: 'connect' });
});

test('an exhausted pool is told from a slow target', async () => {
  const pool = new ScriptedPool([{ failure: 'acquire-timeout', isRequestSent: false }]);
  const result = await contactOnce({
    settings: testSettings(),
    pool,
    signal: AbortSignal.timeout(1000),
    nowMs: NOW_MS,
  });
  assert.equal(result.failure!.errorClass, 'pool-exhausted');
  assert.match(result.detail, /connectionRequestTimeoutSeconds/);
});

test('an unresolved placeholder is an error before any contact', async () => {
  const pool = new ScriptedPool([{ status: 200 }]);
  const settings = testSettings({ fullUrl: `http://\${host}/` });
  const result = await contactOnce({ settings, pool, signal: AbortSignal.timeout(1000), nowMs: NOW_MS });
  assert.deepEqual(result.failure, {
    errorClass: 'configuration',
    reason: 'unresolved-placeholder',
    phase: 'prepare',
  });
  assert.equal(pool.requests.length, 0);
});
