// Reads PKCS #12 files (RFC 7292) of OpenSSL, Java, Windows, browsers, old and new.
//   readPkcs12(bytes, password)  faults: key-store.wrong-password, .malformed, .unsupported, .too-large
// Encryption that is read: PBES2 (AES-CBC or 3DES with PBKDF2), and PKCS #12's own 3DES and RC2, 40 and 128 bit.
// Integrity: HMAC with MD5, SHA-1, SHA-2 under PKCS #12's derivation or PBMAC1 (RFC 9579), or none.
// Not read: RC4, scrypt, stores that public keys encrypt or sign, secret keys (passed over), a second password for keys.

import { createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';
import { derOfBer } from './ber.ts';
import { issuerOf, subjectOf } from './certificate.ts';
import { DerFields, derChildren, derTags } from './der-reader.ts';
import { RoundBudget } from './key-derivation.ts';
import {
  checkedCertificate,
  type KeyEntry,
  type KeyStore,
  keyStoreLimits,
  privateKeyOf,
  readingStore,
  unsupported,
  wrongPassword,
} from './key-store.ts';
import { publicKeyInfo } from './keys.ts';
import { oids } from './object-identifiers.ts';
import { BagCollector, type CertificateBag, octetsOf } from './pkcs12-bags.ts';
import { isMacRight } from './pkcs12-mac.ts';

const VERSION_3 = 3;

export function readPkcs12(bytes: Buffer, password: string): Promise<KeyStore> {
  return readingStore('PKCS #12', bytes, async () => {
    const budget = new RoundBudget('PKCS #12');
    const content = await openedContent(bytes, password, budget);
    const bags = new BagCollector(password, budget);
    for (const { whole } of derChildren(derOfBer(content, keyStoreLimits.maxDepth), derTags.sequence))
      await bags.addContent(whole);
    return assembled(bags);
  });
}

/** The AuthenticatedSafe, once its seal is checked. */
async function openedContent(bytes: Buffer, password: string, budget: RoundBudget): Promise<Buffer> {
  const fields = new DerFields(derOfBer(bytes, keyStoreLimits.maxDepth));
  if (fields.takeCount() !== VERSION_3) throw new RangeError('it is not PKCS #12 version 3');
  const contentInfo = new DerFields(fields.take(derTags.sequence).whole);
  if (contentInfo.takeOid() !== oids.data) throw unsupported('PKCS #12', 'a signature as its seal');
  const content = octetsOf(contentInfo.take(0xa0).content);
  const mac = fields.takeIf(derTags.sequence)?.whole;
  if (mac && !(await isMacRight(mac, content, password, budget))) throw wrongPassword('PKCS #12');
  return content;
}

/** Keys find their certificates; certificates that belong to no key, or are marked as such, are the trusted ones. */
function assembled({ keys, certificates: bags }: BagCollector): KeyStore {
  const certificates = bags.map((bag) => ({
    ...bag,
    certificate: checkedCertificate('PKCS #12', bag.certificate),
  }));
  const finder = new ChainFinder(certificates);
  const entries = keys.map(({ alias, localKeyId, pkcs8 }, index): KeyEntry => {
    const privateKey = privateKeyOf('PKCS #12', pkcs8);
    const chain = finder.chainOf(privateKey, localKeyId);
    return { alias: alias ?? `${index + 1}`, privateKey, chain };
  });
  const used = new Set(entries.flatMap(({ chain }) => chain.map(textOf)));
  const trusted = certificates.filter(
    ({ certificate, isTrusted }) => isTrusted || !used.has(textOf(certificate)),
  );
  return {
    keys: entries,
    trusted: trusted.map(({ alias, certificate }, index) => ({
      alias: alias ?? `${index + 1}`,
      certificate,
    })),
  };
}

class ChainFinder {
  readonly #byLocalKeyId = new Map<string, Buffer>();
  readonly #byPublicKey = new Map<string, Buffer>();
  readonly #bySubject = new Map<string, Buffer>();

  constructor(certificates: readonly CertificateBag[]) {
    for (const { certificate, localKeyId } of certificates) {
      if (localKeyId !== undefined) this.#byLocalKeyId.set(localKeyId, certificate);
      this.#byPublicKey.set(publicKeyText(new X509Certificate(certificate)), certificate);
      this.#bySubject.set(textOf(subjectOf(certificate)), certificate);
    }
  }

  /** From the certificate of the key upwards, as far as the file leads. */
  chainOf(privateKey: KeyObject, localKeyId: string | undefined): Buffer[] {
    const own = textOf(publicKeyInfo(createPublicKey(privateKey)));
    let next = this.#byLocalKeyId.get(localKeyId ?? '') ?? this.#byPublicKey.get(own);
    const chain: Buffer[] = [];
    while (next && !chain.includes(next) && chain.length < keyStoreLimits.maxDepth) {
      chain.push(next);
      next = this.#bySubject.get(textOf(issuerOf(next)));
    }
    return chain;
  }
}

/** A key of a kind that is not known here belongs to nobody here. */
function publicKeyText(certificate: X509Certificate): string {
  try {
    return textOf(publicKeyInfo(certificate.publicKey));
  } catch {
    return '';
  }
}

/** Bytes as the key of a map or the member of a set. */
function textOf(bytes: Buffer): string {
  return bytes.toString('latin1');
}
