import { connect, type Socket } from 'node:net';
import { systemClock } from '../../kernel/clock.ts';
import { type Log, silentLog } from '../../kernel/log.ts';
import { type RunningModule, startModule } from '../../kernel/module/module-service.ts';
import type { ProcessPlace } from '../../kernel/process-group.ts';
import { environmentAccess } from '../../platform/environment-access.ts';
import type { PodProcess } from '../../platform/pod-processes.ts';
import type { Pod } from '../../store/pods.ts';
import type { DiagnosedModule } from '../diagnostic.ts';
import { type Diagnostics, startDiagnostics } from '../start-diagnostics.ts';

export const TEST_ENVIRONMENT_ID = '0123456789abcdef01234567';

export interface DiagnosedOptions {
  readonly module?: DiagnosedModule;
  readonly podName?: string;
  /** Who else the registry knows; a function is asked each time. */
  readonly others?: readonly Pod[] | (() => Promise<Pod[]>);
  /** One of several processes of its pod. */
  readonly place?: ProcessPlace;
  readonly processes?: () => Promise<readonly PodProcess[]>;
  readonly dataGrid?: () => Promise<unknown>;
  readonly log?: Log;
}

export interface DiagnosedModuleUnderTest extends AsyncDisposable {
  readonly port: number;
  readonly ownPort: number;
  readonly diagnostics: Diagnostics;
  /** The answer to `/gateway/diagnostics/<path>`, asked with the environment's id. */
  get(path: string): Promise<Response>;
  /** The same question on a bare connection, for a client that does not wait for the answer. */
  rawGet(path: string): Socket;
  close(): Promise<void>;
}

/** A module with nothing but its diagnostics, in this process. */
export async function startDiagnosedModule(
  options: DiagnosedOptions = {},
): Promise<DiagnosedModuleUnderTest> {
  const { module = 'worker', podName = `${module}-1`, others = [], log = silentLog } = options;
  const { place = { index: 0, count: 1 }, processes = async () => [], dataGrid = emptyGrid } = options;
  let running: RunningModule | undefined;
  const diagnostics = startDiagnostics({
    module,
    environment: { id: TEST_ENVIRONMENT_ID, name: 'Development' },
    pods: { live: typeof others === 'function' ? others : async () => [...others] },
    self: () => ({ podName, address: running!.url, running: running! }),
    place,
    processes,
    dataGrid,
    clock: systemClock,
    log,
  });
  running = await startModule({
    module,
    host: '127.0.0.1',
    port: 0,
    isOneOfSeveral: place.count > 1,
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
  const { port, ownPort } = running;
  return {
    port,
    ownPort,
    diagnostics,
    get: (path) =>
      fetch(`http://127.0.0.1:${port}/gateway/diagnostics/${path}`, {
        headers: { authorization: TEST_ENVIRONMENT_ID },
      }),
    rawGet: (path) => {
      const socket = connect(port, '127.0.0.1');
      const head = [`GET /gateway/diagnostics/${path} HTTP/1.1`, 'Host: test'];
      socket.write([...head, `Authorization: ${TEST_ENVIRONMENT_ID}`, '', ''].join('\r\n'));
      return socket;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function emptyGrid() {
  return { engine: 'test', cluster: { state: 'UP', size: 0, members: [] }, maps: [] };
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
