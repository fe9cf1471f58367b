import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect as connectTcp, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { everyScenario } from './extra-scenarios.ts';
import { observe } from './strict-check.ts';
import { hasTool, runTool } from './testing/outside-client.ts';
import { startTlsTestbed, type TlsTestbed } from './testing/start-tls-testbed.ts';

let testbed: TlsTestbed;
const folder = mkdtempSync(join(tmpdir(), 'live-tls-'));
const rootFile = join(folder, 'root.pem');
before(async () => {
  testbed = await startTlsTestbed();
  writeFileSync(rootFile, testbed.material.chainPem(['root']));
});
after(async () => {
  await testbed[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

const see = (id: string, changes: ConnectionOptions = {}) =>
  observe(testbed.material, { host: '127.0.0.1', port: testbed.portOf(id), deadlineMs: 1_000, changes });

/** Where good clients disagree: what the client of this Node.js does. */
const nodeWithVaries: Readonly<Record<string, 'ok' | 'fail'>> = {
  'ml-dsa-65': 'ok',
  'no-san': 'ok',
  revoked: 'ok',
  'must-staple-missing': 'ok',
  'alpn-h2-only': 'ok',
  'dh-composite': 'ok',
  'x25519mlkem768-only': 'ok',
  'no-close-notify': 'ok',
};

describe('a strict client ends as the table says', { concurrency: 4 }, () => {
  for (const scenario of everyScenario) {
    test(`${scenario.number} ${scenario.id}`, async () => {
      const { result, error, httpStatus, protocol } = await see(scenario.id);
      const expected = scenario.expected === 'varies' ? nodeWithVaries[scenario.id] : scenario.expected;
      assert.equal(result, expected, error?.message ?? 'no error');
      if (expected === 'fail') assert.equal(error?.code, scenario.expectedError.node);
      else {
        assert.equal(httpStatus, 200);
        assert.equal(protocol, `TLSv${scenario.tls.max}`);
      }
    });
  }
});

describe('a client with other settings', () => {
  const cases: ReadonlyArray<
    readonly [name: string, id: string, changes: ConnectionOptions, seen: Partial<Seen>]
  > = [
    [
      'accepts SHA-1 at security level 0',
      'sha1-signature',
      { ciphers: 'DEFAULT:@SECLEVEL=0' },
      { result: 'ok' },
    ],
    [
      'accepts MD5 at security level 0',
      'md5-signature',
      { ciphers: 'DEFAULT:@SECLEVEL=0' },
      { result: 'ok' },
    ],
    ['accepts RSA 1024 at security level 1', 'rsa1024', { ciphers: 'DEFAULT:@SECLEVEL=1' }, { result: 'ok' }],
    ['accepts RSA 512 at security level 0', 'rsa512', { ciphers: 'DEFAULT:@SECLEVEL=0' }, { result: 'ok' }],
    ['speaks TLS 1.0 at security level 0', 'tls-v1-0', old('TLSv1'), { result: 'ok', protocol: 'TLSv1' }],
    ['speaks TLS 1.1 at security level 0', 'tls-v1-1', old('TLSv1.1'), { result: 'ok', protocol: 'TLSv1.1' }],
    ['speaks TLS 1.0 with CBC', 'cbc', old('TLSv1'), { result: 'ok', cipher: 'ECDHE-RSA-AES128-SHA' }],
    [
      'takes the NULL cipher',
      'null-cipher',
      { ciphers: 'NULL-SHA256:@SECLEVEL=0', maxVersion: 'TLSv1.2' },
      { result: 'ok', cipher: 'NULL-SHA256' },
    ],
    [
      'takes DH of 1024 bits',
      'dh1024',
      { ciphers: 'DHE-RSA-AES128-GCM-SHA256:@SECLEVEL=0', minDHSize: 1024 },
      { result: 'ok', cipher: 'DHE-RSA-AES128-GCM-SHA256' },
    ],
    [
      'takes a handshake signed with SHA-1',
      'sha1-handshake',
      { ciphers: 'DEFAULT:@SECLEVEL=0', sigalgs: 'RSA+SHA1:RSA+SHA256' },
      { result: 'ok' },
    ],
    [
      'takes a server without a certificate',
      'anon-ecdh',
      {
        ciphers: 'AECDH-AES128-SHA:@SECLEVEL=0',
        maxVersion: 'TLSv1.2',
        checkServerIdentity: () => undefined,
      },
      { cipher: 'AECDH-AES128-SHA' },
    ],
    [
      'of TLS 1.2 is told the version by the TLS 1.3 server',
      'tls-v1-3',
      { maxVersion: 'TLSv1.2' },
      { result: 'fail', alert: 'protocol_version' },
    ],
    [
      'that insists on forward secrecy is refused by static RSA',
      'static-rsa',
      { ciphers: 'ECDHE-RSA-AES128-GCM-SHA256' },
      { result: 'fail', alert: 'handshake_failure' },
    ],
    [
      'without h2 is refused where only h2 is offered',
      'alpn-h2-only',
      { ALPNProtocols: ['http/1.1'] },
      { result: 'fail', alert: 'no_application_protocol' },
    ],
    [
      'without post-quantum groups is refused where there is no other',
      'x25519mlkem768-only',
      { ecdhCurve: 'X25519' },
      { result: 'fail', alert: 'handshake_failure' },
    ],
    ['that knows the name passes', 'wrong-host', { servername: 'wrong.host.badssl.test' }, { result: 'ok' }],
  ];
  for (const [name, id, changes, expected] of cases) {
    test(`${name} (${id})`, async () => {
      const { result, error, protocol, cipher } = await see(id, changes);
      const seen: Seen = { result, protocol, cipher, alert: error?.alert ?? null };
      for (const [member, value] of Object.entries(expected))
        assert.equal(seen[member as keyof Seen], value, `${member}: ${error?.message}`);
    });
  }

  test('is asked for a certificate and gets through with a good one', async () => {
    const identity = {
      cert: testbed.material.chainPem(['client']),
      key: testbed.material.keyPem('client'),
    };
    assert.equal((await see('mtls-required', identity)).httpStatus, 200);
    assert.equal((await see('mtls-optional', identity)).httpStatus, 200);
    assert.equal((await see('mtls-untrusted-ca', identity)).result, 'fail');
    const expired = { ...identity, cert: testbed.material.chainPem(['client-expired']) };
    assert.equal((await see('mtls-required', expired)).result, 'fail');
    const untrusted = { ...identity, cert: testbed.material.chainPem(['client-untrusted']) };
    assert.equal((await see('mtls-required', untrusted)).result, 'fail');
  });

  test('that asks for the status of the revoked certificate is given it', async () => {
    const socket = open('revoked', { requestOCSP: true });
    const [staple] = (await once(socket, 'OCSPResponse')) as [Buffer | null];
    socket.destroy();
    // certStatus [1] revoked, with the reason keyCompromise
    assert.match(staple!.toString('hex'), /a116180f\d+5aa0030a0101/);
    const silent = open('must-staple-missing', { requestOCSP: true });
    const [nothing] = (await once(silent, 'OCSPResponse')) as [Buffer | null];
    silent.destroy();
    assert.equal(nothing, null);
  });

  test('may not renegotiate where it is refused', async () => {
    const socket = open('renegotiation-refused');
    await once(socket, 'secureConnect');
    const error = await new Promise<Error | null>((resolve) => {
      socket.on('error', resolve);
      socket.renegotiate({}, resolve);
    });
    socket.destroy();
    assert.match(String(error?.message), /no renegotiation/i);
  });

  test('sees an end without close_notify', async () => {
    const records: number[] = [];
    const relay = createServer((client) => {
      const upstream = connectTcp(testbed.portOf('no-close-notify'), '127.0.0.1');
      client.pipe(upstream).pipe(client);
      upstream.on('data', (chunk: Buffer) => {
        for (let at = 0; at + 5 <= chunk.length; at += 5 + chunk.readUInt16BE(at + 3))
          records.push(chunk[at]!);
      });
    }).listen(0, '127.0.0.1');
    await once(relay, 'listening');
    const { port } = relay.address() as AddressInfo;
    const socket = open('no-close-notify', { port, ALPNProtocols: ['http/1.1'] });
    await once(socket, 'secureConnect');
    socket.write('GET /get HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    let text = '';
    for await (const chunk of socket) text += chunk;
    assert.match(text, /^HTTP\/1\.1 200 /);
    relay.close();
    assert.ok(records.includes(0x17) && !records.includes(0x15), records.join());
  });
});

/** Of scenarios that vary: what a client on OpenSSL 3.0 does by itself, and one that knows post-quantum keys. */
const curlWithVaries: Readonly<Record<string, ReadonlySet<number>>> = {
  'ml-dsa-65': new Set([0, 35]),
  'x25519mlkem768-only': new Set([0, 35]),
  'no-close-notify': new Set([0, 55, 56]),
};

/** `55 or 56`: a refusal after the handshake may reach curl while it sends or while it reads. */
const codesIn = (text: string | null | undefined) => new Set((text ?? '').split(' or ').map(Number));

test('curl ends with the exit codes of the table', async (context) => {
  if (!(await hasTool(context, 'curl', '--version'))) return;
  for (const { id, expected, expectedError } of everyScenario) {
    const url = `https://localhost:${testbed.portOf(id)}/badssl/whoami`;
    const args = ['-sS', '--max-time', '2', '--cacert', rootFile, url];
    const { exitCode, output } = await runTool('curl', args);
    const wanted = curlWithVaries[id] ?? (expected === 'fail' ? codesIn(expectedError.curl) : new Set([0]));
    assert.ok(wanted.has(exitCode!), `${id}: curl ended with ${exitCode}: ${output}`);
    if (exitCode === 0) assert.equal(JSON.parse(output).scenario, id);
  }
  const status = ['-sS', '--cert-status', '--cacert', rootFile];
  const revoked = await runTool('curl', [...status, `https://localhost:${testbed.portOf('revoked')}/get`]);
  assert.equal(revoked.exitCode, 91, revoked.output);
});

test('openssl s_client sees the errors of the table', async (context) => {
  if (!(await hasTool(context, 'openssl', 'version'))) return;
  const categories = new Set(['certificate', 'protocol', 'cipher']);
  for (const { id, expected, expectedError, category, server } of everyScenario) {
    if (!categories.has(category) || server === 'stall' || server === 'no-close-notify') continue;
    const args = ['s_client', '-connect', `localhost:${testbed.portOf(id)}`, '-CAfile', rootFile];
    const strict = ['-verify_hostname', 'localhost', '-verify_return_error', '-servername', 'localhost'];
    const { output } = await runTool('openssl', [...args, ...strict]);
    if (expected === 'ok') assert.match(output, /Verif(y return code: 0|ication: OK)/, `${id}: ${output}`);
    if (expected !== 'fail') continue;
    const words = expectedError.openssl!.toLowerCase().replaceAll(/[- ]/g, '.?');
    // Resets are told in the words of the system.
    const pattern = server === 'reset' ? /errno=104|reset/ : new RegExp(words, 'i');
    assert.match(output, pattern, id);
  }
});

interface Seen {
  readonly result: string;
  readonly protocol: string | null;
  readonly cipher: string | null;
  readonly alert: string | null;
}

function old(version: 'TLSv1' | 'TLSv1.1'): ConnectionOptions {
  return { minVersion: version, maxVersion: version, ciphers: 'DEFAULT:@SECLEVEL=0' };
}

function open(id: string, changes: ConnectionOptions = {}): TLSSocket {
  const socket = connect({
    host: '127.0.0.1',
    port: testbed.portOf(id),
    servername: 'localhost',
    ca: testbed.material.chainPem(['root']),
    ...changes,
  });
  socket.on('error', () => {});
  return socket;
}
