import type { Difference, Reading, ReadMessage } from './reading.ts';

/** Bytes that two parsers read differently, and how each read them. */
export interface Disagreement {
  readonly wire: string;
  readonly difference: Difference;
  readonly ours: Reading;
  readonly theirs: Reading;
}

/** Whether this is why they differ. */
export type Explanation = (disagreement: Disagreement) => boolean;

/** A head that llhttp took and the engine refused by this rule, and that has the property the rule speaks of. */
export function weRefuse(rule: string, isSuch: (their: ReadMessage) => boolean): Explanation {
  return ({ ours, theirs, difference }) => {
    const their = refusedByUs(ours, theirs, difference, rule);
    return their !== undefined && isSuch(their);
  };
}

export function refusedByUs(
  ours: Reading,
  theirs: Reading,
  { aspect, messageNo }: Difference,
  rule = ruleOf(ours),
): ReadMessage | undefined {
  if (aspect !== 'head taken' || rule === undefined || ruleOf(ours) !== rule) return undefined;
  return ours.messages.length === messageNo ? theirs.messages[messageNo] : undefined;
}

/** A head that the engine took and llhttp refused with one of these codes. */
export function theyRefuse(codes: readonly string[], isSuch: (our: ReadMessage) => boolean): Explanation {
  return ({ ours, theirs, difference: { aspect, messageNo } }) => {
    const our = ours.messages[messageNo];
    if (aspect !== 'head taken' || our === undefined) return false;
    return codes.includes(ruleOf(theirs) ?? '') && isSuch(our);
  };
}

/** Whether such a request line stands somewhere in the bytes. */
export function hasRequestLine(
  wire: string,
  { method, target }: ReadMessage,
  between: RegExp,
  behind: RegExp,
): boolean {
  return new RegExp(method + between.source + RegExp.escape(target) + behind.source).test(wire);
}

export function contentBehind({ headText = '' }: ReadMessage, wire: string): string {
  return wire.slice(wire.indexOf(headText) + headText.length);
}

export function ruleOf({ end }: Reading): string | undefined {
  return end.kind === 'refused' ? end.rule : undefined;
}

export function namesIn(pairs: readonly string[]): string[] {
  return pairs.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
}

export function valuesOf({ headers }: ReadMessage, lowerName: string): string[] {
  return headers.filter((_, index) => index % 2 === 1 && headers[index - 1]!.toLowerCase() === lowerName);
}

export function membersOf(message: ReadMessage, lowerName: string): string[] {
  return valuesOf(message, lowerName)
    .flatMap((value) => value.split(','))
    .map((member) => member.replace(/^[ \t]+|[ \t]+$/g, '').toLowerCase())
    .filter((member) => member !== '');
}

/** Every piece between semicolons outside of quotes is a name, alone or with a value. */
export function areExtensions(text: string): boolean {
  const pieces = text.match(/(?:"(?:\\.|[^"\\])*"|[^;"])+|^(?=;)|(?<=;)(?=;|$)|"/g) ?? [''];
  return pieces.every((piece) => /^[^\s="]+(?:\s*=\s*(?:[^\s="]+|"(?:\\.|[^"\\])*"))?$/.test(piece.trim()));
}

/** Told apart from the engine's own expression: by taking the port and the brackets off. */
export function isUriHost(value: string): boolean {
  const withoutPort = value.replace(/:[0-9]*$/, '');
  if (/^\[.*\]$/.test(withoutPort))
    return /^\[(?:[0-9A-Fa-f:.]+|v[0-9A-Fa-f]+\.[^[\]/?#@ ]+)\]$/i.test(withoutPort);
  return /^[\w\-.~!$&'()*+,;=%]*$/.test(withoutPort) && !/%(?![0-9A-Fa-f]{2})/.test(withoutPort);
}
