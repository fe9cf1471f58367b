// RC2 in CBC mode, decryption only (RFC 2268). OpenSSL before 3 and Java before 8u301 wrapped the certificates of every
// PKCS #12 file in it, and the crypto library of Node no longer has it. Nothing is ever written with it.

const PI = Buffer.from(
  'd978f9c419ddb5ed28e9fd794aa0d89dc67e37832b76538e624c6488448bfba2' +
    '179a59f587b34f1361456d8d09817d32bd8f40eb86b77b0bf09521225c6b4e82' +
    '54d66593ce60b21c7356c014a78cf1dc1275ca1f3bbee4d1423dd430a33cb626' +
    '6fbf0eda4669075727f21d9bbc944303f811c7f690ef3ee706c3d52fc8661ed7' +
    '08e8eade8052eef784aa72ac354d6a2a961ad2715a1549744b9fd05e0418a4ec' +
    'c2e0416e0f51cbcc2491af50a1f47039997c3a8523b8b47afc02365b25559731' +
    '2d5dfa98e38a92ae05df2910676cbac9d300e6cfe19ea82c6316013f58e289a9' +
    '0d38341bab33ffb0bb480c5fb9b1cd2ec5f3db47e5a59c770aa62068fe7fc1ad',
  'hex',
);

const BLOCK_BYTES = 8;

/** The plain text without its padding. Throws a RangeError when the padding is not right. */
export function decryptRc2(content: Buffer, key: Buffer, iv: Buffer): Buffer {
  if (content.length === 0 || content.length % BLOCK_BYTES !== 0)
    throw new RangeError('the ciphertext has no whole blocks');
  const expanded = expandedKey(key);
  const plain = Buffer.alloc(content.length);
  let previous = iv;
  for (let at = 0; at < content.length; at += BLOCK_BYTES) {
    const block = content.subarray(at, at + BLOCK_BYTES);
    decryptBlock(block, expanded).forEach((byte, index) => {
      plain[at + index] = byte ^ previous[index]!;
    });
    previous = block;
  }
  return withoutPadding(plain);
}

function withoutPadding(plain: Buffer): Buffer {
  const count = plain.at(-1)!;
  const padding = plain.subarray(-count);
  if (count === 0 || count > BLOCK_BYTES || padding.some((byte) => byte !== count))
    throw new RangeError('the padding is wrong');
  return plain.subarray(0, -count);
}

/** RFC 2268 §2; all bits of the key count. */
function expandedKey(key: Buffer): Uint16Array {
  const bytes = Buffer.alloc(128);
  key.copy(bytes);
  for (let at = key.length; at < 128; at++)
    bytes[at] = PI[(bytes[at - 1]! + bytes[at - key.length]!) & 0xff]!;
  bytes[128 - key.length] = PI[bytes[128 - key.length]!]!;
  for (let at = 127 - key.length; at >= 0; at--) bytes[at] = PI[bytes[at + 1]! ^ bytes[at + key.length]!]!;
  return Uint16Array.from({ length: 64 }, (_, index) => bytes.readUInt16LE(index * 2));
}

const rotations = [1, 2, 3, 5] as const;

/** RFC 2268 §4: five, six and five mixing rounds backwards, a mashing round between them. */
function decryptBlock(block: Buffer, key: Uint16Array): Buffer {
  const words = Uint16Array.from({ length: 4 }, (_, index) => block.readUInt16LE(index * 2));
  for (let round = 15; round >= 0; round--) {
    unmix(words, key, round * 4);
    if (round === 11 || round === 5) unmash(words, key);
  }
  return Buffer.from(Array.from(words, (word) => [word & 0xff, word >> 8]).flat());
}

function unmix(words: Uint16Array, key: Uint16Array, keyAt: number): void {
  for (let at = 3; at >= 0; at--) {
    const [before, second, third] = [words[(at + 3) & 3]!, words[(at + 2) & 3]!, words[(at + 1) & 3]!];
    const turned = (words[at]! >>> rotations[at]!) | (words[at]! << (16 - rotations[at]!));
    words[at] = turned - key[keyAt + at]! - (before & second) - (~before & third);
  }
}

function unmash(words: Uint16Array, key: Uint16Array): void {
  for (let at = 3; at >= 0; at--) words[at]! -= key[words[(at + 3) & 3]! & 63]!;
}
