import { pemOf } from '../../pki/pem.ts';
import type { CertificateName } from './certificate-recipes.ts';
import type { Material } from './material.ts';
import { revocationList } from './revocation.ts';
import { STORE_PASSWORD, type StoreName } from './stores.ts';

/** One file of the test authority that can be downloaded. */
export interface CertificateFile {
  readonly name: string;
  readonly summary: string;
  readonly contentType: string;
  readonly password?: string;
  /** A private key that must not leave a service on an open network, whose clients may trust its certificate. */
  readonly hasServerKey?: boolean;
  readonly content: (material: Material, nowMs: number) => Buffer;
}

const HOUR_MS = 3600 * 1000;
const PEM = 'application/x-pem-file';

const pem = (name: string, summary: string, ...certificates: CertificateName[]): CertificateFile => ({
  name,
  summary,
  contentType: PEM,
  content: (material) => Buffer.from(material.chainPem(certificates)),
});
const der = (name: string, summary: string, certificate: CertificateName): CertificateFile => ({
  name,
  summary,
  contentType: 'application/pkix-cert',
  content: (material) => material.certificate(certificate),
});
const key = (name: string, summary: string, certificate: CertificateName): CertificateFile => ({
  name,
  summary,
  contentType: PEM,
  content: (material) => Buffer.from(material.keyPem(certificate)),
});
const store = (name: StoreName, summary: string): CertificateFile => ({
  name,
  summary,
  contentType: name.endsWith('.jks') ? 'application/x-java-keystore' : 'application/x-pkcs12',
  password: STORE_PASSWORD,
  content: (material) => material.store(name),
});
const crl = (name: string, summary: string, issuer: 'intermediate' | 'root'): CertificateFile => ({
  name,
  summary,
  contentType: 'application/pkix-crl',
  // The same list for an hour, so that its entity tag holds that long.
  content: (material, nowMs) => revocationList(material, issuer, nowMs - (nowMs % HOUR_MS)),
});

export const certificateFiles: readonly CertificateFile[] = [
  pem('ca.pem', 'The test root, which a client of the good scenarios must trust.', 'root'),
  der('ca.crt', 'The test root, DER.', 'root'),
  der('ca.cer', 'The test root, DER.', 'root'),
  pem('intermediate.pem', 'The intermediate authority that signs the servers.', 'intermediate'),
  der('intermediate.crt', 'The intermediate authority, DER.', 'intermediate'),
  pem('chain.pem', 'The authorities of the servers: intermediate and root.', 'intermediate', 'root'),
  pem('server.pem', 'The good server certificate and its intermediate.', 'server', 'intermediate'),
  {
    ...key('server.key', 'The private key of the good server certificate.', 'server'),
    hasServerKey: true,
  },
  pem('client-ca.pem', 'The authority that the mTLS scenarios trust.', 'client-ca'),
  pem('client.pem', 'A good client certificate.', 'client'),
  key('client.key', 'The private key of all client certificates.', 'client'),
  pem('client-expired.pem', 'A client certificate that has expired.', 'client-expired'),
  pem('client-untrusted.pem', 'A client certificate of an authority nobody trusts.', 'client-untrusted'),
  store('client.p12', 'The good client certificate with its key, PKCS #12.'),
  store('client-expired.p12', 'The expired client certificate with its key, PKCS #12.'),
  store('client-untrusted.p12', 'The untrusted client certificate with its key, PKCS #12.'),
  { ...store('keystore.p12', 'The good server certificate with its key, PKCS #12.'), hasServerKey: true },
  { ...store('keystore.jks', 'The good server certificate with its key, JKS.'), hasServerKey: true },
  store('truststore.p12', 'The test root and the client authority as trusted entries, PKCS #12.'),
  store('truststore.jks', 'The test root and the client authority as trusted entries, JKS.'),
  crl('ca.crl', 'What the intermediate has revoked, DER.', 'intermediate'),
  {
    ...crl('ca.crl.pem', 'What the intermediate has revoked, PEM.', 'intermediate'),
    contentType: PEM,
    content: (material, nowMs) =>
      Buffer.from(pemOf('X509 CRL', revocationList(material, 'intermediate', nowMs - (nowMs % HOUR_MS)))),
  },
  crl('root.crl', 'What the root has revoked, which is nothing, DER.', 'root'),
];
