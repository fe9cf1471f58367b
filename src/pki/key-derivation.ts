import { hash, pbkdf2 } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type Format, keyStoreLimits, tooLarge } from './key-store.ts';

export type Digest = 'md5' | 'sha1' | 'sha224' | 'sha256' | 'sha384' | 'sha512';

/** What a derived key is for (RFC 7292, appendix B.3). */
export const derivedFor = { encryption: 1, iv: 2, integrity: 3 } as const;

/** How many rounds reading one file may still cost. Its author chose the numbers, so they are not to be trusted. */
export class RoundBudget {
  readonly format: Format;
  #left: number = keyStoreLimits.maxRounds;

  constructor(format: Format) {
    this.format = format;
  }

  spend(rounds: number): void {
    this.#left -= rounds;
    if (this.#left < 0) throw tooLarge(this.format);
  }
}

export const pbkdf2Key = promisify(pbkdf2);

export interface Derivation {
  readonly digest: Digest;
  /** As `bmpPassword` gives it. */
  readonly password: Buffer;
  readonly salt: Buffer;
  readonly rounds: number;
  readonly purpose: (typeof derivedFor)[keyof typeof derivedFor];
  readonly bytes: number;
}

/** The derivation of PKCS #12 itself (RFC 7292, appendix B.2), with its names for the variables. */
export async function pkcs12Key(wanted: Derivation): Promise<Buffer> {
  const v = wanted.digest === 'sha384' || wanted.digest === 'sha512' ? 128 : 64;
  const diversifier = Buffer.alloc(v, wanted.purpose);
  const i = Buffer.concat([filledUp(wanted.salt, v), filledUp(wanted.password, v)]);
  const blocks: Buffer[] = [];
  for (let bytes = 0; bytes < wanted.bytes; ) {
    const a = await hashedOften(wanted.digest, Buffer.concat([diversifier, i]), wanted.rounds);
    blocks.push(a);
    bytes += a.length;
    const b = filledUp(a, v).subarray(0, v);
    for (let at = 0; at < i.length; at += v) addWithOne(i.subarray(at, at + v), b);
  }
  return Buffer.concat(blocks).subarray(0, wanted.bytes);
}

const ROUNDS_A_TURN = 5_000;

/** Other work of the process has its turn in between. */
async function hashedOften(digest: Digest, bytes: Buffer, rounds: number): Promise<Buffer> {
  let result = hash(digest, bytes, 'buffer');
  for (let round = 1; round < rounds; round++) {
    result = hash(digest, result, 'buffer');
    if (round % ROUNDS_A_TURN === 0) await nextTurn();
  }
  return result;
}

/** The bytes repeated until they fill whole blocks. */
function filledUp(bytes: Buffer, blockBytes: number): Buffer {
  return Buffer.alloc(Math.ceil(bytes.length / blockBytes) * blockBytes, bytes);
}

/** block = block + addend + 1, as numbers of that many bytes. */
function addWithOne(block: Buffer, addend: Buffer): void {
  let carry = 1;
  for (let at = block.length - 1; at >= 0; at--) {
    carry += block[at]! + addend[at]!;
    block[at] = carry & 0xff;
    carry >>= 8;
  }
}

/** A password as that derivation takes it: two bytes a character, and a zero character at the end. */
export function bmpPassword(password: string): Buffer {
  return Buffer.from(`${password}\0`, 'utf16le').swap16();
}
