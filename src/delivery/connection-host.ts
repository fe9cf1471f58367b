import type { ExecutorPool } from '../diagnostics/executor-pools.ts';
import type { AddressSource } from '../http1/client/client-options.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import type { ConnectionContent } from '../platform/deployment/connection-content.ts';
import {
  BuildFailed,
  type OpenedObject,
  type PreparedRuntime,
  type RuntimeBuilder,
} from '../platform/deployment/deployments.ts';
import { settingsOfContent } from './connection-content-settings.ts';
import { type ConnectionState, labelOf, type ShownParameters, shownParameters } from './connection-state.ts';
import { type TestFindings, testConnection } from './connection-test.ts';
import { DeliveryCounters } from './counters.ts';
import { DeliveryEngine } from './delivery-engine.ts';
import { openDeliveryPool } from './delivery-pool.ts';
import type { ReportProblem } from './delivery-problem.ts';
import type { DeliverySettings } from './delivery-settings.ts';

export interface ConnectionHostOptions {
  readonly environmentName: string;
  /** Only asked once there is something to build. */
  readonly podName: () => string;
  readonly addresses: AddressSource;
  readonly report?: ReportProblem;
  readonly clock: Clock;
  readonly log: Log;
  /** How long an engine that was replaced may still deliver what it holds. */
  readonly drainMs?: number;
}

/** A connection that runs. */
export interface HostedConnection {
  readonly object: OpenedObject;
  readonly engine: DeliveryEngine;
  readonly settings: DeliverySettings;
  readonly shown: ShownParameters;
  /** They outlive the engine. */
  readonly counters: DeliveryCounters;
}

const DRAIN_MS = 30_000;
/** Of the time there is to stop; the rest is for what the failovers take over at the end of it. */
const SHARE_BEFORE_FAILOVERS = 2 / 3;

/** The deployed connections of a pod: one engine each. Those that a revision does not change go on undisturbed. */
export class ConnectionHost implements RuntimeBuilder {
  readonly kind = 'connection';
  readonly #options: ConnectionHostOptions;
  /** The one reference that a revision swaps. */
  #running: ReadonlyMap<string, HostedConnection> = new Map();
  /** Those that were replaced and still deliver what they hold. */
  readonly #draining = new Set<DeliveryEngine>();

  constructor(options: ConnectionHostOptions) {
    this.#options = options;
  }

  async build(objects: readonly OpenedObject[]): Promise<PreparedRuntime> {
    const next = new Map<string, HostedConnection>();
    const made: HostedConnection[] = [];
    const discard = () => {
      for (const { engine } of made) void engine.cutOff();
    };
    try {
      for (const object of objects) {
        const running = this.#running.get(object.id);
        if (running && isSame(running.object, object)) {
          next.set(object.id, { ...running, object });
          continue;
        }
        const hosted = await this.#host(object, running);
        made.push(hosted);
        next.set(object.id, hosted);
      }
    } catch (error) {
      discard();
      throw error;
    }
    return { activate: () => this.#activate(next), discard };
  }

  /** By the id of its document. */
  find(connectionId: string): HostedConnection | undefined {
    return this.#running.get(connectionId);
  }

  states(): ConnectionState[] {
    return [...this.#running.values()].map(({ object, engine, shown }) => ({
      id: object.id,
      name: object.name,
      ...(object.projectName !== undefined && { projectName: object.projectName }),
      revision: object.revision,
      counters: engine.counters(),
      state: engine.state(),
      effectiveParameters: shown,
    }));
  }

  /** The queues of all connections, by what they do and for which one. */
  executorPools(): Record<string, ExecutorPool> {
    const pools = [...this.#running.values()].flatMap(({ object, engine }) =>
      Object.entries(engine.executorPools()).map(([what, pool]) => [`${what} ${labelOf(object)}`, pool]),
    );
    return Object.fromEntries(pools);
  }

  /** Contacts the endpoint of a connection once, deployed or not. */
  test(content: ConnectionContent, signal: AbortSignal): Promise<TestFindings> {
    const { podName, ...options } = this.#options;
    return testConnection(content, { ...options, podName: podName(), signal });
  }

  /**
   * Everything that is held is delivered within the deadline, or goes where its connection sends what it cannot deliver.
   * Failovers are therefore stopped after the others, for whom they have to be there until the end.
   */
  async stop(deadlineMs: number, failoverIds: ReadonlySet<string> = new Set()): Promise<void> {
    const { clock } = this.#options;
    const endsAtMs = clock.now() + deadlineMs;
    const failovers = [...this.#running].filter(([id]) => failoverIds.has(id));
    const shareMs = failovers.length > 0 ? deadlineMs * SHARE_BEFORE_FAILOVERS : deadlineMs;
    await this.#stopAllBut(new Map(failovers), shareMs);
    await this.#stopAllBut(new Map(), Math.max(0, endsAtMs - clock.now()));
  }

  async #stopAllBut(staying: ReadonlyMap<string, HostedConnection>, deadlineMs: number): Promise<void> {
    for (const [id, { engine }] of this.#running) if (!staying.has(id)) this.#draining.add(engine);
    this.#running = staying;
    await Promise.all([...this.#draining].map((engine) => engine.stop(deadlineMs)));
  }

  async #host(object: OpenedObject, before: HostedConnection | undefined): Promise<HostedConnection> {
    const { addresses, log, report, clock } = this.#options;
    const content = object.content as ConnectionContent;
    const settings = await this.#settings(object, content);
    const counters = before?.counters ?? new DeliveryCounters();
    const pool = openDeliveryPool(settings.pool, addresses);
    const engine = new DeliveryEngine({ settings, pool, counters, log, report, clock });
    return { object, engine, settings, shown: shownParameters(content), counters };
  }

  async #settings(
    { id, name, enabled }: OpenedObject,
    content: ConnectionContent,
  ): Promise<DeliverySettings> {
    const { environmentName, podName } = this.#options;
    const place = { connectionId: id, connectionName: name, environmentName, podName: podName() };
    try {
      return await settingsOfContent(content, { place, isEnabled: enabled });
    } catch (cause) {
      // It names a store and what is wrong with it, never what is in it.
      throw new BuildFailed(`Connection (name: ${name}): ${(cause as Error).message}`, { cause });
    }
  }

  #activate(next: ReadonlyMap<string, HostedConnection>): void {
    const { drainMs = DRAIN_MS } = this.#options;
    const before = this.#running;
    this.#running = next;
    for (const [id, hosted] of before) {
      const successor = next.get(id);
      if (successor?.engine === hosted.engine) continue;
      if (successor) hosted.engine.succeedBy(successor.engine);
      // Who switches a connection off wants its target left alone at once.
      const isSwitchedOff = successor?.settings.isEnabled === false;
      void this.#end(hosted, isSwitchedOff ? hosted.engine.cutOff() : hosted.engine.stop(drainMs));
    }
  }

  async #end({ object, engine }: HostedConnection, ending: Promise<void>): Promise<void> {
    this.#draining.add(engine);
    try {
      await ending;
    } catch (err) {
      this.#options.log.error({ event: 'delivery.drain.failed', connection: object.name, err });
    } finally {
      this.#draining.delete(engine);
    }
  }
}

/** Whether the same engine serves both. */
function isSame(one: OpenedObject, other: OpenedObject): boolean {
  return one.digest === other.digest && one.enabled === other.enabled && one.name === other.name;
}
