import { type KeyObject, X509Certificate } from 'node:crypto';
import type { KeyStoreType } from '../model/key-store.ts';
import { readJks } from './jks.ts';
import type { KeyStore } from './key-store.ts';
import { readPemCertificates, readPemPrivateKey } from './pem.ts';
import { readPkcs12 } from './pkcs12-reader.ts';

/** A key store holds keys of our own, a trust store the certificates of others. */
export type StoreKind = 'KeyStore' | 'TrustStore';

/** What is in the file of a store, whichever of the three formats it has. */
export async function openKeyStore(
  kind: StoreKind,
  type: KeyStoreType,
  content: Buffer,
  password: string,
): Promise<KeyStore> {
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
