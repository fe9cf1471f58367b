import type { Clock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import { outboundGuard } from '../kernel/outbound/outbound-guard.ts';
import type { SecretBox } from '../kernel/secret-box.ts';
import { Deployments } from '../platform/deployment/deployments.ts';
import { Snapshots } from '../platform/deployment/snapshots.ts';
import type { Store } from '../store/contract.ts';
import { ConnectionHost } from './connection-host.ts';
import { LogRouter } from './log-router.ts';
import { ProblemJournal } from './problem-journal.ts';
import type { UnsentRecordKeeper } from './unsent-records.ts';

export interface DeployedDeliveryOptions {
  readonly environment: { readonly id: string; readonly name: string };
  /** Only asked once there is something to build. */
  readonly podName: () => string;
  readonly secretBox: SecretBox;
  /** Whether connections may lead to private addresses. */
  readonly allowsPrivateTargets: boolean;
  readonly unsentRecords: UnsentRecordKeeper;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
}

/** What was deployed to one environment, in this pod: connections, and the log connectors that use them. */
export interface DeployedDelivery {
  readonly environment: DeployedDeliveryOptions['environment'];
  readonly connections: ConnectionHost;
  readonly logs: LogRouter;
  readonly deployments: Deployments;
  /** What connections hold is delivered within the deadline, or goes where they send what they cannot deliver. */
  stop(deadlineMs: number): Promise<void>;
}

/** Puts together what follows the revisions of an environment. `deployments.start()` begins it. */
export function createDeployedDelivery(options: DeployedDeliveryOptions): DeployedDelivery {
  const { environment, podName, secretBox, store, clock, log } = options;
  const journal = new ProblemJournal({ store, clock, log });
  const place = { environmentName: environment.name, podName };
  const common = { ...place, report: journal.report, clock, log };
  const connections = new ConnectionHost({
    ...common,
    addresses: outboundGuard({ allowsPrivate: options.allowsPrivateTargets }),
  });
  const logs = new LogRouter({ ...common, connections, unsentRecords: options.unsentRecords });
  const deployments = new Deployments({
    environmentId: environment.id,
    snapshots: new Snapshots(store),
    secretBox,
    builders: [connections, logs],
    clock,
    log,
  });
  return {
    environment,
    connections,
    logs,
    deployments,
    stop: async (deadlineMs) => {
      await deployments.stop();
      const failoverIds = logs.failoverConnectionIds();
      await Promise.all([connections.stop(deadlineMs, failoverIds), logs.stop(deadlineMs)]);
      await journal.settled();
    },
  };
}
