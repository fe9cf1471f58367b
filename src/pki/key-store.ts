// What PKCS #12 and JKS files hold, whichever of the two they are, and how reading one can fail.

import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { type Fault, fault } from '../kernel/faults.ts';
import { DerFields, derTags } from './der-reader.ts';

export interface KeyStore {
  readonly keys: readonly KeyEntry[];
  readonly trusted: readonly TrustedEntry[];
}

/** A private key with the certificates that lead from its own one to the authority, DER. */
export interface KeyEntry {
  readonly alias: string;
  readonly privateKey: KeyObject;
  readonly chain: readonly Buffer[];
}

/** A certificate that the store's owner trusts. */
export interface TrustedEntry {
  readonly alias: string;
  readonly certificate: Buffer;
}

/** Files come from people: what is read stays within these. */
export const keyStoreLimits = {
  maxBytes: 4 * 1024 * 1024,
  maxEntries: 2_000,
  /** Of elements within elements. */
  maxDepth: 32,
  /** Rounds of key derivation, all of them in one file together: a few seconds of one core. */
  maxRounds: 2_000_000,
} as const;

export type Format = 'PEM' | 'PKCS #12' | 'JKS';

export function wrongPassword(format: Format, cause?: unknown): Fault {
  return fault('key-store.wrong-password', { format }, [], { cause });
}

export function malformed(format: Format, reason: string, cause?: unknown): Fault {
  return fault('key-store.malformed', { format, reason }, [], { cause });
}

export function unsupported(format: Format, what: string, cause?: unknown): Fault {
  return fault('key-store.unsupported', { format, what }, [], { cause });
}

export function tooLarge(format: Format): Fault {
  const { maxBytes, maxEntries } = keyStoreLimits;
  return fault('key-store.too-large', { format, maxBytes, maxEntries });
}

/** Bounds the file, and turns the RangeErrors of readers into the fault for malformed files. */
export async function readingStore<Result>(
  format: Format,
  bytes: Buffer,
  read: () => Result | Promise<Result>,
): Promise<Result> {
  if (bytes.length > keyStoreLimits.maxBytes) throw tooLarge(format);
  try {
    return await read();
  } catch (error) {
    throw error instanceof RangeError ? malformed(format, error.message, error) : error;
  }
}

/** The DER of a certificate that can be read. */
export function checkedCertificate(format: Format, der: Buffer): Buffer {
  try {
    return new X509Certificate(der).raw;
  } catch (cause) {
    throw malformed(format, 'a certificate cannot be read', cause);
  }
}

/** The key of a decrypted PKCS #8 structure. */
export function privateKeyOf(format: Format, pkcs8: Buffer): KeyObject {
  try {
    return createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' });
  } catch (cause) {
    throw unsupported(format, `a private key that cannot be read (algorithm ${keyAlgorithm(pkcs8)})`, cause);
  }
}

function keyAlgorithm(pkcs8: Buffer): string {
  const fields = new DerFields(pkcs8);
  fields.take(derTags.integer);
  return new DerFields(fields.take(derTags.sequence).whole).takeOid();
}
