import type { Clock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import { outboundGuard } from '../kernel/outbound/outbound-guard.ts';
import type { SecretBox } from '../kernel/secret-box.ts';
import { Deployments } from '../platform/deployment/deployments.ts';
import { Snapshots } from '../platform/deployment/snapshots.ts';
import type { Store } from '../store/contract.ts';
import { ConnectionHost } from './connection-host.ts';
import { ProblemJournal } from './problem-journal.ts';

export interface DeployedDeliveryOptions {
  readonly environment: { readonly id: string; readonly name: string };
  /** Only asked once there is something to build. */
  readonly podName: () => string;
  readonly secretBox: SecretBox;
  /** Whether connections may lead to private addresses. */
  readonly allowsPrivateTargets: boolean;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
}

/** The connections that were deployed to one environment, in this pod. */
export interface DeployedDelivery {
  readonly connections: ConnectionHost;
  readonly deployments: Deployments;
  /** What connections hold is delivered within the deadline, or goes where they send what they cannot deliver. */
  stop(deadlineMs: number): Promise<void>;
}

/** Puts together what follows the revisions of an environment. `deployments.start()` begins it. */
export function createDeployedDelivery(options: DeployedDeliveryOptions): DeployedDelivery {
  const { environment, podName, secretBox, store, clock, log } = options;
  const journal = new ProblemJournal({ store, clock, log });
  const connections = new ConnectionHost({
    environmentName: environment.name,
    podName,
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
  return {
    connections,
    deployments,
    stop: async (deadlineMs) => {
      await deployments.stop();
      await connections.stop(deadlineMs);
      await journal.settled();
    },
  };
}
