import type { DeploymentResult, PodDeployment } from '../../../platform/deployment/deployment-result.ts';

/** What pods said, in all environments of one deployment, as one result. */
export function summaryOf(
  environmentNames: readonly string[],
  pods: readonly PodDeployment[],
  responseTime: number,
): DeploymentResult {
  const [only] = pods.length === 1 ? pods : [];
  return {
    envName: environmentNames.join(', '),
    podName: only?.podName ?? '',
    podIp: only?.podIp ?? '',
    success: pods.every(({ success }) => success),
    detail: detailOf(pods),
    responseTime,
    detailList: [...pods],
  };
}

function detailOf(pods: readonly PodDeployment[]): string {
  if (pods.length === 0) return 'No pod is running; those that start get it.';
  const failed = pods.filter(({ success }) => !success);
  if (failed.length === 0) return `Runs on ${counted(pods.length)}.`;
  const names = failed.map(({ podName }) => podName).join(', ');
  return `Failed on ${failed.length} of ${counted(pods.length)}: ${names}.`;
}

function counted(pods: number): string {
  return pods === 1 ? '1 pod' : `${pods} pods`;
}
