import type { Clock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import { journalCollection, type StoredJournalRow } from '../model/journal.ts';
import type { Collection, Store } from '../store/contract.ts';
import type { DeliveryProblem } from './delivery-problem.ts';

/** Problems come at most once a minute each, but a database that is away must not gather them. */
const MOST_WAITING = 100;

export interface ProblemJournalOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
}

/** Writes problems of delivery into the message journal and the deployment journal (spec 2 §6). */
export class ProblemJournal {
  readonly #messages: Collection<StoredJournalRow>;
  readonly #deployments: Collection<StoredJournalRow>;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #writing = new Set<Promise<void>>();

  constructor({ store, clock, log }: ProblemJournalOptions) {
    this.#messages = store.collection<StoredJournalRow>(journalCollection('message'));
    this.#deployments = store.collection<StoredJournalRow>(journalCollection('deployment'));
    this.#clock = clock;
    this.#log = log;
  }

  readonly report = (problem: DeliveryProblem): void => {
    if (this.#writing.size >= MOST_WAITING) return;
    const writing = this.#write(problem)
      .catch((err) => this.#log.warn({ event: 'journal.not-written', journal: 'message', err }))
      .finally(() => this.#writing.delete(writing));
    this.#writing.add(writing);
  };

  /** Resolves when everything that was reported is written. */
  async settled(): Promise<void> {
    await Promise.all(this.#writing);
  }

  async #write({ kind, level, place, reason, text, count }: DeliveryProblem): Promise<void> {
    const { connectionName, environmentName, podName } = place;
    const at = this.#clock.now();
    const told = count === 1 ? text : `${text} (${count} times)`;
    await this.#messages.insert({
      at,
      level,
      source: `connection ${connectionName} on ${podName}`,
      text: `${reason}: ${told}`,
      environmentName,
    });
    if (!isTroubleOfTarget(kind)) return;
    await this.#deployments.insert({
      at,
      userName: '',
      environmentName,
      podName,
      objectType: 'connection',
      objectName: connectionName,
      result: 'FAILURE',
      detail: `${reason}: ${told}`,
    });
  }
}

/** Those that operators look for where the connection was deployed (spec 2 §6). */
function isTroubleOfTarget(kind: DeliveryProblem['kind']): boolean {
  return kind === 'connection' || kind === 'timeout' || kind === 'authentication';
}
