import { join, resolve } from 'node:path';
import { ContentBudget } from '../http1/content-budget.ts';
import type { Exchange } from '../http1/exchange.ts';
import { defaultLimits, defaultTimeouts } from '../http1/limits.ts';
import { systemClock } from '../kernel/clock.ts';
import { ConnectionSeats } from '../kernel/connection-seats.ts';
import type { Service } from '../kernel/life-cycle.ts';
import { Listener, type ListenerOptions } from '../kernel/listener.ts';
import { createLog, type Log, type LogLevel } from '../kernel/log.ts';
import { renderRefusal } from '../kernel/problem.ts';
import { startProcessGroup } from '../kernel/process-group.ts';
import { systemRandom } from '../kernel/random.ts';
import { settingsFrom, type TestbedOptionValues } from './options.ts';
import type { TestbedRandom } from './services.ts';
import { createTestbedState } from './state.ts';
import { createTestbed } from './testbed.ts';
import { MaterialKeeper } from './tls/material-keeper.ts';
import { placeOf } from './tls/place.ts';
import { startTls } from './tls/start-tls.ts';

export interface TestbedServiceOptions extends TestbedOptionValues {
  readonly host: string;
  readonly port: number;
  readonly processes: number;
  readonly data: string;
  readonly logLevel: LogLevel;
  readonly shutdownTimeout: number;
}

const testbedRandom: TestbedRandom = { ...systemRandom, float: Math.random };

/** The test service, listening. Everything it is made of is put together here. */
export async function startTestbedService(options: TestbedServiceOptions): Promise<Service> {
  const log = createLog('testbed', options.logLevel);
  const folder = join(resolve(options.data), 'testbed');
  const material = { folder: join(folder, 'pki'), place: placeOf(options) };
  const making = new AbortController();
  const service = await startProcessGroup({
    count: options.processes,
    log,
    createKeepers: () => ({
      ...createTestbedState(systemClock),
      tlsMaterial: new MaterialKeeper({ ...material, clock: systemClock, log, signal: making.signal }),
    }),
    serve: async (state) => {
      const stopping = new AbortController();
      const opened: Array<{ stop(deadlineMs: number): Promise<void> }> = [];
      const stop = async (deadlineMs: number) => {
        await Promise.all(opened.map((listener) => listener.stop(deadlineMs)));
      };
      // The TLS ports exist before the service behind them, which tells about them.
      let handle: (exchange: Exchange) => void;
      const contentBudget = new ContentBudget(Math.max(options.maxBodies, options.maxBody));
      const listenerOptions = listenerOptionsOf(options, log, contentBudget, (exchange) => handle(exchange));
      const listen = async (port: number, isLenient: boolean) => {
        const { http1 } = listenerOptions;
        const listener = await Listener.start({ ...listenerOptions, port, http1: { ...http1, isLenient } });
        opened.push(listener);
        return listener;
      };
      try {
        const tls = options.noTls
          ? undefined
          : await startTls({
              basePort: options.tlsBasePort,
              hasExtras: !options.noTlsExtras,
              listener: listenerOptions,
              keeper: state.tlsMaterial,
              ...material,
              log,
            });
        if (tls) opened.push(tls);
        const testbed = createTestbed({
          settings: settingsFrom(options),
          clock: systemClock,
          random: testbedRandom,
          uploadFolder: join(folder, 'uploads'),
          state,
          stopping: stopping.signal,
          contentBudget,
          log,
          ...(tls && { tls: tls.ports }),
        });
        handle = testbed.handle;
        const main = await listen(options.port, false);
        if (options.lenientPort >= 0) await listen(options.lenientPort, true);
        return {
          module: 'testbed',
          url: `http://${options.host.includes(':') ? `[${options.host}]` : options.host}:${main.port}`,
          background: tls?.serve(),
          stop: async () => {
            stopping.abort();
            await stop(options.shutdownTimeout);
          },
        };
      } catch (error) {
        await stop(0);
        throw error;
      }
    },
  });
  return {
    ...service,
    stop: async () => {
      making.abort(new Error('the service stops'));
      await service.stop();
    },
  };
}

function listenerOptionsOf(
  options: TestbedServiceOptions,
  log: Log,
  contentBudget: ContentBudget,
  handle: (exchange: Exchange) => void,
): Omit<ListenerOptions, 'port'> {
  return {
    host: options.host,
    expectsProxyHeader: options.proxyProtocol,
    seats: new ConnectionSeats(options.maxConnections, log),
    handle,
    log,
    http1: {
      limits: { ...defaultLimits, maxHeadBytes: options.maxHead, maxTargetBytes: options.maxTarget },
      timeouts: {
        ...defaultTimeouts,
        headMs: options.headTimeout,
        bodyMs: options.bodyTimeout,
        minBodyBytesPerSecond: options.minBodyRate,
        idleMs: options.idleTimeout,
        answerStallMs: options.stallTimeout,
      },
      contentBudget,
      isLenient: false,
      now: systemClock.now,
      renderRefusal,
      onRefused: (refusal, info) =>
        log.debug({ event: 'request.refused', reason: refusal.key, client: info.remoteAddress }),
    },
  };
}
