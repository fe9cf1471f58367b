import type { Clock } from '../../../kernel/clock.ts';
import type { Random } from '../../../kernel/random.ts';
import type { SecretBox } from '../../../kernel/secret-box.ts';
import { channelKeyOf, createCallSigner } from '../../../platform/channel/call-signature.ts';
import { PodChannel, type PodChannelOptions } from '../../../platform/channel/pod-channel.ts';
import { Snapshots } from '../../../platform/deployment/snapshots.ts';
import type { Store } from '../../../store/contract.ts';
import type { PodRegistry } from '../../../store/pods.ts';
import type { EnvironmentService } from '../environments/environment-service.ts';
import type { Journals } from '../journals/journals.ts';
import type { LogConnectorService } from '../log-connectors/log-connector-service.ts';
import type { SettingsService } from '../settings/settings-service.ts';
import { ConnectionCompiler, type ConnectionCompilerOptions } from './connection-compiler.ts';
import { ConnectionRuntime } from './connection-runtime.ts';
import { ConnectionTestService } from './connection-test-service.ts';
import { DeliveryPods } from './delivery-pods.ts';
import { DeploymentService } from './deployment-service.ts';
import { LogConnectorsCompiler } from './log-connectors-compiler.ts';
import { RevisionPublisher, type RevisionPublisherOptions } from './revision-publisher.ts';

export interface DeploymentsOptions extends ConnectionCompilerOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly secretBox: SecretBox;
  readonly environments: EnvironmentService;
  readonly journals: Journals;
  readonly pods: PodRegistry;
  readonly callPod: PodChannelOptions['call'];
  readonly settings: SettingsService;
  readonly logConnectors: LogConnectorService;
  readonly published: RevisionPublisherOptions['published'];
}

/** The services that reach the pods of environments. */
export interface DeploymentServices {
  readonly deployments: DeploymentService;
  readonly connectionTester: ConnectionTestService;
  readonly connectionRuntime: ConnectionRuntime;
  readonly deliveryPods: DeliveryPods;
}

export function createDeployments(options: DeploymentsOptions): DeploymentServices {
  const { store, secretBox, callPod: call } = options;
  const channel = new PodChannel({ call, signer: createCallSigner(channelKeyOf(secretBox), options) });
  const snapshots = new Snapshots(store);
  const compiler = new ConnectionCompiler(options);
  const deployments = new DeploymentService({
    ...options,
    snapshots,
    publisher: new RevisionPublisher({ ...options, channel, snapshots }),
    compilers: {
      connection: compiler,
      'log-connectors': new LogConnectorsCompiler(options.logConnectors),
    },
  });
  const deliveryPods = new DeliveryPods({ ...options, channel });
  return {
    deployments,
    deliveryPods,
    connectionTester: new ConnectionTestService({ ...options, compiler, deployments, channel }),
    connectionRuntime: new ConnectionRuntime(deliveryPods),
  };
}
