import type { ConnectionHost } from '../delivery/connection-host.ts';
import { registerDeliveryMetrics } from '../delivery/delivery-metrics.ts';
import { createDeployedDelivery } from '../delivery/deployed-delivery.ts';
import { startDiagnostics } from '../diagnostics/start-diagnostics.ts';
import { EngineGrid } from '../grid/engine-grid.ts';
import { type GridOptions, openGridEngine } from '../grid/open-grid-engine.ts';
import type { Service } from '../kernel/life-cycle.ts';
import { loadMasterKey } from '../kernel/master-key.ts';
import { SecretBox } from '../kernel/secret-box.ts';
import { CallVerifier, channelKeyOf } from '../platform/channel/call-signature.ts';
import { environmentAccess } from '../platform/environment-access.ts';
import { findEnvironment } from '../platform/find-environment.ts';
import type { EnvironmentModuleOptions } from '../platform/options.ts';
import { startPlatformModule } from '../platform/platform-module.ts';
import { internalEndpoints } from './internal.endpoints.ts';

export interface WorkerServiceOptions extends EnvironmentModuleOptions, GridOptions {
  readonly masterKey?: string | undefined;
  /** Whether connections may lead to public addresses only. */
  readonly refusePrivateTargets: boolean;
}

/** The Worker: the gateway of one environment. */
export function startWorkerService(options: WorkerServiceOptions): Promise<Service> {
  return startPlatformModule('worker', options, async (base) => {
    const { store, clock, dataFolder, self } = base;
    const secretBox = new SecretBox(loadMasterKey({ given: options.masterKey, dataFolder }));
    const { id, value } = await findEnvironment(store, options.environment);
    const environment = { id, name: value.name };
    const grid = new EngineGrid(await openGridEngine(options, { ...base, environmentId: id }));
    const diagnostics = startDiagnostics({ ...base, module: 'worker', environment });
    const delivery = createDeployedDelivery({
      ...base,
      environment,
      podName: () => self().podName,
      secretBox,
      allowsPrivateTargets: !options.refusePrivateTargets,
    });
    const { connections, deployments } = delivery;
    const gate = { verifier: new CallVerifier(channelKeyOf(secretBox), clock), environmentId: id };
    diagnostics.connections.registerPools(() => poolsOf(connections));
    return {
      environmentId: id,
      identify: environmentAccess(id),
      endpoints: [
        ...diagnostics.endpoints,
        ...internalEndpoints({ gate, deployments, connections, secretBox }),
      ],
      services: { grid },
      checks: [deployments.check],
      started: ({ running }) => {
        const { registry } = running.metrics;
        registerDeliveryMetrics(
          registry,
          () => connections.states(),
          () => deployments.revision,
        );
        return deployments.start();
      },
      stop: async () => {
        await delivery.stop(options.shutdownTimeout);
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
