import type { Clock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import type { LogConnectorContent } from '../platform/deployment/log-connectors-content.ts';
import type { ConnectionHost } from './connection-host.ts';
import { DeliveryCounters, type DeliveryCounts } from './counters.ts';
import type { DeliveryEngine } from './delivery-engine.ts';
import type { DeliveryEvent, Fallback, OfferOutcome } from './delivery-event.ts';
import { ProblemReporter, type ReportProblem } from './delivery-problem.ts';
import { FallbackRoute } from './fallback-route.ts';
import { Ledger } from './ledger.ts';
import { type UnsentRecordKeeper, unsentSinkOf } from './unsent-records.ts';

export interface LogRouteOptions {
  readonly environmentName: string;
  readonly podName: () => string;
  readonly connections: Pick<ConnectionHost, 'find'>;
  readonly unsentRecords: UnsentRecordKeeper;
  readonly report?: ReportProblem;
  readonly clock: Clock;
  readonly log: Log;
}

/** Of what waits for the store of unsent records because there is no connection. */
const MOST_UNSENT_BYTES = 8 * 1024 * 1024;

/** The way of the records of one kind: into the connection of their log connector, or past it. */
export class LogRoute {
  readonly connector: LogConnectorContent;
  /** What came while the connection was not deployed. It outlives the route, like the counters of connections. */
  readonly unrouted: DeliveryCounters;
  readonly #options: LogRouteOptions;
  /** One object as long as the route lives: batches are kept apart by it. */
  readonly #fallback: Fallback;
  readonly #withoutConnection: FallbackRoute;
  readonly #ledger: Ledger;
  readonly #ending = new AbortController();

  constructor(connector: LogConnectorContent, options: LogRouteOptions, unrouted = new DeliveryCounters()) {
    const { id, kind, failoverConnectionId, keepUnsent } = connector;
    const { environmentName, podName, report, clock, log, unsentRecords } = options;
    this.connector = connector;
    this.unrouted = unrouted;
    this.#options = options;
    this.#fallback = {
      ...(failoverConnectionId !== null && {
        failover: {
          takeOver: (event, unsent) => this.#engine(failoverConnectionId)?.takeOver(event, unsent) ?? false,
        },
      }),
      ...(keepUnsent && { unsent: unsentSinkOf(id, unsentRecords) }),
    };
    this.#ledger = new Ledger(unrouted);
    const place = {
      connectionId: id,
      connectionName: `of the ${kind} logs`,
      environmentName,
      podName: podName(),
    };
    this.#withoutConnection = new FallbackRoute({
      ledger: this.#ledger,
      problems: new ProblemReporter(place, log, report, clock),
      maxUnsentBytes: MOST_UNSENT_BYTES,
      signal: this.#ending.signal,
    });
  }

  get unroutedCounts(): DeliveryCounts {
    return this.unrouted.counts();
  }

  /** For who can wait. */
  offer(event: DeliveryEvent): Promise<OfferOutcome> {
    const engine = this.#engine(this.connector.connectionId);
    return engine ? engine.offer(event, this.#fallback) : this.#pass(event);
  }

  /** For who must not be held up. */
  tryOffer(event: DeliveryEvent): void {
    const engine = this.#engine(this.connector.connectionId);
    if (engine) engine.tryOffer(event, this.#fallback);
    else void this.#pass(event);
  }

  /** What still waits for the store of unsent records is waited for until the deadline; called again, the earliest counts. */
  async stop(deadlineMs: number): Promise<void> {
    const awake = new AbortController();
    const isOver = this.#options.clock.sleep(deadlineMs, awake.signal).catch(() => {});
    await Promise.race([this.#ledger.whenEmpty(), isOver]);
    awake.abort();
    this.#ending.abort();
    await this.#ledger.whenEmpty();
  }

  /** Asked for every event: each deployment may bring another one. */
  #engine(connectionId: string): DeliveryEngine | undefined {
    return this.#options.connections.find(connectionId)?.engine;
  }

  /** The connection was taken from the environment while its log connector stayed. */
  async #pass(event: DeliveryEvent): Promise<OfferOutcome> {
    this.#ledger.accept();
    const timed = { ...event, timeMs: event.timeMs ?? this.#options.clock.now() };
    return await this.#withoutConnection.take(
      { size: 1, event: () => timed },
      this.#fallback,
      'connection-not-deployed',
    );
  }
}
