// What PKCS #12 and JKS files hold, whichever of the two they are, and how reading one can fail.

import type { KeyObject } from 'node:crypto';
import { type Fault, fault } from '../kernel/faults.ts';

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
  /** Rounds of key derivation, all of them in one file together: about two seconds of one core. */
  maxRounds: 5_000_000,
} as const;

type Format = 'PEM' | 'PKCS #12' | 'JKS';

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
