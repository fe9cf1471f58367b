/**
 * A path as the catalogue writes it, taken apart: `/users/{id}/files/{rest**}`.
 * `{name}` is one segment that is not empty. `{name**}` or a bare `**`, only at the end, is the rest of the path:
 * any number of segments, empty ones too, but the slash before it must be there (`/x/**` takes `/x/`, not `/x`).
 */
export interface PathPattern {
  readonly segments: readonly PathSegment[];
  /** Names of what is captured, in order; a bare `**` is captured under its own name. */
  readonly names: readonly string[];
}

type PathSegment =
  | { readonly kind: 'static'; readonly text: string }
  | { readonly kind: 'one' }
  | { readonly kind: 'rest' };

const REST_NAME = '**';

export function parsePathPattern(path: string): PathPattern {
  if (!path.startsWith('/')) throw new Error(`the path ${path} must begin with a slash`);
  const pieces = path.slice(1).split('/');
  const names: string[] = [];
  const segments = pieces.map((piece, index): PathSegment => {
    const { segment, name } = parseSegment(piece, path);
    if (segment.kind === 'rest' && index < pieces.length - 1) {
      throw new Error(`in ${path} nothing may follow ${piece}: it already takes the rest of the path`);
    }
    if (name !== undefined) {
      if (names.includes(name)) throw new Error(`${path} names {${name}} twice`);
      names.push(name);
    }
    return segment;
  });
  return { segments, names };
}

function parseSegment(piece: string, path: string): { segment: PathSegment; name?: string } {
  if (piece === REST_NAME) return { segment: { kind: 'rest' }, name: REST_NAME };
  const placeholder = /^\{([A-Za-z_][\w.-]*?)(\*\*)?\}$/.exec(piece);
  if (placeholder) return { segment: { kind: placeholder[2] ? 'rest' : 'one' }, name: placeholder[1]! };
  if (/[{}?#\s]|\*\*/.test(piece)) {
    throw new Error(`the segment ${piece} of ${path} can never be matched as it is written`);
  }
  return { segment: { kind: 'static', text: canonicalPath(utf8AsLatin1(piece)) } };
}

/**
 * The one spelling by which paths are compared: a byte ≥ 0x80 is the same raw or percent-encoded, in either case
 * of its hex digits. Nothing else is touched: `%2F`, `%41`, `//`, `/../` and `;a=b` stay what they are.
 */
export function canonicalPath(rawPath: string): string {
  if (!/[%\x80-\xff]/.test(rawPath)) return rawPath;
  return rawPath
    .replace(/%[89a-fA-F][0-9a-fA-F]/g, (escaped) => escaped.toUpperCase())
    .replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** The path of the catalogue as a client would send it, placeholders left in place. */
export function pathAsSent(path: string): string {
  return canonicalPath(utf8AsLatin1(path));
}

/** The path as the OpenAPI document writes it: `{name**}` becomes `{name}`, a bare `**` stays. */
export function pathAsDocumented(path: string): string {
  return path.replace(/\{([^}]+?)\*\*\}/g, '{$1}');
}

function utf8AsLatin1(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}
