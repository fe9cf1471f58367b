import { type PlainAnswer, reply } from '../../kernel/catalogue/answer.ts';
import { fault } from '../../kernel/faults.ts';
import { atMost } from '../content/bounded-body.ts';
import { setCookieField } from '../content/cookies.ts';
import type { TestbedCall } from '../endpoint.ts';
import { isSameSecret, type UserAndPassword } from './authorization.ts';
import { cookieValue } from './cookie-value.ts';
import {
  type DigestAlgorithm,
  type DigestInput,
  digestResponse,
  hashedUser,
  newDigestHash,
  type Qop,
} from './digest.ts';
import { type DigestCredentials, parseDigestCredentials } from './digest-credentials.ts';
import { isLiveNonce, makeNonce, NONCE_RANDOM_BYTES } from './nonce.ts';
import { refused } from './refused.ts';

/** What one digest endpoint offers and whom it lets in. */
export interface DigestOffer {
  readonly login: UserAndPassword;
  /** One challenge for each, the preferred one first. */
  readonly algorithms: readonly DigestAlgorithm[];
  readonly qops: readonly Qop[];
  /** How many requests a nonce serves, as httpbin's cookie counts them: digits, or anything else for no end. */
  readonly staleAfter: string;
  /** The client must return the cookies of the challenge. */
  readonly requiresCookie: boolean;
  readonly offersUserhash: boolean;
}

/** Everything needed to make and check the nonces of this service. */
interface NonceContext {
  readonly key: Buffer;
  readonly realm: string;
  readonly nowMs: number;
  readonly random: Buffer;
}

type Verdict = { readonly isIn: false; readonly isStale: boolean } | ({ readonly isIn: true } & Admission);

interface Admission {
  readonly credentials: DigestCredentials;
  readonly input: DigestInput;
}

/** Digest access authentication (RFC 7616) with the cookies that httpbin adds to it. */
export async function digestAnswer(call: TestbedCall, offer: DigestOffer): Promise<PlainAnswer> {
  const { services, request } = call;
  const nonces: NonceContext = {
    key: Buffer.from(await services.state.authKeys.nonceKey(), 'base64'),
    realm: services.settings.digestRealm,
    nowMs: services.clock.now(),
    random: services.random.bytes(NONCE_RANDOM_BYTES),
  };
  const credentials = parseDigestCredentials(request.headers.first('authorization'));
  const lacksCookies = offer.requiresCookie && !request.headers.has('cookie');
  if (credentials === undefined || lacksCookies) return challenge(call, offer, nonces, false);
  if (offer.requiresCookie && cookieValue(request.headers, 'fake') !== 'fake_value') {
    return reply.json({ errors: ['missing cookie set on challenge'] }, { status: 403, headers: fakeCookie });
  }
  const verdict = isWornOut(call, credentials)
    ? ({ isIn: false, isStale: true } as const)
    : await judge(call, offer, nonces, credentials);
  if (verdict.isIn) return admit(call, offer, nonces, verdict);
  const answer = challenge(call, offer, nonces, verdict.isStale);
  answer.headers.push('Set-Cookie', setCookieField({ name: 'last_nonce', value: credentials.nonce }));
  return answer;
}

/** httpbin's rule: a nonce that failed before, or whose count of uses has run out. */
function isWornOut({ request }: TestbedCall, { nonce }: DigestCredentials): boolean {
  const lastNonce = cookieValue(request.headers, 'last_nonce');
  return lastNonce === nonce || cookieValue(request.headers, 'stale_after') === '0';
}

async function judge(
  call: TestbedCall,
  offer: DigestOffer,
  nonces: NonceContext,
  credentials: DigestCredentials,
): Promise<Verdict> {
  const { algorithm, qop, realm, nonce, nc } = credentials;
  const isOffered =
    offer.algorithms.includes(algorithm) &&
    (qop === undefined || offer.qops.includes(qop)) &&
    realm === nonces.realm;
  if (!isOffered) return { isIn: false, isStale: false };
  refuseOtherTarget(call, credentials);

  const bodyHash = qop === 'auth-int' ? await hashOfBody(call, algorithm) : '';
  const { user, password } = offer.login;
  const input: DigestInput = { ...credentials, user, password, method: call.request.method, bodyHash };
  const expectedUser = credentials.isUserHashed ? hashedUser(algorithm, user, realm) : user;
  const isUserRight = isSameSecret(credentials.user, expectedUser);
  const isProofRight = isSameSecret(credentials.response, digestResponse(input));
  if (!isUserRight || !isProofRight) return { isIn: false, isStale: false };

  // The proof is right, so a nonce that cannot be used is worth another try (RFC 7616 §3.3, stale).
  if (!isLiveNonce(nonces.key, realm, nonces.nowMs, nonce)) return { isIn: false, isStale: true };
  const isFresh =
    qop === undefined || (await call.services.state.digestNonces.use(nonce, Number.parseInt(nc, 16)));
  return isFresh ? { isIn: true, credentials, input } : { isIn: false, isStale: true };
}

