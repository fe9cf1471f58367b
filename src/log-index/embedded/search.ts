import { illegalArgument, parsingError } from './engine-error.ts';
import type { Match, Order } from './index-file.ts';
import type { LogIndex } from './log-index.ts';
import { nextTurn } from './next-turn.ts';
import { compileQuery } from './query.ts';

/** What a search body asks for. */
export interface SearchRequest {
  readonly query: unknown;
  readonly from: number;
  readonly size: number;
  readonly order: Order;
  /** Whether the hits tell what they were sorted by. */
  readonly isSorted: boolean;
  readonly after: number | undefined;
  readonly hasSource: boolean;
  /** How many are counted exactly; undefined when nobody wants to know. */
  readonly countedUpTo: number | undefined;
}

export interface Hit extends Match {
  readonly index: LogIndex;
}

export interface Found {
  readonly total: { readonly value: number; readonly relation: 'eq' | 'gte' } | undefined;
  readonly hits: readonly Hit[];
}

const LARGEST_WINDOW = 10_000;
const bodyMembers = ['query', 'from', 'size', 'sort', '_source', 'search_after', 'track_total_hits'];

export function readSearch(body: unknown): SearchRequest {
  const members = (body ?? {}) as Readonly<Record<string, unknown>>;
  const unknown = Object.keys(members).find((name) => !bodyMembers.includes(name));
  if (unknown !== undefined) throw parsingError(`Unknown key for a value in [${unknown}].`);
  const { query = { match_all: {} }, sort, _source: source = true, track_total_hits: tracked } = members;
  const from = wholeNumber(members.from, 0, 'from');
  const size = wholeNumber(members.size, 10, 'size');
  if (from + size > LARGEST_WINDOW)
    throw illegalArgument(
      `Result window is too large, from + size must be less than or equal to: [${LARGEST_WINDOW}] but was [${from + size}].`,
    );
  if (typeof source !== 'boolean')
    throw parsingError('the embedded log index knows true and false for [_source]');
  const order = readSort(sort);
  return {
    query,
    from,
    size,
    order,
    isSorted: sort !== undefined,
    after: readAfter(members.search_after, order, from),
    hasSource: source,
    countedUpTo: readTracking(tracked),
  };
}

/** `_doc` or `@timestamp`, in the spellings of the engine. */
function readSort(sort: unknown): Order {
  if (sort === undefined) return { by: 'place', isDescending: false };
  const parts = [sort].flat();
  if (parts.length !== 1) throw parsingError('the embedded log index sorts by one field');
  const [field, given] =
    typeof parts[0] === 'string' ? [parts[0], 'asc'] : (Object.entries(parts[0] ?? {})[0] ?? []);
  const direction = typeof given === 'object' ? (given as { order?: unknown } | null)?.order : given;
  const by = field === '@timestamp' ? 'time' : field === '_doc' ? 'place' : undefined;
  if (!by || (direction !== 'asc' && direction !== 'desc'))
    throw parsingError('the embedded log index sorts by [@timestamp] or [_doc], asc or desc');
  return { by, isDescending: direction === 'desc' };
}

function readAfter(value: unknown, order: Order, from: number): number | undefined {
  if (value === undefined) return undefined;
  if (order.by !== 'time' || from > 0)
    throw illegalArgument('[search_after] needs a sort by [@timestamp] and no [from]');
  const [after, ...others] = [value].flat();
  if (typeof after !== 'number' || others.length > 0)
    throw illegalArgument('[search_after] must be a list with one number');
  return after;
}

function readTracking(value: unknown): number | undefined {
  if (value === undefined) return LARGEST_WINDOW;
  if (value === true) return Number.POSITIVE_INFINITY;
  if (value === false) return undefined;
  return wholeNumber(value, LARGEST_WINDOW, 'track_total_hits');
}

function wholeNumber(value: unknown, fallback: number, name: string): number {
  if (value === undefined) return fallback;
  const number = Number(value);
  if (!Number.isSafeInteger(number) || number < 0)
    throw illegalArgument(`[${name}] must be a whole number of at least 0, but was [${String(value)}]`);
  return number;
}

/** Finds the window of hits over all indices, and counts. */
export async function search(indices: readonly LogIndex[], request: SearchRequest): Promise<Found> {
  const { query, from, size, order, after, countedUpTo } = request;
  const found: Hit[] = [];
  let count = 0;
  for (const index of indices) {
    index.refuseWhenBlocked('read');
    const compiled = compileQuery(query, index.mapping);
    if (countedUpTo !== undefined) count += await index.file.count(compiled);
    const limit = from + size;
    if (limit > 0) {
      const matches = compiled.check
        ? await firstOfAll(index, compiled, order, after)
        : index.file.first(compiled, order, after, limit);
      for (const match of matches.slice(0, limit)) found.push({ ...match, index });
    }
    await nextTurn();
  }
  const hits = inOrder(found, order).slice(from, from + size);
  return { total: totalOf(count, countedUpTo), hits };
}

/** For queries that must read the documents: all that match, in order. */
async function firstOfAll(
  index: LogIndex,
  compiled: ReturnType<typeof compileQuery>,
  order: Order,
  after: number | undefined,
): Promise<Match[]> {
  const all: Match[] = [];
  const sign = order.isDescending ? -1 : 1;
  for await (const matches of index.file.matches(compiled)) {
    for (const { number, seqNo, timestampMs } of matches) {
      const isBehind = after === undefined || (timestampMs !== null && (timestampMs - after) * sign > 0);
      if (isBehind) all.push({ number, seqNo, timestampMs });
    }
  }
  return inOrder(order.by === 'place' && order.isDescending ? all.reverse() : all, order);
}

/** By place everything stands in order already. A document without a time comes last, whichever way. */
function inOrder<Found extends Match>(matches: Found[], { by, isDescending }: Order): Found[] {
  if (by === 'place') return matches;
  const sign = isDescending ? -1 : 1;
  return matches.sort((one, other) => {
    if (one.timestampMs === other.timestampMs) return 0;
    if (one.timestampMs === null) return 1;
    if (other.timestampMs === null) return -1;
    return (one.timestampMs - other.timestampMs) * sign;
  });
}

function totalOf(count: number, countedUpTo: number | undefined): Found['total'] {
  if (countedUpTo === undefined) return undefined;
  return count > countedUpTo ? { value: countedUpTo, relation: 'gte' } : { value: count, relation: 'eq' };
}

const HITS_A_TURN = 100;

/** The hits as JSON texts, the documents byte for byte as they were written. One that went meanwhile is left out. */
export async function* toldHits(
  hits: readonly Hit[],
  { hasSource, isSorted, order }: SearchRequest,
): AsyncGenerator<string> {
  for (const [at, { index, number, timestampMs }] of hits.entries()) {
    if (at > 0 && at % HITS_A_TURN === 0) await nextTurn();
    const stored = index.file.isOpen ? index.file.at(number) : undefined;
    if (!stored) continue;
    const sort = isSorted ? `,"sort":[${order.by === 'time' ? timestampMs : number}]` : '';
    const source = hasSource ? `,"_source":${stored.source}` : '';
    // There is no relevance here, so no hit has a score.
    yield `{"_index":${JSON.stringify(index.name)},"_id":${JSON.stringify(stored.id)},"_score":null${source}${sort}}`;
  }
}
