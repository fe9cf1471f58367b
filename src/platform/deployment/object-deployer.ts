import type { DeploymentResult } from './deployment-result.ts';

/** Kinds of objects that are deployed. */
export type ObjectKind = 'connection' | 'log-connectors';

/** Names something that can be deployed. */
export interface DeployableObject {
  readonly kind: ObjectKind;
  /** Of its document. */
  readonly id: string;
  readonly name: string;
  /** Of the project it belongs to; absent for what is there for all of them. */
  readonly projectName?: string | undefined;
}

/** On whose behalf, for the journals. */
export interface DeployedBy {
  readonly userName: string;
}

/** How an object stands in one environment. */
export interface DeploymentStatus {
  readonly environmentId: string;
  readonly environmentName: string;
  readonly deployed: boolean;
  /** What is configured is not what the pods run. */
  readonly redeployRequired: boolean;
  /** ISO 8601; when the object itself was last deployed here. */
  readonly lastDeployTime?: string;
  /** The revision of the environment that brought the object as it runs. */
  readonly revision?: number;
}

/** Brings objects to the pods of environments. */
export interface ObjectDeployer {
  /**
   * Deploys the object as it is stored now. Refused before anything is written when an environment is unknown, has no
   * live pod, or the object has no parameters for it (faults `deployment.*`).
   */
  deploy(
    object: DeployableObject,
    environmentNames: readonly string[],
    by: DeployedBy,
  ): Promise<DeploymentResult>;

  /**
   * Takes the object from the pods of the given environments, or of all that have it. Undefined when none of them has
   * it. Works without a live pod: those that start later do not get it any more.
   */
  undeploy(
    object: DeployableObject,
    by: DeployedBy,
    environmentNames?: readonly string[],
  ): Promise<DeploymentResult | undefined>;

  /**
   * Switches the deployed object on or off wherever it is deployed; its other parameters stay those that were deployed.
   * Undefined when it is deployed nowhere. Works without a live pod.
   */
  setEnabled(
    object: DeployableObject,
    enabled: boolean,
    by: DeployedBy,
  ): Promise<DeploymentResult | undefined>;

  /**
   * Tells the pods which project the deployed object belongs to now; it goes on undisturbed. Undefined when it is deployed
   * nowhere. Works without a live pod.
   */
  setProject(object: DeployableObject, by: DeployedBy): Promise<DeploymentResult | undefined>;

  /** In every environment, by name. */
  statuses(object: DeployableObject): Promise<readonly DeploymentStatus[]>;
}
