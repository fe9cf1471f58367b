/**
 * A distinguished name in a form that can be compared, whoever wrote it: OpenSSL's slashes or the commas of RFC 4514,
 * either order of the parts, any case, escaped or not. Two names that differ in it are two names.
 */
export function comparableName(text: string): string {
  const parts = text.startsWith('/') ? text.split(/\/(?=[\w.]+=)/) : splitUnescaped(text);
  const pairs = parts.filter((part) => part.trim() !== '').map(comparablePart);
  return pairs.sort().join('\n');
}

/** At the commas, semicolons and plus signs that separate parts, which are those without a backslash or quotes. */
function splitUnescaped(text: string): string[] {
  return text.match(/(?:\\.|"(?:\\.|[^"\\])*"|[^,;+"\\])+/gs) ?? [];
}

/** Kinds that are written in several ways. */
const kinds: Readonly<Record<string, string>> = {
  E: 'EMAILADDRESS',
  '1.2.840.113549.1.9.1': 'EMAILADDRESS',
  S: 'ST',
  '2.5.4.3': 'CN',
  '2.5.4.10': 'O',
};

function comparablePart(part: string): string {
  const equalsAt = part.indexOf('=');
  const kind = part.slice(0, Math.max(equalsAt, 0)).trim().toUpperCase();
  const value = unescaped(part.slice(equalsAt + 1).trim());
  return `${kinds[kind] ?? kind}=${value.replace(/\s+/g, ' ').toLowerCase()}`;
}

/** `\,`, `\2C` and quotes; an escaped byte beyond ASCII is one of UTF-8. */
function unescaped(value: string): string {
  const bytes = Buffer.from(value.replace(/^"(.*)"$/s, '$1')).toString('latin1');
  const plain = bytes.replace(/\\([0-9a-f]{2})|\\(.)/gis, (_, hex?: string, character?: string) =>
    hex === undefined ? character! : String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(plain, 'latin1').toString();
}
