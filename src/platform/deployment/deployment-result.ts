import { type Static, Type } from 'typebox';

const told = {
  envName: Type.String(),
  success: Type.Boolean(),
  detail: Type.String({ description: 'What the pod did, or why it could not.' }),
  responseTime: Type.Integer({ description: 'Milliseconds.' }),
};

/** What one pod said to a deployment. A pod that did not answer is there too, with what went wrong. */
export const podDeployment = Type.Object(
  { ...told, podName: Type.String(), podIp: Type.String() },
  { $id: 'PodDeployment' },
);
export type PodDeployment = Static<typeof podDeployment>;

/** What came of a deployment: it succeeded when every pod took it. */
export const deploymentResult = Type.Object(
  {
    ...told,
    podName: Type.String({ description: 'Where one pod answered: its name; otherwise empty.' }),
    podIp: Type.String({ description: 'Where one pod answered: its address; otherwise empty.' }),
    detailList: Type.Array(podDeployment),
  },
  { $id: 'DeploymentResult' },
);
export type DeploymentResult = Static<typeof deploymentResult>;
