const MAX_CACHED_NAMES = 1000;
const MAX_CACHED_LENGTH = 64;

const cachedNames = new Map<string, string>();

/**
 * A header name as httpbin shows it: every letter that follows a non-letter is a capital, all others are small
 * (`x-b3-traceid` → `X-B3-Traceid`, `sha256sum` → `Sha256Sum`). Clients send few different names, so the
 * answers are kept; a client that invents names only makes the cache begin anew.
 */
export function titleCase(name: string): string {
  return cachedNames.get(name) ?? remembered(name);
}

function remembered(name: string): string {
  const titled = name.toLowerCase().replace(/[a-z]+/g, (word) => word[0]!.toUpperCase() + word.slice(1));
  if (name.length > MAX_CACHED_LENGTH) return titled;
  if (cachedNames.size >= MAX_CACHED_NAMES) cachedNames.clear();
  cachedNames.set(name, titled);
  return titled;
}
