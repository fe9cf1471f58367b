import type { BodyWriter } from '../../http1/exchange.ts';
import type { TestbedCall } from '../endpoint.ts';

/** Tells caches and buffering proxies to let a stream through as it comes. */
export const streamHeaders: readonly string[] = ['Cache-Control', 'no-store', 'X-Accel-Buffering', 'no'];

interface Drip {
  /** How many pieces are sent in all. */
  readonly count: number;
  readonly durationMs: number;
  /** The bytes of some pieces in a row. */
  readonly piece: (from: number, count: number) => string | Uint8Array;
}

/**
 * Sends pieces evenly over a duration. Pieces that are due at the same time leave together,
 * so that a million of them need no million timers.
 */
export async function drip(
  out: BodyWriter,
  { count, durationMs, piece }: Drip,
  { services, exchange }: TestbedCall,
) {
  const { clock } = services;
  const stepMs = durationMs / count;
  const startedAtMs = clock.now();
  for (let sent = 0; sent < count; ) {
    const elapsedMs = clock.now() - startedAtMs;
    const due = stepMs === 0 ? count : Math.min(Math.floor(elapsedMs / stepMs) + 1, count);
    if (due > sent) await out.write(piece(sent, due - sent));
    sent = Math.max(due, sent);
    const untilNextMs = startedAtMs + sent * stepMs - clock.now();
    if (untilNextMs > 0) await clock.sleep(Math.ceil(untilNextMs), exchange.signal);
  }
}
