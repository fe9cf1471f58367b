import assert from 'node:assert/strict';
import { createHash, X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type RawExchange, rawRequest } from '../../../kernel/testing/raw-client.ts';
import { sequence } from '../../../pki/der-writer.ts';
import { readJks } from '../../../pki/jks.ts';
import { certificateIdOf } from '../../../pki/ocsp-request.ts';
import { readPkcs12 } from '../../../pki/pkcs12-reader.ts';
import { type StartedTestbed, startTestbed } from '../../testing/start-testbed.ts';
import type { CertificateName } from '../../tls/certificate-recipes.ts';
import { STORE_PASSWORD, storeNames } from '../../tls/stores.ts';
import { hasTool, runTool } from '../../tls/testing/outside-client.ts';
import { testMaterial } from '../../tls/testing/test-material.ts';

let testbed: StartedTestbed;
const folder = mkdtempSync(join(tmpdir(), 'certs-'));
before(async () => {
  testbed = await startTestbed();
});
after(async () => {
  await testbed.close();
  rmSync(folder, { recursive: true, force: true });
});

const get = (path: string, ...fields: string[]): Promise<RawExchange> =>
  rawRequest(
    testbed.port,
    [`GET ${path} HTTP/1.1`, 'Host: h', 'Connection: close', ...fields, '', ''].join('\r\n'),
  );

async function saved(name: string): Promise<string> {
  const path = join(folder, name);
  writeFileSync(path, (await get(`/certs/${name}`)).body);
  return path;
}

test('the chain leads from the server to the root that is downloaded', async () => {
  const root = new X509Certificate((await get('/certs/ca.crt')).body);
  const intermediate = new X509Certificate((await get('/certs/intermediate.crt')).body);
  const server = new X509Certificate((await get('/certs/server.pem')).body);
  assert.ok(root.ca && root.verify(root.publicKey));
  assert.ok(intermediate.verify(root.publicKey) && server.verify(intermediate.publicKey));
  assert.ok(
    server.checkHost('localhost') && server.checkHost('x.badssl.test') && server.checkIP('127.0.0.1'),
  );
});

test('downloads have the same bytes under both prefixes, a validator, and ranges', async () => {
  const whole = await get('/certs/keystore.p12');
  const alias = await get('/certificates/keystore.p12');
  assert.ok(whole.body.equals(alias.body));
  const part = await get('/certs/keystore.p12', 'Range: bytes=4-9');
  assert.equal(part.status, 206);
  assert.ok(part.body.equals(whole.body.subarray(4, 10)));
  assert.equal((await get('/certs/keystore.p12', `If-None-Match: ${whole.header('etag')}`)).status, 304);
});

describe('every store opens with the password that its answer names', () => {
  for (const name of storeNames) {
    test(name, async () => {
      const { body, header } = await get(`/certs/${name}`);
      assert.equal(header('x-keystore-password'), STORE_PASSWORD);
      const store = await (name.endsWith('.jks') ? readJks : readPkcs12)(body, STORE_PASSWORD);
      if (name.startsWith('trust')) assert.equal(store.trusted.length, 2);
      else {
        const [entry] = store.keys;
        const leaf = new X509Certificate(entry!.chain[0]!);
        assert.ok(leaf.checkPrivateKey(entry!.privateKey));
      }
    });
  }

  test('and keytool lists every one of them', async (context) => {
    if (!(await hasTool(context, 'keytool', '-help'))) return;
    for (const name of storeNames) {
      const args = ['-list', '-keystore', await saved(name), '-storepass', STORE_PASSWORD];
      const { exitCode, output } = await runTool('keytool', [...args, '-J-Duser.language=en']);
      assert.equal(exitCode, 0, output);
      const wanted = name.startsWith('trust')
        ? /contains 2 entries[\s\S]*trustedCertEntry/
        : /PrivateKeyEntry/;
      assert.match(output, wanted, name);
    }
  });
});

