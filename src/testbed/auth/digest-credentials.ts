import { decodePercent } from '../../kernel/catalogue/query.ts';
import { parseAuthorization, textOfHeader } from './authorization.ts';
import { type DigestAlgorithm, digestAlgorithmOf, type Qop } from './digest.ts';

/** The fields of a Digest Authorization (RFC 7616 §3.4), of the right form but not yet judged. */
export interface DigestCredentials {
  readonly algorithm: DigestAlgorithm;
  /** In the clear, or its hash when `isUserHashed`. */
  readonly user: string;
  readonly isUserHashed: boolean;
  readonly realm: string;
  readonly uri: string;
  readonly nonce: string;
  readonly qop: Qop | undefined;
  readonly cnonce: string;
  readonly nc: string;
  readonly response: string;
}

/** Undefined for another scheme and for anything a conforming client would not send. */
export function parseDigestCredentials(header: string | undefined): DigestCredentials | undefined {
  const authorization = parseAuthorization(header);
  if (authorization?.scheme !== 'digest') return undefined;
  const { params } = authorization;
  const algorithm = digestAlgorithmOf(params.get('algorithm') ?? 'MD5');
  const user = userOf(params);
  const qop = params.get('qop')?.toLowerCase();
  const [realm, uri, nonce, response] = ['realm', 'uri', 'nonce', 'response'].map((name) => params.get(name));
  if (algorithm === undefined || user === undefined) return undefined;
  if (realm === undefined || uri === undefined || nonce === undefined || response === undefined)
    return undefined;
  if (qop !== undefined && qop !== 'auth' && qop !== 'auth-int') return undefined;

  const cnonce = params.get('cnonce') ?? '';
  const nc = params.get('nc') ?? '';
  const needsCnonce = qop !== undefined || algorithm.endsWith('-sess');
  if (needsCnonce && cnonce === '') return undefined;
  if (qop !== undefined && (!/^[0-9a-f]{8}$/i.test(nc) || Number.parseInt(nc, 16) === 0)) return undefined;

  const isUserHashed = params.get('userhash')?.toLowerCase() === 'true';
  return {
    algorithm,
    user,
    isUserHashed,
    realm,
    uri,
    nonce,
    qop,
    cnonce,
    nc,
    response: response.toLowerCase(),
  };
}

/** RFC 7616 §3.4: `username`, or `username*` in the extended notation of RFC 5987, never both. */
function userOf(params: ReadonlyMap<string, string>): string | undefined {
  const plain = params.get('username');
  const extended = params.get('username*');
  if (extended === undefined) return plain === undefined ? undefined : textOfHeader(plain);
  const [, encoded] = /^utf-8'[^']*'(.*)$/i.exec(extended) ?? [];
  return plain === undefined && encoded !== undefined ? decodePercent(encoded) : undefined;
}
