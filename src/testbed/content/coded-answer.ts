import { Type } from 'typebox';
import { type PlainAnswer, reply } from '../../kernel/catalogue/answer.ts';
import { fault } from '../../kernel/faults.ts';
import { type Coding, codings } from './codings.ts';
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
export function codedAnswer({ original, coded, headers = [], ...described }: CodedContent): PlainAnswer {
  return reply.bytes(coded, original.contentType, {
    headers: [
      ...codingHeaders(described),
      ...originalHeaders(original.bytes),
      ...integrityHeaders(coded),
      ...headers,
    ],
  });
}

function codingHeaders({
  label,
  vary = ['Accept-Encoding'],
}: Pick<CodedContent, 'label' | 'vary'>): string[] {
  const labels = label === undefined ? [] : ['Content-Encoding', label];
  return [...labels, ...vary.flatMap((value) => ['Vary', value])];
}

/** The label a coding goes by: none for identity, which is never sent as Content-Encoding (RFC 9110 §8.4.1). */
export function labelOf(...applied: readonly Coding[]): string | undefined {
  const names = applied.filter((coding) => coding !== 'identity');
  return names.length === 0 ? undefined : names.join(', ');
}
