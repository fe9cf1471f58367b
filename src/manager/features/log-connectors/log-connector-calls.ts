import { Type } from 'typebox';
import type { AccessRule } from '../../../kernel/catalogue/endpoint.ts';
import { fault } from '../../../kernel/faults.ts';
import { type LogKind, logKinds } from '../../../model/log-connector.ts';
import type { PermissionAction } from '../../../model/permission.ts';
import { sending } from '../../resources/examples.ts';
import { webhookExample } from '../connections/connection-declarations.ts';

export const logConnectorsPath = '/apiops/environments/{environment}/log-connectors/';
/** The same with an environment that is there, for examples. */
export const exampleLogConnectors = '/apiops/environments/Development/log-connectors/';

export function accessTo(action: PermissionAction): AccessRule {
  return { category: 'GLOBAL_SETTINGS', action, scope: 'global' };
}

const common = { group: 'Log connectors', spec: '2 §6', errors: 'newer' } as const;
export const inEnvironment = { ...common, params: Type.Object({ environment: Type.String() }) } as const;
export const ofKind = {
  ...common,
  params: Type.Object({
    environment: Type.String(),
    kind: Type.String({ description: logKinds.join(', ') }),
  }),
} as const;

export const siem = { name: 'siem' } as const;
/** What examples begin with: a connection for all projects, and a log connector that uses it. */
export const connectionMade = {
  method: 'POST',
  path: '/apiops/connections/siem/',
  ...sending(webhookExample),
};
export const connectorMade = {
  method: 'PUT',
  path: `${exampleLogConnectors}audit/`,
  ...sending({ connection: siem, keepUnsent: true }),
};

/** What exists can be named; anything else is not there. */
export function kindOf(text: string): LogKind {
  const kind = logKinds.find((known) => known === text);
  if (!kind) throw fault('log-connector.kind-unknown', { kind: text, kinds: logKinds.join(', ') });
  return kind;
}

/** The log connectors of an environment as the deployer knows them: one object. */
export function logConnectorsOf(environmentId: string) {
  return { kind: 'log-connectors', id: environmentId, name: 'log connectors' } as const;
}
