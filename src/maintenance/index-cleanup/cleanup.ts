import type { Clock } from '../../kernel/clock.ts';
import type { LogIndexClient } from '../../log-index/client.ts';
import type { OperatorConsole } from '../operator/operator-console.ts';
import type { Configuration } from './configuration.ts';
import type { Plan } from './plan.ts';
import type { Pace } from './run-operation.ts';
import type { Summary } from './summary.ts';
import type { WriteBlock } from './write-block.ts';

/** What the steps of a run share. */
export interface Cleanup {
  readonly configuration: Configuration;
  readonly plan: Plan;
  readonly client: LogIndexClient;
  readonly block: WriteBlock;
  readonly console: OperatorConsole;
  readonly clock: Clock;
  readonly pace: Pace;
  readonly folder: string;
  /** Aborts with Ctrl-C. */
  readonly signal: AbortSignal;
  readonly summary: Summary;
  /** Plan and report, for whoever reads them. */
  say(text: string): void;
}
