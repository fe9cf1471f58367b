import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';
import { type ConnectionOptions, connect } from 'node:tls';
import { rawRequest } from '../../kernel/testing/raw-client.ts';
import type { CertificateName } from '../tls/certificate-recipes.ts';
import { scenarios } from '../tls/scenarios.ts';
import { startTlsTestbed, type TlsTestbed } from '../tls/testing/start-tls-testbed.ts';

let testbed: TlsTestbed;
before(async () => {
  testbed = await startTlsTestbed();
});
after(() => testbed[Symbol.asyncDispose]());

// biome-ignore lint/suspicious/noExplicitAny: whatever the service answers
type Json = any;

async function ask(path: string): Promise<Json> {
  const { body } = await rawRequest(
    testbed.port,
    `GET ${path} HTTP/1.1\r\nHost: gw.example\r\nConnection: close\r\n\r\n`,
  );
  return JSON.parse(body.toString());
}

/** Asks through a TLS port. */
async function askSecurely(
  id: string,
  path: string,
  options: ConnectionOptions = {},
  ...fields: string[]
): Promise<Json> {
  const socket = connect({
    host: '127.0.0.1',
    port: testbed.portOf(id),
    servername: 'localhost',
    ca: testbed.material.chainPem(['root']),
    ...options,
  });
  await once(socket, 'secureConnect');
  socket.write([`GET ${path} HTTP/1.1`, 'Host: h', 'Connection: close', ...fields, '', ''].join('\r\n'));
  let text = '';
  for await (const chunk of socket) text += chunk;
  return JSON.parse(text.slice(text.indexOf('\r\n\r\n')));
}

const identityOf = (name: CertificateName): ConnectionOptions => ({
  cert: testbed.material.chainPem([name]),
  key: testbed.material.keyPem(name),
});

test('there are 40 scenarios, each with its port, certificate and TLS version, and all of them run', async () => {
  const { count, scenarios: listed } = await ask('/badssl');
  assert.equal(count, 40);
  assert.equal(new Set(listed.map(({ port }: Json) => port)).size, 40);
  for (const { id, port, url, running, tls, certificate } of listed) {
    assert.equal(running, true, id);
    assert.equal(url, `https://gw.example:${port}/`);
    assert.match(tls.min, /^1\.[0-3]$/);
    assert.match(certificate.sha256, /^[0-9a-f]{64}$/);
    assert.ok(Date.parse(certificate.notBefore) < Date.parse(certificate.notAfter), id);
  }
});

test('a request learns which scenario it came through', async () => {
  const seen = await askSecurely('tls-v1-2', '/badssl/whoami');
  assert.equal(seen.scenario, 'tls-v1-2');
  assert.equal(seen.port, testbed.portOf('tls-v1-2'));
  assert.deepEqual([seen.tls.version, seen.tls.sni], ['TLSv1.2', 'localhost']);
  assert.equal((await ask(`/badssl/port/${testbed.portOf('cbc')}`)).id, 'cbc');
});

describe('the check of the service itself finds what the table says', { concurrency: 4 }, () => {
  for (const { id, expected, expectedError } of scenarios) {
    test(id, async () => {
      const { asExpected, observed } = await ask(`/badssl/${id}/check`);
      assert.equal(asExpected, true, JSON.stringify(observed.error));
      if (expected === 'fail') assert.equal(observed.error.code, expectedError.node);
    });
  }

  test('with the chain that the server sent, also of one it refuses', async () => {
    const { observed } = await ask('/badssl/untrusted-root/check');
    assert.match(observed.chain[1].subject, /CN=Untrusted Root/);
    const leaf = new X509Certificate(testbed.material.certificate('untrusted-root-server'));
    assert.equal(observed.chain[0].sha256, leaf.fingerprint256.replaceAll(':', '').toLowerCase());
  });
});

describe('the client certificate group sees the TLS peer', () => {
  test('a good certificate', async () => {
    const seen = await askSecurely('mtls-required', '/client-cert/tls', identityOf('client'));
    assert.deepEqual([seen.present, seen.source, seen.trusted], [true, 'tls', true]);
    assert.match(seen.certificate.subject, /^CN=Test Client/);
  });

  test('one that nobody vouches for, where any is taken', async () => {
    const seen = await askSecurely('mtls-optional', '/client-cert/tls', identityOf('client-untrusted'));
    assert.deepEqual([seen.present, seen.trusted], [true, false]);
    assert.match(seen.verifyError, /^UNABLE_TO_|^SELF_SIGNED/);
  });

  test('none', async () => {
    assert.deepEqual(await askSecurely('mtls-optional', '/client-cert/tls'), { present: false });
  });

  test('a conflict with what a header says', async () => {
    const forged = `X-SSL-Client-Cert: ${encodeURIComponent(testbed.material.chainPem(['client-expired']))}`;
    const honest = `X-SSL-Client-Cert: ${encodeURIComponent(testbed.material.chainPem(['client']))}`;
    const path = '/client-cert/headers';
    const conflict = await askSecurely('mtls-required', path, identityOf('client'), forged);
    assert.equal(conflict.conflict, true);
    assert.deepEqual(
      conflict.sources.map(({ source }: Json) => source),
      ['header:x-ssl-client-cert', 'tls'],
    );
    const agreement = await askSecurely('mtls-optional', path, identityOf('client'), honest);
    assert.equal(agreement.conflict, false);
  });
});

test('nothing of all this was an error of the service', () => {
  assert.deepEqual(testbed.errors, []);
});
