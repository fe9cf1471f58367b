import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { DerFields, derCount, derTags } from './der-reader.ts';
import { integer, nothing, octetString, oid, sequence } from './der-writer.ts';
import { bmpPassword, type Digest, derivedFor, pkcs12Key, type RoundBudget } from './key-derivation.ts';
import { unsupported } from './key-store.ts';
import { oids } from './object-identifiers.ts';
import { atLeastOne, hmacDigestOf, pbkdf2Secret } from './password-encryption.ts';

const digests: Readonly<Record<string, { readonly name: Digest; readonly bytes: number }>> = {
  [oids.md5]: { name: 'md5', bytes: 16 },
  [oids.sha1]: { name: 'sha1', bytes: 20 },
  [oids.sha224]: { name: 'sha224', bytes: 28 },
  [oids.sha256]: { name: 'sha256', bytes: 32 },
  [oids.sha384]: { name: 'sha384', bytes: 48 },
  [oids.sha512]: { name: 'sha512', bytes: 64 },
};

/** MacData (RFC 7292 §4) with HMAC-SHA-256. */
export async function macData(content: Buffer, password: string, rounds: number): Promise<Buffer> {
  const salt = randomBytes(20);
  const derivation = { digest: 'sha256', salt, rounds, purpose: derivedFor.integrity, bytes: 32 } as const;
  const key = await pkcs12Key({ ...derivation, password: bmpPassword(password) });
  const mac = createHmac('sha256', key).update(content).digest();
  const digestInfo = sequence(sequence(oid(oids.sha256), nothing()), octetString(mac));
  return sequence(digestInfo, octetString(salt), integer(rounds));
}

/** Whether the content is what it was when it was sealed with this password. */
export async function isMacRight(
  data: Buffer,
  content: Buffer,
  password: string,
  budget: RoundBudget,
): Promise<boolean> {
  const fields = new DerFields(data);
  const digestInfo = new DerFields(fields.take(derTags.sequence).whole);
  const algorithm = digestInfo.take(derTags.sequence).whole;
  const mac = digestInfo.take(derTags.octetString).content;
  const salt = fields.take(derTags.octetString).content;
  const stated = fields.takeIf(derTags.integer);
  const rounds = atLeastOne(stated ? derCount(stated) : 1);
  const identifier = new DerFields(algorithm).takeOid();
  if (identifier === oids.pbmac1) return isPbmac1Right(algorithm, content, mac, password, budget);
  const digest = digests[identifier];
  if (!digest) throw unsupported('PKCS #12', `the digest ${identifier}`);

  const derivation = {
    digest: digest.name,
    salt,
    rounds,
    purpose: derivedFor.integrity,
    bytes: digest.bytes,
  };
  for (const secret of passwordForms(password)) {
    budget.spend(rounds);
    const key = await pkcs12Key({ ...derivation, password: secret });
    if (isSame(createHmac(digest.name, key).update(content).digest(), mac)) return true;
  }
  return false;
}

/** An empty password is its closing zero character to some tools and nothing at all to others. */
function passwordForms(password: string): Buffer[] {
  return password === '' ? [bmpPassword(''), Buffer.alloc(0)] : [bmpPassword(password)];
}

/** RFC 9579: a key of PBKDF2 instead of PKCS #12's own. */
async function isPbmac1Right(
  algorithm: Buffer,
  content: Buffer,
  mac: Buffer,
  password: string,
  budget: RoundBudget,
): Promise<boolean> {
  const fields = new DerFields(algorithm);
  fields.takeOid();
  const parameters = new DerFields(fields.take(derTags.sequence).whole);
  const derivation = parameters.take(derTags.sequence).whole;
  const digest = hmacDigestOf(new DerFields(parameters.take(derTags.sequence).whole).takeOid(), budget);
  const key = await pbkdf2Secret(derivation, password, mac.length, budget);
  return isSame(createHmac(digest, key).update(content).digest(), mac);
}

function isSame(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}
