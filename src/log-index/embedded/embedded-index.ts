import type { Exchange } from '../../http1/exchange.ts';
import { createDispatcher } from '../../kernel/catalogue/dispatcher.ts';
import type { Endpoint } from '../../kernel/catalogue/endpoint.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';
import type { Failure } from '../../kernel/problem.ts';
import { trafficLogStream, trafficLogTemplate, trafficLogTemplateName } from '../traffic-log-template.ts';
import { byQueryEndpoints } from './endpoints/by-query.ts';
import { clusterEndpoints } from './endpoints/cluster.ts';
import { documentEndpoints } from './endpoints/documents.ts';
import { indexEndpoints } from './endpoints/indices.ts';
import { searchEndpoints } from './endpoints/searches.ts';
import { streamEndpoints } from './endpoints/streams.ts';
import { EngineError, errorBody } from './engine-error.ts';
import { jsonAnswer } from './index-endpoint.ts';
import { IndexRegistry } from './index-registry.ts';
import { Retention, type RetentionSettings } from './retention.ts';
import type { EmbeddedServices } from './services.ts';
import { Tasks } from './tasks.ts';
import { WriteGate } from './write-gate.ts';

export interface EmbeddedIndexOptions {
  readonly folder: string;
  readonly retention: RetentionSettings;
  readonly clock: Clock;
  readonly log: Log;
  /** Of one request body with documents; http.max_content_length elsewhere. */
  readonly maxBodyBytes?: number;
  /** Of all documents that are being written at once. */
  readonly maxWritingBytes?: number;
}

const DEFAULT_MAX_BODY_BYTES = 100 * 2 ** 20;
const DEFAULT_MAX_WRITING_BYTES = 256 * 2 ** 20;

/** Everything that the embedded index answers. */
const embeddedEndpoints: readonly Endpoint<EmbeddedServices>[] = [
  ...clusterEndpoints,
  ...documentEndpoints,
  ...searchEndpoints,
  ...byQueryEndpoints,
  ...indexEndpoints,
  ...streamEndpoints,
];

/** The traffic-log index of an installation without Elasticsearch or OpenSearch: the calls we make of them, on SQLite. */
export class EmbeddedIndex {
  readonly handle: (exchange: Exchange) => void;
  readonly #registry: IndexRegistry;
  readonly #tasks: Tasks;
  readonly #retention: Retention;

  constructor(options: EmbeddedIndexOptions) {
    const { folder, retention, clock, log } = options;
    this.#registry = new IndexRegistry({ folder, clock });
    this.#registry.putTemplate(trafficLogTemplateName, trafficLogTemplate);
    this.#tasks = new Tasks(this.#registry.nodeId, clock);
    this.#retention = new Retention({ registry: this.#registry, settings: retention, clock, log });
    const { maxBodyBytes = DEFAULT_MAX_BODY_BYTES, maxWritingBytes = DEFAULT_MAX_WRITING_BYTES } = options;
    const services: EmbeddedServices = {
      registry: this.#registry,
      tasks: this.#tasks,
      gate: new WriteGate(maxWritingBytes),
      clock,
      maxBodyBytes,
    };
    this.handle = createDispatcher({
      endpoints: embeddedEndpoints,
      services,
      renderFailure: (failure, { request }) => failureAnswer(failure, request.method, request.rawPath),
      maxBodyBytes,
      log,
    });
  }

  /** Its first record would make it too; but whoever looks for records, or brings some, finds the stream there before. */
  makeTrafficLogStream(environment: string): void {
    const name = trafficLogStream(environment);
    const { indices, streams } = this.#registry.resolveIfThere(name);
    if (indices.length === 0 && streams.length === 0) this.#registry.createStream(name);
  }

  /** Ends the runs that are going on, and closes the files. */
  async close(): Promise<void> {
    await this.#retention.stop();
    await this.#tasks.stop();
    this.#registry.close();
  }
}

/** What the kernel found wrong, in the words of Elasticsearch. A call that is not known here is a bad request, whatever it is. */
function failureAnswer({ key, status, detail }: Failure, method: string, path: string) {
  const isUnknown = key === 'route.not-found' || key === 'route.method-not-allowed';
  const error = isUnknown
    ? new EngineError(
        400,
        'illegal_argument_exception',
        `no handler found for uri [${path}] and method [${method}]: the embedded log index does not know it`,
      )
    : new EngineError(status, status >= 500 ? 'exception' : 'illegal_argument_exception', detail);
  return jsonAnswer(error.status, errorBody(error));
}
