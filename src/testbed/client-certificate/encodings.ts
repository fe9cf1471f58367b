import { decodePercent } from '../../kernel/catalogue/query.ts';
import { derChildren, derElements, derTags, oidText } from '../../pki/der-reader.ts';
import { oids } from '../../pki/object-identifiers.ts';

/** Certificates found in a text or file, as DER, the leaf first. */
export interface FoundCertificates {
  readonly format:
    | 'url-encoded-pem'
    | 'pem'
    | 'base64-der'
    | 'der'
    | 'pkcs7'
    | 'pkcs7-pem'
    | 'rfc9440'
    | 'xfcc'
    | 'tls';
  readonly certificates: readonly Buffer[];
}

const MAX_CERTIFICATES = 100;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** A header value in any of the forms that proxies write. Throws when it is none of them. */
export function certificatesOfText(value: string): FoundCertificates {
  if (/^%2D|^-+BEGIN%20|^-----BEGIN\+/i.test(value)) {
    // nginx escapes `+` itself, so a bare one can only be a space in the armour.
    return { format: 'url-encoded-pem', certificates: pemCertificates(decodePercent(value)) };
  }
  if (value.includes('-----BEGIN')) return { format: 'pem', certificates: pemCertificates(value) };
  return { format: 'base64-der', certificates: [bytesOfBase64(value)] };
}

/** RFC 9440: a structured-field byte sequence, or a list of them. */
export function certificatesOfByteSequences(value: string): Buffer[] {
  return value.split(',').map((item) => {
    const [, base64] = /^\s*:([^:]*):\s*(?:;.*)?$/.exec(item) ?? [];
    if (base64 === undefined) throw new RangeError('a byte sequence between colons was expected (RFC 9440)');
    return bytesOfBase64(base64);
  });
}

/** A file: PEM, DER, or PKCS #7 in either. */
export function certificatesOfFile(bytes: Buffer): FoundCertificates {
  const text = bytes.toString('latin1');
  const pkcs7 = /-----BEGIN (?:PKCS7|CMS)-----([\s\S]*?)-----END (?:PKCS7|CMS)-----/.exec(text)?.[1];
  if (pkcs7 !== undefined)
    return { format: 'pkcs7-pem', certificates: pkcs7Certificates(bytesOfBase64(pkcs7)) };
  if (text.includes('-----BEGIN')) return { format: 'pem', certificates: pemCertificates(text) };
  if (bytes[0] !== derTags.sequence) return { format: 'base64-der', certificates: [bytesOfBase64(text)] };
  const [first] = derChildren(bytes, derTags.sequence);
  if (first?.tag === derTags.oid) return { format: 'pkcs7', certificates: pkcs7Certificates(bytes) };
  return { format: 'der', certificates: [bytes] };
}

/** Proxies put spaces or tabs where the line ends were, or drop them: only the Base64 between the marks counts. */
export function pemCertificates(text: string): Buffer[] {
  const blocks = text.matchAll(/-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----([^-]*)-----END/g);
  const found = Array.from(blocks.take(MAX_CERTIFICATES), ([, base64]) => bytesOfBase64(base64!));
  if (found.length === 0) throw new RangeError('there is no PEM certificate in it');
  return found;
}

/** The certificates of a SignedData, whether anything in it is signed or not (RFC 5652 §5.1). */
function pkcs7Certificates(der: Buffer): Buffer[] {
  const [type, wrapper] = derChildren(der, derTags.sequence);
  if (!type || !wrapper || oidText(type.content) !== oids.signedData)
    throw new RangeError('it is no PKCS #7 SignedData');
  const set = derChildren(wrapper.content, derTags.sequence).find(({ tag }) => tag === 0xa0);
  const found = set ? derElements(set.content).map(({ whole }) => whole) : [];
  if (found.length === 0) throw new RangeError('the PKCS #7 holds no certificate');
  return found.slice(0, MAX_CERTIFICATES);
}

function bytesOfBase64(text: string): Buffer {
  const bare = text.replace(/\s+/g, '');
  if (!BASE64.test(bare)) throw new RangeError('it is not Base64');
  return Buffer.from(bare, 'base64');
}
