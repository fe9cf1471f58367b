import { type Static, Type } from 'typebox';
import { input } from './input.ts';
import { NAME_RULE } from './name.ts';

/** What every personal access token begins with, so that people and secret scanners know one when they see it. */
export const TOKEN_PREFIX = 'gh_pat_';
export const TOKEN_BYTES = 32;

const TOKEN = new RegExp(`^${TOKEN_PREFIX}[A-Za-z0-9_-]{43}$`);

/** Whether the text could be a token at all: what could not need not be looked for. */
export function looksLikeToken(text: string): boolean {
  return TOKEN.test(text);
}

/** Of one account, those that have a name. */
export const MAX_NAMED_TOKENS = 1000;

const sources = ['SIGN_IN', 'PROFILE'] as const;

export const tokenInput = input(
  {
    name: Type.String({ maxLength: 1000, description: NAME_RULE }),
    expiresAt: Type.Optional(
      Type.Union([Type.String({ format: 'date-time', maxLength: 40 }), Type.Null()], {
        description: 'RFC 3339; it never expires when left out or null.',
      }),
    ),
  },
  { $id: 'TokenInput' },
);
export type TokenInput = Static<typeof tokenInput>;

export const revokeInput = input(
  { token: Type.String({ minLength: 1, maxLength: 1000, description: 'The value itself.' }) },
  { $id: 'RevokeInput' },
);

const time = () => Type.String({ format: 'date-time' });
const viewMembers = {
  id: Type.String({ description: '24 hex digits' }),
  name: Type.Optional(Type.String({ description: 'Absent for those of the token endpoint.' })),
  source: Type.String({ enum: sources }),
  createdAt: time(),
  expiresAt: Type.Optional(time()),
  expired: Type.Boolean(),
  lastUsedAt: Type.Optional(time()),
  current: Type.Boolean({ description: 'Whether this very request came with it.' }),
};

export const tokenView = Type.Object(viewMembers, { $id: 'Token' });

export const issuedTokenView = Type.Object(
  { ...viewMembers, token: Type.String({ description: 'The value. It is shown this once.' }) },
  { $id: 'IssuedToken' },
);

/** As stored; times in milliseconds since the epoch. */
export interface Token {
  /** SHA-256 of the value, in hex. The value itself is kept nowhere. */
  readonly hash: string;
  readonly userId: string;
  readonly source: (typeof sources)[number];
  readonly name?: string;
  /** When its value was made. */
  readonly createdAt: number;
  /** Absent when it never expires. */
  readonly expiresAt?: number;
  /** Within a minute. */
  readonly lastUsedAt?: number;
}
