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
import { ConnectionCompiler, type ConnectionCompilerOptions } from './connection-compiler.ts';
import { ConnectionRuntime } from './connection-runtime.ts';
import { ConnectionTestService } from './connection-test-service.ts';
import { DeploymentService } from './deployment-service.ts';
import { RevisionPublisher } from './revision-publisher.ts';

export interface DeploymentsOptions extends ConnectionCompilerOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly secretBox: SecretBox;
  readonly environments: EnvironmentService;
  readonly journals: Journals;
  readonly pods: PodRegistry;
  readonly callPod: PodChannelOptions['call'];
}

/** The services that reach the pods of environments. */
export interface DeploymentServices {
  readonly deployments: DeploymentService;
  readonly connectionTester: ConnectionTestService;
  readonly connectionRuntime: ConnectionRuntime;
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
    compilers: { connection: compiler },
  });
  return {
    deployments,
    connectionTester: new ConnectionTestService({ ...options, compiler, deployments, channel }),
    connectionRuntime: new ConnectionRuntime({ ...options, channel }),
  };
}
