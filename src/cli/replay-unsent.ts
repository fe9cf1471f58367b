import { setFlagsFromString } from 'node:v8';
import { type Option, option } from '../kernel/options.ts';
import { exitCodesText } from '../maintenance/operator/exit-codes.ts';
import { processConsole } from '../maintenance/operator/operator-console.ts';
import { runReplayUnsent } from '../maintenance/unsent-replay/run-replay-unsent.ts';
import { platformOptions } from '../platform/options.ts';
import { type UnsentCollection, unsentCollections } from '../store/unsent/unsent-records.ts';
import { command, commonOptions } from './command.ts';

const MIB = 2 ** 20;
/** The names that operators know from the procedure. */
const known = <Value>(variable: string, row: Option<Value>): Option<Value> => ({ ...row, variable });
const optional = <Value>(row: Option<Value>): Option<Value | undefined> => ({ ...row, default: undefined });

export const replayUnsent = command({
  name: 'replay-unsent',
  summary: 'Sends unsent log records to the index and deletes what arrived there.',
  errorPrefix: 'ERROR:',
  options: {
    databaseUrl: {
      ...platformOptions.databaseUrl,
      description:
        'platform database, mongodb://[user:password@]host[:25080]/database, its users in admin unless authSource says otherwise; without it the file in the data folder',
    },
    data: commonOptions.data,
    collection: optional<UnsentCollection>(
      option.choice('collection', unsentCollections, 'UnsentMessage', {
        description: 'which collection, where there are both',
      }),
    ),
    stream: option.optionalText('stream', {
      description: 'data stream that the records go to, such as gateway-log-apiproxy-production; required',
    }),
    logIndexUrl: option.text('log-index-url', 'http://127.0.0.1:9200', {
      description: 'the index, http(s)://host[:9200]',
    }),
    logIndexUser: known(
      'ES_USER',
      option.optionalText('log-index-user', {
        description: 'its user; the password is read from ES_PASS or asked for',
      }),
    ),
    isInsecure: option.switch('insecure', { description: 'takes any certificate of the index' }),
    caFile: option.optionalText('ca-file', { description: 'certificates to trust, PEM' }),
    isCheck: option.switch('check', { description: 'looks at collection and index, and changes nothing' }),
    isTest: option.switch('test', {
      description: 'ends after TEST_SIZE records and writes down which they were',
    }),
    testSize: known(
      'TEST_SIZE',
      option.integer('test-size', 150, {
        description: 'records of a test run',
        minimum: 1,
        maximum: 1_000_000,
      }),
    ),
    batchSize: known(
      'BATCH_SIZE',
      option.integer('batch-size', 1000, {
        description: 'records of one pass; lower it where memory is short',
        minimum: 1,
        maximum: 10_000,
      }),
    ),
    totalBatches: known(
      'TOTAL_BATCHES',
      optional(
        option.integer('total-batches', 1, {
          description: 'how many passes; without it as many as the records need, rounded up',
          minimum: 1,
          maximum: 1_000_000_000,
        }),
      ),
    ),
    skip: known(
      'SKIP',
      option.integer('skip', 0, {
        description: 'leaves so many records alone, counted from the first when the run begins',
        minimum: 0,
        maximum: 1_000_000_000,
      }),
    ),
    batchBytes: option.bytes('batch-bytes', 5 * MIB, {
      description: 'bytes that are read and sent at once',
    }),
    maxRecordBytes: option.bytes('max-record-bytes', 50 * MIB, {
      description: 'a larger record is rejected',
    }),
    workFolder: option.text('work-folder', '.', { description: 'folder for backup, rejects and checkpoint' }),
    isRestart: option.switch('restart', {
      description: 'forgets an unfinished run instead of going on with it',
    }),
    isBackupDone: known(
      'BACKUP_DONE',
      option.switch('backup-done', { description: 'the database is backed up: asks nothing' }),
    ),
    isConfirmed: known('SKIP_CONFIRM', option.switch('yes', { description: 'asks nothing' })),
    isCompact: option.switch('compact', {
      description: 'gives the space of deleted records back, instead of replaying',
    }),
    isForced: option.switch('force', { description: 'compacts a collection that still holds records' }),
    isJson: option.switch('json', {
      description: 'one JSON object on standard output; everything else on standard error',
    }),
  },
  details: `Order of work (run on the primary of the database):
  1. gatehouse replay-unsent --stream STREAM --check     what waits, and whether it is in the index already
  2. back up the database, without UnsentMessage and log_UnsentMessage
  3. gatehouse replay-unsent --stream STREAM --test      150 records; look for them in the index
  4. gatehouse replay-unsent --stream STREAM             the rest; prints deletedCount for each pass
  5. gatehouse replay-unsent --compact                   preferably on a secondary node

A record is deleted only when the index acknowledged it and it stands in the backup file. Ctrl-C, kill -9 or a lost
connection lose nothing and duplicate nothing: run the same command again.

${exitCodesText('records were rejected, or the run stopped half way')}`,
  run: (values) => {
    // It runs beside a database or an index on their machine: memory is worth more there than the collector's time.
    setFlagsFromString('--optimize-for-size');
    return runReplayUnsent(
      { ...values, logIndexPassword: process.env.ES_PASS || undefined },
      processConsole(),
    );
  },
});
