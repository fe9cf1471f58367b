/** One element of an Accept-like field. */
export interface QualityItem {
  /** The range or token, lower-case, without its parameters. */
  readonly value: string;
  /** Parameters before the weight, names and values lower-case. */
  readonly params: Readonly<Record<string, string>>;
  /** 0 means "not acceptable". */
  readonly quality: number;
}

interface RankedOffer<Offer extends string = string> {
  readonly value: Offer;
  readonly quality: number;
  readonly isAcceptable: boolean;
  /** The element of the field that decided, or `default` where the field says nothing about this offer. */
  readonly decidedBy: string;
}

export interface Choice<Offer extends string = string> {
  /** The best acceptable offer; undefined when there is none (406). */
  readonly chosen: Offer | undefined;
  /** Every offer, the best first; among equals the server's order. */
  readonly ranked: RankedOffer<Offer>[];
}

/**
 * Parses an Accept, Accept-Encoding, Accept-Charset or Accept-Language field (RFC 9110 §12.4.2).
 * An element whose weight is malformed says nothing and is left out.
 */
export function parseQualityList(header: string): QualityItem[] {
  const items: QualityItem[] = [];
  for (const element of splitUnquoted(header, ',')) {
    const [value = '', ...pieces] = splitUnquoted(element, ';');
    if (value === '') continue;
    const params: Record<string, string> = {};
    let quality: number | undefined = 1;
    for (const piece of pieces) {
      const [name, paramValue] = splitParameter(piece);
      if (name === 'q') {
        quality = parseWeight(paramValue);
        // What stands after the weight is no parameter of the range (RFC 7231's accept-ext, now without meaning).
        break;
      }
      if (name !== '') params[name] = paramValue.toLowerCase();
    }
    if (quality !== undefined) items.push({ value: value.toLowerCase(), params, quality });
  }
  return items;
}

/** Content negotiation by Accept (RFC 9110 §12.5.1): the most specific range that matches an offer gives its weight. */
export function chooseMediaType<Offer extends string>(
  accept: string | undefined,
  offered: readonly Offer[],
): Choice<Offer> {
  const ranges = parseQualityList(accept ?? '');
  // No field, and a field without elements, accept anything.
  if (ranges.length === 0) return ranking(offered.map(acceptedByDefault));
  return ranking(
    offered.map((value) => {
      const range = mostSpecificRange(ranges, mediaTypeOf(value));
      if (!range) return { value, quality: 0, isAcceptable: false, decidedBy: 'default' };
      return decided(value, range.quality, rangeText(range));
    }),
  );
}

/**
 * Content negotiation by Accept-Encoding (RFC 9110 §12.5.3). Without the field anything is acceptable and the plain
 * content is sent; with it, what is not listed is refused, except `identity`, which is taken as a last resort.
 */
export function chooseCoding<Offer extends string>(
  acceptEncoding: string | undefined,
  offered: readonly Offer[],
): Choice<Offer> {
  if (acceptEncoding === undefined) return ranking(offered.map(acceptedByDefault), isIdentity);
  const items = parseQualityList(acceptEncoding);
  const wildcard = items.find((item) => item.value === '*');
  return ranking(
    offered.map((value) => {
      const listed = items.find((item) => sameCoding(item.value, value.toLowerCase())) ?? wildcard;
      if (listed) return decided(value, listed.quality, listed.value);
      return isIdentity(value)
        ? acceptedByDefault(value)
        : { value, quality: 0, isAcceptable: false, decidedBy: 'default' };
    }),
  );
}

const acceptedByDefault = <Offer extends string>(value: Offer): RankedOffer<Offer> => ({
  value,
  quality: 1,
  isAcceptable: true,
  decidedBy: 'default',
});

const decided = <Offer extends string>(
  value: Offer,
  quality: number,
  decidedBy: string,
): RankedOffer<Offer> => ({
  value,
  quality,
  isAcceptable: quality > 0,
  decidedBy,
});

/** Acceptable before refused, asked for before merely not refused, then by weight, then `isFirst`; the sort keeps the server's order. */
function ranking<Offer extends string>(
  offers: RankedOffer<Offer>[],
  isFirst: (value: Offer) => boolean = () => false,
): Choice<Offer> {
  const ranked = offers.toSorted(
    (a, b) =>
      Number(b.isAcceptable) - Number(a.isAcceptable) ||
      Number(a.decidedBy === 'default') - Number(b.decidedBy === 'default') ||
      b.quality - a.quality ||
      Number(isFirst(b.value)) - Number(isFirst(a.value)),
  );
  const [best] = ranked;
  return { chosen: best?.isAcceptable ? best.value : undefined, ranked };
}

const isIdentity = (coding: string) => coding.toLowerCase() === 'identity';

/** RFC 9110 §8.4.1: the x- forms mean the same codings. */
const sameCoding = (asked: string, offered: string) =>
  asked === offered || (/^x-(?:gzip|compress)$/.test(asked) && asked.slice(2) === offered);

interface MediaType {
  readonly value: string;
  readonly params: Readonly<Record<string, string>>;
}

function mediaTypeOf(text: string): MediaType {
  const [value = '', ...pieces] = splitUnquoted(text, ';');
  const params = Object.fromEntries(pieces.map(splitParameter));
  return { value: value.toLowerCase(), params };
}

function mostSpecificRange(ranges: readonly QualityItem[], offer: MediaType): QualityItem | undefined {
  let best: QualityItem | undefined;
  for (const range of ranges) {
    if (matches(range, offer) && (!best || specificity(range) > specificity(best))) best = range;
  }
  return best;
}

function matches(range: QualityItem, offer: MediaType): boolean {
  const isTypeMatching =
    range.value === '*/*' ||
    range.value === offer.value ||
    (range.value.endsWith('/*') && offer.value.startsWith(range.value.slice(0, -1)));
  return (
    isTypeMatching &&
    Object.entries(range.params).every(([name, value]) => offer.params[name]?.toLowerCase() === value)
  );
}

function specificity({ value, params }: QualityItem): number {
  if (value === '*/*') return 0;
  if (value.endsWith('/*')) return 1;
  return 2 + Object.keys(params).length;
}

function rangeText({ value, params }: QualityItem): string {
  return [value, ...Object.entries(params).map(([name, text]) => `${name}=${text}`)].join(';');
}

/** RFC 9110 §12.4.2: `0` or `1` with at most three decimals. */
function parseWeight(text: string): number | undefined {
  return /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(text) ? Number(text) : undefined;
}

function splitParameter(piece: string): [name: string, value: string] {
  const equalsAt = piece.indexOf('=');
  if (equalsAt < 0) return [piece.trim().toLowerCase(), ''];
  return [piece.slice(0, equalsAt).trim().toLowerCase(), unquoted(piece.slice(equalsAt + 1).trim())];
}

function unquoted(text: string): string {
  if (!/^".*"$/s.test(text)) return text;
  return text.slice(1, -1).replaceAll(/\\(.)/gs, '$1');
}

/** Splits at a separator outside of quoted strings; pieces are trimmed. */
function splitUnquoted(text: string, separator: string): string[] {
  if (!text.includes('"')) return text.split(separator).map((piece) => piece.trim());
  const pieces: string[] = [];
  let start = 0;
  let isQuoted = false;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (isQuoted && character === '\\') index++;
    else if (character === '"') isQuoted = !isQuoted;
    else if (character === separator && !isQuoted) {
      pieces.push(text.slice(start, index).trim());
      start = index + 1;
    }
  }
  pieces.push(text.slice(start).trim());
  return pieces;
}
