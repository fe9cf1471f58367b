import { isIP } from 'node:net';
import type { CertificateExtensions } from '../../pki/certificate-extensions.ts';
import type { DistinguishedName } from '../../pki/distinguished-name.ts';
import type { KeyKind } from '../../pki/keys.ts';
import type { SignatureSchemeName } from '../../pki/signature-schemes.ts';

/** Where the service can be reached, as far as certificates say it. */
export interface Place {
  /** Of every good server certificate: DNS names, wildcards and addresses. */
  readonly hostNames: readonly string[];
  /** Where clients find the revocation list, the OCSP responder and the certificates of the issuers. */
  readonly baseUrl: string;
}

/** How a certificate is made. */
export interface CertificateRecipe {
  readonly subject: DistinguishedName;
  readonly key: KeyName;
  /** A certificate of this table, or `self`. */
  readonly issuer: CertificateName | 'self';
  readonly scheme?: SignatureSchemeName;
  /** Days from the making. */
  readonly days: { readonly from: number; readonly to: number };
  readonly extensions: CertificateExtensions;
}

/** RSA keys take long to make, so scenarios that are not about the key share one. */
export const keyKindByName = {
  root: 'rsa-3072',
  intermediate: 'rsa-2048',
  server: 'rsa-2048',
  client: 'rsa-2048',
  'client-ca': 'rsa-2048',
  'untrusted-root': 'rsa-2048',
  'nobody-ca': 'p-256',
  'server-rsa4096': 'rsa-4096',
  'server-rsa1024': 'rsa-1024',
  'server-rsa512': 'rsa-512',
  'server-ecc256': 'p-256',
  'server-ecc384': 'p-384',
  'server-ed25519': 'ed25519',
  'server-ml-dsa-65': 'ml-dsa-65',
} as const satisfies Record<string, KeyKind>;

export type KeyName = keyof typeof keyKindByName;

const certificateNames = [
  'root',
  'intermediate',
  'untrusted-root',
  'client-ca',
  'nobody-ca',
  'intermediate-expired',
  'intermediate-not-ca',
  'intermediate-constrained',
  'server',
  'ecc256',
  'ecc384',
  'rsa4096',
  'ed25519',
  'ml-dsa-65',
  'expired',
  'not-yet-valid',
  'self-signed',
  'untrusted-root-server',
  'wrong-host',
  'expired-intermediate',
  'below-no-ca',
  'name-constraints',
  'no-common-name',
  'no-san',
  'no-subject',
  'wrong-eku',
  'revoked',
  'must-staple',
  'sha1-signature',
  'md5-signature',
  'rsa1024',
  'rsa512',
  'sans-1000',
  'sans-10000',
  'client',
  'client-expired',
  'client-untrusted',
] as const;

export type CertificateName = (typeof certificateNames)[number];
export type CertificateRecipes = Readonly<Record<CertificateName, CertificateRecipe>>;

const current = { from: -1, to: 396 };
const common = (name: string): DistinguishedName => [
  ['O', 'Gateway Test Service'],
  ['CN', name],
];

