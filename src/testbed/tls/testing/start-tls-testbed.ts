import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Exchange } from '../../../http1/exchange.ts';
import { defaultLimits, defaultTimeouts } from '../../../http1/limits.ts';
import { systemClock } from '../../../kernel/clock.ts';
import { Listener, type ListenerOptions } from '../../../kernel/listener.ts';
import { silentLog } from '../../../kernel/log.ts';
import { renderRefusal } from '../../../kernel/problem.ts';
import { localState } from '../../../kernel/shared-state.ts';
import { defaultSettings, type TestbedSettings } from '../../settings.ts';
import { createTestbedState } from '../../state.ts';
import { createTestbed } from '../../testbed.ts';
import { everyScenario } from '../extra-scenarios.ts';
import type { Material } from '../material.ts';
import { TlsPorts } from '../tls-ports.ts';
import { testMaterial } from './test-material.ts';

export interface TlsTestbed extends AsyncDisposable {
  /** Of plain HTTP. */
  readonly port: number;
  readonly material: Material;
  readonly errors: readonly object[];
  portOf(scenarioId: string): number;
}

/** A test service with all its TLS ports, in this process, on ports the system chooses. */
export async function startTlsTestbed(settings: Partial<TestbedSettings> = {}): Promise<TlsTestbed> {
  const uploadFolder = await mkdtemp(join(tmpdir(), 'testbed-'));
  const material = await testMaterial();
  const errors: object[] = [];
  const stopping = new AbortController();
  let handle: (exchange: Exchange) => void = () => {};
  const listener: Omit<ListenerOptions, 'port'> = {
    host: '127.0.0.1',
    expectsProxyHeader: false,
    handle: (exchange) => handle(exchange),
    log: silentLog,
    http1: {
      limits: defaultLimits,
      timeouts: defaultTimeouts,
      isLenient: false,
      now: systemClock.now,
      renderRefusal,
    },
  };
  const ports = await TlsPorts.listen({ basePort: 0, hasExtras: true, listener });
  await ports.use(material);
  const testbed = createTestbed({
    settings: { ...defaultSettings, ...settings },
    clock: systemClock,
    random: { bytes: randomBytes, float: Math.random, uuid: randomUUID },
    state: localState(createTestbedState(systemClock)),
    uploadFolder,
    stopping: stopping.signal,
    tls: ports,
    log: { error: (fields) => errors.push(fields) },
  });
  handle = testbed.handle;
  const plain = await Listener.start({ ...listener, port: 0 });
  return {
    port: plain.port,
    material,
    errors,
    portOf: (id) => ports.portOf(everyScenario.find((scenario) => scenario.id === id)!),
    [Symbol.asyncDispose]: async () => {
      stopping.abort();
      await Promise.all([plain.stop(0), ports.stop(0)]);
      await rm(uploadFolder, { recursive: true, force: true });
    },
  };
}
