import type { PlainAnswer } from '../../../kernel/catalogue/answer.ts';
import { success } from '../../../kernel/contracts/envelope.ts';
import { etagOf } from '../../../kernel/contracts/revisions.ts';
import { Fault, fault } from '../../../kernel/faults.ts';
import type { DeploymentResult } from '../../../platform/deployment/deployment-result.ts';
import type { ManagerCall } from '../../endpoint.ts';
import { type ConnectionScope, deployable, deployedBy, requirePermission } from './connection-calls.ts';
import type { Connection, NamedEnvironment } from './connection-service.ts';
import { wholeViewOf } from './connection-view.ts';

type Caller = Pick<ManagerCall, 'caller' | 'services'>;

interface SaveBody extends NamedEnvironment {
  readonly deploy: boolean;
  readonly deployTargetEnvironmentNameList: readonly string[];
}

interface Saved {
  readonly saved: Connection;
  /** Absent when it is new. */
  readonly before?: Connection;
  readonly scope: ConnectionScope;
  readonly body: SaveBody;
}

/** Before anything is saved: who may not deploy is told so. */
export function refuseDeployment(call: Caller, body: SaveBody, scope: ConnectionScope): void {
  if (body.deploy) requirePermission(call, 'CONNECTIONS', 'DEPLOY_UNDEPLOY', scope.projectName);
}

/** The answer to a save: the connection, and what came of its deployment where one was asked for. */
export async function deployAfterSave(
  call: Caller,
  { saved, before, scope, body }: Saved,
): Promise<PlainAnswer> {
  const isSwitched = before !== undefined && before.value.isEnabled !== saved.value.isEnabled;
  let result: DeploymentResult | undefined;
  try {
    if (isSwitched) result = await switchDeployed(call, saved, scope);
    if (body.deploy) result = await deploySaved(call, saved, scope, await targetsOf(call, body));
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const values = { name: saved.value.name, reason: error.message };
    throw fault('connection.saved-not-deployed', values, [], { cause: error });
  }
  return success(
    {
      ...(result && !result.success && { resultMessage: `Not every pod took it: ${result.detail}` }),
      resultList: [await wholeViewOf(call, saved, scope)],
      resultCount: 1,
      ...(result && { deploymentResult: result }),
    },
    { headers: ['ETag', etagOf(saved.revision)] },
  );
}

/** A connection that is switched off must not be used from now on, wherever it is deployed. */
export function switchDeployed(
  { caller, services }: Caller,
  connection: Connection,
  scope: ConnectionScope,
): Promise<DeploymentResult | undefined> {
  const { isEnabled } = connection.value;
  return services.deployer.setEnabled(deployable(connection, scope), isEnabled, deployedBy({ caller }));
}

export async function deploySaved(
  { caller, services }: Caller,
  connection: Connection,
  scope: ConnectionScope,
  environmentNames: readonly string[],
): Promise<DeploymentResult> {
  for (const environmentName of environmentNames) {
    const environment = await services.connections.environmentOf({ environmentName });
    services.connections.refuseMissingSecrets(connection, environment);
  }
  return services.deployer.deploy(deployable(connection, scope), environmentNames, deployedBy({ caller }));
}

/** Without a list, the environment whose parameters were saved. */
async function targetsOf(
  { services }: Caller,
  { deployTargetEnvironmentNameList, environmentName, environmentId }: SaveBody,
): Promise<readonly string[]> {
  if (deployTargetEnvironmentNameList.length > 0) return deployTargetEnvironmentNameList;
  if (environmentName === undefined && environmentId === undefined) throw fault('deployment.no-environment');
  return [(await services.connections.environmentOf({ environmentName, environmentId })).value.name];
}
