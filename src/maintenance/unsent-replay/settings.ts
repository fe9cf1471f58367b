import { UsageError } from '../../kernel/options.ts';
import { logIndexAddress } from '../../log-index/log-index-address.ts';
import type { LogIndexClientOptions } from '../../log-index/log-index-caller.ts';
import type { UnsentCollection } from '../../store/unsent/unsent-records.ts';
import { readNamedFile } from '../operator/named-file.ts';

/** What the operator asked for. */
export interface ReplaySettings {
  readonly databaseUrl: string | undefined;
  /** The data folder of the embedded database. */
  readonly data: string;
  readonly collection: UnsentCollection | undefined;
  readonly stream: string | undefined;
  readonly logIndexUrl: string;
  readonly logIndexUser: string | undefined;
  readonly logIndexPassword: string | undefined;
  readonly isInsecure: boolean;
  readonly caFile: string | undefined;
  readonly testSize: number;
  readonly batchSize: number;
  readonly totalBatches: number | undefined;
  readonly skip: number;
  readonly batchBytes: number;
  readonly maxRecordBytes: number;
  /** Where backup, rejects and checkpoint are written. */
  readonly workFolder: string;
  readonly isCheck: boolean;
  readonly isTest: boolean;
  readonly isCompact: boolean;
  readonly isForced: boolean;
  readonly isRestart: boolean;
  readonly isBackupDone: boolean;
  readonly isConfirmed: boolean;
  readonly isJson: boolean;
}

export type ReplayMode = 'check' | 'test' | 'replay' | 'compact';

export function modeOf({ isCheck, isTest, isCompact }: ReplaySettings): ReplayMode {
  const chosen = [isCheck && 'check', isTest && 'test', isCompact && 'compact'].filter(
    (mode): mode is Exclude<ReplayMode, 'replay'> => mode !== false,
  );
  if (chosen.length > 1) throw new UsageError(`--${chosen[0]} and --${chosen[1]} are two different runs`);
  return chosen[0] ?? 'replay';
}

/** Where the index engine listens (spec 2 §4.7). */
const INDEX_PORT = 9200;

/** The connection to the index, but for a password that must still be asked for. */
export function indexOptionsOf(settings: ReplaySettings): LogIndexClientOptions {
  const { logIndexUrl, logIndexUser, logIndexPassword, isInsecure, caFile } = settings;
  if (isInsecure && caFile !== undefined)
    throw new UsageError(
      '--insecure and --ca-file contradict each other: a certificate is checked or it is not',
    );
  if (caFile !== undefined) readNamedFile(caFile, '--ca-file');
  const address = logIndexAddress(withPort(logIndexUrl));
  return {
    ...address,
    ...(logIndexUser !== undefined && { user: logIndexUser }),
    ...(logIndexPassword !== undefined && { password: logIndexPassword }),
    ...(caFile !== undefined && { caFile }),
    isInsecure,
  };
}

/** The scheme's own port is no place for an index: who names none means the index's. */
function withPort(url: string): string {
  return url.replace(/^(https?:\/\/(?:[^@/]*@)?(?:\[[^\]]*\]|[^:/]+))(?=\/|$)/, `$1:${INDEX_PORT}`);
}
