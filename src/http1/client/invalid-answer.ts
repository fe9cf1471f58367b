/** What only answers can get wrong. The rest they share with requests, see `refusalTable`. */
const flaws = {
  'status-line-invalid': 'RFC 9112 §4',
  'version-unsupported': 'RFC 9110 §2.5',
  'status-invalid': 'RFC 9112 §4',
  'too-many-interim-answers': 'RFC 9110 §15.2',
  'switching-unasked': 'RFC 9110 §15.2.2',
} as const;

export type AnswerFlaw = keyof typeof flaws;

/** An answer that is no valid HTTP/1.1. */
export class InvalidAnswer extends Error {
  readonly key: AnswerFlaw;

  constructor(key: AnswerFlaw) {
    super(`${key}, ${flaws[key]}`);
    this.name = 'InvalidAnswer';
    this.key = key;
  }
}
