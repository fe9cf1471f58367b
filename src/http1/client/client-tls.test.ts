import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TlsOptions } from 'node:tls';
import type { ClientFailureReason } from './client-failure.ts';
import type { ClientTls } from './client-options.ts';
import { ClientPool } from './client-pool.ts';
import { failureOf } from './testing/failing.ts';
import { RawTarget, type TargetConnection } from './testing/raw-target.ts';
import { testCertificates as certificates, clientPkcs12, testKey } from './testing/tls-certificates.ts';
import { TlsTarget } from './testing/tls-target.ts';

const { authority } = certificates;
const verifying: ClientTls = { ca: authority };
const identified: ClientTls = { ...verifying, cert: certificates.client, key: testKey };
const mutual: TlsOptions = { requestCert: true, rejectUnauthorized: true, ca: authority };
const only = (version: 'TLSv1.2' | 'TLSv1.3') => ({ minVersion: version, maxVersion: version });

function poolWith(tls: ClientTls): ClientPool {
  // Names lead to this machine, whatever they are.
  const addresses = {
    lookup: (_name: string, _options: unknown, callback: (...found: never[]) => void) =>
      callback(...([null, [{ address: '127.0.0.1', family: 4 }]] as never[])),
    refuses: () => false,
  };
  return new ClientPool({ maxPerHost: 2, maxTotal: 2, tls, addresses });
}

describe('a target behind TLS', () => {
  const cases: readonly [name: string, server: TlsOptions, client: ClientTls, host?: string][] = [
    ['whose certificate is good', {}, verifying],
    ['whose certificate is good for its name', {}, verifying, 'localhost'],
    ['that nobody verifies: signed by itself', { cert: certificates.loner }, {}],
    ['that nobody verifies: expired', { cert: certificates.expired }, {}],
    ['that nobody verifies: for another name', { cert: certificates.elsewhere }, {}, 'localhost'],
    [
      'whose name is not verified',
      { cert: certificates.elsewhere },
      { ...verifying, verifiesHostname: false },
      'localhost',
    ],
    ['that is trusted by its own certificate', { cert: certificates.loner }, { ca: certificates.loner }],
    ['of several trusted ones', {}, { ca: [certificates.loner, authority] }],
    ['that speaks TLS 1.2', { maxVersion: 'TLSv1.2' }, verifying],
    ['that speaks TLS 1.3', { minVersion: 'TLSv1.3' }, verifying],
    ['that speaks TLS 1.2 as wanted', {}, { ...verifying, maxVersion: 'TLSv1.2' }],
    ['that speaks TLS 1.3 as wanted', {}, { ...verifying, minVersion: 'TLSv1.3' }],
    ['that wants a client certificate in TLS 1.2', { ...mutual, ...only('TLSv1.2') }, identified],
    ['that wants a client certificate in TLS 1.3', { ...mutual, ...only('TLSv1.3') }, identified],
  ];
  for (const [name, server, client, host] of cases) {
    it(`answers: ${name}`, async () => {
      await using target = await TlsTarget.start(server);
      const pool = poolWith(client);
      const answer = await pool.send(target.request(host));
      assert.equal(answer.body.toString(), 'ok');
      assert.ok(answer.phases.tls! > 0);
      await pool.close();
    });
  }
});

