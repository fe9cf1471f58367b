import type { Clock } from '../kernel/clock.ts';

/** Every keeper of shared state of the test service. All of it is gone after a restart. */
export function createTestbedState(_clock: Clock) {
  return {};
}