/** RFC 7616 §3.4.6: a proof for another resource is a bad request, or a proxy in between rewrote the target. */
function refuseOtherTarget({ request }: TestbedCall, { uri }: DigestCredentials): void {
  const ownPath = request.rawQuery === undefined ? request.rawPath : `${request.rawPath}?${request.rawQuery}`;
  const isSame = uri === request.target || uri.replace(/^https?:\/\/[^/?#]*/i, '') === ownPath;
  if (!isSame) throw fault('auth.digest-uri-mismatch', { uri, target: request.target });
}

async function hashOfBody({ exchange, services }: TestbedCall, algorithm: DigestAlgorithm): Promise<string> {
  const { maxBodyBytes } = services.settings.limits;
  const hash = newDigestHash(algorithm);
  for await (const chunk of atMost(exchange.body, maxBodyBytes)) hash.update(chunk);
  return hash.digest('hex');
}

function admit(
  { request }: TestbedCall,
  { login }: DigestOffer,
  nonces: NonceContext,
  { credentials, input }: Admission,
): PlainAnswer {
  const answer = reply.json({ authenticated: true, user: login.user }, { headers: fakeCookie });
  const staleAfter = cookieValue(request.headers, 'stale_after');
  if (staleAfter !== undefined)
    answer.headers.push('Set-Cookie', setCookieField({ name: 'stale_after', value: oneLess(staleAfter) }));
  const info = authenticationInfo(nonces, credentials, input, answer.body as string);
  answer.headers.push('Authentication-Info', info);
  return answer;
}

/** RFC 7616 §3.5: the server's own proof that it knows the password, and the nonce to go on with. */
function authenticationInfo(
  nonces: NonceContext,
  { algorithm, qop, cnonce, nc }: DigestCredentials,
  input: DigestInput,
  body: string,
): string {
  const nextNonce = makeNonce(nonces.key, nonces.realm, nonces.nowMs, nonces.random);
  if (qop === undefined) return `nextnonce="${nextNonce}"`;
  const bodyHash = newDigestHash(algorithm).update(body).digest('hex');
  const proof = digestResponse({ ...input, method: '', bodyHash });
  return `nextnonce="${nextNonce}", qop=${qop}, rspauth="${proof}", cnonce="${quotable(cnonce)}", nc=${nc}`;
}

/** The 401: one challenge line for each algorithm, members in httpbin's order. */
function challenge(
  call: TestbedCall,
  offer: DigestOffer,
  nonces: NonceContext,
  isStale: boolean,
): PlainAnswer {
  const { key, realm, nowMs, random } = nonces;
  const nonce = makeNonce(key, realm, nowMs, random);
  const opaque = random.toString('hex');
  const answer = refused(call, 401);
  for (const algorithm of offer.algorithms) {
    const members = [
      `realm="${quotable(realm)}"`,
      `nonce="${nonce}"`,
      `qop="${offer.qops.join(', ')}"`,
      `opaque="${opaque}"`,
      `algorithm=${algorithm}`,
      `stale=${isStale ? 'TRUE' : 'FALSE'}`,
    ];
    if (offer.offersUserhash) members.push('charset=UTF-8', 'userhash=true');
    answer.headers.push('WWW-Authenticate', `Digest ${members.join(', ')}`);
  }
  answer.headers.push(
    'Set-Cookie',
    setCookieField({ name: 'stale_after', value: offer.staleAfter }),
    ...fakeCookie,
  );
  return answer;
}

const fakeCookie = ['Set-Cookie', 'fake=fake_value; Path=/'];

/** httpbin counts digits down and takes everything else for `never`. */
function oneLess(staleAfter: string): string {
  return /^-?\d{1,9}$/.test(staleAfter) ? String(Number(staleAfter) - 1) : 'never';
}

function quotable(text: string): string {
  return text.replace(/["\\]/g, '\\$&').replace(/[\x00-\x1f\x7f]/g, ' ');
}
