import { createPrivateKey } from 'node:crypto';
import { writeJks } from '../../pki/jks.ts';
import type { KeyStore } from '../../pki/key-store.ts';
import { writePkcs12 } from '../../pki/pkcs12-writer.ts';
import type { CertificateName } from './certificate-recipes.ts';
import type { Material } from './material.ts';

/** Of every store, and said in the answer that carries one: these keys protect nothing. */
export const STORE_PASSWORD = 'changeit';

export const storeNames = [
  'client.p12',
  'client-expired.p12',
  'client-untrusted.p12',
  'keystore.p12',
  'keystore.jks',
  'truststore.p12',
  'truststore.jks',
] as const;

export type StoreName = (typeof storeNames)[number];

/** Key and trust stores as Java and browsers want them, Base64. */
export async function makeStores(material: Material, madeAt: Date): Promise<Record<StoreName, string>> {
  const withKey = (name: CertificateName, ...issuers: CertificateName[]): KeyStore => ({
    keys: [
      {
        alias: name,
        privateKey: createPrivateKey(material.keyPem(name)),
        chain: [name, ...issuers].map((one) => material.certificate(one)),
      },
    ],
    trusted: [],
  });
  const trusting: KeyStore = {
    keys: [],
    trusted: [
      { alias: 'test-root', certificate: material.certificate('root') },
      { alias: 'test-client-ca', certificate: material.certificate('client-ca') },
    ],
  };
  const server = withKey('server', 'intermediate', 'root');
  const stores: Record<StoreName, Buffer | Promise<Buffer>> = {
    'client.p12': writePkcs12(withKey('client', 'client-ca'), STORE_PASSWORD),
    'client-expired.p12': writePkcs12(withKey('client-expired', 'client-ca'), STORE_PASSWORD),
    'client-untrusted.p12': writePkcs12(withKey('client-untrusted', 'untrusted-root'), STORE_PASSWORD),
    'keystore.p12': writePkcs12(server, STORE_PASSWORD),
    'keystore.jks': writeJks(server, STORE_PASSWORD, madeAt),
    'truststore.p12': writePkcs12(trusting, STORE_PASSWORD),
    'truststore.jks': writeJks(trusting, STORE_PASSWORD, madeAt),
  };
  const written = await Promise.all(
    storeNames.map(async (name) => [name, (await stores[name]).toString('base64')] as const),
  );
  return Object.fromEntries(written) as Record<StoreName, string>;
}
