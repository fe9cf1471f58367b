import { MASK } from '../kernel/mask.ts';

/** Names that secrets go by. Rather one name too many is masked than one too few. */
const SECRET_NAME =
  /pass(?:word|wd|phrase|code)|pwd|secret|token|key|credential|auth|private|cookie|signature|salt|jwt|dsn|connection_?string/i;
/** The working directory, whose name only looks like a password's. */
const HARMLESS_NAMES = new Set(['PWD', 'OLDPWD', 'INIT_CWD']);
/** What is too short would be found everywhere. */
const SHORTEST_SECRET = 6;

/** Secrets that show by their form, in a text of any name. Bounded, so that a long text cannot take long. */
const secretForms: ReadonlyArray<readonly [pattern: RegExp, replacement: string]> = [
  // User name and password of a URL: `redis://user:secret@host`.
  [/\b([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/?#@]+@/gi, `$1${MASK}@`],
  // Members of queries, connection strings and flags: `?access_token=…`, `;Password=…`, `--api-key=…`. Values may hold spaces.
  [
    /\b([\w.-]{0,64}(?:pass(?:word|wd|phrase)|pwd|secret|token|key|credential|auth|signature)[\w.-]{0,64}\s*=\s*)[^;&\n]+?(?=[;&\n]|\s+-|$)/gi,
    `$1${MASK}`,
  ],
  [/\b(Bearer|Basic|Digest|Splunk|ApiKey)\s+[\w+/=.~:-]{6,}/gi, `$1 ${MASK}`],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, MASK],
  // JSON web tokens.
  [/\beyJ[\w-]{8,}\.[\w-]+(?:\.[\w-]*)?/g, MASK],
];

export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name) && !HARMLESS_NAMES.has(name);
}

/** Named texts as they may be shown: secrets by name, by form, and wherever the value of one stands in another. */
export function maskedVariables(
  variables: Readonly<Record<string, string | undefined>>,
  secrets: readonly string[] = [],
): Record<string, string> {
  const mask = maskerOf([...secrets, ...secretValuesOf(variables)]);
  return Object.fromEntries(
    Object.entries(variables)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, value = '']) => [name, isSecretName(name) && value !== '' ? MASK : mask(value)]),
  );
}

export function secretValuesOf(variables: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(variables).flatMap(([name, value]) => (value && isSecretName(name) ? [value] : []));
}

/** Words of a command line: `--token=x` and `--token x`. */
export function maskedArguments(words: readonly string[], secrets: readonly string[] = []): string[] {
  const mask = maskerOf(secrets);
  return words.map((word, index) => {
    const before = words[index - 1] ?? '';
    const isValueOfSecret = before.startsWith('-') && !before.includes('=') && isSecretName(before);
    return isValueOfSecret && !word.startsWith('-') ? MASK : mask(word);
  });
}

/** The longest first, so that a secret within another leaves nothing of it behind. */
function maskerOf(secrets: readonly string[]): (text: string) => string {
  const known = [...new Set(secrets)]
    .filter((secret) => secret.length >= SHORTEST_SECRET)
    .toSorted((a, b) => b.length - a.length);
  return (text) => {
    let masked = text;
    for (const secret of known) masked = masked.replaceAll(secret, MASK);
    for (const [pattern, replacement] of secretForms) masked = masked.replace(pattern, replacement);
    return masked;
  };
}
