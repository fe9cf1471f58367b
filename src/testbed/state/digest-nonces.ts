import type { Clock } from '../../kernel/clock.ts';
import { ExpiringMap } from './expiring-map.ts';

interface Uses {
  readonly highest: number;
  /** Bit n is set when `highest - n` was used. */
  readonly recent: number;
}

/** Parallel requests may arrive out of order, so a window below the highest count stays open. */
const WINDOW = 31;
const BOUNDS = { maxEntries: 10_000, lifetimeMs: 10 * 60_000 };

/** Remembers which nonce counts were used, so that a recorded request cannot be played again. */
export class DigestNonces {
  readonly #uses: ExpiringMap<Uses>;

  constructor(clock: Clock) {
    this.#uses = new ExpiringMap(clock, BOUNDS);
  }

  /** False when this count was used before, or is too old to tell. */
  use(nonce: string, count: number): boolean {
    const before = this.#uses.peek(nonce);
    const after = before ? usedBefore(before, count) : { highest: count, recent: 1 };
    if (!after) return false;
    this.#uses.set(nonce, after);
    return true;
  }
}

function usedBefore({ highest, recent }: Uses, count: number): Uses | undefined {
  const ahead = count - highest;
  if (ahead > 0)
    return { highest: count, recent: ahead >= WINDOW ? 1 : ((recent << ahead) | 1) & 0x7fffffff };
  if (-ahead >= WINDOW) return undefined;
  const bit = 1 << -ahead;
  return recent & bit ? undefined : { highest, recent: recent | bit };
}
