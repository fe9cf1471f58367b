import { X509Certificate } from 'node:crypto';
import { fault } from '../../../kernel/faults.ts';
import type { KeyStoreEntry, KeyStoreType } from '../../../model/key-store.ts';
import type { KeyEntry, KeyStore } from '../../../pki/key-store.ts';
import { openKeyStore, type StoreKind } from '../../../pki/open-key-store.ts';

/** Opens the file and looks whether it can serve as what it is meant for. Resolves with what is in it. */
export async function inspect(
  kind: StoreKind,
  type: KeyStoreType,
  content: Buffer,
  password: string,
): Promise<KeyStoreEntry[]> {
  const store = await openKeyStore(kind, type, content, password);
  return kind === 'KeyStore' ? keyEntries(store) : trustedEntries(store);
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
