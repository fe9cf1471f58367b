import { systemClock } from '../../kernel/clock.ts';
import { type Log, silentLog } from '../../kernel/log.ts';
import { type RunningModule, startModule } from '../../kernel/module/module-service.ts';
import { environmentAccess } from '../../platform/environment-access.ts';
import type { Pod } from '../../store/pods.ts';
import type { DiagnosedModule } from '../diagnostic.ts';
import { type Diagnostics, startDiagnostics } from '../start-diagnostics.ts';

export const TEST_ENVIRONMENT_ID = '0123456789abcdef01234567';

export interface DiagnosedOptions {
  readonly module?: DiagnosedModule;
  readonly podName?: string;
  /** Who else the registry knows; a function is asked each time. */
  readonly others?: readonly Pod[] | (() => Promise<Pod[]>);
  readonly log?: Log;
}

export interface DiagnosedModuleUnderTest extends AsyncDisposable {
  readonly port: number;
  readonly diagnostics: Diagnostics;
  /** The answer to `/gateway/diagnostics/<path>`, asked with the environment's id unless headers are given. */
  get(path: string, headers?: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<Response>;
  close(): Promise<void>;
}

/** A module with nothing but its diagnostics, in this process. */
export async function startDiagnosedModule(
  options: DiagnosedOptions = {},
): Promise<DiagnosedModuleUnderTest> {
  const { module = 'worker', podName = `${module}-1`, others = [], log = silentLog } = options;
  let running: RunningModule | undefined;
  const diagnostics = startDiagnostics({
    module,
    environment: { id: TEST_ENVIRONMENT_ID, name: 'Development' },
    pods: { live: typeof others === 'function' ? others : async () => [...others] },
    self: () => ({ podName, address: running!.url, running: running! }),
    dataGrid: async () => ({ engine: 'test', cluster: { state: 'UP', size: 0, members: [] }, maps: [] }),
    clock: systemClock,
    log,
  });
  running = await startModule({
    module,
    host: '127.0.0.1',
    port: 0,
    endpoints: diagnostics.endpoints,
    identify: environmentAccess(TEST_ENVIRONMENT_ID),
    services: {},
    checks: [{ name: 'database', run: async () => undefined }],
    shutdownTimeoutMs: 1000,
    log,
  });
  const close = async () => {
    await running.stop();
    await diagnostics.stop();
  };
  const { port } = running;
  return {
    port,
    diagnostics,
    get: (path, headers = { authorization: TEST_ENVIRONMENT_ID }, signal) =>
      fetch(`http://127.0.0.1:${port}/gateway/diagnostics/${path}`, { headers, ...(signal && { signal }) }),
    close,
    [Symbol.asyncDispose]: close,
  };
}

export function podNamed(podName: string, address: string): Pod {
  return {
    podName,
    module: 'worker',
    environmentId: TEST_ENVIRONMENT_ID,
    address,
    processId: 1,
    startedAtMs: 0,
    heartbeatAtMs: 0,
  };
}
