import type { Clock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import type { ConnectionPlace } from './delivery-settings.ts';

export type ProblemKind = 'connection' | 'timeout' | 'authentication' | 'answer' | 'configuration' | 'loss';

/** Something an operator should know. It never holds a body, a header value or a secret. */
export interface DeliveryProblem {
  readonly kind: ProblemKind;
  readonly level: 'WARN' | 'ERROR';
  readonly place: ConnectionPlace;
  /** Stable, such as `connect-refused` or `status-503`. */
  readonly reason: string;
  readonly text: string;
  /** How often it happened since it was last told, this time included. */
  readonly count: number;
}

export type ReportProblem = (problem: DeliveryProblem) => void;

/** The same problem is told once in this time; what is in between is only counted. */
const QUIET_MS = 60_000;
/** Reasons come from the target as well (statuses): what is remembered of them, for each kind, is bounded. */
const MAX_REASONS = 200;

/** Which kind of problem a failed attempt is. */
export function kindOfReason(reason: string): ProblemKind {
  if (reason.endsWith('-timeout')) return 'timeout';
  if (/^status-(?:401|403|407)$|^tls-client-certificate/.test(reason)) return 'authentication';
  return reason.startsWith('status-') ? 'answer' : 'connection';
}

/** Tells operators what goes wrong, without flooding them during an outage. */
export class ProblemReporter {
  readonly #place: ConnectionPlace;
  readonly #log: Log;
  readonly #report: ReportProblem | undefined;
  readonly #clock: Clock;
  readonly #told = new Map<ProblemKind, Map<string, { atMs: number; untold: number }>>();

  constructor(place: ConnectionPlace, log: Log, report: ReportProblem | undefined, clock: Clock) {
    this.#place = place;
    this.#log = log;
    this.#report = report;
    this.#clock = clock;
  }

  tell(kind: ProblemKind, reason: string, text: string, count = 1): void {
    const nowMs = this.#clock.now();
    const told = this.#toldOf(kind);
    const before = told.get(reason);
    if (before && Math.abs(nowMs - before.atMs) < QUIET_MS) {
      before.untold += count;
      return;
    }
    if (told.size >= MAX_REASONS) told.clear();
    told.set(reason, { atMs: nowMs, untold: 0 });
    const level = kind === 'configuration' || kind === 'answer' ? 'WARN' : 'ERROR';
    this.#say({ kind, level, place: this.#place, reason, text, count: count + (before?.untold ?? 0) });
  }

  #toldOf(kind: ProblemKind): Map<string, { atMs: number; untold: number }> {
    const told = this.#told.get(kind) ?? new Map();
    this.#told.set(kind, told);
    return told;
  }

  #say(problem: DeliveryProblem): void {
    const { kind, level, reason, text, count } = problem;
    const { connectionName, environmentName } = this.#place;
    const line = {
      event: `delivery.problem.${kind}`,
      connection: connectionName,
      environment: environmentName,
      reason,
      text,
      count,
    };
    if (level === 'WARN') this.#log.warn(line);
    else this.#log.error(line);
    try {
      this.#report?.(problem);
    } catch (error) {
      this.#log.error({ event: 'delivery.report.failed', err: error });
    }
  }
}
