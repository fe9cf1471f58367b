import { Type } from 'typebox';
import { fault } from '../../kernel/faults.ts';
import type { TestbedCall } from '../endpoint.ts';

/** A duration as a client writes it: seconds, or Go's text such as `250ms` and `1m30s`. */
export type DurationValue = number | string;

const goDurationPattern = '^(?:[0-9]+(?:\\.[0-9]+)?(?:ns|us|µs|ms|s|m|h))+$';

/** The schema of a parameter that is a duration. */
export const duration = (options: object = {}) =>
  Type.Unsafe<DurationValue>({
    anyOf: [
      { type: 'string', pattern: goDurationPattern, description: 'Go syntax, such as 1m30s' },
      { type: 'number', minimum: 0, description: 'seconds' },
    ],
    ...options,
  });

const unitMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

export function durationMs(value: DurationValue): number {
  if (typeof value === 'number') return value * 1000;
  let totalMs = 0;
  for (const [, amount, unit] of value.matchAll(/([0-9.]+)([a-zµ]+)/g)) {
    totalMs += Number(amount) * unitMs[unit!]!;
  }
  return totalMs;
}

/** Refuses what would keep the service busy longer than its settings allow. */
export function refuseLongerThan(
  maxMs: number,
  askedMs: number,
  name: string,
  place: 'path' | 'query',
): void {
  if (askedMs <= maxMs) return;
  throw fault('parameter.invalid', { in: place, name, rule: `must not ask for more than ${maxMs} ms` });
}

/** One step of a schedule: the pause, plus anything up to the jitter. */
export function pauseMs(pause: number, jitter: number, { services }: TestbedCall): number {
  return jitter === 0 ? pause : pause + services.random.float() * jitter;
}

/** Server-Timing of an answer that was held back on purpose. */
export function initialDelayTiming(delayMs: number): string[] {
  return ['Server-Timing', `initial_delay;dur=${delayMs.toFixed(2)};desc="initial delay"`];
}
