import { type Static, Type } from 'typebox';

/** The journals: what happened, who did it, how it ended. Rows are only ever added, and go when they are old. */
export const journalKinds = ['login', 'audit', 'token', 'deployment', 'message'] as const;
export type JournalKind = (typeof journalKinds)[number];

const result = Type.Union([Type.Literal('SUCCESS'), Type.Literal('FAILURE')]);
const optionalText = () => Type.Optional(Type.String());

export const signInReasons = ['ok', 'unknown user', 'wrong password', 'locked', 'disabled'] as const;
export type SignInReason = (typeof signInReasons)[number];

/** One sign-in. The reason of a refusal stands here alone (spec 2 §5). */
const login = Type.Object({
  userName: Type.String(),
  sourceAddress: Type.String(),
  result,
  reason: Type.Unsafe<SignInReason>({ type: 'string', enum: signInReasons }),
});

/** One change of an object, with what it was and what it became; secrets are masked. */
const audit = Type.Object({
  userName: Type.String(),
  sourceAddress: optionalText(),
  action: Type.String({ description: 'Such as CREATE, UPDATE, DELETE.' }),
  objectType: Type.String(),
  objectName: Type.String(),
  projectName: optionalText(),
  before: Type.Optional(Type.Unknown()),
  after: Type.Optional(Type.Unknown()),
});

/** One event in the life of a personal access token. */
const token = Type.Object({
  userName: Type.String(),
  sourceAddress: optionalText(),
  action: Type.String({ description: 'ISSUE, REGENERATE, REVOKE or DELETE.' }),
  result,
  tokenId: optionalText(),
  tokenName: optionalText(),
  issuedAt: optionalText(),
  expiresAt: optionalText(),
});

/** What one pod said to one deployment. */
const deployment = Type.Object({
  userName: Type.String(),
  projectName: optionalText(),
  environmentName: Type.String(),
  podName: Type.String(),
  objectType: Type.String(),
  objectName: Type.String(),
  result,
  detail: optionalText(),
});

/** What the platform has to tell its operators. */
const message = Type.Object({
  level: Type.Union([Type.Literal('INFO'), Type.Literal('WARN'), Type.Literal('ERROR')]),
  source: Type.String({ description: 'The module or connection it comes from.' }),
  text: Type.String(),
  projectName: optionalText(),
  environmentName: optionalText(),
});

export const journalSchemas = { login, audit, token, deployment, message } as const;

export type JournalRow<Kind extends JournalKind> = Static<(typeof journalSchemas)[Kind]>;

/** As stored: with the time, in milliseconds since the epoch. */
export type JournalEntry<Kind extends JournalKind = JournalKind> = JournalRow<Kind> & { readonly at: number };

/** What filters and order of a journal look at; the other members differ from kind to kind. */
export type StoredJournalRow = JournalEntry & { readonly userName?: string; readonly result?: string };

/** The collection of one journal, for every module that has something to write down. */
export function journalCollection(kind: JournalKind) {
  return {
    name: `journal_${kind}`,
    unique: [],
    indexed: [['at'], ['userName', 'at'], ['result', 'at']],
  } as const;
}
