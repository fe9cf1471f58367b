import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { DerFields, derTags } from './der-reader.ts';
import { nothing, octetString, oid, sequence } from './der-writer.ts';
import { malformed, unsupported, wrongPassword } from './key-store.ts';
import { oids } from './object-identifiers.ts';

// Sun's key protector: salt, key XOR a chain of SHA-1 digests that the salt starts, SHA-1 of password and key.
const DIGEST_BYTES = 20;

/** A PKCS #8 key as the EncryptedPrivateKeyInfo of a Java key store. */
export function protectKey(pkcs8: Buffer, password: Buffer): Buffer {
  const salt = randomBytes(DIGEST_BYTES);
  const content = Buffer.concat([salt, masked(pkcs8, password, salt), sha1(password, pkcs8)]);
  return sequence(sequence(oid(oids.javaKeyProtector), nothing()), octetString(content));
}

/** The PKCS #8 key of an EncryptedPrivateKeyInfo. */
export function unprotectKey(info: Buffer, password: Buffer): Buffer {
  const fields = new DerFields(info);
  const algorithm = new DerFields(fields.take(derTags.sequence).whole).takeOid();
  if (algorithm !== oids.javaKeyProtector) throw unsupported('JKS', `the key protection ${algorithm}`);
  const { content } = fields.take(derTags.octetString);
  if (content.length < 2 * DIGEST_BYTES) throw malformed('JKS', 'a protected key is too short');
  const salt = content.subarray(0, DIGEST_BYTES);
  const pkcs8 = masked(content.subarray(DIGEST_BYTES, -DIGEST_BYTES), password, salt);
  if (!timingSafeEqual(sha1(password, pkcs8), content.subarray(-DIGEST_BYTES))) throw wrongPassword('JKS');
  return pkcs8;
}

/** XOR: masking twice gives the bytes back. */
function masked(bytes: Buffer, password: Buffer, salt: Buffer): Buffer {
  const result = Buffer.from(bytes);
  let digest = salt;
  for (let at = 0; at < result.length; at++) {
    if (at % DIGEST_BYTES === 0) digest = sha1(password, digest);
    result[at]! ^= digest[at % DIGEST_BYTES]!;
  }
  return result;
}

function sha1(...parts: readonly Buffer[]): Buffer {
  return createHash('sha1').update(Buffer.concat(parts)).digest();
}
