/** Far beyond what servers take. */
export const MAX_URL_LENGTH = 8192;

/** What stands for a value that is known only at run time; named as environment variables are. */
export const PLACEHOLDER = /\$\{([A-Za-z_][A-Za-z0-9_.-]{0,99})\}/g;

/** The names of the placeholders, each once. */
export function placeholderNames(text: string): string[] {
  return [...new Set([...text.matchAll(PLACEHOLDER)].map(([, name]) => name!))];
}

/** The rule that the address of a connection breaks, in words; undefined when it may be saved. */
export function brokenUrlRule(fullUrl: string): string | undefined {
  if (/[\s\p{Cc}\\]/u.test(fullUrl)) return 'must not hold spaces, control characters or backslashes';
  if (!/^https?:\/\//i.test(fullUrl)) return 'must begin with http:// or https://';
  if (fullUrl.replace(PLACEHOLDER, '').includes('${'))
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it shows how a placeholder is written.
    return 'holds a placeholder that is not of the form ${name}';
  if (fullUrl.includes('#')) return 'must not have a fragment: it would never be sent';
  const [, authority = ''] = /^https?:\/\/([^/?]*)/i.exec(fullUrl) ?? [];
  if (authority === '') return 'names no host';
  if (authority.includes('@')) return 'must not hold a user name or password: use a header';
  return URL.canParse(filled(fullUrl)) ? undefined : 'is not a valid address';
}

/** With something in the place of every placeholder; a port must be a number. */
function filled(fullUrl: string): string {
  return fullUrl.replace(/:\$\{[^}]*\}(?=[/?]|$)/, ':1').replace(PLACEHOLDER, 'x');
}
