import { openKeyStore } from '../../pki/open-key-store.ts';
import { bundlePem, certificatePem, privateKeyPem } from '../../pki/pem.ts';
import type { DeployedStore } from './connection-content.ts';

/** The certificates of a trust store, as PEM. */
export async function trustedCertificatesOf({ type, content, password }: DeployedStore): Promise<string[]> {
  const { trusted } = await openKeyStore('TrustStore', type, Buffer.from(content, 'base64'), password);
  return trusted.map(({ certificate }) => certificatePem(certificate));
}

export interface ClientIdentity {
  /** The key's own certificate first, then whoever issued the one before; PEM. */
  readonly cert: string;
  readonly key: string;
}

/** The first key of a key store with its certificates; undefined when it holds none. */
export async function clientIdentityOf(store: DeployedStore): Promise<ClientIdentity | undefined> {
  const { type, content, password } = store;
  const { keys } = await openKeyStore('KeyStore', type, Buffer.from(content, 'base64'), password);
  const [entry] = keys;
  return entry && { cert: bundlePem(entry.chain), key: privateKeyPem(entry.privateKey) };
}
