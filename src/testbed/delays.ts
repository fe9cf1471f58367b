import { fault } from '../kernel/faults.ts';
import type { TestbedServices } from './services.ts';

/** A delay that a query parameter asks for. Its bound is a setting, so the parameter's schema cannot state it. */
export function allowedMs({ settings }: TestbedServices, name: string, ms: number): number {
  const { maxDelayMs } = settings.limits;
  if (ms > maxDelayMs)
    throw fault('parameter.invalid', { in: 'query', name, rule: `must be at most ${maxDelayMs}` });
  return ms;
}
