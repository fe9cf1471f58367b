// What a password encrypts in PKCS #12 (and PKCS #8): written with PBES2 alone, read with the older schemes too.

import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { DerFields, derCount, derTags } from './der-reader.ts';
import { integer, nothing, octetString, oid, sequence } from './der-writer.ts';
import {
  bmpPassword,
  type Digest,
  derivedFor,
  pbkdf2Key,
  pkcs12Key,
  type RoundBudget,
} from './key-derivation.ts';
import { unsupported, wrongPassword } from './key-store.ts';
import { oids } from './object-identifiers.ts';
import { decryptRc2 } from './rc2.ts';

/** Ciphertext and the AlgorithmIdentifier that tells how to read it. */
export interface Encrypted {
  readonly algorithm: Buffer;
  readonly content: Buffer;
}

/** AES-256-CBC under PBKDF2 with HMAC-SHA-256. */
export async function encrypt(content: Buffer, password: string, rounds: number): Promise<Encrypted> {
  const [salt, iv] = [randomBytes(16), randomBytes(16)];
  const key = await pbkdf2Key(password, salt, rounds, 32, 'sha256');
  const cipher = createCipheriv('aes-256-cbc', key, iv);
  const derivation = sequence(
    oid(oids.pbkdf2),
    sequence(octetString(salt), integer(rounds), sequence(oid(oids.hmacSha256), nothing())),
  );
  const algorithm = sequence(
    oid(oids.pbes2),
    sequence(derivation, sequence(oid(oids.aes256Cbc), octetString(iv))),
  );
  return { algorithm, content: Buffer.concat([cipher.update(content), cipher.final()]) };
}

interface CipherSetting {
  readonly name: string;
  readonly keyBytes: number;
}

const pbes2Ciphers: Readonly<Record<string, CipherSetting>> = {
  [oids.aes128Cbc]: { name: 'aes-128-cbc', keyBytes: 16 },
  [oids.aes192Cbc]: { name: 'aes-192-cbc', keyBytes: 24 },
  [oids.aes256Cbc]: { name: 'aes-256-cbc', keyBytes: 32 },
  [oids.tripleDesCbc]: { name: 'des-ede3-cbc', keyBytes: 24 },
};

const pkcs12Ciphers: Readonly<Record<string, CipherSetting>> = {
  [oids.sha1With3Key3Des]: { name: 'des-ede3-cbc', keyBytes: 24 },
  [oids.sha1With2Key3Des]: { name: 'des-ede-cbc', keyBytes: 16 },
  [oids.sha1With128BitRc2]: { name: 'rc2', keyBytes: 16 },
  [oids.sha1With40BitRc2]: { name: 'rc2', keyBytes: 5 },
};

const hmacDigests: Readonly<Record<string, Digest>> = {
  [oids.hmacSha1]: 'sha1',
  [oids.hmacSha224]: 'sha224',
  [oids.hmacSha256]: 'sha256',
  [oids.hmacSha384]: 'sha384',
  [oids.hmacSha512]: 'sha512',
};

/** The plain bytes of an EncryptedPrivateKeyInfo, or of anything of that shape. */
export function decryptInfo(info: Buffer, password: string, budget: RoundBudget): Promise<Buffer> {
  const fields = new DerFields(info);
  const algorithm = fields.take(derTags.sequence).whole;
  return decrypt({ algorithm, content: fields.take(derTags.octetString).content }, password, budget);
}

/** Faults: key-store.wrong-password, .unsupported, .too-large. */
export async function decrypt(encrypted: Encrypted, password: string, budget: RoundBudget): Promise<Buffer> {
  const fields = new DerFields(encrypted.algorithm);
  const scheme = fields.takeOid();
  const parameters = fields.take(derTags.sequence).whole;
  const { cipher, key, iv } =
    scheme === oids.pbes2
      ? await pbes2Secrets(parameters, password, budget)
      : await pkcs12Secrets(scheme, parameters, password, budget);
  try {
    if (cipher === 'rc2') return decryptRc2(encrypted.content, key, iv);
    const decipher = createDecipheriv(cipher, key, iv);
    return Buffer.concat([decipher.update(encrypted.content), decipher.final()]);
  } catch (cause) {
    // Wrong padding is all that a wrong key shows.
    throw wrongPassword(budget.format, cause);
  }
}

interface Secrets {
  readonly cipher: string;
  readonly key: Buffer;
  readonly iv: Buffer;
}

/** RFC 8018 §6.2 */
async function pbes2Secrets(parameters: Buffer, password: string, budget: RoundBudget): Promise<Secrets> {
  const fields = new DerFields(parameters);
  const derivation = fields.take(derTags.sequence).whole;
  const scheme = new DerFields(fields.take(derTags.sequence).whole);
  const identifier = scheme.takeOid();
  const cipher = pbes2Ciphers[identifier];
  if (!cipher) throw unsupported(budget.format, `the cipher ${identifier}`);
  const iv = scheme.take(derTags.octetString).content;
  return { cipher: cipher.name, key: await pbkdf2Secret(derivation, password, cipher.keyBytes, budget), iv };
}

/** A key from `SEQUENCE { pbkdf2, parameters }`. */
export async function pbkdf2Secret(
  derivation: Buffer,
  password: string,
  keyBytes: number,
  budget: RoundBudget,
): Promise<Buffer> {
  const fields = new DerFields(derivation);
  const identifier = fields.takeOid();
  if (identifier !== oids.pbkdf2) throw unsupported(budget.format, `the key derivation ${identifier}`);
  const parameters = new DerFields(fields.take(derTags.sequence).whole);
  const salt = parameters.take(derTags.octetString).content;
  const rounds = parameters.takeCount();
  const stated = parameters.takeIf(derTags.integer);
  if (stated && derCount(stated) !== keyBytes) throw new RangeError('the length of a key is wrong');
  const prf = parameters.takeIf(derTags.sequence);
  budget.spend(rounds);
  return pbkdf2Key(password, salt, atLeastOne(rounds), keyBytes, hmacDigest(prf?.whole, budget));
}

/** HMAC-SHA-1 where none is stated. */
function hmacDigest(prf: Buffer | undefined, budget: RoundBudget): Digest {
  if (!prf) return 'sha1';
  return hmacDigestOf(new DerFields(prf).takeOid(), budget);
}

export function hmacDigestOf(identifier: string, budget: RoundBudget): Digest {
  const digest = hmacDigests[identifier];
  if (!digest) throw unsupported(budget.format, `the digest ${identifier}`);
  return digest;
}

/** RFC 7292, appendix C: SHA-1 and an old cipher. */
async function pkcs12Secrets(
  scheme: string,
  parameters: Buffer,
  password: string,
  budget: RoundBudget,
): Promise<Secrets> {
  const cipher = pkcs12Ciphers[scheme];
  if (!cipher) throw unsupported(budget.format, `the encryption ${scheme}`);
  const fields = new DerFields(parameters);
  const salt = fields.take(derTags.octetString).content;
  const rounds = atLeastOne(fields.takeCount());
  budget.spend(rounds * 3);
  const derivation = { digest: 'sha1', password: bmpPassword(password), salt, rounds } as const;
  const key = await pkcs12Key({ ...derivation, purpose: derivedFor.encryption, bytes: cipher.keyBytes });
  const iv = await pkcs12Key({ ...derivation, purpose: derivedFor.iv, bytes: 8 });
  return { cipher: cipher.name, key, iv };
}

export function atLeastOne(rounds: number): number {
  if (rounds < 1) throw new RangeError('a key is derived in no rounds at all');
  return rounds;
}
