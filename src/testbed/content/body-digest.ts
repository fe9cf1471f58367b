import { createHash } from 'node:crypto';
import type { RequestBody } from '../../http1/exchange.ts';
import type { HeaderList } from '../../http1/header-list.ts';
import { fault } from '../../kernel/faults.ts';
import { atMost } from './bounded-body.ts';
import { digestAlgorithms, parseContentDigest } from './integrity.ts';

export interface BodyDigests {
  readonly length: number;
  /** By the algorithm names of RFC 9530; SHA-256 is always there. */
  readonly byAlgorithm: ReadonlyMap<string, Buffer>;
}

/** Reads a body to its end and keeps nothing of it but its digests, so that its size costs no memory. */
export async function digestBody(
  body: RequestBody,
  headers: HeaderList,
  maxBytes: number,
  onChunk?: (chunk: Buffer) => void,
): Promise<BodyDigests> {
  const hashes = algorithmsFor(headers).map(
    (name) => [name, createHash(digestAlgorithms.get(name)!)] as const,
  );
  let length = 0;
  for await (const chunk of atMost(body, maxBytes)) {
    length += chunk.length;
    for (const [, hash] of hashes) hash.update(chunk);
    onChunk?.(chunk);
  }
  return { length, byAlgorithm: new Map(hashes.map(([name, hash]) => [name, hash.digest()])) };
}

/** Hashing is what a large body costs, so only what can be asked for is computed. */
function algorithmsFor(headers: HeaderList): string[] {
  const digestMayTrail = /digest/i.test(headers.get('trailer') ?? '');
  if (digestMayTrail) return [...digestAlgorithms.keys()];
  const named = expectedDigests(headers).map(({ algorithm }) => algorithm);
  return [...new Set(['sha-256', ...named])];
}

/** A digest the client says its body has. */
export interface ExpectedDigest {
  /** The field that says so, lower-case. */
  readonly field: string;
  readonly algorithm: string;
  readonly digest: Buffer;
}

const HEX_SHA256 = /^[0-9a-f]{64}$/i;

/**
 * Every expectation among header fields or trailers (a sender may compute while it sends, RFC 9530 §2).
 * Algorithms we do not know are passed over.
 */
export function expectedDigests(fields: HeaderList): ExpectedDigest[] {
  const expected: ExpectedDigest[] = [];
  for (const field of ['x-expected-sha256', 'x-expect-sha256']) {
    const value = fields.get(field);
    if (value === undefined) continue;
    if (!HEX_SHA256.test(value)) throw fault('digest.malformed', { field, rule: 'must be 64 hex digits' });
    expected.push({ field, algorithm: 'sha-256', digest: Buffer.from(value, 'hex') });
  }
  for (const field of ['content-digest', 'repr-digest']) {
    const value = fields.get(field);
    if (value === undefined) continue;
    const members = parseContentDigest(value);
    if (!members) throw fault('digest.malformed', { field, rule: 'must be written as RFC 9530 says' });
    for (const [algorithm, digest] of members) {
      if (digestAlgorithms.has(algorithm)) expected.push({ field, algorithm, digest });
    }
  }
  return expected;
}
