import assert from 'node:assert/strict';
import { verify, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { type Authority, issueCertificate, selfSigned, serialNumberOf } from './certificate.ts';
import { issueCrl, type Revocation } from './crl.ts';
import { DerFields, derTags } from './der-reader.ts';
import { generateKeySync, type KeyKind } from './keys.ts';
import { oids } from './object-identifiers.ts';
import { certificateIdOf, isIssuedBy, readOcspRequest } from './ocsp-request.ts';
import {
  type CertificateStatus,
  issueOcspResponse,
  type OcspErrorStatus,
  ocspError,
} from './ocsp-response.ts';
import { certificatePem, pemOf } from './pem.ts';
import { testWith } from './testing/tools.ts';

const now = new Date(Math.floor(Date.now() / 1000) * 1000);
const later = new Date(now.getTime() + 86_400_000);
const revokedAt = new Date('2026-02-03T04:05:06Z');
const authority = root('p-256', 'Authority');
const leaf = below(authority, 0x00ff_0001n);

function root(kind: KeyKind, name: string): Authority {
  const keys = generateKeySync(kind);
  const extensions = { basicConstraints: { ca: true }, keyUsage: ['keyCertSign', 'cRLSign'] } as const;
  const profile = { subject: [['CN', name]], notBefore: now, notAfter: later, extensions } as const;
  return { certificate: selfSigned(profile, keys), privateKey: keys.privateKey };
}

function below(issuer: Authority, serialNumber: bigint): Buffer {
  const { publicKey } = generateKeySync('p-256');
  const subject = [['CN', 'leaf']] as const;
  return issueCertificate({ subject, publicKey, serialNumber, notBefore: now, notAfter: later }, issuer);
}

function answerOf(status: CertificateStatus, responder = authority, nonce?: Buffer): Buffer {
  const id = certificateIdOf(leaf, authority.certificate);
  const attachedCertificates = responder === authority ? [] : [responder.certificate];
  return issueOcspResponse(
    {
      certificates: [{ id, ...status }],
      producedAt: now,
      thisUpdate: now,
      nextUpdate: later,
      nonce,
      attachedCertificates,
    },
    responder,
  );
}

testWith('openssl', 'reads a list of revoked certificates and refuses the one on it', (run, put) => {
  const revoked: Revocation[] = [
    { serialNumber: serialNumberOf(leaf), revokedAt, reason: 'keyCompromise' },
    { serialNumber: 5n, revokedAt: new Date('2051-01-01T00:00:00Z') },
  ];
  const issuer = put('ca.pem', certificatePem(authority.certificate));
  const listFile = (list: Revocation[]) => {
    const der = issueCrl({ thisUpdate: now, nextUpdate: later, number: 300, revoked: list }, authority);
    return put('list.pem', pemOf('X509 CRL', der));
  };
  const text = run('crl', '-noout', '-text', '-CAfile', issuer, '-in', listFile(revoked));
  assert.match(text, /verify OK/);
  assert.match(text, /Version 2 \(0x1\)/);
  assert.match(text, /X509v3 CRL Number:\s+300\n/);
  assert.match(
    text,
    /Serial Number: FF0001\s+Revocation Date: Feb {2}3 04:05:06 2026 GMT\s+CRL entry extensions:\s+X509v3 CRL Reason Code:\s+Key Compromise\n/,
  );
  assert.match(text, /Serial Number: 05\s+Revocation Date: Jan {2}1 00:00:00 2051 GMT\n/);
  assert.match(run('crl', '-noout', '-text', '-in', listFile([])), /No Revoked Certificates/);

  const check = (file: string) =>
    run('verify', '-crl_check', '-CAfile', issuer, '-CRLfile', file, put('leaf.pem', certificatePem(leaf)));
  assert.match(check(listFile([])), /OK/);
  assert.throws(() => check(listFile(revoked)), /certificate revoked/);
});

test('lists and answers are signed by the key of their issuer', () => {
  const { publicKey } = new X509Certificate(authority.certificate);
  const list = issueCrl({ thisUpdate: now, nextUpdate: later, number: 1, revoked: [] }, authority);
  const response = new DerFields(answerOf({ status: 'good' }));
  response.take(derTags.enumerated);
  const basic = new DerFields(response.take(0xa0).content);
  assert.equal(basic.takeOid(), oids.ocspBasic);
  for (const whole of [list, basic.take(derTags.octetString).content]) {
    const fields = new DerFields(whole);
    const content = fields.take(derTags.sequence).whole;
    fields.take(derTags.sequence);
    const signature = fields.take(derTags.bitString).content.subarray(1);
    assert.ok(verify('sha256', content, publicKey, signature));
  }
});

test('the id of a certificate names its issuer, whatever digest the client used', () => {
  const id = certificateIdOf(leaf, authority.certificate);
  assert.equal(id.serialNumber, 0x00ff_0001n);
  assert.ok(isIssuedBy(id, authority.certificate));
  assert.ok(!isIssuedBy(id, root('p-256', 'Authority').certificate));
  assert.ok(!isIssuedBy({ ...id, digest: undefined }, authority.certificate));
});

testWith('openssl', 'asks for certificates, and what it asks is read', (run, put) => {
  const files = {
    ca: put('ca.pem', certificatePem(authority.certificate)),
    leaf: put('leaf.pem', certificatePem(leaf)),
  };
  for (const digest of ['sha1', 'sha256', 'sha384', 'sha512', 'sha3-256']) {
    const out = put('request.der');
    run('ocsp', '-issuer', files.ca, `-${digest}`, '-cert', files.leaf, '-serial', '77', '-reqout', out);
    const { certificates, nonce } = readOcspRequest(readFileSync(out));
    assert.deepEqual(
      certificates.map(({ serialNumber }) => serialNumber),
      [0xff0001n, 77n],
    );
    assert.equal(isIssuedBy(certificates[0]!, authority.certificate), digest !== 'sha3-256', digest);
    assert.equal(nonce?.length, 16);
    assert.throws(() => readOcspRequest(readFileSync(out).subarray(0, 40)), RangeError);
  }
  const out = put('request.der');
  run('ocsp', '-issuer', files.ca, '-cert', files.leaf, '-no_nonce', '-reqout', out);
  const request = readOcspRequest(readFileSync(out));
  assert.equal(request.nonce, undefined);
  assert.deepEqual(request.certificates, [certificateIdOf(leaf, authority.certificate)]);
});

testWith(
  'openssl',
  'believes the answers of the authority and of a responder it delegates to',
  (run, put) => {
    const files = {
      ca: put('ca.pem', certificatePem(authority.certificate)),
      leaf: put('leaf.pem', certificatePem(leaf)),
    };
    const delegateKeys = generateKeySync('rsa-2048');
    const delegate: Authority = {
      privateKey: delegateKeys.privateKey,
      certificate: issueCertificate(
        {
          subject: [['CN', 'Responder']],
          publicKey: delegateKeys.publicKey,
          notBefore: now,
          notAfter: later,
          extensions: { extendedKeyUsage: ['ocspSigning'], ocspNoCheck: true },
        },
        authority,
      ),
    };
    const request = put('request.der');
    run('ocsp', '-issuer', files.ca, '-cert', files.leaf, '-reqout', request);
    const { nonce } = readOcspRequest(readFileSync(request));
    const ask = (response: Buffer) =>
      run(
        'ocsp',
        '-CAfile',
        files.ca,
        '-issuer',
        files.ca,
        '-cert',
        files.leaf,
        '-no_nonce',
        '-reqin',
        request,
        '-respin',
        put('response.der', response),
      );

    for (const responder of [authority, delegate]) {
      assert.match(
        ask(answerOf({ status: 'good' }, responder, nonce)),
        /leaf\.pem: good[\s\S]*Response verify OK/,
      );
      assert.match(ask(answerOf({ status: 'unknown' }, responder, nonce)), /leaf\.pem: unknown/);
      const revoked = ask(answerOf({ status: 'revoked', revokedAt, reason: 'superseded' }, responder, nonce));
      assert.match(
        revoked,
        /leaf\.pem: revoked[\s\S]*Reason: superseded\s+Revocation Time: Feb {2}3 04:05:06 2026[\s\S]*verify OK/,
      );
    }
    const shown = (response: Buffer) =>
      run('ocsp', '-resp_text', '-noverify', '-respin', put('response.der', response));
    const echoed = shown(answerOf({ status: 'good' }, authority, nonce));
    assert.match(echoed, new RegExp(`OCSP Nonce:\\s+0410${nonce?.toString('hex')}`, 'i'));
    assert.doesNotMatch(shown(answerOf({ status: 'good' })), /Nonce/);
    assert.throws(
      () => ask(answerOf({ status: 'good' }, root('p-256', 'Stranger'), nonce)),
      /Verify Failure/i,
    );
  },
);

testWith('openssl', 'hears every error of a responder', (run, put) => {
  const heard: Record<OcspErrorStatus, RegExp> = {
    malformedRequest: /malformedrequest \(1\)/,
    internalError: /internalerror \(2\)/,
    tryLater: /trylater \(3\)/,
    sigRequired: /sigrequired \(5\)/,
    unauthorized: /unauthorized \(6\)/,
  };
  for (const [status, pattern] of Object.entries(heard)) {
    const file = put('error.der', ocspError(status as OcspErrorStatus));
    assert.throws(() => run('ocsp', '-resp_text', '-noverify', '-respin', file), pattern);
  }
});

test('damaged requests are refused with a RangeError and nothing else', () => {
  const id = certificateIdOf(leaf, authority.certificate).der;
  const whole = Buffer.concat([
    Buffer.from([0x30, id.length + 6, 0x30, id.length + 4, 0x30, id.length + 2, 0x30, id.length]),
    id,
  ]);
  assert.equal(readOcspRequest(whole).certificates.length, 1);
  for (let length = 0; length < whole.length; length++)
    assert.throws(() => readOcspRequest(whole.subarray(0, length)), RangeError);
  for (let at = 0; at < whole.length * 8; at++) {
    const damaged = Buffer.from(whole);
    damaged[at >> 3]! ^= 1 << (at & 7);
    try {
      readOcspRequest(damaged);
    } catch (error) {
      assert.ok(error instanceof RangeError, String(error));
    }
  }
});
