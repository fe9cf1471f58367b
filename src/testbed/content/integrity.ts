import { createHash } from 'node:crypto';

/** Digests by which a client can prove that a body came through unchanged (RFC 9530 and a plain hex twin). */
export function sha256Hex(bytes: string | Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

export function md5Hex(bytes: string | Uint8Array): string {
  return createHash('md5').update(bytes).digest('hex');
}

/** The fields every generated body carries. */
export function integrityHeaders(bytes: string | Uint8Array): string[] {
  return integrityHeadersOf(createHash('sha256').update(bytes).digest());
}

/** The same fields for a body whose SHA-256 was computed while it passed. */
export function integrityHeadersOf(sha256: Buffer): string[] {
  return [
    'Content-Digest',
    `sha-256=:${sha256.toString('base64')}:`,
    'X-Body-Sha256',
    sha256.toString('hex'),
  ];
}

/** The algorithms of RFC 9530 that are not deprecated, and what node:crypto calls them. */
export const digestAlgorithms: ReadonlyMap<string, string> = new Map([
  ['sha-256', 'sha256'],
  ['sha-512', 'sha512'],
]);

// A structured-field dictionary of byte sequences (RFC 8941 §3.2, §3.3.5): no commas, colons or quotes inside values.
const MEMBER = /^([a-z*][a-z0-9_.*-]*)=:([A-Za-z0-9+/]*={0,2}):$/;

/**
 * The members of a Content-Digest or Repr-Digest field, the last of equal keys winning.
 * Undefined when the field is no such dictionary: RFC 8941 §4.2 then has the whole field ignored.
 */
export function parseContentDigest(field: string): ReadonlyMap<string, Buffer> | undefined {
  const members = new Map<string, Buffer>();
  for (const piece of field.split(',')) {
    const member = MEMBER.exec(piece.trim());
    if (!member) return undefined;
    members.set(member[1]!, Buffer.from(member[2]!, 'base64'));
  }
  return members;
}
