import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { LogIndexClient } from '../../src/log-index/client.ts';
import { startEmbeddedIndex } from '../../src/log-index/embedded/testing/start-embedded-index.ts';
import { indexCleanupOptions } from '../../src/maintenance/index-cleanup/settings.ts';
import { exitCodesText } from '../../src/maintenance/operator/exit-codes.ts';
import { GatehouseProcess } from '../support/gatehouse-process.ts';
import { describeIndexCleanupProcess } from '../support/index-cleanup-process.suite.ts';

const index = await startEmbeddedIndex();
after(async () => await index[Symbol.asyncDispose]());

describeIndexCleanupProcess('embedded', async () => ({ url: index.url, stop: async () => {} }));

describe('gatehouse index-cleanup', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-index-cleanup-command-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const base = { ES_HOST: new URL(index.url).host, ES_PROTO: 'http', INDEX: 'logs', FIELDS: 'fcrb' };

  const run = async (variables: Record<string, string>, ...flags: string[]) => {
    const started = new GatehouseProcess(['index-cleanup', ...flags], variables, folder);
    return { exitCode: await started.exitCode(), stdout: started.stdout, stderr: started.stderr };
  };

  it('has a help text that names every setting and every exit code', async () => {
    const { exitCode, stdout } = await run({}, '--help');
    assert.equal(exitCode, 0);
    for (const { flag, variable } of Object.values(indexCleanupOptions)) {
      assert.ok(stdout.includes(`--${flag}`), flag);
      assert.ok(stdout.includes(`[${variable}]`), variable);
    }
    for (const word of ['ES_PASS', 'Examples:', 'update_result.json', 'Exit codes:', 'Take a snapshot first'])
      assert.ok(stdout.includes(word), word);
    assert.ok(
      stdout.endsWith(exitCodesText('some documents failed or stayed in conflict, or a later step failed')),
    );
    for (const code of [0, 1, 2, 3]) assert.match(stdout, new RegExp(`^  ${code}  `, 'm'));
  });

  it('tells by its exit code: 0 done or nothing to do, 1 failed, 2 configuration', async () => {
    await using client = new LogIndexClient({ url: index.url });
    await client.create('logs', '1', { fcrb: 'x' });
    const cases: Array<[exitCode: number, variables: Record<string, string>, error: RegExp | undefined]> = [
      [2, { ...base, ES_PROTO: 'gopher' }, /^ERROR: ES_PROTO must be one of http, https, not 'gopher'\n$/],
      [2, { ...base, FIELDS: '' }, /^ERROR: there is no operation.*\n$/],
      [2, base, /^ERROR: nobody can be asked for confirmation.*\n$/],
      [
        2,
        { ...base, SKIP_CONFIRM: 'true', ES_USER: 'ada' },
        /^ERROR: ES_USER is set and there is no password.*\n$/,
      ],
      [
        1,
        { ...base, SKIP_CONFIRM: 'true', INDEX: 'nowhere' },
        /^ERROR: there is no index 'nowhere' \(INDEX\)\n$/m,
      ],
      [0, { ...base, DRY_RUN: 'true' }, undefined],
      [0, { ...base, SKIP_CONFIRM: 'true' }, undefined],
      [0, { ...base, SKIP_CONFIRM: 'true', PROXY_VALUE: 'none' }, undefined],
    ];
    for (const [expected, variables, error] of cases) {
      const { exitCode, stderr } = await run(variables);
      assert.equal(exitCode, expected, stderr);
      if (error) assert.match(stderr, error);
      else assert.doesNotMatch(stderr, /^ERROR/m);
    }
    assert.deepEqual(readdirSync(folder).sort(), ['forcemerge_result.json', 'update_result.json']);
  });

  it('takes no password as a flag', async () => {
    const { exitCode, stderr } = await run(base, '--pass', 'secret');
    assert.equal(exitCode, 2);
    assert.equal(stderr, "ERROR: unknown flag '--pass' (did you mean --pass-file?)\n");
  });
});