describe('a target behind TLS that is not called', () => {
  const cases: readonly [
    name: string,
    server: TlsOptions,
    client: ClientTls,
    reason: ClientFailureReason,
    host?: string,
  ][] = [
    ['an expired certificate', { cert: certificates.expired }, verifying, 'tls-certificate-expired'],
    [
      'a certificate of the future',
      { cert: certificates.notYetValid },
      verifying,
      'tls-certificate-not-yet-valid',
    ],
    ['a certificate signed by itself', { cert: certificates.loner }, verifying, 'tls-issuer-unknown'],
    ['an issuer nobody knows', {}, { ca: certificates.loner }, 'tls-issuer-unknown'],
    ['nobody trusted at all', {}, { ca: [] }, 'tls-issuer-unknown'],
    ['another name', { cert: certificates.elsewhere }, verifying, 'tls-hostname-mismatch', 'localhost'],
    ['another address', { cert: certificates.elsewhere }, verifying, 'tls-hostname-mismatch'],
    [
      'an expired certificate whose name is not verified',
      { cert: certificates.expired },
      { ...verifying, verifiesHostname: false },
      'tls-certificate-expired',
    ],
    [
      'a client certificate demanded in TLS 1.2',
      { ...mutual, ...only('TLSv1.2') },
      verifying,
      'tls-client-certificate-required',
    ],
    [
      'a client certificate demanded in TLS 1.3',
      { ...mutual, ...only('TLSv1.3') },
      verifying,
      'tls-client-certificate-required',
    ],
    ['TLS 1.2 only', only('TLSv1.2'), { ...verifying, minVersion: 'TLSv1.3' }, 'tls-protocol-version'],
    ['TLS 1.3 only', only('TLSv1.3'), { ...verifying, maxVersion: 'TLSv1.2' }, 'tls-protocol-version'],
    [
      'no algorithm in common',
      { ciphers: 'ECDHE-RSA-AES128-GCM-SHA256', maxVersion: 'TLSv1.2' },
      verifying,
      'tls-failed',
    ],
    ['a protocol that is not ours', { ALPNProtocols: ['h2'] }, verifying, 'tls-failed'],
    ['a key that is none', {}, { ...verifying, cert: certificates.client, key: 'x' }, 'tls-settings-invalid'],
    ['a trust store that is none', {}, { ca: 'x', pfx: Buffer.from('y') }, 'tls-settings-invalid'],
  ];
  for (const [name, server, client, reason, host] of cases) {
    it(`${reason}: ${name}`, async () => {
      await using target = await TlsTarget.start(server);
      const pool = poolWith(client);
      const failure = await failureOf(pool.send(target.request(host)));
      assert.equal(failure.reason, reason);
      assert.equal(failure.phase, 'tls');
      assert.equal(failure.isRequestSent, false);
      assert.equal(target.requestCount, 0);
      assert.equal(pool.usage().total, 0);
    });
  }

  const endings: readonly [name: string, end: (connection: TargetConnection) => void, ClientFailureReason][] =
    [
      [
        'a reset in the handshake',
        ({ socket }) => void socket.once('data', () => socket.resetAndDestroy()),
        'tls-handshake-reset',
      ],
      [
        'a close in the handshake',
        ({ socket }) => void socket.once('data', () => socket.end()),
        'tls-handshake-reset',
      ],
      [
        'HTTP without TLS',
        ({ socket }) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'),
        'tls-not-spoken',
      ],
      ['another protocol', ({ socket }) => void socket.end('SSH-2.0-OpenSSH\r\n'), 'tls-not-spoken'],
      // Alert 48, as a server sends it whose library verifies clients itself.
      [
        'a client certificate that is rejected',
        ({ socket }) => void socket.once('data', () => socket.write(Buffer.from('15030300020230', 'hex'))),
        'tls-client-certificate-rejected',
      ],
    ];
  for (const [name, onConnection, reason] of endings) {
    it(`${reason}: ${name}`, async () => {
      await using target = await RawTarget.start({ onConnection });
      const pool = new ClientPool({ maxPerHost: 1, maxTotal: 1, tls: verifying });
      const origin = { ...target.origin, protocol: 'https:' } as const;
      const failure = await failureOf(pool.send(target.request({ origin })));
      assert.equal(failure.reason, reason);
      assert.equal(failure.phase, 'tls');
      await target.untilAllClosed();
    });
  }
});

describe('the handshake', () => {
  it('asks for names and never for addresses', async () => {
    await using target = await TlsTarget.start();
    const pool = poolWith(verifying);
    await pool.send(target.request('localhost'));
    await pool.send(target.request('127.0.0.1'));
    assert.deepEqual(target.serverNames, ['localhost', false]);
    await pool.close();
  });

  for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
    it(`resumes a session of ${version}`, async () => {
      await using target = await TlsTarget.start(only(version));
      const pool = poolWith(verifying);
      const request = { ...target.request(), headers: ['Connection', 'close'] };
      for (let count = 0; count < 3; count++) await pool.send(request);
      assert.deepEqual(target.resumptions, [false, true, true]);
      await pool.close();
    });
  }

  it('presents the certificate of a PKCS #12 file', async () => {
    await using target = await TlsTarget.start(mutual);
    const pool = poolWith({ ...verifying, pfx: Buffer.from(clientPkcs12, 'base64'), passphrase: 'changeit' });
    assert.equal((await pool.send(target.request())).status, 200);
    await pool.close();
  });
});
