import { isAscii, isUtf8 } from 'node:buffer';
import { fault } from '../../kernel/faults.ts';
import { type Charset, charsetOf, charsets, contentTypeOf, decodeText, detectBom } from './charsets.ts';
import type { DecodedText } from './text-decoders.ts';

/** What the bytes of a text say about their charset, beside what their label says. */
export interface CharsetReport {
  /** The label as it was sent; null when there is none. */
  readonly declared: string | null;
  readonly bom: Charset | null;
  /** What the bytes themselves give away: a byte-order mark, plain ASCII, or multi-byte UTF-8. Null is undecided. */
  readonly detected: Charset | null;
  readonly used: Charset;
  readonly decoded: DecodedText;
  /** True when the label and the bytes cannot both be right. */
  readonly isMislabelled: boolean;
}

/** Decodes by the label, else by the byte-order mark, else as UTF-8; `forced` overrides all of them. */
export function reportCharset(
  bytes: Uint8Array,
  contentType: string | undefined,
  forced?: Charset,
): CharsetReport {
  const declared = contentTypeOf(contentType).charset ?? null;
  const labelled = declared === null ? undefined : charsetOf(declared);
  if (declared !== null && labelled === undefined && forced === undefined) {
    throw fault('charset.unsupported', { charset: declared, accepted: charsets.join(', ') });
  }
  const bom = detectBom(bytes)?.charset ?? null;
  const detected = bom ?? detectWithoutBom(bytes);
  const used = forced ?? labelled ?? bom ?? 'utf-8';
  const decoded = decodeText(bytes, used);
  return { declared, bom, detected, used, decoded, isMislabelled: isMislabelled(bytes, labelled, detected) };
}

/** The first character that cannot be, as a fault; nothing when the text is valid. */
export function refuseInvalid({ used, decoded }: CharsetReport): void {
  const [first] = decoded.invalid;
  if (first) throw fault('charset.invalid', { charset: used, offset: first.offset, hex: first.hex });
}

function detectWithoutBom(bytes: Uint8Array): Charset | null {
  if (isAscii(bytes)) return 'us-ascii';
  return isUtf8(bytes) ? 'utf-8' : null;
}

function isMislabelled(bytes: Uint8Array, labelled: Charset | undefined, detected: Charset | null): boolean {
  if (labelled === undefined) return false;
  if (!decodeText(bytes, labelled).isValid) return true;
  // ASCII is right under nearly every label, and wide units of ASCII text look like ASCII with NULs.
  return detected !== null && detected !== 'us-ascii' && !detected.startsWith(labelled);
}
