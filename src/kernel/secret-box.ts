import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';

/** Why a sealed text cannot be read. */
export type UnreadableReason = 'malformed' | 'wrong-key' | 'tampered';

export class SecretUnreadable extends Error {
  readonly reason: UnreadableReason;

  constructor(reason: UnreadableReason, options?: ErrorOptions) {
    const texts: Record<UnreadableReason, string> = {
      malformed: 'it is not a sealed text of a known version',
      'wrong-key': 'it was sealed with another master key',
      tampered: 'it was changed, or sealed for another place',
    };
    super(`a secret cannot be read: ${texts[reason]}`, options);
    this.name = 'SecretUnreadable';
    this.reason = reason;
  }
}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
export const MASTER_KEY_BYTES = 32;

/** `v1.<key id>.<nonce, ciphertext and tag in base64url>`. */
const SEALED = /^v1\.([0-9a-f]{8})\.([A-Za-z0-9_-]+)$/;

/**
 * Seals what must not lie readable in the database (AES-256-GCM). Each text is bound to its place, such as
 * `key-stores/<id>/content`: moved to another one it does not open.
 */
export class SecretBox {
  readonly #key: Buffer;
  readonly #keyId: string;

  constructor(key: Uint8Array) {
    if (key.length !== MASTER_KEY_BYTES) throw new Error(`a master key has ${MASTER_KEY_BYTES} bytes`);
    this.#key = Buffer.from(key);
    // Tells keys apart without telling anything of them.
    this.#keyId = createHash('sha256')
      .update('gatehouse master key id\0')
      .update(key)
      .digest('hex')
      .slice(0, 8);
  }

  seal(secret: string | Uint8Array, place: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#key, nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(this.#boundTo(place));
    const sealed = Buffer.concat([
      nonce,
      cipher.update(Buffer.from(secret as string)),
      cipher.final(),
      cipher.getAuthTag(),
    ]);
    return `v1.${this.#keyId}.${sealed.toString('base64url')}`;
  }

  /** Throws SecretUnreadable. */
  open(sealed: string, place: string): Buffer {
    const [, keyId, text] = SEALED.exec(sealed) ?? [];
    const bytes = Buffer.from(text ?? '', 'base64url');
    if (bytes.length < NONCE_BYTES + TAG_BYTES) throw new SecretUnreadable('malformed');
    if (keyId !== this.#keyId) throw new SecretUnreadable('wrong-key');
    const decipher = createDecipheriv(CIPHER, this.#key, bytes.subarray(0, NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(this.#boundTo(place));
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    try {
      return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
    } catch (cause) {
      throw new SecretUnreadable('tampered', { cause });
    }
  }

  /** A key for something else than sealing. It follows from the master key, and leads neither back to it nor to another. */
  derivedKey(purpose: string): Buffer {
    return Buffer.from(hkdfSync('sha256', this.#key, '', `gatehouse ${purpose}`, MASTER_KEY_BYTES));
  }

  #boundTo(place: string): Buffer {
    return Buffer.from(`v1\0${this.#keyId}\0${place}`);
  }
}
