import type { RequestHead } from '../../http1/exchange.ts';
import { type Check, listOf } from './check.ts';

/** What became of one field that belongs to a single connection. */
export interface HopByHopField {
  readonly name: string;
  readonly received: string | null;
  /** Whether a proxy that forwards this message must take it away. */
  readonly shouldBeRemoved: boolean;
  readonly why: string;
}

interface Rule {
  readonly name: string;
  readonly why: string;
  /** True when this value is the forwarding proxy's own word on its own connection. */
  readonly isOwn?: (value: string, nominated: readonly string[], version: RequestHead['version']) => boolean;
}

const connectionOptions = new Set(['close', 'keep-alive', 'upgrade', 'te', 'http2-settings']);

// RFC 9110 §7.6.1 names most of them; Keep-Alive and Proxy-Connection come from older practice.
const rules: readonly Rule[] = [
  {
    name: 'Connection',
    why: 'RFC 9110 §7.6.1: an intermediary removes or replaces Connection; only its own options may arrive.',
    isOwn: (_, nominated, version) =>
      version !== '2' && nominated.every((option) => connectionOptions.has(option)),
  },
  { name: 'Keep-Alive', why: 'RFC 9110 §7.6.1: Keep-Alive belongs to one connection.' },
  { name: 'Proxy-Connection', why: 'RFC 9110 §7.6.1: Proxy-Connection must not be forwarded.' },
  { name: 'Proxy-Authenticate', why: 'RFC 9110 §11.7.1: applies only to the next client on the way.' },
  { name: 'Proxy-Authorization', why: 'RFC 9110 §11.7.2: is consumed by the first proxy that asked for it.' },
  {
    name: 'TE',
    why: 'RFC 9110 §10.1.4: TE speaks of one connection; a proxy may send its own, named in Connection.',
    isOwn: (value, nominated, version) =>
      value.toLowerCase() === 'trailers' && (version === '2' || nominated.includes('te')),
  },
  {
    name: 'Trailer',
    why: 'RFC 9110 §6.6.2: Trailer announces the trailers of this message and travels with them.',
    isOwn: () => true,
  },
  {
    name: 'Transfer-Encoding',
    why: 'RFC 9112 §6.1: each connection is framed anew; plain chunked may be the framing of the last one.',
    isOwn: (value, _, version) => version === '1.1' && value.toLowerCase() === 'chunked',
  },
  {
    name: 'Upgrade',
    why: 'RFC 9110 §7.8: Upgrade speaks of one connection; a proxy may send its own, named in Connection.',
    isOwn: (_, nominated, version) => version !== '2' && nominated.includes('upgrade'),
  },
];

/** Lower-case names of the fields that belong to one connection. */
export const hopByHopNames: ReadonlySet<string> = new Set(rules.map(({ name }) => name.toLowerCase()));

/** Every field of the list and every one nominated in Connection or named by the client as to be removed. */
export function hopByHopFields(head: RequestHead, expectedRemoved: readonly string[] = []): HopByHopField[] {
  const receivedOf = (name: string) => head.headers.get(name.toLowerCase()) ?? null;
  const nominated = listOf((head.headers.get('connection') ?? '').toLowerCase());
  const standing = rules.map(({ name, why, isOwn }) => {
    const received = receivedOf(name);
    const shouldBeRemoved = received === null || !isOwn?.(received, nominated, head.version);
    return { name, received, shouldBeRemoved, why };
  });
  const named = [
    ...nominated.map((name) => ({
      name,
      why: 'RFC 9110 §7.6.1: fields nominated in Connection are removed with it.',
    })),
    ...expectedRemoved.map((name) => ({
      name,
      why: 'The client nominated it in the Connection field it sent.',
    })),
  ];
  const judged = new Set([...hopByHopNames, ...connectionOptions]);
  const further: HopByHopField[] = [];
  for (const { name, why } of named) {
    if (judged.has(name.toLowerCase())) continue;
    judged.add(name.toLowerCase());
    further.push({ name, received: receivedOf(name), shouldBeRemoved: true, why });
  }
  return [...standing, ...further];
}

export function isLeaked({ received, shouldBeRemoved }: HopByHopField): boolean {
  return received !== null && shouldBeRemoved;
}

export function hopByHopCheck(field: HopByHopField): Check {
  return {
    id: `hop-by-hop.${field.name.toLowerCase()}`,
    ok: !isLeaked(field),
    expected: field.shouldBeRemoved ? null : field.received,
    seen: field.received,
    why: field.why,
  };
}
