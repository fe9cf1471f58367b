import type {
  ConnectionTestResult,
  ConnectionUnderTest,
} from '../../../../platform/deployment/connection-tester.ts';
import type { DeploymentResult } from '../../../../platform/deployment/deployment-result.ts';
import type { DeployableObject, DeploymentStatus } from '../../../../platform/deployment/object-deployer.ts';
import type { ManagerOptions } from '../../../manager.ts';

export interface RecordingDeployment extends Required<Pick<ManagerOptions, 'deployment'>> {
  /** What was asked for, in order: verb, name of the object, and the rest. */
  readonly asked: unknown[][];
  /** What pods were given to try. */
  readonly tried: ConnectionUnderTest[];
  /** Names of environments where the object is deployed. */
  readonly deployedTo: Set<string>;
  /** What the next deployment throws. */
  failWith: Error | undefined;
}

/** A deployer that does nothing but remember, and a tester that finds everything well. */
export function recordingDeployment(): RecordingDeployment {
  const recording: RecordingDeployment = {
    asked: [],
    tried: [],
    deployedTo: new Set(),
    failWith: undefined,
    deployment: {
      deployer: {
        deploy: async (object, environmentNames) => {
          recording.asked.push(['deploy', object.name, ...environmentNames]);
          if (recording.failWith) throw recording.failWith;
          for (const name of environmentNames) recording.deployedTo.add(name);
          return resultIn(environmentNames.join(', '));
        },
        undeploy: async (object, _, environmentNames) => {
          recording.asked.push(['undeploy', object.name, ...(environmentNames ?? [])]);
          if (recording.failWith) throw recording.failWith;
          return recording.deployedTo.size > 0 ? resultIn('Development') : undefined;
        },
        setEnabled: async (object, enabled) => {
          recording.asked.push(['setEnabled', object.name, enabled]);
          return recording.deployedTo.size > 0 ? resultIn('Development') : undefined;
        },
        setProject: async (object) => {
          recording.asked.push(['setProject', object.name, object.projectName]);
          return recording.deployedTo.size > 0 ? resultIn('Development') : undefined;
        },
        statuses: async (object) => statusesOf(object, recording.deployedTo),
      },
      connectionTester: {
        test: async (connection, environmentName) => {
          recording.tried.push(connection);
          return foundWell(environmentName);
        },
      },
    },
  };
  return recording;
}

function statusesOf(_: DeployableObject, deployedTo: ReadonlySet<string>): DeploymentStatus[] {
  return ['Development', 'Production', 'Test'].map((environmentName) => ({
    environmentId: `id of ${environmentName}`,
    environmentName,
    deployed: deployedTo.has(environmentName),
    redeployRequired: false,
  }));
}

function resultIn(envName: string): DeploymentResult {
  const told = {
    envName,
    podName: 'worker-1',
    podIp: '127.0.0.1',
    success: true,
    detail: 'deployed',
    responseTime: 1,
  };
  return { ...told, detailList: [told] };
}

function foundWell(envName: string): ConnectionTestResult {
  return {
    envName,
    podName: 'worker-1',
    podIp: '127.0.0.1',
    success: true,
    detail: '200',
    phases: {},
    responseTime: 1,
  };
}
