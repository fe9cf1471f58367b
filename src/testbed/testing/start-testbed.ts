import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultLimits, defaultTimeouts } from '../../http1/limits.ts';
import { type Clock, systemClock } from '../../kernel/clock.ts';
import { Listener } from '../../kernel/listener.ts';
import { silentLog } from '../../kernel/log.ts';
import { renderRefusal } from '../../kernel/problem.ts';
import { localState } from '../../kernel/shared-state.ts';
import type { TestbedRandom, TestbedServices } from '../services.ts';
import { defaultSettings, type TestbedLimits, type TestbedSettings } from '../settings.ts';
import { createTestbedState } from '../state.ts';
import { createTestbed } from '../testbed.ts';
import { testMaterial } from '../tls/testing/test-material.ts';
import { unservedTls } from '../tls/unserved-tls.ts';

export interface TestbedOverrides {
  readonly settings?: Partial<Omit<TestbedSettings, 'limits'>> & { readonly limits?: Partial<TestbedLimits> };
  readonly clock?: Clock;
  readonly random?: TestbedRandom;
  /** Reads requests as the port for smuggling probes does. */
  readonly isLenient?: boolean;
}

export interface StartedTestbed extends AsyncDisposable {
  readonly port: number;
  readonly services: TestbedServices;
  /** What was logged as an error; a test that expects none looks here. */
  readonly errors: readonly object[];
  close(): Promise<void>;
}

/** A test service of its own: in this process, on a port the system chooses, with an upload folder that goes away. */
export async function startTestbed({
  settings,
  clock = systemClock,
  random,
  isLenient = false,
}: TestbedOverrides = {}): Promise<StartedTestbed> {
  const uploadFolder = await mkdtemp(join(tmpdir(), 'testbed-'));
  const errors: object[] = [];
  const stopping = new AbortController();
  const { handle, services } = createTestbed({
    settings: { ...defaultSettings, ...settings, limits: { ...defaultSettings.limits, ...settings?.limits } },
    clock,
    random: random ?? { bytes: randomBytes, float: Math.random, uuid: randomUUID },
    state: localState(createTestbedState(clock)),
    uploadFolder,
    stopping: stopping.signal,
    // The test authority is there, its ports are not.
    tls: { ...unservedTls, material: testMaterial },
    log: { error: (fields) => errors.push(fields) },
  });
  const listener = await Listener.start({
    host: '127.0.0.1',
    port: 0,
    expectsProxyHeader: false,
    handle,
    log: silentLog,
    http1: {
      limits: defaultLimits,
      timeouts: defaultTimeouts,
      isLenient,
      now: systemClock.now,
      renderRefusal,
    },
  });
  const close = async () => {
    stopping.abort();
    await listener.stop(0);
    await rm(uploadFolder, { recursive: true, force: true });
  };
  return { port: listener.port, services, errors, close, [Symbol.asyncDispose]: close };
}
