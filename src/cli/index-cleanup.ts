import { runIndexCleanup } from '../maintenance/index-cleanup/index-cleanup.ts';
import { indexCleanupOptions } from '../maintenance/index-cleanup/settings.ts';
import { exitCodesText } from '../maintenance/operator/exit-codes.ts';
import { watchInterruption } from '../maintenance/operator/interruption.ts';
import { processConsole } from '../maintenance/operator/operator-console.ts';
import { command } from './command.ts';

const details = `The password comes from the variable ES_PASS or from --pass-file; when a user is set and there is none, it is asked for.
Variables that are empty count as not set; a flag wins over its variable.

Take a snapshot first: nothing of this can be undone. An index is never deleted as a whole.

Examples:
  What would be done? Nothing is changed:
    ES_HOST=127.0.0.1:9200 ES_PROTO=http INDEX=.ds-gateway-log-apiproxy-production-2026.01.01-000001 \\
    FIELDS=fcrb,tcb DRY_RUN=true gatehouse index-cleanup
  Remove bodies of one API proxy in January:
    gatehouse index-cleanup --host es01:9200 --proto https --ca-file ca.pem --user elastic \\
      --index .ds-gateway-log-apiproxy-production-2026.01.01-000001 --fields fcrb,tba,fbarb,tcb \\
      --proxy-value orders --start-ts 2026-01-01T00:00:00.000Z --end-ts 2026-01-31T23:59:59.999Z
  Delete the documents, without a question:
    gatehouse index-cleanup --host es01:9200 --proto http --index old-log --delete-docs --skip-confirm

Files, in the working directory:
  update_result.json, delete_result.json  the counters of the run
  forcemerge_result.json                  the answer of the force merge
  write_block_<index>_<id>.json           only while a write block is lifted. After a crash the next run for this
                                          index, from this directory, puts the block back

Ctrl-C cancels the run on the index and restores the write block. The same command started again finds a run of its
own that is still going on, and follows it.

${exitCodesText('some documents failed or stayed in conflict, or a later step failed')}`;

export const indexCleanup = command({
  name: 'index-cleanup',
  summary: 'Cleans fields from, or deletes, documents of one traffic-log index.',
  options: indexCleanupOptions,
  details,
  errorPrefix: 'ERROR:',
  run: async (settings) => {
    const console = processConsole();
    using interruption = watchInterruption(() =>
      console.err(
        '\nInterrupted: a run is cancelled and its write block restored first. Ctrl-C again leaves at once.\n',
      ),
    );
    const { signal } = interruption;
    return await runIndexCleanup(settings, {
      console,
      environment: process.env,
      folder: process.cwd(),
      signal,
    });
  },
});
