import type { LogKind } from '../model/log-connector.ts';
import { canonicalJson } from '../platform/deployment/canonical-json.ts';
import type { OpenedObject, PreparedRuntime, RuntimeBuilder } from '../platform/deployment/deployments.ts';
import type {
  LogConnectorContent,
  LogConnectorsContent,
} from '../platform/deployment/log-connectors-content.ts';
import type { DeliveryCounts } from './counters.ts';
import type { DeliveryEvent, OfferOutcome } from './delivery-event.ts';
import { LogRoute, type LogRouteOptions } from './log-route.ts';

/** What a route that was replaced may still take to keep what it holds. */
const DRAIN_MS = 30_000;

/** How a log connector stands on its pod; its connections tell the rest. */
export interface LogConnectorState extends LogConnectorContent {
  /** What became of records while the connection was not deployed. */
  readonly unrouted: DeliveryCounts;
}

/** The deployed log connectors of a pod: which connection the records of which kind go through. */
export class LogRouter implements RuntimeBuilder {
  readonly kind = 'log-connectors';
  readonly #options: LogRouteOptions;
  /** The one reference that a revision swaps. */
  #routes: ReadonlyMap<LogKind, LogRoute> = new Map();
  /** Those that were replaced and still keep what they hold. */
  readonly #ending = new Set<LogRoute>();

  constructor(options: LogRouteOptions) {
    this.#options = options;
  }

  async build(objects: readonly OpenedObject[]): Promise<PreparedRuntime> {
    const connectors = objects.flatMap(({ content }) => (content as LogConnectorsContent).connectors);
    const routes = new Map(connectors.map((connector) => [connector.kind, this.#routeFor(connector)]));
    return { activate: () => this.#activate(routes), discard: () => {} };
  }

  /** Whether records of this kind are sent at all. */
  sends(kind: LogKind): boolean {
    return this.#routes.get(kind)?.connector.enabled === true;
  }

  /** For producers that must not be held up. Records of a kind without a log connector are not meant to be sent. */
  send(kind: LogKind, event: DeliveryEvent): void {
    if (this.sends(kind)) this.#routes.get(kind)!.tryOffer(event);
  }

  /** For producers that can wait; undefined where records of this kind are not sent. */
  offer(kind: LogKind, event: DeliveryEvent): Promise<OfferOutcome> | undefined {
    return this.sends(kind) ? this.#routes.get(kind)!.offer(event) : undefined;
  }

  states(): LogConnectorState[] {
    return [...this.#routes.values()].map(({ connector, unroutedCounts }) => ({
      ...connector,
      unrouted: unroutedCounts,
    }));
  }

  /** The connections that take what others cannot deliver. */
  failoverConnectionIds(): ReadonlySet<string> {
    const connectors = [...this.#routes.values()].map(({ connector }) => connector);
    return new Set(connectors.flatMap(({ failoverConnectionId }) => failoverConnectionId ?? []));
  }

  async stop(deadlineMs: number): Promise<void> {
    for (const route of this.#routes.values()) this.#ending.add(route);
    this.#routes = new Map();
    await Promise.all([...this.#ending].map((route) => route.stop(deadlineMs)));
  }

  #routeFor(connector: LogConnectorContent): LogRoute {
    const running = this.#routes.get(connector.kind);
    if (running && canonicalJson(running.connector) === canonicalJson(connector)) return running;
    return new LogRoute(connector, this.#options, running?.unrouted);
  }

  #activate(routes: ReadonlyMap<LogKind, LogRoute>): void {
    const before = this.#routes;
    this.#routes = routes;
    for (const [kind, route] of before) if (routes.get(kind) !== route) void this.#end(route);
  }

  async #end(route: LogRoute): Promise<void> {
    this.#ending.add(route);
    await route.stop(DRAIN_MS);
    this.#ending.delete(route);
  }
}
