import { decodedBytes, decodePercent } from '../../kernel/catalogue/query.ts';
import { type RequestView, splitTarget } from '../../kernel/catalogue/request-view.ts';
import { type Verdict, verdictOf } from '../verdict/check.ts';
import { targetChecks } from '../verdict/request-expectations.ts';
import { odditiesOf, type PathOddities } from '../verdict/target-changes.ts';

/** A target as it arrived, taken apart. Raw texts have one character per byte. */
export interface UrlReport {
  readonly rawPath: string;
  /** Percent-encoding undone once and read as UTF-8; U+FFFD stands for what is none. */
  readonly decodedPath: string;
  readonly segments: readonly PathSegment[];
  readonly rawQuery: string | null;
  readonly query: RequestView['queryPairs'];
  /** What the raw path holds of the things that proxies tidy up. */
  readonly oddities: PathOddities;
  /**
   * Whether each of them was tidied up on the way: false when it is still there, true when the client says in
   * X-Expect-Target that it sent one and none arrived, null when there is nothing to tell.
   */
  readonly normalized: { readonly [Name in keyof PathOddities]: boolean | null };
  /** The target compared with X-Expect-Target; null when the client did not send it. */
  readonly verdict: Verdict | null;
}

export interface PathSegment {
  readonly raw: string;
  /** Without its parameters. */
  readonly decoded: string;
  /** What follows semicolons, such as `;a=b` (RFC 3986 §3.3). */
  readonly parameters: ReadonlyArray<readonly [name: string, value: string]>;
}

export function reportUrl(request: RequestView): UrlReport {
  const { rawPath, rawQuery, queryPairs, headers } = request;
  const expected = headers.first('x-expect-target');
  const seen = odditiesOf(rawPath);
  const sent = expected === undefined ? undefined : odditiesOf(splitTarget(expected).rawPath);
  const wasTidied = (name: keyof PathOddities) => (seen[name] ? false : sent?.[name] ? true : null);
  return {
    rawPath,
    decodedPath: decodePercent(rawPath),
    segments: rawPath.split('/').slice(1).map(readSegment),
    rawQuery: rawQuery ?? null,
    query: queryPairs,
    oddities: seen,
    normalized: {
      dotSegments: wasTidied('dotSegments'),
      doubleSlash: wasTidied('doubleSlash'),
      encodedSlash: wasTidied('encodedSlash'),
    },
    verdict: expected === undefined ? null : verdictOf(targetChecks(expected, request)),
  };
}

function readSegment(raw: string): PathSegment {
  const [name = '', ...pieces] = raw.split(';');
  const parameters = pieces.map((piece) => {
    const equalsAt = piece.indexOf('=');
    const end = equalsAt < 0 ? piece.length : equalsAt;
    return [decodePercent(piece.slice(0, end)), decodePercent(piece.slice(end + 1))] as const;
  });
  return { raw, decoded: decodePercent(name), parameters };
}

/** How bytes from 0x80 were written: `none` when there are no such bytes. */
export function spellingOf(raw: string): 'raw' | 'percent-encoded' | 'mixed' | 'none' {
  const isRaw = /[\x80-\xff]/.test(raw);
  const isEncoded = /%[89a-f][0-9a-f]/i.test(raw);
  if (isRaw && isEncoded) return 'mixed';
  if (isRaw) return 'raw';
  return isEncoded ? 'percent-encoded' : 'none';
}

/** What the letters of a path are, and which Unicode normal form they are in. */
export function reportUnicode(raw: string) {
  const bytes = decodedBytes(raw);
  const text = bytes.toString('utf8');
  return {
    text,
    isUtf8: Buffer.from(text, 'utf8').equals(bytes),
    spelling: spellingOf(raw),
    bytesHex: bytes.toString('hex'),
    codePoints: Array.from(text, (character) => {
      const hex = character.codePointAt(0)!.toString(16).toUpperCase();
      return `U+${hex.padStart(4, '0')}`;
    }),
    isNfc: text === text.normalize('NFC'),
    isNfd: text === text.normalize('NFD'),
  };
}
