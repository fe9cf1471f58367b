// PKCS #12 (RFC 7292) as current tools want it: AES-256-CBC under PBKDF2 with HMAC-SHA-256, sealed with HMAC-SHA-256.
//   writePkcs12(store, password)  keys with their chains, and trusted certificates that Java sees as such

import { createHash } from 'node:crypto';
import { bmpString, integer, octetString, oid, sequence, setOf, tagged, taggedValue } from './der-writer.ts';
import type { KeyEntry, KeyStore, TrustedEntry } from './key-store.ts';
import { oids } from './object-identifiers.ts';
import { encrypt } from './password-encryption.ts';
import { macData } from './pkcs12-mac.ts';

/** What keytool takes. */
const ROUNDS = 10_000;
const VERSION_3 = 3;
const VERSION_0 = 0;

export async function writePkcs12(store: KeyStore, password: string): Promise<Buffer> {
  const certificates = [
    ...store.keys.map(ownBag),
    ...authorityBags(store.keys),
    ...store.trusted.map(trustedBag),
  ].filter((bag) => bag !== undefined);
  const keys = await Promise.all(store.keys.map((entry) => keyBag(entry, password)));
  const safe = sequence(
    certificates.length > 0 ? await encryptedContent(sequence(...certificates), password) : undefined,
    keys.length > 0 ? plainContent(sequence(...keys)) : undefined,
  );
  return sequence(integer(VERSION_3), plainContent(safe), await macData(safe, password, ROUNDS));
}

function plainContent(content: Buffer): Buffer {
  return sequence(oid(oids.data), tagged(0, octetString(content)));
}

async function encryptedContent(content: Buffer, password: string): Promise<Buffer> {
  const encrypted = await encrypt(content, password, ROUNDS);
  const info = sequence(oid(oids.data), encrypted.algorithm, taggedValue(0, encrypted.content));
  return sequence(oid(oids.encryptedData), tagged(0, sequence(integer(VERSION_0), info)));
}

async function keyBag(entry: KeyEntry, password: string): Promise<Buffer> {
  const pkcs8 = entry.privateKey.export({ type: 'pkcs8', format: 'der' });
  const { algorithm, content } = await encrypt(pkcs8, password, ROUNDS);
  return bag(oids.shroudedKeyBag, sequence(algorithm, octetString(content)), ...ownAttributes(entry));
}

/** The certificate of a key is tied to it. */
function ownBag(entry: KeyEntry): Buffer | undefined {
  const [own] = entry.chain;
  return own && certificateBag(own, ...ownAttributes(entry));
}

/** Those above are found by their names; keys of one authority share them. */
function authorityBags(keys: readonly KeyEntry[]): Buffer[] {
  const authorities = keys.flatMap(({ chain }) => chain.slice(1));
  const distinct = new Map(authorities.map((certificate) => [certificate.toString('latin1'), certificate]));
  return Array.from(distinct.values(), (certificate) => certificateBag(certificate));
}

/** Without Oracle's attribute Java would not list the certificate. */
function trustedBag({ alias, certificate }: TrustedEntry): Buffer {
  const usage = attribute(oids.trustedKeyUsage, oid(oids.anyExtendedKeyUsage));
  return certificateBag(certificate, friendlyName(alias), usage);
}

function certificateBag(certificate: Buffer, ...attributes: Buffer[]): Buffer {
  const value = sequence(oid(oids.x509Certificate), tagged(0, octetString(certificate)));
  return bag(oids.certificateBag, value, ...attributes);
}

function bag(identifier: string, value: Buffer, ...attributes: Buffer[]): Buffer {
  return sequence(
    oid(identifier),
    tagged(0, value),
    attributes.length > 0 ? setOf(...attributes) : undefined,
  );
}

/** The same for a key and its certificate. */
function ownAttributes({ alias, chain: [certificate] }: KeyEntry): Buffer[] {
  const localKeyId = createHash('sha1')
    .update(certificate ?? alias)
    .digest();
  return [friendlyName(alias), attribute(oids.localKeyId, octetString(localKeyId))];
}

function friendlyName(alias: string): Buffer {
  return attribute(oids.friendlyName, bmpString(alias));
}

function attribute(identifier: string, value: Buffer): Buffer {
  return sequence(oid(identifier), setOf(value));
}
