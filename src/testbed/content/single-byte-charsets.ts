/** What one byte stands for, for each of the 256 bytes; undefined where the charset has no character. */
export interface SingleByteCharset {
  readonly characters: readonly (string | undefined)[];
  readonly bytes: ReadonlyMap<string, number>;
}

// windows-1252 and windows-1254 fill the control range 0x80-0x9F with these. Where a code page has none (a space
// here), the byte keeps its C1 control, as Windows itself does; so every byte survives a round trip.
const WINDOWS_1252_C1 = '€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ';
const WINDOWS_1254_C1 = '€ ‚ƒ„…†‡ˆ‰Š‹Œ    ‘’“”•–—˜™š›œ  Ÿ';

// Latin-5 is Latin-1 with the six Icelandic letters given to Turkish.
const LATIN_5: Readonly<Record<number, string>> = {
  208: 'Ğ',
  221: 'İ',
  222: 'Ş',
  240: 'ğ',
  253: 'ı',
  254: 'ş',
};

/**
 * The real tables. TextDecoder takes `iso-8859-1` for windows-1252 and `iso-8859-9` for windows-1254,
 * which differ in 0x80-0x9F.
 */
export const singleByteCharsets = {
  'us-ascii': tableOf((byte) => (byte < 0x80 ? String.fromCharCode(byte) : undefined)),
  'iso-8859-1': tableOf((byte) => String.fromCharCode(byte)),
  'iso-8859-9': tableOf((byte) => LATIN_5[byte] ?? String.fromCharCode(byte)),
  'windows-1252': tableOf((byte) => c1Of(WINDOWS_1252_C1, byte) ?? String.fromCharCode(byte)),
  'windows-1254': tableOf(
    (byte) => c1Of(WINDOWS_1254_C1, byte) ?? LATIN_5[byte] ?? String.fromCharCode(byte),
  ),
} satisfies Record<string, SingleByteCharset>;

function c1Of(characters: string, byte: number): string | undefined {
  const character = characters[byte - 0x80];
  return character === ' ' ? undefined : character;
}

function tableOf(characterOf: (byte: number) => string | undefined): SingleByteCharset {
  const characters = Array.from({ length: 256 }, (_, byte) => characterOf(byte));
  const bytes = new Map<string, number>();
  characters.forEach((character, byte) => {
    if (character !== undefined) bytes.set(character, byte);
  });
  return { characters, bytes };
}
