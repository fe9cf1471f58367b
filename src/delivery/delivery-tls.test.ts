import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testCertificates, testKey } from '../http1/client/testing/tls-certificates.ts';
import { localhostIdentity, strangerIdentity } from '../kernel/testing/tls-identities.ts';
import { answers, FaultyTarget, type FaultyTargetOptions, hangs } from './testing/faulty-target.ts';
import {
  assertGone,
  startRealDelivery,
  type TestSettings,
  testSettings,
  until,
} from './testing/test-delivery.ts';

const quick: TestSettings = { retryBackoffMs: 5, timeouts: { connectMs: 2000, responseMs: 2000 } };

interface TlsFault {
  readonly name: string;
  readonly target: FaultyTargetOptions;
  readonly settings?: TestSettings;
  readonly reason: string;
}

const secure = { tls: { ...localhostIdentity, minVersion: 'TLSv1.2' } } as const;
const trusting = (...trustedCertificates: string[]): TestSettings => ({
  trustStoreName: 'trust',
  material: { trustedCertificates },
});

const demanding = {
  ...localhostIdentity,
  requestCert: true,
  rejectUnauthorized: true,
  ca: strangerIdentity.cert,
} as const;

const tlsFaults: readonly TlsFault[] = [
  {
    name: 'is signed by a stranger',
    target: secure,
    settings: trusting(strangerIdentity.cert),
    reason: 'tls-issuer-unknown',
  },
  {
    name: 'has a certificate of another name',
    target: secure,
    settings: { ...trusting(localhostIdentity.cert), verifyHostname: true },
    reason: 'tls-hostname-mismatch',
  },
  {
    name: 'speaks TLS 1.2 only, where 1.3 is demanded',
    target: { tls: { ...localhostIdentity, maxVersion: 'TLSv1.2' } },
    settings: { tlsVersionList: ['TLSv1.3'] },
    reason: 'tls-protocol-version',
  },
  {
    name: 'has an expired certificate',
    target: { tls: { cert: testCertificates.expired, key: testKey } },
    settings: trusting(testCertificates.authority),
    reason: 'tls-certificate-expired',
  },
  {
    name: 'has a certificate that is not valid yet',
    target: { tls: { cert: testCertificates.notYetValid, key: testKey } },
    settings: trusting(testCertificates.authority),
    reason: 'tls-certificate-not-yet-valid',
  },
  {
    name: 'wants a client certificate by TLS 1.2, and there is none',
    target: { tls: { ...demanding, maxVersion: 'TLSv1.2' } },
    reason: 'tls-client-certificate-required',
  },
  {
    // The client may send before the target has looked at its certificate, and must still know that nothing was read.
    name: 'wants a client certificate by TLS 1.3, and there is none',
    target: { tls: { ...demanding, minVersion: 'TLSv1.3' } },
    reason: 'tls-client-certificate-required',
  },
];
for (const { name, target: options, settings, reason } of tlsFaults) {
  test(`a TLS target that ${name}: ${reason}, tried twice, nothing was sent`, async () => {
    await using target = await FaultyTarget.start(answers(200), options);
    const { engine } = startRealDelivery({ ...quick, fullUrl: target.url, ...settings });
    await engine.offer({ record: {} });
    await until('an end', () => engine.counters().pending === 0);
    assert.deepEqual(engine.counters().dropped, { [reason]: 1 });
    assert.deepEqual(engine.counters().attempts, { [reason]: 2 });
    assert.equal(target.requests.length, 0);
    await assertGone(engine, target);
  });
}

test('a target that accepts and never speaks TLS: the connect timeout', async () => {
  await using target = await FaultyTarget.start(hangs, { onConnection: () => {} });
  const { engine } = startRealDelivery({
    ...quick,
    timeouts: { connectMs: 300 },
    fullUrl: target.url.replace('http:', 'https:'),
  });
  await engine.offer({ record: {} });
  await until('an end', () => engine.counters().pending === 0);
  assert.deepEqual(engine.counters().dropped, { 'connect-timeout': 1 });
  await assertGone(engine, target);
});

for (const { name, settings, warned } of [
  { name: 'any certificate, and warns', settings: {}, warned: ['tls-not-verified'] },
  {
    name: 'a certificate of its trust store under any name',
    settings: trusting(localhostIdentity.cert),
    warned: [],
  },
]) {
  test(`a connection takes ${name}`, async () => {
    await using target = await FaultyTarget.start(answers(200), secure);
    const { engine, problems } = startRealDelivery({ ...quick, fullUrl: target.url, ...settings });
    await engine.offer({ record: {} });
    await until('delivered', () => engine.counters().delivered === 1);
    assert.deepEqual(
      problems.map(({ reason }) => reason),
      warned,
    );
    await assertGone(engine, target);
  });
}

test('a key store gives the client certificate of mutual TLS', async () => {
  await using target = await FaultyTarget.start(answers(200), { tls: demanding });
  const { engine } = startRealDelivery({
    ...quick,
    fullUrl: target.url,
    trustStoreName: 'trust',
    keyStoreName: 'key',
    material: { trustedCertificates: [localhostIdentity.cert], clientIdentity: strangerIdentity },
  });
  await engine.offer({ record: {} });
  await until('delivered', () => engine.counters().delivered === 1);
  await assertGone(engine, target);
});

test('a trust store or key store without content is an error, never an open door', () => {
  assert.throws(() => testSettings({ trustStoreName: 'empty' }), /trust store 'empty'/);
  assert.throws(
    () => testSettings({ trustStoreName: 'empty', material: { trustedCertificates: [] } }),
    /trust store/,
  );
  assert.throws(() => testSettings({ keyStoreName: 'empty' }), /key store 'empty'/);
});
