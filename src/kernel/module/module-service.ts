import { ContentBudget } from '../../http1/content-budget.ts';
import { defaultLimits, defaultTimeouts } from '../../http1/limits.ts';
import { type AnswerContext, createDispatcher, type DispatcherOptions } from '../catalogue/dispatcher.ts';
import type { Endpoint } from '../catalogue/endpoint.ts';
import { type Clock, systemClock } from '../clock.ts';
import { createFailureRenderer } from '../contracts/error-contracts.ts';
import { renderManagementRefusal } from '../contracts/management-problem.ts';
import type { ConnectionUsage } from '../http-connections.ts';
import type { Service } from '../life-cycle.ts';
import { Listener, type ListenerOptions } from '../listener.ts';
import type { Log } from '../log.ts';
import { Health, type HealthCheck } from './health.ts';
import { ModuleMetrics } from './metrics.ts';
import { moduleEndpoints } from './module-endpoints.ts';
import { versionInfoOf } from './version-info.ts';

type Passed<Services, Caller> = Pick<
  DispatcherOptions<Services, Caller>,
  'services' | 'begin' | 'identify' | 'alter' | 'finish' | 'translate'
>;

export interface ModuleOptions<Services, Caller> extends Passed<Services, Caller> {
  readonly module: string;
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  /** One of several processes that share the port: a second port on loopback leads to this very one. */
  readonly isOneOfSeveral?: boolean;
  /** The module's own; health, version and metrics are added to them. */
  readonly endpoints: readonly Endpoint<Services, Caller>[];
  readonly checks: readonly HealthCheck[];
  readonly shutdownTimeoutMs: number;
  readonly maxBodyBytes?: number;
  readonly clock?: Clock;
  readonly log: Log;
}

/** A module that answers. */
export interface RunningModule extends Service {
  readonly port: number;
  /** The one that leads to this very process; the same as `port` where no other shares that. */
  readonly ownPort: number;
  readonly metrics: ModuleMetrics;
  readonly health: Health;
  readonly connectionCount: number;
  connectionUsage(): ConnectionUsage;
}

const DEFAULT_MAX_BODY_BYTES = 1024 * 1024;
/** What a module keeps of all request bodies together. */
const MAX_CONTENT_BYTES = 256 * 1024 * 1024;

/** Serves a module's catalogue, together with what every module answers, on a port of its own. */
export async function startModule<Services, Caller>(
  options: ModuleOptions<Services, Caller>,
): Promise<RunningModule> {
  const { module, host, port, checks, shutdownTimeoutMs, clock = systemClock, log } = options;
  const metrics = new ModuleMetrics({ module, connectionCount: () => listener.connectionCount });
  const health = new Health({ module, checks, clock, log });
  const { endpoints, services, begin, identify, alter, finish, translate } = options;
  const handle = createDispatcher<Services, Caller>({
    endpoints: [...endpoints, ...moduleEndpoints({ health, versionInfo: versionInfoOf(module), metrics })],
    services,
    begin,
    identify,
    alter,
    finish,
    translate,
    observe: (context, status) => observeRequest(metrics, log, context, status),
    renderFailure: createFailureRenderer(log),
    maxBodyBytes: options.maxBodyBytes ?? DEFAULT_MAX_BODY_BYTES,
    log,
  });
  const listenerOptions: Omit<ListenerOptions, 'host' | 'port'> = {
    expectsProxyHeader: false,
    handle,
    log,
    http1: {
      limits: defaultLimits,
      timeouts: defaultTimeouts,
      contentBudget: new ContentBudget(MAX_CONTENT_BYTES),
      isLenient: false,
      now: () => clock.now(),
      renderRefusal: renderManagementRefusal,
      onRefused: ({ key }, { remoteAddress: client }) =>
        log.debug({ event: 'request.malformed', reason: key, client }),
    },
  };
  const listener = await Listener.start({ ...listenerOptions, host, port });
  const ownListener = options.isOneOfSeveral
    ? await Listener.start({ ...listenerOptions, host: '127.0.0.1', port: 0, isExclusive: true })
    : listener;
  log.info({ event: 'module.started', host, port: listener.port });
  return {
    module,
    url: `http://${host.includes(':') ? `[${host}]` : host}:${listener.port}`,
    port: listener.port,
    ownPort: ownListener.port,
    metrics,
    health,
    connectionUsage: () => listener.connectionUsage(),
    get connectionCount() {
      return listener.connectionCount;
    },
    stop: async () => {
      const listeners = new Set([listener, ownListener]);
      await Promise.all([...listeners].map((one) => one.stop(shutdownTimeoutMs)));
      log.info({ event: 'module.stopped' });
    },
  };
}

/** The path is logged without its query, which may hold secrets. */
function observeRequest(
  metrics: ModuleMetrics,
  log: Log,
  { request, endpoint, arrivedAtMs }: AnswerContext<unknown>,
  status: number,
): void {
  const { method, rawPath: path, peerAddress: client } = request;
  const durationMs = performance.now() - arrivedAtMs;
  metrics.observeRequest(endpoint?.id, method, status, durationMs);
  log.debug({ event: 'request.answered', endpoint: endpoint?.id, method, path, status, durationMs, client });
}
