import { constants, getDiffieHellman } from 'node:crypto';
import type { SecureVersion } from 'node:tls';
import type { TlsServing } from '../../kernel/tls-listener.ts';
import { integer, sequence } from '../../pki/der-writer.ts';
import { pemOf } from '../../pki/pem.ts';
import type { Material } from './material.ts';
import { stapledAnswer } from './revocation.ts';
import type { TlsScenario, TlsVersion } from './scenario.ts';

/** What the TLS library is told in order to be that scenario. */
export function servingOf(scenario: TlsScenario, material: Material): TlsServing {
  const { chain, tls, ciphers, alpn, clientAuth, clientCa, staple } = scenario;
  const [leaf] = chain;
  return {
    minVersion: secureVersions[tls.min],
    maxVersion: secureVersions[tls.max],
    ALPNProtocols: [...alpn],
    requestCert: clientAuth !== 'none',
    rejectUnauthorized: clientAuth === 'required',
    ...(leaf && { cert: material.chainPem(chain), key: material.keyPem(leaf) }),
    ...(ciphers !== 'default' && { ciphers }),
    // Without it every context would load all the public authorities.
    ca: material.chainPem([clientCa ?? 'root']),
    ...(scenario.signatureAlgorithms && { sigalgs: scenario.signatureAlgorithms }),
    ...(scenario.groups && { ecdhCurve: scenario.groups }),
    ...(scenario.dhGroup && { dhparam: dhParameters[scenario.dhGroup]() }),
    ...(scenario.refusesRenegotiation && { secureOptions: constants.SSL_OP_NO_RENEGOTIATION }),
    ...(staple && leaf && { staple: stapledAnswer(material, leaf) }),
  };
}

const secureVersions: Readonly<Record<TlsVersion, SecureVersion>> = {
  '1.0': 'TLSv1',
  '1.1': 'TLSv1.1',
  '1.2': 'TLSv1.2',
  '1.3': 'TLSv1.3',
};

const GENERATOR = 2;

/** The second group of RFC 2409 is a prime of 1024 bits; its square has 2048 and is none. */
const dhParameters: Readonly<Record<NonNullable<TlsScenario['dhGroup']>, () => string>> = {
  'modp-1024': () => dhParametersPem(oakleyGroup2()),
  'composite-2048': () => dhParametersPem(oakleyGroup2() ** 2n),
};

function oakleyGroup2(): bigint {
  return BigInt(`0x${getDiffieHellman('modp2').getPrime('hex')}`);
}

function dhParametersPem(modulus: bigint): string {
  return pemOf('DH PARAMETERS', sequence(integer(modulus), integer(GENERATOR)));
}
