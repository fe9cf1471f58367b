// Java's own key store format, version 2; version 1 is read too.
//   writeJks(store, password, createdAt?)       every key is protected with the password of the store
//   readJks(bytes, password, keyPassword?)      faults: key-store.wrong-password, .malformed, .unsupported, .too-large
// The format is weak (SHA-1, nothing encrypted but the keys) and kept only for tools that want it; PKCS #12 is better.

import { createHash, timingSafeEqual } from 'node:crypto';
import { protectKey, unprotectKey } from './jks-key-protector.ts';
import {
  checkedCertificate,
  type KeyStore,
  keyStoreLimits,
  malformed,
  privateKeyOf,
  readingStore,
  tooLarge,
  unsupported,
  wrongPassword,
} from './key-store.ts';

const MAGIC = 0xfeedfeed;
const JCEKS_MAGIC = 0xcececece;
const VERSION = 2;
const KEY_ENTRY = 1;
const TRUSTED_ENTRY = 2;
const DIGEST_BYTES = 20;

export function writeJks(store: KeyStore, password: string, createdAt = new Date()): Buffer {
  const secret = passwordBytes(password);
  const entryHead = (tag: number, alias: string) =>
    // Java looks for aliases in lower case.
    Buffer.concat([uint32(tag), javaString(alias.toLowerCase()), uint64(createdAt.getTime())]);
  const keys = store.keys.flatMap(({ alias, privateKey, chain }) => [
    entryHead(KEY_ENTRY, alias),
    sized(protectKey(privateKey.export({ type: 'pkcs8', format: 'der' }), secret)),
    uint32(chain.length),
    ...chain.map(certificateData),
  ]);
  const trusted = store.trusted.flatMap(({ alias, certificate }) => [
    entryHead(TRUSTED_ENTRY, alias),
    certificateData(certificate),
  ]);
  const count = store.keys.length + store.trusted.length;
  const content = Buffer.concat([uint32(MAGIC), uint32(VERSION), uint32(count), ...keys, ...trusted]);
  return Buffer.concat([content, integrityDigest(content, secret)]);
}

function certificateData(certificate: Buffer): Buffer {
  return Buffer.concat([javaString('X.509'), sized(certificate)]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function uint64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
}

function sized(bytes: Buffer): Buffer {
  return Buffer.concat([uint32(bytes.length), bytes]);
}

/** Java's UTF-8 differs from ours only beyond U+FFFF. */
function javaString(text: string): Buffer {
  const bytes = Buffer.from(text);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** Two bytes a character, the high one first. */
function passwordBytes(password: string): Buffer {
  return Buffer.from(password, 'utf16le').swap16();
}

/** The words in the middle are the format's own. */
function integrityDigest(content: Buffer, password: Buffer): Buffer {
  return createHash('sha1').update(password).update('Mighty Aphrodite').update(content).digest();
}

interface ProtectedEntry {
  readonly alias: string;
  readonly protectedKey: Buffer;
  readonly chain: readonly Buffer[];
}

export function readJks(bytes: Buffer, password: string, keyPassword = password): Promise<KeyStore> {
  return readingStore('JKS', bytes, () => {
    const content = bytes.subarray(0, -DIGEST_BYTES);
    const { keys, trusted } = readEntries(new JavaData(content));
    // The digest comes after the structure, so that a file cut short is not taken for a wrong password.
    const digest = bytes.subarray(-DIGEST_BYTES);
    if (!timingSafeEqual(integrityDigest(content, passwordBytes(password)), digest))
      throw wrongPassword('JKS');
    const secret = passwordBytes(keyPassword);
    return {
      keys: keys.map(({ alias, protectedKey, chain }) => ({
        alias,
        privateKey: privateKeyOf('JKS', unprotectKey(protectedKey, secret)),
        chain,
      })),
      trusted,
    };
  });
}

function readEntries(data: JavaData): { keys: ProtectedEntry[]; trusted: KeyStore['trusted'] } {
  const magic = data.uint32();
  if (magic === JCEKS_MAGIC) throw unsupported('JKS', 'the JCEKS format');
  const version = magic === MAGIC ? data.uint32() : 0;
  if (version !== 1 && version !== VERSION) throw malformed('JKS', 'it does not begin like a Java key store');
  const count = data.uint32();
  if (count > keyStoreLimits.maxEntries) throw tooLarge('JKS');
  const keys: ProtectedEntry[] = [];
  const trusted: Array<KeyStore['trusted'][number]> = [];
  for (let index = 0; index < count; index++) {
    const tag = data.uint32();
    const alias = data.string();
    data.bytes(8);
    if (tag === KEY_ENTRY) keys.push({ alias, protectedKey: data.sized(), chain: readChain(data, version) });
    else if (tag === TRUSTED_ENTRY) trusted.push({ alias, certificate: readCertificate(data, version) });
    else throw malformed('JKS', `there is no entry of kind ${tag}`);
  }
  if (!data.isAtEnd) throw malformed('JKS', 'there is more in it than its entries');
  return { keys, trusted };
}

function readChain(data: JavaData, version: number): Buffer[] {
  const length = data.uint32();
  if (length > keyStoreLimits.maxEntries) throw tooLarge('JKS');
  return Array.from({ length }, () => readCertificate(data, version));
}

/** Since version 2 a certificate says its type. */
function readCertificate(data: JavaData, version: number): Buffer {
  const type = version === 1 ? 'X.509' : data.string();
  if (type !== 'X.509') throw unsupported('JKS', `certificates of type ${JSON.stringify(type)}`);
  return checkedCertificate('JKS', data.sized());
}

/** Reads what java.io.DataOutput wrote. What is cut off is a RangeError. */
class JavaData {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  bytes(length: number): Buffer {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new RangeError('it is cut off');
    const found = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return found;
  }

  uint32(): number {
    return this.bytes(4).readUInt32BE();
  }

  sized(): Buffer {
    return this.bytes(this.uint32());
  }

  string(): string {
    return this.bytes(this.bytes(2).readUInt16BE()).toString();
  }
}
