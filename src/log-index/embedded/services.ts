import type { Clock } from '../../kernel/clock.ts';
import type { IndexRegistry } from './index-registry.ts';
import type { Tasks } from './tasks.ts';
import type { WriteGate } from './write-gate.ts';

/** What the endpoints of the embedded index work with. */
export interface EmbeddedServices {
  readonly registry: IndexRegistry;
  readonly tasks: Tasks;
  readonly gate: WriteGate;
  readonly clock: Clock;
  /** Of one request body with documents. */
  readonly maxBodyBytes: number;
}
