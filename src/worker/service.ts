import type { ConnectionHost } from '../delivery/connection-host.ts';
import { startDiagnostics } from '../diagnostics/start-diagnostics.ts';
import { EngineGrid } from '../grid/engine-grid.ts';
import { type GridOptions, openGridEngine } from '../grid/open-grid-engine.ts';
import type { Service } from '../kernel/life-cycle.ts';
import { loadMasterKey } from '../kernel/master-key.ts';
import { SecretBox } from '../kernel/secret-box.ts';
import { environmentAccess } from '../platform/environment-access.ts';
import { findEnvironment } from '../platform/find-environment.ts';
import type { EnvironmentModuleOptions } from '../platform/options.ts';
import { startPlatformModule } from '../platform/platform-module.ts';
import { createDeployedConnections } from './deployed-connections.ts';

export interface WorkerServiceOptions extends EnvironmentModuleOptions, GridOptions {
  readonly masterKey?: string | undefined;
  /** Whether connections may lead to public addresses only. */
  readonly refusePrivateTargets: boolean;
}

/** The Worker: the gateway of one environment. */
export function startWorkerService(options: WorkerServiceOptions): Promise<Service> {
  return startPlatformModule('worker', options, async (base) => {
    const { id, value } = await findEnvironment(base.store, options.environment);
    const grid = new EngineGrid(await openGridEngine(options, { ...base, environmentId: id }));
    const environment = { id, name: value.name };
    const diagnostics = startDiagnostics({ ...base, module: 'worker', environment });
    const deployed = createDeployedConnections({
      ...base,
      environment,
      secretBox: new SecretBox(loadMasterKey({ given: options.masterKey, dataFolder: base.dataFolder })),
      allowsPrivateTargets: !options.refusePrivateTargets,
      shutdownTimeoutMs: options.shutdownTimeout,
    });
    diagnostics.connections.registerPools(() => poolsOf(deployed.connections));
    return {
      environmentId: id,
      identify: environmentAccess(id),
      endpoints: [...diagnostics.endpoints, ...deployed.endpoints],
      services: { grid },
      checks: [deployed.check],
      started: deployed.started,
      stop: async () => {
        await deployed.stop();
        await diagnostics.stop();
        await grid.close();
      },
    };
  });
}

/** The connections to targets, as diagnostics show them. */
function poolsOf(connections: Pick<ConnectionHost, 'states'>) {
  return connections.states().map(({ name, projectName, state: { pool } }) => ({
    name: projectName === undefined ? `connection ${name}` : `connection ${projectName}/${name}`,
    leased: pool.busy,
    available: pool.idle,
    pending: pool.waiting,
    maxTotal: pool.maxTotal,
  }));
}
