import assert from 'node:assert/strict';
import { ClientFailure } from '../client-failure.ts';

/** The failure of a call that must fail. */
export async function failureOf(call: Promise<unknown>): Promise<ClientFailure> {
  try {
    await call;
  } catch (error) {
    if (error instanceof ClientFailure) return error;
    throw error;
  }
  assert.fail('the call did not fail');
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Waits until something is true; a test that waits in vain fails by its own timeout. */
export async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await sleep(2);
}

/** Lets everything arrive that is on its way on this machine: each turn looks at all sockets, however long it takes. */
export async function arrivals(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}
