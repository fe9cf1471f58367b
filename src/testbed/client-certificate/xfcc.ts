/** One element of Envoy's X-Forwarded-Client-Cert: what one proxy says of the client in front of it. */
export interface XfccElement {
  readonly by: readonly string[];
  readonly hash: string | undefined;
  /** URL-encoded PEM. */
  readonly cert: string | undefined;
  readonly chain: string | undefined;
  readonly subject: string | undefined;
  readonly uri: readonly string[];
  readonly dns: readonly string[];
}

/** Elements are separated by `,`, their pairs by `;`; values with either are quoted, `"` in them escaped by `\`. */
export function parseXfcc(header: string): XfccElement[] {
  return splitUnquoted(header, ',').map((element) => {
    const pairs = splitUnquoted(element, ';').map(pairOf);
    const all = (name: string) => pairs.filter(([key]) => key === name).map(([, value]) => value);
    return {
      by: all('by'),
      hash: all('hash')[0],
      cert: all('cert')[0],
      chain: all('chain')[0],
      subject: all('subject')[0],
      uri: all('uri'),
      dns: all('dns'),
    };
  });
}

function pairOf(text: string): [key: string, value: string] {
  const equalsAt = text.indexOf('=');
  if (equalsAt <= 0) throw new RangeError(`${JSON.stringify(text)} is no pair of the form key=value`);
  const value = text.slice(equalsAt + 1).trim();
  const isQuoted = value.length >= 2 && value.startsWith('"') && value.endsWith('"');
  return [
    text.slice(0, equalsAt).trim().toLowerCase(),
    isQuoted ? value.slice(1, -1).replace(/\\(.)/g, '$1') : value,
  ];
}

function splitUnquoted(text: string, separator: string): string[] {
  const pieces: string[] = [];
  let piece = '';
  let isQuoted = false;
  for (let index = 0; index < text.length; index++) {
    const character = text[index]!;
    if (character === '\\' && isQuoted) piece += character + (text[++index] ?? '');
    else if (character === separator && !isQuoted) {
      pieces.push(piece.trim());
      piece = '';
    } else {
      if (character === '"') isQuoted = !isQuoted;
      piece += character;
    }
  }
  pieces.push(piece.trim());
  return pieces.filter((one) => one !== '');
}