test('a public service keeps the keys of its servers', async () => {
  await using open = await startTestbed({ settings: { isPublic: true } });
  for (const name of ['server.key', 'keystore.p12', 'keystore.jks']) {
    const answer = await rawRequest(
      open.port,
      `GET /certs/${name} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n`,
    );
    assert.equal(answer.status, 403, name);
  }
  const bundle = await rawRequest(
    open.port,
    'GET /certs/bundle.zip HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n',
  );
  assert.equal(bundle.status, 200);
  assert.ok(bundle.body.includes('client.p12') && !bundle.body.includes('keystore.p12'));
});

test('the bundle is an archive that others can read', async (context) => {
  const path = await saved('bundle.zip');
  if (!(await hasTool(context, 'python3', '--version'))) return;
  const program =
    'import sys,zipfile; z=zipfile.ZipFile(sys.argv[1]); print(z.testzip()); [print(i.file_size, i.filename) for i in z.infolist()]';
  const { output } = await runTool('python3', ['-c', program, path]);
  const [damaged, ...entries] = output.trim().split('\n');
  assert.equal(damaged, 'None');
  for (const name of ['ca.pem', 'keystore.jks', 'scenarios/expired.pem', 'proto/testservice/v1/echo.proto'])
    assert.ok(
      entries.some((entry) => entry.endsWith(` ${name}`)),
      name,
    );
  assert.deepEqual(
    entries.filter((entry) => entry.startsWith('0 ')),
    [],
  );
});

describe('the OCSP responder', () => {
  const STATUS = { good: /8000180f/, revoked: /a116180f\d+5aa0030a0101180f/, unknown: /8200180f/ };

  async function requestFor(
    name: CertificateName,
    issuer: CertificateName = 'intermediate',
  ): Promise<Buffer> {
    const material = await testMaterial();
    const id = certificateIdOf(material.certificate(name), material.certificate(issuer));
    // OCSPRequest { TBSRequest { requestList { Request { CertID } } } }
    return sequence(sequence(sequence(sequence(id.der))));
  }

  async function post(request: Buffer): Promise<string> {
    const head = `POST /certs/ocsp HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Type: application/ocsp-request\r\nContent-Length: ${request.length}\r\n\r\n`;
    const { status, body } = await rawRequest(testbed.port, Buffer.concat([Buffer.from(head), request]));
    assert.equal(status, 200);
    return body.toString('hex');
  }

  test('knows good and revoked certificates', async () => {
    assert.match(await post(await requestFor('server')), STATUS.good);
    assert.match(await post(await requestFor('revoked')), STATUS.revoked);
  });

  test('knows nothing of other authorities', async () => {
    assert.equal(await post(await requestFor('client', 'client-ca')), '30030a0106');
  });

  test('is asked by GET too, Base64 in the path', async () => {
    const base64 = (await requestFor('revoked')).toString('base64');
    for (const spelled of [base64, encodeURIComponent(base64)]) {
      const { body } = await get(`/certs/ocsp/${spelled}`);
      assert.match(body.toString('hex'), STATUS.revoked);
    }
  });

  test('and the revocation list convince openssl', async (context) => {
    if (!(await hasTool(context, 'openssl', 'version'))) return;
    const [ca, chain, crl] = [await saved('ca.pem'), await saved('chain.pem'), await saved('ca.crl.pem')];
    const verify = (leaf: string) =>
      runTool('openssl', ['verify', '-crl_check', '-CAfile', ca, '-untrusted', chain, '-CRLfile', crl, leaf]);
    assert.match((await verify(await saved('server.pem'))).output, /: OK/);
    assert.match((await verify(await saved('revoked.pem'))).output, /certificate revoked/);
    const intermediate = await saved('intermediate.pem');
    const asked = await runTool('openssl', [
      'ocsp',
      '-issuer',
      intermediate,
      '-cert',
      await saved('revoked.pem'),
      '-url',
      `http://127.0.0.1:${testbed.port}/certs/ocsp`,
      '-CAfile',
      chain,
    ]);
    assert.match(asked.output, /Response verify OK[\s\S]*revoked[\s\S]*keyCompromise/i);
  });
});

test('the revocation list is the same for an hour', async () => {
  const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
  assert.equal(digest((await get('/certs/ca.crl')).body), digest((await get('/certs/ca.crl')).body));
});
