import type { ManagerCall } from '../endpoint.ts';

export interface AuditedChange {
  readonly action:
    | 'CREATE'
    | 'UPDATE'
    | 'DELETE'
    | 'ENABLE'
    | 'DISABLE'
    | 'MOVE'
    | 'EXPORT'
    | 'IMPORT'
    | 'TRANSFER';
  readonly objectType: string;
  readonly objectName: string;
  readonly projectName?: string | undefined;
  readonly before?: unknown;
  readonly after?: unknown;
}

/** Writes down who changed what. */
export function audit(
  { caller, services }: Pick<ManagerCall, 'caller' | 'services'>,
  { projectName, ...change }: AuditedChange,
): Promise<void> {
  return services.journals.audit({
    userName: caller.userName,
    sourceAddress: caller.sourceAddress,
    ...change,
    ...(projectName !== undefined && { projectName }),
  });
}
