import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testSettings } from './testing/test-delivery.ts';

test('the defaults of the specification, in milliseconds and bytes', () => {
  const settings = testSettings();
  assert.deepEqual(settings.pool.timeouts, {
    acquireMs: 2000,
    connectMs: 2000,
    writeMs: 30_000,
    responseMs: 2000,
    idleMs: 2000,
  });
  assert.deepEqual(settings.batch, {
    isEnabled: false,
    maxEvents: 100,
    maxBytes: 1_048_576,
    maxDelayMs: 200,
  });
  assert.deepEqual(settings.buffer, { maxBytes: 33_554_432, producerThrottleMs: 100 });
  assert.deepEqual(settings.retry, { maxCount: 1, backoffMs: 200, maxRetryAfterMs: 5000, mayRepeat: false });
  assert.equal(settings.collector, undefined);
  assert.equal(settings.breaker, undefined);
  assert.equal(settings.isGzipEnabled, false);
  assert.equal(settings.pool.maxPerHost, 24);
  assert.equal(settings.pool.maxTotal, 48);
  assert.deepEqual(settings.pool.tls, {
    verifiesHostname: false,
    minVersion: 'TLSv1.2',
    maxVersion: 'TLSv1.3',
  });
});

test('empty timeouts take the value of timeout, except the write stall', () => {
  const { timeouts } = testSettings({
    timeout: 7,
    connectTimeoutSeconds: null,
    responseTimeoutSeconds: null,
    connectionRequestTimeoutSeconds: null,
    socketTimeoutSeconds: null,
    writeStallTimeoutSeconds: -1,
  }).pool;
  assert.deepEqual(timeouts, {
    acquireMs: 7000,
    connectMs: 7000,
    writeMs: 0,
    responseMs: 7000,
    idleMs: 7000,
  });
});

test('single records are not compressed', () => {
  assert.equal(testSettings({ gzipEnabled: true }).isGzipEnabled, false);
  assert.equal(testSettings({ gzipEnabled: true, batchEnabled: true }).isGzipEnabled, true);
});

for (const [method, mayRepeat] of [
  ['POST', false],
  ['PATCH', false],
  ['PUT', true],
  ['DELETE', true],
  ['GET', true],
] as const) {
  test(`${method} ${mayRepeat ? 'may' : 'must not'} be repeated by default`, () => {
    assert.equal(testSettings({ httpMethod: method }).retry.mayRepeat, mayRepeat);
    assert.equal(testSettings({ httpMethod: method, retryNonIdempotent: true }).retry.mayRepeat, true);
  });
}

for (const [versions, minVersion, maxVersion] of [
  [['TLSv1.2'], 'TLSv1.2', 'TLSv1.2'],
  [['TLSv1.3'], 'TLSv1.3', 'TLSv1.3'],
  [['TLSv1.3', 'TLSv1.2'], 'TLSv1.2', 'TLSv1.3'],
] as const) {
  test(`TLS versions ${versions}`, () => {
    const { tls } = testSettings({ tlsVersionList: [...versions] }).pool;
    assert.deepEqual([tls.minVersion, tls.maxVersion], [minVersion, maxVersion]);
  });
}

test('the breaker and the collector get what they need', () => {
  const settings = testSettings({
    circuitBreakerEnabled: true,
    errorThresholdValue: 9,
    sleepWindow: 60,
    eventCollectorEnabled: true,
    eventCollectorIndex: 'main',
    useAck: true,
    ackTimeoutSeconds: 10,
    maxAckResend: 4,
  });
  assert.deepEqual(settings.breaker, {
    threshold: 9,
    windowMs: 10_000,
    sleepMs: 60_000,
    isHalfOpenEnabled: true,
  });
  assert.deepEqual(settings.collector!.ack, { timeoutMs: 10_000, maxResends: 4 });
  assert.equal(settings.collector!.channelHeader, 'X-Splunk-Request-Channel');
  assert.notEqual(
    settings.collector!.channel,
    testSettings({ eventCollectorEnabled: true, podName: 'worker-2' }).collector!.channel,
  );
});
