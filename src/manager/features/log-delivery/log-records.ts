import type { DeliveryEvent } from '../../../delivery/delivery-event.ts';
import type { JournalEntry, JournalKind, StoredJournalRow } from '../../../model/journal.ts';
import type { LogKind } from '../../../model/log-connector.ts';
import type { Stored } from '../../../store/contract.ts';

export interface LogRecord {
  readonly kind: LogKind;
  readonly event: DeliveryEvent;
}

/**
 * What of a journal row is delivered; undefined for rows that stay here. `aci` is the id of the row, so that a record in
 * the collector leads back to the journal. Values were masked when the row was written; what an object was before and
 * after stays in the journal alone.
 */
export function logRecordOf(
  kind: JournalKind,
  { id, value }: Stored<StoredJournalRow>,
  environment: string,
): LogRecord | undefined {
  const common = { '@timestamp': new Date(value.at).toISOString(), aci: id };
  const of = (logType: LogKind, members: object): LogRecord => ({
    kind: logType,
    event: { record: { ...common, logType, environment, ...members }, timeMs: value.at },
  });
  if (kind === 'token') return of('token', tokenMembers(value as JournalEntry<'token'>));
  if (kind === 'audit') return of('audit', auditMembers(value as JournalEntry<'audit'>));
  // A token that was asked for in vain: only the login journal has it.
  if (kind === 'login' && value.result === 'FAILURE')
    return of('token', refusalMembers(value as JournalEntry<'login'>));
  return undefined;
}

function tokenMembers(row: JournalEntry<'token'>): object {
  const { userName: user, action, result, tokenId, tokenName, sourceAddress } = row;
  const { issuedAt: issued, expiresAt: expires } = row;
  return { user, action, result, tokenType: 'Bearer', issued, expires, tokenId, tokenName, sourceAddress };
}

function refusalMembers({ userName: user, sourceAddress }: JournalEntry<'login'>): object {
  return { user, action: 'ISSUE', result: 'FAILURE', tokenType: 'Bearer', sourceAddress };
}

function auditMembers(row: JournalEntry<'audit'>): object {
  const { userName: user, action, objectType: type, objectName: name, projectName, sourceAddress } = row;
  return { user, action, object: { type, name, project: projectName }, sourceAddress };
}
