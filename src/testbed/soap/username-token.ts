import { createHash, timingSafeEqual } from 'node:crypto';
import { decodeBase64 } from '../content/base64.ts';
import { childElements, textContent, type XmlElement } from '../content/xml.ts';
import { SoapFault } from './soap-fault.ts';

const OASIS = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss';
export const WSSE_NAMESPACE = `${OASIS}-wssecurity-secext-1.0.xsd`;
export const WSU_NAMESPACE = `${OASIS}-wssecurity-utility-1.0.xsd`;
export const PASSWORD_TEXT = `${OASIS}-username-token-profile-1.0#PasswordText`;
export const PASSWORD_DIGEST = `${OASIS}-username-token-profile-1.0#PasswordDigest`;

/** A token may be this old, or this far ahead of our clock. */
export const FRESHNESS_MS = 5 * 60_000;
const MAX_NONCE_LENGTH = 512;

export interface TokenRules {
  readonly userName: string;
  readonly password: string;
  readonly nowMs: number;
  /** False when the nonce was used before. */
  readonly useNonce: (nonce: string) => Promise<boolean>;
}

export interface VerifiedUser {
  readonly userName: string;
  readonly passwordType: 'PasswordText' | 'PasswordDigest';
}

export function isSecurityBlock({ localName, namespace }: XmlElement): boolean {
  return localName === 'Security' && namespace === WSSE_NAMESPACE;
}

/** Checks the UsernameToken of a message (WSS UsernameToken Profile 1.0 §3.1). */
export async function verifyUsernameToken(
  headerBlocks: readonly XmlElement[],
  rules: TokenRules,
): Promise<VerifiedUser> {
  const blocks = headerBlocks.filter(isSecurityBlock);
  if (blocks.length !== 1)
    throw securityFault('InvalidSecurity', `The message has ${blocks.length} Security headers, not one.`);
  const tokens = childElements(blocks[0]!).filter((one) => isNamed(one, WSSE_NAMESPACE, 'UsernameToken'));
  if (tokens.length !== 1)
    throw securityFault(
      'InvalidSecurity',
      `The Security header has ${tokens.length} UsernameTokens, not one.`,
    );
  checkTimestamp(blocks[0]!, rules.nowMs);
  return verifyToken(tokens[0]!, rules);
}

async function verifyToken(token: XmlElement, rules: TokenRules): Promise<VerifiedUser> {
  const password = childOf(token, WSSE_NAMESPACE, 'Password');
  const userName = textOf(token, WSSE_NAMESPACE, 'Username') ?? '';
  if (!password) throw securityFault('InvalidSecurityToken', 'The UsernameToken has no Password.');
  const type = password.attributes.Type ?? PASSWORD_TEXT;
  if (type !== PASSWORD_TEXT && type !== PASSWORD_DIGEST)
    throw securityFault('UnsupportedSecurityToken', `The password type ${type} is not understood.`);
  const nonce = textOf(token, WSSE_NAMESPACE, 'Nonce');
  const created = textOf(token, WSU_NAMESPACE, 'Created');
  const isDigest = type === PASSWORD_DIGEST;
  if (isDigest && (nonce === undefined || created === undefined))
    throw securityFault('InvalidSecurityToken', 'A PasswordDigest needs a Nonce and a Created time.');
  if (nonce !== undefined && nonce.length > MAX_NONCE_LENGTH)
    throw securityFault('InvalidSecurityToken', `The Nonce is longer than ${MAX_NONCE_LENGTH} characters.`);
  if (created !== undefined) checkFresh(created, rules.nowMs);

  const expected = isDigest ? digestOf(nonce!, created!, rules.password) : rules.password;
  const given = isDigest ? textContent(password).trim() : textContent(password);
  // Both are always compared, so that the time tells nothing of which one is wrong.
  const isUserRight = isSameText(userName, rules.userName);
  if (!isSameText(given, expected) || !isUserRight)
    throw securityFault('FailedAuthentication', 'The user name or the password is wrong.');
  // Used up only now: a stranger must not be able to spend the nonces of others.
  if (nonce !== undefined && !(await rules.useNonce(nonce)))
    throw securityFault('FailedAuthentication', 'The Nonce was used before.');
  return { userName, passwordType: isDigest ? 'PasswordDigest' : 'PasswordText' };
}

/** Base64 of SHA-1 over the nonce's bytes, the time as written, and the password. */
export function digestOf(nonce: string, created: string, password: string): string {
  const nonceBytes = decodeBase64(nonce);
  if (!nonceBytes) throw securityFault('InvalidSecurityToken', 'The Nonce is not base64.');
  return createHash('sha1').update(nonceBytes).update(created).update(password).digest('base64');
}

function checkFresh(created: string, nowMs: number): void {
  const createdMs = timeOf(created);
  if (Math.abs(nowMs - createdMs) > FRESHNESS_MS)
    throw securityFault('FailedAuthentication', `The token was created at ${created}, too far from now.`);
}

/** A wsu:Timestamp is optional; one that is there must not have expired. */
function checkTimestamp(security: XmlElement, nowMs: number): void {
  const timestamp = childOf(security, WSU_NAMESPACE, 'Timestamp');
  const expires = timestamp && textOf(timestamp, WSU_NAMESPACE, 'Expires');
  if (expires === undefined || timeOf(expires) > nowMs) return;
  throw new SoapFault('Sender', `The message expired at ${expires}.`, {
    subcode: { prefix: 'wsu', namespace: WSU_NAMESPACE, localName: 'MessageExpired' },
  });
}

function timeOf(text: string): number {
  const ms = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/.test(text)
    ? Date.parse(text)
    : Number.NaN;
  if (Number.isNaN(ms))
    throw securityFault('InvalidSecurityToken', `${text} is no date and time with a zone.`);
  return ms;
}

function isNamed(element: XmlElement, namespace: string, localName: string): boolean {
  return element.localName === localName && element.namespace === namespace;
}

function childOf(element: XmlElement, namespace: string, localName: string): XmlElement | undefined {
  return childElements(element).find((one) => isNamed(one, namespace, localName));
}

function textOf(element: XmlElement, namespace: string, localName: string): string | undefined {
  const child = childOf(element, namespace, localName);
  return child && textContent(child).trim();
}

/** In a time that tells nothing of where they differ. */
function isSameText(given: string, expected: string): boolean {
  const hashOf = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(hashOf(given), hashOf(expected));
}

function securityFault(localName: string, message: string): SoapFault {
  return new SoapFault('Sender', message, {
    subcode: { prefix: 'wsse', namespace: WSSE_NAMESPACE, localName },
  });
}
