import { randomBytes, randomUUID } from 'node:crypto';
import { join, resolve } from 'node:path';
import { defaultLimits, defaultTimeouts } from '../http1/limits.ts';
import { systemClock } from '../kernel/clock.ts';
import type { Service } from '../kernel/life-cycle.ts';
import { Listener, type ListenerOptions } from '../kernel/listener.ts';
import { createLog, type LogLevel } from '../kernel/log.ts';
import { renderRefusal } from '../kernel/problem.ts';
import { startProcessGroup } from '../kernel/process-group.ts';
import { settingsFrom, type TestbedOptionValues } from './options.ts';
import type { Random } from './services.ts';
import { createTestbedState } from './state.ts';
import { createTestbed } from './testbed.ts';

export interface TestbedServiceOptions extends TestbedOptionValues {
  readonly host: string;
  readonly port: number;
  readonly processes: number;
  readonly data: string;
  readonly logLevel: LogLevel;
  readonly shutdownTimeout: number;
}

const systemRandom: Random = { bytes: randomBytes, float: Math.random, uuid: randomUUID };

/** The test service, listening. Everything it is made of is put together here. */
export function startTestbedService(options: TestbedServiceOptions): Promise<Service> {
  const log = createLog('testbed', options.logLevel);
  return startProcessGroup({
    count: options.processes,
    log,
    createKeepers: () => createTestbedState(systemClock),
    serve: async (state) => {
      const stopping = new AbortController();
      const testbed = createTestbed({
        settings: settingsFrom(options),
        clock: systemClock,
        random: systemRandom,
        uploadFolder: join(resolve(options.data), 'testbed', 'uploads'),
        state,
        stopping: stopping.signal,
        log,
      });
      const listen = (port: number, isLenient: boolean) => Listener.start(listenerOptions(port, isLenient));
      const listenerOptions = (port: number, isLenient: boolean): ListenerOptions => ({
        host: options.host,
        port,
        expectsProxyHeader: options.proxyProtocol,
        handle: testbed.handle,
        log,
        http1: {
          limits: { ...defaultLimits, maxHeadBytes: options.maxHead, maxTargetBytes: options.maxTarget },
          timeouts: {
            ...defaultTimeouts,
            headMs: options.headTimeout,
            bodyMs: options.bodyTimeout,
            idleMs: options.idleTimeout,
          },
          isLenient,
          now: systemClock.now,
          renderRefusal,
          onRefused: (refusal, info) =>
            log.debug({ event: 'request.refused', reason: refusal.key, client: info.remoteAddress }),
        },
      });
      const main = await listen(options.port, false);
      const listeners = options.lenientPort < 0 ? [main] : [main, await listen(options.lenientPort, true)];
      return {
        module: 'testbed',
        url: `http://${options.host.includes(':') ? `[${options.host}]` : options.host}:${main.port}`,
        stop: async () => {
          stopping.abort();
          await Promise.all(listeners.map((listener) => listener.stop(options.shutdownTimeout)));
        },
      };
    },
  });
}
