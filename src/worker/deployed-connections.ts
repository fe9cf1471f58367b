import { ConnectionHost } from '../delivery/connection-host.ts';
import { registerDeliveryMetrics } from '../delivery/delivery-metrics.ts';
import { ProblemJournal } from '../delivery/problem-journal.ts';
import type { Endpoint } from '../kernel/catalogue/endpoint.ts';
import type { HealthCheck } from '../kernel/module/health.ts';
import { outboundGuard } from '../kernel/outbound/outbound-guard.ts';
import type { SecretBox } from '../kernel/secret-box.ts';
import { CallVerifier, channelKeyOf } from '../platform/channel/call-signature.ts';
import { Deployments } from '../platform/deployment/deployments.ts';
import { Snapshots } from '../platform/deployment/snapshots.ts';
import type { PlatformBase, RunningPod } from '../platform/platform-module.ts';
import { internalEndpoints } from './internal.endpoints.ts';

export interface DeployedConnectionsOptions extends PlatformBase {
  readonly environment: { readonly id: string; readonly name: string };
  readonly secretBox: SecretBox;
  /** Whether connections may lead to private addresses. */
  readonly allowsPrivateTargets: boolean;
  /** For what connections still hold when the pod ends. */
  readonly shutdownTimeoutMs: number;
}

/** What was deployed to this pod, and the way in which it gets there. */
export interface DeployedConnections {
  readonly connections: ConnectionHost;
  readonly endpoints: readonly Endpoint<unknown, unknown>[];
  readonly check: HealthCheck;
  started(pod: RunningPod): Promise<void>;
  stop(): Promise<void>;
}

export function createDeployedConnections(options: DeployedConnectionsOptions): DeployedConnections {
  const { environment, secretBox, store, clock, log, self } = options;
  const journal = new ProblemJournal({ store, clock, log });
  const connections = new ConnectionHost({
    environmentName: environment.name,
    podName: () => self().podName,
    addresses: outboundGuard({ allowsPrivate: options.allowsPrivateTargets }),
    report: journal.report,
    clock,
    log,
  });
  const deployments = new Deployments({
    environmentId: environment.id,
    snapshots: new Snapshots(store),
    secretBox,
    builders: [connections],
    clock,
    log,
  });
  const gate = {
    verifier: new CallVerifier(channelKeyOf(secretBox), clock),
    environmentId: environment.id,
  };
  return {
    connections,
    endpoints: internalEndpoints({ gate, deployments, connections, secretBox }),
    check: deployments.check,
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
      await deployments.stop();
      await connections.stop(options.shutdownTimeoutMs);
      await journal.settled();
    },
  };
}
