import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { credentials, status } from '@grpc/grpc-js';
import { startTlsTestbed, type TlsTestbed } from '../tls/testing/start-tls-testbed.ts';
import { callUnary, grpcClient } from './testing/grpc-client.ts';

let testbed: TlsTestbed;
before(async () => {
  testbed = await startTlsTestbed();
});
after(async () => {
  await testbed[Symbol.asyncDispose]();
  assert.deepEqual(testbed.errors, [], 'nothing unforeseen may be logged');
});

async function call(scenario: string, hasClientCertificate = false): Promise<string> {
  const { material } = testbed;
  const authority = Buffer.from(material.chainPem(['root']));
  const key = hasClientCertificate ? Buffer.from(material.keyPem('client')) : null;
  const chain = hasClientCertificate ? Buffer.from(material.chainPem(['client', 'client-ca'])) : null;
  const client = grpcClient(
    testbed.portOf(scenario),
    'testservice.v1.Echo',
    { 'grpc.ssl_target_name_override': 'localhost' },
    credentials.createSsl(authority, key, chain),
  );
  try {
    return (await callUnary(client, 'Unary', { message: scenario })).message;
  } finally {
    client.close();
  }
}

describe('gRPC over TLS', () => {
  for (const scenario of ['valid', 'ecc256', 'tls-v1-2', 'tls-v1-3', 'alpn-h2-only', 'mtls-optional']) {
    test(`${scenario} carries calls`, async () => assert.equal(await call(scenario), scenario));
  }

  test('mtls-required carries calls of a client with a certificate', async () => {
    assert.equal(await call('mtls-required', true), 'mtls-required');
  });

  for (const scenario of ['expired', 'self-signed', 'wrong-host']) {
    test(`${scenario} is refused by the client`, async () => {
      await assert.rejects(call(scenario), { code: status.UNAVAILABLE });
    });
  }
});
