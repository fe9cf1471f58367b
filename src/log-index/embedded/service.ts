import { join, resolve } from 'node:path';
import { ContentBudget } from '../../http1/content-budget.ts';
import { defaultLimits, defaultTimeouts } from '../../http1/limits.ts';
import { type Clock, systemClock } from '../../kernel/clock.ts';
import type { Service } from '../../kernel/life-cycle.ts';
import { Listener } from '../../kernel/listener.ts';
import { createLog, type LogLevel } from '../../kernel/log.ts';
import { option, UsageError } from '../../kernel/options.ts';
import { EmbeddedIndex } from './embedded-index.ts';
import { EngineError, errorBody } from './engine-error.ts';
import { defaultRetention } from './retention.ts';

/** Flags and variables of the embedded log index. */
export const embeddedIndexOptions = {
  logIndexKeepDays: option.integer('log-index-keep-days', defaultRetention.keepDays, {
    description: 'days after which the embedded log index drops records',
    minimum: 1,
    maximum: 36_500,
  }),
  logIndexKeepBytes: option.bytes('log-index-keep-bytes', defaultRetention.keepBytes, {
    description: 'bytes beyond which the embedded log index drops its oldest records',
  }),
};

export interface EmbeddedIndexServiceOptions {
  readonly port: number;
  /** The data folder. */
  readonly data: string;
  readonly logLevel: LogLevel;
  readonly shutdownTimeout: number;
  readonly logIndexKeepDays: number;
  readonly logIndexKeepBytes: number;
  readonly clock?: Clock;
  /** What it keeps of all request bodies together. */
  readonly maxContentBytes?: number;
}

/** It asks nobody for a password, so nobody but this machine may reach it. */
const HOST = '127.0.0.1';
/** Twice what may be written at once, so that writes do not keep searches out. */
const DEFAULT_MAX_CONTENT_BYTES = 512 * 2 ** 20;
/** Enough indices that dropping the oldest is a small step. */
const ROLLOVERS_KEPT = 10;

export interface EmbeddedIndexService extends Service {
  /** Unless it is there. An index that cannot make it is no reason to keep the environment from being made. */
  readonly makeTrafficLogStream: (environment: string) => void;
}

export async function startEmbeddedIndexService(
  options: EmbeddedIndexServiceOptions,
): Promise<EmbeddedIndexService> {
  const {
    port,
    logLevel,
    shutdownTimeout,
    logIndexKeepDays,
    logIndexKeepBytes,
    clock = systemClock,
    maxContentBytes = DEFAULT_MAX_CONTENT_BYTES,
  } = options;
  const log = createLog('log-index', logLevel);
  const index = openIndex({
    folder: join(resolve(options.data), 'log-index'),
    retention: {
      ...defaultRetention,
      keepDays: logIndexKeepDays,
      keepBytes: logIndexKeepBytes,
      rolloverBytes: Math.min(defaultRetention.rolloverBytes, logIndexKeepBytes / ROLLOVERS_KEPT),
    },
    clock,
    log,
  });
  try {
    const listener = await Listener.start({
      host: HOST,
      port,
      expectsProxyHeader: false,
      handle: index.handle,
      log,
      http1: {
        limits: defaultLimits,
        timeouts: defaultTimeouts,
        contentBudget: new ContentBudget(maxContentBytes),
        isLenient: false,
        now: () => clock.now(),
        renderRefusal: ({ status, detail }) => ({
          headers: ['Content-Type', 'application/json; charset=UTF-8'],
          body: JSON.stringify(errorBody(new EngineError(status, 'illegal_argument_exception', detail))),
        }),
      },
    });
    log.info({ event: 'log-index.started', port: listener.port });
    return {
      module: 'log-index',
      url: `http://${HOST}:${listener.port}`,
      makeTrafficLogStream: (environment) => {
        try {
          index.makeTrafficLogStream(environment);
        } catch (err) {
          log.warn({ event: 'log-index.stream.not-made', environment, err });
        }
      },
      stop: async () => {
        await listener.stop(shutdownTimeout);
        await index.close();
        log.info({ event: 'log-index.stopped' });
      },
    };
  } catch (error) {
    await index.close();
    throw error;
  }
}

function openIndex(options: ConstructorParameters<typeof EmbeddedIndex>[0]): EmbeddedIndex {
  try {
    return new EmbeddedIndex(options);
  } catch (error) {
    if (!/database is locked/.test((error as Error).message)) throw error;
    throw new UsageError(`another process uses the log index in ${options.folder}`);
  }
}
