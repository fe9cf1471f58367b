import { AggregatorRegistry, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** Method tokens are the client's to invent; a label must have few values. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const STATUS_CLASSES = ['1xx', '2xx', '3xx', '4xx', '5xx'];
const BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const EVENT_LOOP_PRECISION_MS = 100;

export interface MetricsOptions {
  readonly module: string;
  readonly connectionCount: () => number;
}

/** The metrics of one process, in a form that another one can add to its own. */
export type ProcessMetrics = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** What one module tells Prometheus; parts of the module may register more. */
export class ModuleMetrics {
  readonly registry = new Registry();
  readonly #durations: Histogram<'endpoint' | 'method' | 'status'>;
  #others: () => Promise<readonly ProcessMetrics[]> = async () => [];

  constructor({ module, connectionCount }: MetricsOptions) {
    const { registry } = this;
    registry.setDefaultLabels({ module });
    collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: EVENT_LOOP_PRECISION_MS });
    this.#durations = new Histogram({
      name: 'gatehouse_http_request_duration_seconds',
      help: 'Time from a request to its answer, or to the beginning of a streamed one.',
      labelNames: ['endpoint', 'method', 'status'],
      buckets: BUCKETS_SECONDS,
      registers: [registry],
    });
    new Gauge({
      name: 'gatehouse_http_connections',
      help: 'Open connections of clients.',
      registers: [registry],
      collect() {
        this.set(connectionCount());
      },
    });
  }

  /** For modules of several processes: whichever a scraper reaches then tells of all of them. */
  addOthers(others: () => Promise<readonly ProcessMetrics[]>): void {
    this.#others = others;
  }

  ofProcess(): Promise<ProcessMetrics> {
    return this.registry.getMetricsAsJSON();
  }

  async text(): Promise<string> {
    const others = await this.#others();
    if (others.length === 0) return this.registry.metrics();
    return AggregatorRegistry.aggregate([await this.ofProcess(), ...others]).metrics();
  }

  /** The endpoint is undefined where a request reached none. */
  observeRequest(endpoint: string | undefined, method: string, status: number, durationMs: number): void {
    this.#durations
      .labels({
        endpoint: endpoint ?? 'none',
        method: METHODS.has(method) ? method : 'other',
        status: STATUS_CLASSES[Math.floor(status / 100) - 1] ?? 'other',
      })
      .observe(durationMs / 1000);
  }
}
