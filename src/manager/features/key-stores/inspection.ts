import { type KeyObject, X509Certificate } from 'node:crypto';
import { fault } from '../../../kernel/faults.ts';
import type { KeyStoreEntry, KeyStoreType } from '../../../model/key-store.ts';
import { readJks } from '../../../pki/jks.ts';
import type { KeyEntry, KeyStore } from '../../../pki/key-store.ts';
import { readPemCertificates, readPemPrivateKey } from '../../../pki/pem.ts';
import { readPkcs12 } from '../../../pki/pkcs12-reader.ts';

/** A key store holds keys of our own, a trust store the certificates of others. */
export type StoreKind = 'KeyStore' | 'TrustStore';

/** Opens the file and looks whether it can serve as what it is meant for. Resolves with what is in it. */
export async function inspect(
  kind: StoreKind,
  type: KeyStoreType,
  content: Buffer,
  password: string,
): Promise<KeyStoreEntry[]> {
  const store = await open(kind, type, content, password);
  return kind === 'KeyStore' ? keyEntries(store) : trustedEntries(store);
}

function open(kind: StoreKind, type: KeyStoreType, content: Buffer, password: string): Promise<KeyStore> {
  if (type === 'PKCS12') return readPkcs12(content, password);
  if (type === 'JKS') return readJks(content, password);
  return readPemStore(kind, content.toString('latin1'), password);
}

/** One key with its certificates, or certificates alone. */
async function readPemStore(kind: StoreKind, text: string, password: string): Promise<KeyStore> {
  const certificates = readPemCertificates(text);
  if (kind === 'TrustStore') {
    const trusted = certificates.map((certificate, index) => ({ alias: String(index + 1), certificate }));
    return { keys: [], trusted };
  }
  const privateKey = await readPemPrivateKey(text, password === '' ? undefined : password);
  return { keys: [{ alias: '1', privateKey, chain: ordered(certificates, privateKey) }], trusted: [] };
}

/** PEM files hold their certificates in any order: the key's own one first, then whoever issued the one before. */
function ordered(certificates: readonly Buffer[], privateKey: KeyObject): Buffer[] {
  const rest = certificates.map((der) => new X509Certificate(der));
  const chain: X509Certificate[] = [];
  const take = (fits: (one: X509Certificate) => boolean) => {
    const index = rest.findIndex(fits);
    if (index >= 0) chain.push(...rest.splice(index, 1));
    return index >= 0;
  };
  if (!take((one) => one.checkPrivateKey(privateKey))) return [...certificates];
  while (take((one) => chain.at(-1)!.checkIssued(one)));
  return [...chain, ...rest].map(({ raw }) => raw);
}

function keyEntries({ keys }: KeyStore): KeyStoreEntry[] {
  if (keys.length === 0) throw unfit('KeyStore', 'it holds no private key');
  return keys.map((entry) => {
    const chain = entry.chain.map((der) => new X509Certificate(der));
    refuseBrokenChain(entry, chain);
    return described(entry.alias, chain[0]!, { hasPrivateKey: true, chainLength: chain.length });
  });
}

function refuseBrokenChain({ alias, privateKey }: KeyEntry, chain: readonly X509Certificate[]): void {
  const [own, ...issuers] = chain;
  if (!own) throw unfit('KeyStore', `the key ${alias} has no certificate`);
  if (!own.checkPrivateKey(privateKey))
    throw unfit('KeyStore', `the certificate of ${alias} belongs to another key`);
  for (const [index, issuer] of issuers.entries()) {
    if (!chain[index]!.checkIssued(issuer))
      throw unfit('KeyStore', `certificate ${index + 1} in the chain of ${alias} was not issued by the next`);
  }
}

function trustedEntries({ keys, trusted }: KeyStore): KeyStoreEntry[] {
  if (keys.length > 0) throw unfit('TrustStore', 'it holds a private key, which belongs into a key store');
  if (trusted.length === 0) throw unfit('TrustStore', 'it holds no certificate');
  return trusted.map(({ alias, certificate }) =>
    described(alias, new X509Certificate(certificate), { hasPrivateKey: false, chainLength: 1 }),
  );
}

function described(
  alias: string,
  certificate: X509Certificate,
  facts: Pick<KeyStoreEntry, 'hasPrivateKey' | 'chainLength'>,
): KeyStoreEntry {
  return {
    alias,
    subject: oneLine(certificate.subject),
    issuer: oneLine(certificate.issuer),
    serialNumber: certificate.serialNumber,
    notBefore: certificate.validFromDate.toISOString(),
    notAfter: certificate.validToDate.toISOString(),
    sha256: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
    keyAlgorithm: certificate.publicKey.asymmetricKeyType ?? 'unknown',
    ...facts,
  };
}

/** Node writes one part of a distinguished name a line. */
function oneLine(distinguishedName: string | undefined): string {
  return (distinguishedName ?? '').split('\n').join(', ');
}

function unfit(type: StoreKind, reason: string) {
  return fault('key-store.unfit', { type, reason });
}
