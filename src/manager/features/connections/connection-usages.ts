import { Type } from 'typebox';
import type { StoredConnection } from '../../../model/connection-document.ts';
import type { Stored } from '../../../store/contract.ts';

/** How log connectors are called among the users of a connection. */
export const LOG_CONNECTOR_USAGE = 'log connector';

/** Something that stops working when the connection goes: a flow, a connector step, a job, a log connector. */
export interface ConnectionUsage {
  readonly type: string;
  readonly name: string;
  readonly projectName?: string | undefined;
  readonly environmentName?: string | undefined;
}

/** Whoever may use connections tells which of its objects use this one. They refer to it by its id. */
export type ConnectionUsageSource = (
  connection: Stored<StoredConnection>,
) => Promise<readonly ConnectionUsage[]>;

export const connectionUsageView = Type.Object(
  {
    type: Type.String(),
    name: Type.String(),
    projectName: Type.Optional(Type.String()),
    environmentName: Type.Optional(Type.String()),
  },
  { $id: 'ConnectionUsage' },
);

/** The users in one sentence. */
export function usageText(usages: readonly ConnectionUsage[]): string {
  return usages
    .map(({ type, name, projectName, environmentName }) => {
      const where = [projectName, environmentName].filter((part) => part !== undefined).join(', ');
      return where === '' ? `${type} ${name}` : `${type} ${name} (${where})`;
    })
    .join(', ');
}
