import { createDeployedDelivery, type DeployedDelivery } from '../../../delivery/deployed-delivery.ts';
import type { UnsentRecordKeeper } from '../../../delivery/unsent-records.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Log } from '../../../kernel/log.ts';
import type { SecretBox } from '../../../kernel/secret-box.ts';
import type { JournalKind, StoredJournalRow } from '../../../model/journal.ts';
import type { Store, Stored } from '../../../store/contract.ts';
import type { EnvironmentService } from '../environments/environment-service.ts';
import type { Journals } from '../journals/journals.ts';
import type { SettingsService } from '../settings/settings-service.ts';
import { logRecordOf } from './log-records.ts';

export interface LogDeliveryOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly secretBox: SecretBox;
  readonly settings: Pick<SettingsService, 'get'>;
  readonly environments: Pick<EnvironmentService, 'all'>;
  readonly journals: Pick<Journals, 'follow'>;
  /** Whether connections may lead to private addresses. */
  readonly allowsPrivateTargets: boolean;
  readonly unsentRecords: UnsentRecordKeeper;
}

/** How soon another environment in the settings is noticed. */
const LOOK_EVERY_MS = 2000;
/** What the environment before may still take to deliver what it holds. */
const DRAIN_MS = 30_000;

/**
 * Delivers the Manager's own records, which are those of tokens and of changes, through the log connectors of the
 * environment that the settings name. For that the Manager is a pod of that environment: it follows its revisions and
 * has breakers and counters of its own. A record is offered after it is in its journal, and nobody waits for it.
 */
export class LogDelivery {
  readonly #options: LogDeliveryOptions;
  readonly #stopping = new AbortController();
  /** Those of environments that were named before. */
  readonly #draining = new Set<DeployedDelivery>();
  #running: DeployedDelivery | undefined;
  #following: Promise<void> = Promise.resolve();
  #missing: string | undefined;

  constructor(options: LogDeliveryOptions) {
    this.#options = options;
    options.journals.follow((kind, row) => this.#deliver(kind, row));
  }

  /** Undefined while the settings name no environment that is there. */
  get running(): DeployedDelivery | undefined {
    return this.#running;
  }

  async start(podName: string): Promise<void> {
    await this.#look(podName);
    this.#following = this.#lookOn(podName);
  }

  /** Has it take a revision at once that it would find a moment later. */
  readonly published = async (environmentId: string, revision: number): Promise<void> => {
    if (this.#running?.environment.id !== environmentId) return;
    try {
      await this.#running.deployments.take(revision);
    } catch (err) {
      // It finds the revision when the database is back.
      this.#options.log.warn({ event: 'log-delivery.revision.not-taken', revision, err });
    }
  };

  /** What it holds is delivered within the deadline, or goes where its connections send what they cannot deliver. */
  async stop(deadlineMs: number): Promise<void> {
    this.#stopping.abort();
    await this.#following;
    if (this.#running) this.#draining.add(this.#running);
    this.#running = undefined;
    await Promise.all([...this.#draining].map((delivery) => delivery.stop(deadlineMs)));
  }

  /** The journal stays what counts: a record that cannot be made or offered is told to the log. */
  #deliver(kind: JournalKind, row: Stored<StoredJournalRow>): void {
    if (!this.#running) return;
    try {
      const { logs, environment } = this.#running;
      const record = logRecordOf(kind, row, environment.name);
      if (record) logs.send(record.kind, record.event);
    } catch (err) {
      this.#options.log.error({ event: 'log-delivery.record.failed', journal: kind, err });
    }
  }

  async #lookOn(podName: string): Promise<void> {
    const { clock } = this.#options;
    const { signal } = this.#stopping;
    for (;;) {
      await clock.sleep(LOOK_EVERY_MS, signal).catch(() => undefined);
      if (signal.aborted) return;
      await this.#look(podName);
    }
  }

  async #look(podName: string): Promise<void> {
    const { settings, environments, log } = this.#options;
    try {
      const { environmentName } = await settings.get('log-delivery');
      const found = (await environments.all()).find(({ value }) => value.name === environmentName);
      this.#tellMissing(found ? undefined : environmentName);
      if (found?.id === this.#running?.environment.id) return;
      await this.#replaceBy(found && { id: found.id, name: environmentName }, podName);
    } catch (err) {
      // The database is away; it is asked again soon.
      log.debug({ event: 'log-delivery.look.failed', err });
    }
  }

  async #replaceBy(environment: DeployedDelivery['environment'] | undefined, podName: string): Promise<void> {
    const before = this.#running;
    const next =
      environment && createDeployedDelivery({ ...this.#options, environment, podName: () => podName });
    await next?.deployments.start();
    this.#running = next;
    if (before) void this.#drain(before);
  }

  async #drain(delivery: DeployedDelivery): Promise<void> {
    this.#draining.add(delivery);
    try {
      await delivery.stop(DRAIN_MS);
    } catch (err) {
      this.#options.log.error({ event: 'log-delivery.drain.failed', err });
    } finally {
      this.#draining.delete(delivery);
    }
  }

  #tellMissing(environmentName: string | undefined): void {
    if (environmentName !== undefined && environmentName !== this.#missing)
      this.#options.log.warn({ event: 'log-delivery.environment.missing', environment: environmentName });
    this.#missing = environmentName;
  }
}
