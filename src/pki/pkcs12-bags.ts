import { derOfBer } from './ber.ts';
import { DerFields, derChildren, derElements, derTags } from './der-reader.ts';
import type { RoundBudget } from './key-derivation.ts';
import { keyStoreLimits, tooLarge, unsupported } from './key-store.ts';
import { oids } from './object-identifiers.ts';
import { decrypt, decryptInfo } from './password-encryption.ts';

interface BagAttributes {
  readonly alias: string | undefined;
  /** Hex. */
  readonly localKeyId: string | undefined;
  readonly isTrusted: boolean;
}

export interface KeyBag extends BagAttributes {
  readonly pkcs8: Buffer;
}

export interface CertificateBag extends BagAttributes {
  readonly certificate: Buffer;
}

/** What a PKCS #12 file holds, opened but not yet put together. Secret keys and revocation lists are passed over. */
export class BagCollector {
  readonly keys: KeyBag[] = [];
  readonly certificates: CertificateBag[] = [];
  readonly #password: string;
  readonly #budget: RoundBudget;

  constructor(password: string, budget: RoundBudget) {
    this.#password = password;
    this.#budget = budget;
  }

  /** A ContentInfo of the AuthenticatedSafe. */
  async addContent(contentInfo: Buffer): Promise<void> {
    const fields = new DerFields(contentInfo);
    const type = fields.takeOid();
    const { content } = fields.take(0xa0);
    if (type === oids.data) return this.#addBags(octetsOf(content), keyStoreLimits.maxDepth);
    if (type !== oids.encryptedData) throw unsupported('PKCS #12', `content of type ${type}`);
    await this.#addBags(await this.#decrypted(content), keyStoreLimits.maxDepth);
  }

  async #decrypted(encryptedData: Buffer): Promise<Buffer> {
    const fields = new DerFields(encryptedData);
    fields.take(derTags.integer);
    const info = new DerFields(fields.take(derTags.sequence).whole);
    info.takeOid();
    const algorithm = info.take(derTags.sequence).whole;
    // The ciphertext, whole or in pieces.
    const whole = info.takeIf(0x80)?.content;
    const content =
      whole ?? Buffer.concat(derElements(info.take(0xa0).content).map((piece) => piece.content));
    return decrypt({ algorithm, content }, this.#password, this.#budget);
  }

  async #addBags(safeContents: Buffer, depthLeft: number): Promise<void> {
    if (depthLeft === 0) throw new RangeError('bags are nested too deeply');
    const der = derOfBer(safeContents, keyStoreLimits.maxDepth);
    for (const { whole } of derChildren(der, derTags.sequence)) await this.#addBag(whole, depthLeft);
  }

  async #addBag(bag: Buffer, depthLeft: number): Promise<void> {
    const fields = new DerFields(bag);
    const type = fields.takeOid();
    const { content } = fields.take(0xa0);
    const attributes = attributesOf(fields.takeIf(derTags.set)?.content);
    if (this.keys.length + this.certificates.length >= keyStoreLimits.maxEntries) throw tooLarge('PKCS #12');
    if (type === oids.nestedBags) await this.#addBags(content, depthLeft - 1);
    if (type === oids.keyBag) this.keys.push({ ...attributes, pkcs8: content });
    if (type === oids.shroudedKeyBag)
      this.keys.push({ ...attributes, pkcs8: await decryptInfo(content, this.#password, this.#budget) });
    if (type === oids.certificateBag) this.#addCertificate(content, attributes);
  }

  #addCertificate(bagValue: Buffer, attributes: BagAttributes): void {
    const fields = new DerFields(bagValue);
    if (fields.takeOid() !== oids.x509Certificate) return;
    this.certificates.push({ ...attributes, certificate: octetsOf(fields.take(0xa0).content) });
  }
}

/** The content of the one OCTET STRING in these bytes. */
export function octetsOf(bytes: Buffer): Buffer {
  const [only] = derElements(bytes);
  if (only?.tag !== derTags.octetString) throw new RangeError('another element was expected');
  return only.content;
}

function attributesOf(set: Buffer | undefined): BagAttributes {
  const values = new Map<string, Buffer | undefined>();
  for (const { whole } of set ? derElements(set) : []) {
    const fields = new DerFields(whole);
    values.set(fields.takeOid(), derElements(fields.take(derTags.set).content)[0]?.content);
  }
  const name = values.get(oids.friendlyName);
  return {
    alias: name && bmpText(name),
    localKeyId: values.get(oids.localKeyId)?.toString('hex'),
    isTrusted: values.has(oids.trustedKeyUsage),
  };
}

function bmpText(bytes: Buffer): string {
  if (bytes.length % 2 !== 0) throw new RangeError('a name has half a character');
  return Buffer.from(bytes).swap16().toString('utf16le');
}
