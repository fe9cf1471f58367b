import { randomUUID } from 'node:crypto';
import type { Clock } from '../kernel/clock.ts';
import type { LogKind } from '../model/log-connector.ts';
import type { DeployedDelivery } from './deployed-delivery.ts';

/** What became of sample records when they were offered; how those inside end, the counters tell. */
export interface SampleTally {
  /** False: there is no log connector for them on this pod, or it is switched off. */
  readonly isSent: boolean;
  readonly accepted: number;
  readonly failedOver: number;
  readonly unsent: number;
  readonly dropped: Readonly<Record<string, number>>;
}

export interface SampleOrder {
  readonly kind: LogKind;
  readonly count: number;
  readonly podName: string;
  readonly clock: Clock;
  /** Nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/** Sends records that say of themselves that they are samples, the way that real ones go. */
export async function sendSamples(
  { environment, logs }: Pick<DeployedDelivery, 'environment' | 'logs'>,
  { kind, count, podName, clock, signal }: SampleOrder,
): Promise<SampleTally> {
  const tally = { accepted: 0, failedOver: 0, unsent: 0 };
  const dropped: Record<string, number> = {};
  const isSent = logs.sends(kind);
  for (let number = 1; number <= count && !signal.aborted; number++) {
    const timeMs = clock.now();
    const record = {
      '@timestamp': new Date(timeMs).toISOString(),
      aci: randomUUID(),
      logType: kind,
      sample: number,
      environment: environment.name,
      pod: podName,
    };
    const outcome = await logs.offer(kind, { record, timeMs });
    if (outcome?.kind === 'accepted') tally.accepted++;
    else if (outcome?.kind === 'failed-over') tally.failedOver++;
    else if (outcome?.kind === 'unsent') tally.unsent++;
    else if (outcome) dropped[outcome.reason] = (dropped[outcome.reason] ?? 0) + 1;
  }
  return { isSent, ...tally, dropped };
}
