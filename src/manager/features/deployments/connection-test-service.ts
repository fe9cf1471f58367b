import { fault } from '../../../kernel/faults.ts';
import type { SecretBox } from '../../../kernel/secret-box.ts';
import { PodCallFailed, type PodChannel, podIpOf } from '../../../platform/channel/pod-channel.ts';
import { contactDeadlineMs, testPlaceOf } from '../../../platform/deployment/connection-contact.ts';
import type {
  ConnectionTester,
  ConnectionTestResult,
  ConnectionUnderTest,
} from '../../../platform/deployment/connection-tester.ts';
import type { EnvironmentService } from '../environments/environment-service.ts';
import type { ConnectionCompiler } from './connection-compiler.ts';
import type { DeploymentService } from './deployment-service.ts';

export interface ConnectionTestServiceOptions {
  readonly environments: Pick<EnvironmentService, 'require'>;
  readonly compiler: Pick<ConnectionCompiler, 'contentOf'>;
  readonly deployments: Pick<DeploymentService, 'requireLivePods'>;
  readonly secretBox: Pick<SecretBox, 'seal'>;
  readonly channel: Pick<PodChannel, 'send'>;
}

/** On top of what the contact itself may take. */
const CALL_MS = 5_000;

/** Has a worker pod of the environment contact the real endpoint once (spec 2 §4.5). */
export class ConnectionTestService implements ConnectionTester {
  readonly #options: ConnectionTestServiceOptions;
  #turn = 0;

  constructor(options: ConnectionTestServiceOptions) {
    this.#options = options;
  }

  async test(connection: ConnectionUnderTest, environmentName: string): Promise<ConnectionTestResult> {
    const { environments, compiler, deployments, secretBox, channel } = this.#options;
    const environment = await environments.require(environmentName);
    const content = await compiler.contentOf(connection, environment.id);
    const pods = await deployments.requireLivePods(environment);
    const call = {
      method: 'POST',
      path: 'test-connection/',
      // The parameters hold secrets: they travel as they lie in the database.
      body: { sealed: secretBox.seal(JSON.stringify(content), testPlaceOf(environment.id)) },
      deadlineMs: contactDeadlineMs(content) + CALL_MS,
      isRepeatable: false,
    } as const;
    const first = this.#turn++ % pods.length;
    let reason = '';
    for (const pod of [...pods.slice(first), ...pods.slice(0, first)]) {
      try {
        const found = (await channel.send(pod, call)) as Omit<
          ConnectionTestResult,
          'envName' | 'podName' | 'podIp'
        >;
        return { envName: environmentName, podName: pod.podName, podIp: podIpOf(pod), ...found };
      } catch (error) {
        if (!(error instanceof PodCallFailed)) throw error;
        reason = `${pod.podName}: ${error.message}`;
        // The endpoint is contacted once at most: only who has not begun is replaced.
        if (!error.isUntouched) break;
      }
    }
    throw fault('deployment.no-answer', { environmentName, reason });
  }
}
