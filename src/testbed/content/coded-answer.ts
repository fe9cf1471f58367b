import { Type } from 'typebox';
import { type PlainAnswer, reply } from '../../kernel/catalogue/answer.ts';
import { fault } from '../../kernel/faults.ts';
import { type Coding, codings, encodeWhole } from './codings.ts';
import type { Sample } from './encoding-samples.ts';
import { integrityHeaders, sha256Hex } from './integrity.ts';

/** A coding in a path. `compress` is known and answered by 501: nobody sends LZW any more, and no library here writes it. */
export const codingParam = () =>
  Type.Enum([...codings, 'compress'], { description: 'The content coding; `compress` is answered by 501.' });

export const compressingParam = () =>
  Type.Enum(['gzip', 'deflate', 'br', 'zstd'], { description: 'The content coding.' });

/** The coding a path names, if we can write it. */
export function writable(coding: Coding | 'compress'): Coding {
  if (coding !== 'compress') return coding;
  throw fault('encoding.not-implemented', { coding, reason: 'its LZW format is obsolete' });
}

/** What the content is once every coding is undone, whatever the labels say. */
export function originalHeaders(original: Uint8Array): string[] {
  return ['X-Original-Length', String(original.length), 'X-Original-Sha256', sha256Hex(original)];
}

export interface CodedContent {
  readonly original: Sample;
  /** The bytes that are sent. */
  readonly coded: Uint8Array;
  /** The Content-Encoding as it is sent; undefined leaves the field out. */
  readonly label: string | undefined;
  /** The Vary lines; one, Accept-Encoding, unless given. */
  readonly vary?: readonly string[];
  readonly headers?: readonly string[];
}

/** Coded bytes with everything that tells what they are: label, Vary, digests of both forms. */
export function codedAnswer(content: CodedContent): PlainAnswer {
  const { original, coded, label, vary = ['Accept-Encoding'], headers = [] } = content;
  return reply.bytes(coded, original.contentType, {
    headers: [
      ...(label === undefined ? [] : ['Content-Encoding', label]),
      ...vary.flatMap((value) => ['Vary', value]),
      ...originalHeaders(original.bytes),
      ...integrityHeaders(coded),
      ...headers,
    ],
  });
}

/** Content in one coding, under its true label. */
export async function encodedAnswer(
  original: Sample,
  coding: Coding,
  options: Pick<CodedContent, 'vary' | 'headers'> = {},
): Promise<PlainAnswer> {
  const coded = await encodeWhole(coding, original.bytes);
  return codedAnswer({ original, coded, label: labelOf(coding), ...options });
}

/** The label codings go by: none for identity, which is never sent as Content-Encoding (RFC 9110 §8.4.1). */
export function labelOf(...applied: readonly Coding[]): string | undefined {
  const names = applied.filter((coding) => coding !== 'identity');
  return names.length === 0 ? undefined : names.join(', ');
}

/** The Content-Encoding field of one coding, if it has one, and the Vary that belongs to it. */
export function codingHeaders(coding: Coding): string[] {
  const label = labelOf(coding);
  return [...(label === undefined ? [] : ['Content-Encoding', label]), 'Vary', 'Accept-Encoding'];
}
