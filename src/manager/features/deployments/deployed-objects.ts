import type { DeployableObject } from '../../../platform/deployment/object-deployer.ts';
import type { DeployedObject } from '../../../platform/deployment/snapshots.ts';

type Named = Pick<DeployableObject, 'kind' | 'id'>;

export function objectIn(objects: readonly DeployedObject[], wanted: Named): DeployedObject | undefined {
  return objects.find(({ kind, id }) => kind === wanted.kind && id === wanted.id);
}

export function without(objects: readonly DeployedObject[], unwanted: Named): DeployedObject[] {
  return objects.filter(({ kind, id }) => kind !== unwanted.kind || id !== unwanted.id);
}
