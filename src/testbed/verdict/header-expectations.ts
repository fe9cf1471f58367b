import type { HeaderList } from '../../http1/header-list.ts';
import { type Check, listOf } from './check.ts';
import { type Arrival, badExpectation, type Expectation } from './expectation.ts';
import { forwardingFields } from './forwarding.ts';
import { compareOrder, type OrderComparison } from './header-order.ts';
import { hopByHopNames } from './hop-by-hop.ts';

/** What may become of header fields: names, order, casing, number of lines, and fields that come and go. */
export const headerExpectations: readonly Expectation[] = [
  {
    id: 'headers.order',
    header: 'X-Expect-Order',
    description: 'Field names in the order they were sent; others may stand between them.',
    judge: (expected, arrival) => orderCheck(expected, arrival),
  },
  {
    id: 'headers.case',
    header: 'X-Expect-Case',
    description: 'Field names in the spelling they were sent in.',
    judge: (expected, arrival) => caseCheck(expected, arrival),
  },
  {
    id: 'headers.lines',
    header: 'X-Expect-Lines',
    description: 'How many lines a repeated field was sent on, such as `X-Dup=3, Accept=2`.',
    judge: (expected, arrival) => linesCheck(expected, arrival),
  },
  {
    id: 'headers.kept',
    header: 'X-Expect-Headers',
    description:
      'All field names that were sent. Judged are lost and added fields, hop-by-hop, forwarding, framing and `X-Expect-*` fields aside.',
    judge: (expected, arrival) => [lostCheck(expected, arrival), addedCheck(expected, arrival)],
  },
];

// Comparing costs the product of both lengths.
const MAX_ORDERED_NAMES = 200;

/** The order of the named fields compared with that of their arrival. */
export function orderOf(expected: string, headers: HeaderList): OrderComparison {
  const names = listOf(expected.toLowerCase());
  if (names.length > MAX_ORDERED_NAMES) {
    throw badExpectation('X-Expect-Order', `must name at most ${MAX_ORDERED_NAMES} fields`);
  }
  return compareOrder(
    names,
    [...headers.pairs()].map(([name]) => name.toLowerCase()),
  );
}

export function orderCheck(expected: string, { headers }: Pick<Arrival, 'headers'>): Check {
  const names = listOf(expected.toLowerCase());
  const { ok, seen, moved, missing } = orderOf(expected, headers);
  const rule =
    'RFC 9110 §5.3 lets fields of different names change places, but fingerprints and signatures break.';
  const what = [
    moved.length > 0 ? `moved: ${moved.join(', ')}.` : '',
    missing.length > 0 ? `missing: ${missing.join(', ')}.` : '',
  ];
  return { id: 'headers.order', ok, expected: names, seen, why: [rule, ...what].filter(Boolean).join(' ') };
}

export interface CaseChange {
  readonly sent: string;
  readonly seen: string | null;
}

export function caseChanges(expected: string, { headers }: Pick<Arrival, 'headers'>): CaseChange[] {
  const spellings = new Map<string, string>();
  for (const [name] of headers.pairs()) {
    const lowerName = name.toLowerCase();
    if (!spellings.has(lowerName)) spellings.set(lowerName, name);
  }
  return listOf(expected)
    .map((sent) => ({ sent, seen: spellings.get(sent.toLowerCase()) ?? null }))
    .filter(({ sent, seen }) => sent !== seen);
}

export function caseCheck(expected: string, arrival: Pick<Arrival, 'headers'>): Check {
  const names = listOf(expected);
  const changes = caseChanges(expected, arrival);
  const changed = new Map(changes.map(({ sent, seen }) => [sent, seen]));
  return {
    id: 'headers.case',
    ok: changes.length === 0,
    expected: names,
    seen: names.map((name) => (changed.has(name) ? changed.get(name) : name)),
    why: 'RFC 9110 §5.1 makes names case-insensitive, and HTTP/2 lower-cases them; old backends still look at the case.',
  };
}

function linesCheck(expected: string, { headers }: Arrival): Check {
  const sent: Record<string, number> = {};
  const seen: Record<string, number> = {};
  for (const item of listOf(expected)) {
    const [name = '', count = ''] = item.split('=').map((part) => part.trim());
    if (!/^\d+$/.test(count)) throw badExpectation('X-Expect-Lines', 'must be a list of name=count');
    sent[name] = Number(count);
    seen[name] = headers.all(name.toLowerCase()).length;
  }
  return {
    id: 'headers.lines',
    ok: Object.keys(sent).every((name) => sent[name] === seen[name]),
    expected: sent,
    seen,
    why: 'RFC 9110 §5.3 allows joining lines of one name by commas; it must lose none, and some fields do not survive it.',
  };
}

function lostCheck(expected: string, { headers }: Arrival): Check {
  const sent = listOf(expected.toLowerCase());
  const lost = sent.filter((name) => !headers.has(name) && !isJudgedElsewhere(name));
  return {
    id: 'headers.lost',
    ok: lost.length === 0,
    expected: [],
    seen: lost,
    why: 'RFC 9110 §5.1: a proxy forwards fields it does not know.',
  };
}

function addedCheck(expected: string, { headers }: Arrival): Check {
  // A field that should have been removed is judged as such, not as one that was added.
  const toBeRemoved = listOf((headers.get('x-expect-removed') ?? '').toLowerCase());
  const sent = new Set([...listOf(expected.toLowerCase()), ...toBeRemoved]);
  const names = new Set([...headers.pairs()].map(([name]) => name.toLowerCase()));
  const added = [...names].filter((name) => !sent.has(name) && !isJudgedElsewhere(name));
  return {
    id: 'headers.added',
    ok: added.length === 0,
    expected: [],
    seen: added,
    why: 'Fields that the client did not send were added or renamed on the way.',
  };
}

const framingNames = new Set(['host', 'content-length', 'expect']);

function isJudgedElsewhere(name: string): boolean {
  return (
    name.startsWith('x-expect-') ||
    framingNames.has(name) ||
    hopByHopNames.has(name) ||
    forwardingFields.includes(name)
  );
}
