import { type Static, Type } from 'typebox';
import { input } from './input.ts';
import { NAME_RULE } from './name.ts';

export const keyStoreTypes = ['PKCS12', 'JKS', 'PEM'] as const;
export type KeyStoreType = (typeof keyStoreTypes)[number];

/** Of a request that carries a store; the file in it is a quarter smaller. */
export const KEY_STORE_BODY_BYTES = 5 * 1024 * 1024;

const name = Type.Optional(Type.String({ maxLength: 1000, description: NAME_RULE }));
const description = Type.String({ default: '', maxLength: 1000 });
const type = Type.Unsafe<KeyStoreType>({ type: 'string', enum: keyStoreTypes, default: 'PKCS12' });
const content = Type.String({
  minLength: 1,
  pattern: '^[A-Za-z0-9+/\\r\\n]+={0,2}[\\r\\n]*$',
  description: 'the file in Base64',
});
const password = Type.String({ default: '', maxLength: 1000, description: 'what opens the file' });

export const keyStoreInput = input({ name, description, type, content, password }, { $id: 'KeyStoreInput' });

/** Without content the stored file stays, with its type and its password. */
export const keyStoreChange = input(
  { name, description, type, content: Type.Optional(content), password },
  { $id: 'KeyStoreChange' },
);

export type KeyStoreInput = Static<typeof keyStoreInput>;
export type KeyStoreChange = Static<typeof keyStoreChange>;

const certificate = {
  alias: Type.String(),
  subject: Type.String(),
  issuer: Type.String(),
  serialNumber: Type.String({ description: 'hex' }),
  notBefore: Type.String({ format: 'date-time' }),
  notAfter: Type.String({ format: 'date-time' }),
  sha256: Type.String({ description: 'of the certificate, in hex' }),
  keyAlgorithm: Type.String(),
  hasPrivateKey: Type.Boolean(),
  chainLength: Type.Integer(),
};

/** One entry of a store, by its own certificate. */
export const keyStoreEntry = Type.Object(certificate, { $id: 'KeyStoreEntry' });
export type KeyStoreEntry = Static<typeof keyStoreEntry>;

/** What anybody is shown: never the file, never its password. */
export const keyStoreView = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    description: Type.String(),
    type: Type.String({ enum: keyStoreTypes }),
    expireDate: Type.String({ format: 'date-time', description: 'when the first of its certificates ends' }),
    expired: Type.Boolean(),
    aliasList: Type.Array(keyStoreEntry),
  },
  { $id: 'KeyStore' },
);

/** As stored. Content and password are sealed; the scope is a project's id, or `global`. */
export interface StoredKeyStore {
  readonly scope: string;
  readonly name: string;
  readonly description: string;
  readonly type: KeyStoreType;
  readonly sealedContent: string;
  readonly sealedPassword: string;
  readonly entries: readonly KeyStoreEntry[];
}
