import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseXml, type XmlElement } from '../content/xml.ts';
import { SoapFault } from './soap-fault.ts';
import {
  digestOf,
  PASSWORD_DIGEST,
  PASSWORD_TEXT,
  type TokenRules,
  verifyUsernameToken,
  WSSE_NAMESPACE,
  WSU_NAMESPACE,
} from './username-token.ts';

const nowMs = Date.UTC(2026, 5, 1, 12);
const NONCE = Buffer.from('0123456789abcdef').toString('base64');
const CREATED = '2026-06-01T12:00:00Z';

function rules(): TokenRules {
  const used = new Set<string>();
  return {
    userName: 'user',
    password: 'şifre',
    nowMs,
    useNonce: async (nonce) => !used.has(nonce) && used.add(nonce) !== undefined,
  };
}

function security(content: string): XmlElement {
  return parseXml(
    `<w:Security xmlns:w="${WSSE_NAMESPACE}" xmlns:u="${WSU_NAMESPACE}">${content}</w:Security>`,
  );
}

interface Token {
  readonly user?: string;
  readonly type?: string;
  readonly password?: string;
  readonly nonce?: string;
  readonly created?: string;
}

function token({ user = 'user', type, password, nonce, created }: Token): string {
  return [
    '<w:UsernameToken>',
    `<w:Username>${user}</w:Username>`,
    password === undefined ? '' : `<w:Password${type ? ` Type="${type}"` : ''}>${password}</w:Password>`,
    nonce === undefined ? '' : `<w:Nonce>${nonce}</w:Nonce>`,
    created === undefined ? '' : `<u:Created>${created}</u:Created>`,
    '</w:UsernameToken>',
  ].join('');
}

const digestToken = (changes: Token = {}) =>
  token({
    type: PASSWORD_DIGEST,
    nonce: NONCE,
    created: CREATED,
    password: digestOf(changes.nonce ?? NONCE, changes.created ?? CREATED, 'şifre'),
    ...changes,
  });

describe('UsernameToken', () => {
  test('the digest is SHA-1 over nonce, time and password', () => {
    // printf 'abc%s%s' '2003-07-16T01:24:32Z' 'secret' | openssl sha1 -binary | base64
    assert.equal(digestOf('YWJj', '2003-07-16T01:24:32Z', 'secret'), 'hxymXPVfX6NZwe+dvqcsoTAbOXM=');
  });

  const good: ReadonlyArray<[name: string, content: string, type: string]> = [
    ['a password without a type', token({ password: 'şifre' }), 'PasswordText'],
    ['a PasswordText', token({ password: 'şifre', type: PASSWORD_TEXT }), 'PasswordText'],
    [
      'a PasswordText with nonce and time',
      token({ password: 'şifre', nonce: NONCE, created: CREATED }),
      'PasswordText',
    ],
    ['a PasswordDigest', digestToken(), 'PasswordDigest'],
    ['a token almost five minutes old', digestToken({ created: '2026-06-01T11:55:01.5Z' }), 'PasswordDigest'],
    ['a time in another zone', digestToken({ created: '2026-06-01T15:00:00+03:00' }), 'PasswordDigest'],
    [
      'a Timestamp that lasts',
      `<u:Timestamp><u:Expires>2026-06-01T12:00:01Z</u:Expires></u:Timestamp>${digestToken()}`,
      'PasswordDigest',
    ],
  ];
  for (const [name, content, passwordType] of good) {
    test(`${name} is accepted`, async () => {
      assert.deepEqual(await verifyUsernameToken([security(content)], rules()), {
        userName: 'user',
        passwordType,
      });
    });
  }

  const bad: ReadonlyArray<[name: string, blocks: XmlElement[], subcode: string, reason: RegExp]> = [
    ['no header', [], 'InvalidSecurity', /0 Security headers/],
    ['two headers', [security(digestToken()), security('')], 'InvalidSecurity', /2 Security headers/],
    ['no token', [security('')], 'InvalidSecurity', /0 UsernameTokens/],
    ['two tokens', [security(digestToken() + digestToken())], 'InvalidSecurity', /2 UsernameTokens/],
    ['no password', [security(token({}))], 'InvalidSecurityToken', /no Password/],
    [
      'an unknown type',
      [security(token({ password: 'x', type: 'urn:x' }))],
      'UnsupportedSecurityToken',
      /urn:x/,
    ],
    ['a wrong password', [security(token({ password: 'sifre' }))], 'FailedAuthentication', /wrong/],
    ['a wrong user', [security(token({ user: 'root', password: 'şifre' }))], 'FailedAuthentication', /wrong/],
    ['a wrong digest', [security(digestToken({ password: 'AAAA' }))], 'FailedAuthentication', /wrong/],
    [
      'a digest without a time',
      [security(token({ type: PASSWORD_DIGEST, password: 'x', nonce: NONCE }))],
      'InvalidSecurityToken',
      /needs a Nonce and a Created/,
    ],
    [
      'a nonce that is no base64',
      [security(token({ type: PASSWORD_DIGEST, password: 'x', nonce: '*', created: CREATED }))],
      'InvalidSecurityToken',
      /not base64/,
    ],
    [
      'a nonce that is too long',
      [security(digestToken({ nonce: 'A'.repeat(516) }))],
      'InvalidSecurityToken',
      /longer than 512/,
    ],
    [
      'an old token',
      [security(digestToken({ created: '2026-06-01T11:54:59Z' }))],
      'FailedAuthentication',
      /too far from now/,
    ],
    [
      'a token of the future',
      [security(digestToken({ created: '2026-06-01T12:05:01Z' }))],
      'FailedAuthentication',
      /too far from now/,
    ],
    [
      'a time without a zone',
      [security(digestToken({ created: '2026-06-01T12:00:00' }))],
      'InvalidSecurityToken',
      /no date and time/,
    ],
    [
      'a Timestamp that has expired',
      [security(`<u:Timestamp><u:Expires>2026-06-01T12:00:00Z</u:Expires></u:Timestamp>${digestToken()}`)],
      'MessageExpired',
      /expired at/,
    ],
  ];
  for (const [name, blocks, subcode, reason] of bad) {
    test(`${name} is refused as ${subcode}`, async () => {
      await assert.rejects(verifyUsernameToken(blocks, rules()), (error: SoapFault) => {
        assert.ok(error instanceof SoapFault);
        assert.equal(error.parts.subcode?.localName, subcode);
        assert.match(error.message, reason);
        return true;
      });
    });
  }

  test('a nonce is good once, and a failed attempt does not spend it', async () => {
    const shared = rules();
    const attempt = (content: string) => verifyUsernameToken([security(content)], shared);
    await assert.rejects(attempt(digestToken({ password: 'AAAA' })), /wrong/);
    await attempt(digestToken());
    await assert.rejects(attempt(digestToken()), /Nonce was used before/);
  });
});
