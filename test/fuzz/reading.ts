import type { HeaderPairs } from '../../src/http1/header-list.ts';

/** What a parser made of the bytes of one connection. Text is Latin-1. */
export interface Reading {
  /** Messages whose heads were taken, in order. The last may be unfinished. */
  readonly messages: ReadMessage[];
  readonly end: ReadingEnd;
}

export interface ReadMessage {
  readonly method: string;
  readonly target: string;
  readonly version: string;
  readonly headers: HeaderPairs;
  /** The head as it came, where the parser tells. */
  readonly headText?: string;
  /** Another message may follow on the connection. Known once the message is complete. */
  keepsAlive: boolean;
  isComplete: boolean;
  body: string;
  trailers: HeaderPairs;
}

/**
 * `waiting`: no byte was refused, more may come. `refused`: by this rule. `closed`: after a message that asked for it.
 * `handed-over`: the bytes behind the last message belong to another protocol.
 */
export type ReadingEnd =
  | { readonly kind: 'waiting' | 'closed' | 'handed-over' }
  | { readonly kind: 'refused'; readonly rule: string };

/** The first thing in which two readings differ. */
export interface Difference {
  readonly messageNo: number;
  readonly aspect: 'head taken' | 'complete' | keyof ReadMessage;
}

export function firstDifference(ours: Reading, theirs: Reading): Difference | undefined {
  const count = Math.max(ours.messages.length, theirs.messages.length);
  for (let messageNo = 0; messageNo < count; messageNo++) {
    const our = ours.messages[messageNo];
    const their = theirs.messages[messageNo];
    if (our === undefined || their === undefined) {
      // Whoever gave up the connection on purpose says nothing about what follows.
      const isBeyondEnd = (our === undefined ? ours : theirs).end.kind === 'handed-over';
      return isBeyondEnd ? undefined : { messageNo, aspect: 'head taken' };
    }
    const aspect = differingAspect(our, their);
    if (aspect !== undefined) return { messageNo, aspect };
  }
  return undefined;
}

export function isSameEnd({ end: one }: Reading, { end: other }: Reading): boolean {
  if (one.kind !== 'refused') return one.kind === other.kind;
  return other.kind === 'refused' && one.rule === other.rule;
}

const HEAD_ASPECTS = ['method', 'target', 'version'] as const;

function differingAspect(our: ReadMessage, their: ReadMessage): Difference['aspect'] | undefined {
  for (const aspect of HEAD_ASPECTS) if (our[aspect] !== their[aspect]) return aspect;
  if (!arePairsEqual(our.headers, their.headers)) return 'headers';
  if (our.isComplete !== their.isComplete) return 'complete';
  if (!our.isComplete) return undefined;
  if (our.body !== their.body) return 'body';
  if (!arePairsEqual(our.trailers, their.trailers)) return 'trailers';
  return our.keepsAlive === their.keepsAlive ? undefined : 'keepsAlive';
}

function arePairsEqual(one: HeaderPairs, other: HeaderPairs): boolean {
  return one.length === other.length && one.every((text, index) => text === other[index]);
}