/** Every certificate of the test authority; issuers stand before what they issue. */
export function certificateRecipes({ hostNames, baseUrl }: Place): CertificateRecipes {
  const names = {
    dns: hostNames.filter((name) => isIP(name) === 0),
    ip: hostNames.filter((name) => isIP(name) !== 0),
  };
  const server = (changes: Partial<CertificateRecipe> = {}): CertificateRecipe => ({
    subject: [['CN', 'localhost']],
    key: 'server',
    issuer: 'intermediate',
    days: current,
    ...changes,
    extensions: {
      basicConstraints: { ca: false },
      keyUsage: ['digitalSignature', 'keyEncipherment'],
      extendedKeyUsage: ['serverAuth'],
      alternativeNames: names,
      crlUrls: [`${baseUrl}/certs/ca.crl`],
      ocspUrls: [`${baseUrl}/certs/ocsp`],
      issuerUrls: [`${baseUrl}/certs/intermediate.crt`],
      ...changes.extensions,
    },
  });
  const authority = (name: string, changes: Partial<CertificateRecipe> = {}): CertificateRecipe => ({
    subject: common(name),
    key: 'intermediate',
    issuer: 'root',
    days: { from: -1, to: 1825 },
    ...changes,
    extensions: {
      basicConstraints: { ca: true, pathLength: 0 },
      keyUsage: ['keyCertSign', 'cRLSign', 'digitalSignature'],
      crlUrls: [`${baseUrl}/certs/root.crl`],
      issuerUrls: [`${baseUrl}/certs/ca.crt`],
      ...changes.extensions,
    },
  });
  const root = (name: string, key: KeyName): CertificateRecipe => ({
    subject: common(name),
    key,
    issuer: 'self',
    days: { from: -1, to: 3650 },
    extensions: {
      basicConstraints: { ca: true },
      keyUsage: ['keyCertSign', 'cRLSign', 'digitalSignature'],
    },
  });
  const client = (name: string, changes: Partial<CertificateRecipe> = {}): CertificateRecipe => ({
    subject: common(name),
    key: 'client',
    issuer: 'client-ca',
    days: current,
    extensions: {
      basicConstraints: { ca: false },
      keyUsage: ['digitalSignature'],
      extendedKeyUsage: ['clientAuth'],
      alternativeNames: { email: ['client@badssl.test'] },
    },
    ...changes,
  });
  /** Good names first, then as many more as are missing. */
  const manyNames = (count: number) => {
    const missing = count - hostNames.length;
    const more = Array.from({ length: missing }, (_, index) => `name-${index + 1}.badssl.test`);
    return { ...names, dns: [...names.dns, ...more] };
  };

  return {
    root: root('Test Root', 'root'),
    intermediate: authority('Test Intermediate'),
    'untrusted-root': root('Untrusted Root', 'untrusted-root'),
    'client-ca': root('Test Client CA', 'client-ca'),
    'nobody-ca': root('CA of Nobody', 'nobody-ca'),
    'intermediate-expired': authority('Test Intermediate Expired', { days: { from: -800, to: -1 } }),
    'intermediate-not-ca': authority('Test Intermediate Without CA', {
      extensions: { basicConstraints: { ca: false } },
    }),
    'intermediate-constrained': authority('Test Intermediate Constrained', {
      extensions: { nameConstraints: { permitted: { dns: ['example.test'] } } },
    }),

    server: server(),
    ecc256: server({ key: 'server-ecc256', extensions: { keyUsage: ['digitalSignature'] } }),
    ecc384: server({
      key: 'server-ecc384',
      scheme: 'rsa-sha384',
      extensions: { keyUsage: ['digitalSignature'] },
    }),
    rsa4096: server({ key: 'server-rsa4096', scheme: 'rsa-sha512' }),
    ed25519: server({ key: 'server-ed25519', extensions: { keyUsage: ['digitalSignature'] } }),
    'ml-dsa-65': server({ key: 'server-ml-dsa-65', extensions: { keyUsage: ['digitalSignature'] } }),
    expired: server({ days: { from: -398, to: -1 } }),
    'not-yet-valid': server({ days: { from: 365, to: 762 } }),
    'self-signed': server({ issuer: 'self' }),
    'untrusted-root-server': server({ issuer: 'untrusted-root' }),
    'wrong-host': server({
      subject: [['CN', 'wrong.host.badssl.test']],
      extensions: { alternativeNames: { dns: ['wrong.host.badssl.test'] } },
    }),
    'expired-intermediate': server({ issuer: 'intermediate-expired' }),
    'below-no-ca': server({ issuer: 'intermediate-not-ca' }),
    'name-constraints': server({ issuer: 'intermediate-constrained' }),
    'no-common-name': server({ subject: [['O', 'Gateway Test Service']] }),
    'no-san': withoutNames(server()),
    'no-subject': server({
      subject: [],
      extensions: { alternativeNames: { ...names, isCritical: true } },
    }),
    'wrong-eku': server({ extensions: { extendedKeyUsage: ['clientAuth'] } }),
    revoked: server(),
    'must-staple': server({ extensions: { mustStaple: true } }),
    'sha1-signature': server({ scheme: 'rsa-sha1' }),
    'md5-signature': server({ scheme: 'rsa-md5' }),
    rsa1024: server({ key: 'server-rsa1024' }),
    rsa512: server({ key: 'server-rsa512' }),
    'sans-1000': server({ extensions: { alternativeNames: manyNames(1000) } }),
    'sans-10000': server({ extensions: { alternativeNames: manyNames(10_000) } }),

    client: client('Test Client'),
    'client-expired': client('Expired Test Client', { days: { from: -398, to: -1 } }),
    'client-untrusted': client('Untrusted Test Client', { issuer: 'untrusted-root' }),
  };
}

function withoutNames(recipe: CertificateRecipe): CertificateRecipe {
  const { alternativeNames: _, ...extensions } = recipe.extensions;
  return { ...recipe, extensions };
}
