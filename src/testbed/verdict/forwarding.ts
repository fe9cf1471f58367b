import type { HeaderList } from '../../http1/header-list.ts';
import { listOf } from './check.ts';

/** Lower-case names of the fields by which proxies tell where a request came from. */
export const forwardingFields: readonly string[] = [
  'via',
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-proto',
  'x-forwarded-host',
  'x-forwarded-port',
  'x-forwarded-server',
  'x-forwarded-prefix',
  'x-forwarded-scheme',
  'x-forwarded-by',
  'x-real-ip',
  'x-client-ip',
  'x-original-forwarded-for',
  'true-client-ip',
  'cdn-loop',
];

/** One `forwarded-element` of RFC 7239 §4: parameters by lower-case name. */
export type ForwardedElement = Readonly<Record<string, string>>;

export interface Hop {
  /** The field the hop stands in. */
  readonly from: 'Forwarded' | 'X-Forwarded-For' | 'Via';
  readonly node: string;
}

export interface Forwarding {
  /** Null when the field is absent, and when it is malformed, which `malformed` then says. */
  readonly forwarded: readonly ForwardedElement[] | null;
  readonly malformed: readonly string[];
  readonly xForwardedFor: readonly string[];
  readonly via: ReadonlyArray<{ protocol: string; receivedBy: string; comment: string | null }>;
  readonly cdnLoop: readonly string[];
  /** The forwarding fields that are single values, as received. */
  readonly fields: Readonly<Record<string, string>>;
  /** From the client inwards. */
  readonly hops: readonly Hop[];
}

export function readForwarding(headers: HeaderList): Forwarding {
  const malformed: string[] = [];
  const forwardedField = headers.get('forwarded');
  const forwarded = forwardedField === undefined ? undefined : parseForwarded(forwardedField);
  if (forwardedField !== undefined && !forwarded) malformed.push('Forwarded');
  const viaField = headers.get('via');
  const via = viaField === undefined ? [] : parseVia(viaField);
  if (!via) malformed.push('Via');
  const xForwardedFor = listOf(headers.get('x-forwarded-for') ?? '');
  return {
    forwarded: forwarded ?? null,
    malformed,
    xForwardedFor,
    via: via ?? [],
    cdnLoop: listOf(headers.get('cdn-loop') ?? ''),
    fields: presentFields(headers),
    hops: [
      ...(forwarded ?? []).map((element) => ({ from: 'Forwarded' as const, node: element.for ?? 'unknown' })),
      ...xForwardedFor.map((node) => ({ from: 'X-Forwarded-For' as const, node })),
      ...(via ?? []).map(({ receivedBy }) => ({ from: 'Via' as const, node: receivedBy })),
    ],
  };
}

/** The forwarding fields that arrived, lines joined. */
export function presentFields(headers: HeaderList): Record<string, string> {
  const present: Record<string, string> = {};
  for (const name of forwardingFields) {
    const value = headers.get(name);
    if (value !== undefined) present[name] = value;
  }
  return present;
}

/** The address a backend that trusts these fields takes for the client's; port and brackets are cut off. */
export function firstHopAddress({ forwarded, xForwardedFor }: Forwarding): string | undefined {
  const node = forwarded?.[0]?.for ?? xForwardedFor[0];
  if (node === undefined) return undefined;
  const bracketed = /^\[([^\]]*)\]/.exec(node);
  if (bracketed) return bracketed[1];
  return node.replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1');
}

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const FORWARDED_PAIR = new RegExp(
  `[ \\t]*(${TOKEN})=(?:(${TOKEN})|"((?:[^"\\\\]|\\\\.)*)")[ \\t]*(;|,|$)`,
  'y',
);

/** RFC 7239 §4. Undefined when the field does not follow its grammar. */
export function parseForwarded(field: string): ForwardedElement[] | undefined {
  const pair = new RegExp(FORWARDED_PAIR);
  const elements: ForwardedElement[] = [];
  let element: Record<string, string> = {};
  while (pair.lastIndex < field.length) {
    const match = pair.exec(field);
    if (!match) return undefined;
    const [, name = '', token, quoted = '', delimiter] = match;
    const lowerName = name.toLowerCase();
    // "Each parameter MUST NOT occur more than once per forwarded-element."
    if (lowerName in element) return undefined;
    element[lowerName] = token ?? quoted.replace(/\\(.)/g, '$1');
    if (delimiter === ';') continue;
    elements.push(element);
    element = {};
    if (delimiter === '' && pair.lastIndex === field.length) return elements;
  }
  // It ended in a delimiter, or was empty.
  return undefined;
}

const VIA_MEMBER = new RegExp(
  `[ \\t]*((?:${TOKEN}/)?${TOKEN})[ \\t]+([^ \\t,()]+)(?:[ \\t]+\\(((?:[^()\\\\]|\\\\.)*)\\))?[ \\t]*(,|$)`,
  'y',
);

/** RFC 9110 §7.6.3. Undefined when the field does not follow its grammar. */
export function parseVia(field: string): Array<Forwarding['via'][number]> | undefined {
  const member = new RegExp(VIA_MEMBER);
  const members: Array<Forwarding['via'][number]> = [];
  while (member.lastIndex < field.length) {
    const match = member.exec(field);
    if (!match) return undefined;
    members.push({ protocol: match[1]!, receivedBy: match[2]!, comment: match[3] ?? null });
  }
  return members;
}
