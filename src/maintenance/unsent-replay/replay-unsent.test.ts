import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startEmbeddedIndex } from '../../log-index/embedded/testing/start-embedded-index.ts';
import { openStore } from '../../store/open-store.ts';
import { openUnsentSource } from '../../store/unsent/open-unsent-source.ts';
import { startSecondaryNode } from '../../store/unsent/testing/secondary-node.ts';
import { exitCodesText } from '../operator/exit-codes.ts';
import { describeReplayUnsent } from './replay-unsent.suite.ts';

const parent = mkdtempSync(join(tmpdir(), 'gatehouse-replay-databases-'));
const index = await startEmbeddedIndex();
after(async () => {
  await index[Symbol.asyncDispose]();
  rmSync(parent, { recursive: true, force: true });
});

describeReplayUnsent('embedded database and index', async () => ({
  indexUrl: index.url,
  knowsCompact: true,
  database: async () => {
    const data = mkdtempSync(join(parent, 'data-'));
    await (await openStore({ dataFolder: data })).close();
    return {
      source: (await openUnsentSource({ dataFolder: data }))!,
      settings: { databaseUrl: undefined, data },
    };
  },
}));

const main = fileURLToPath(new URL('../../cli/main.ts', import.meta.url));

describe('gatehouse replay-unsent as a command', () => {
  const run = (argv: readonly string[], environment: Readonly<Record<string, string>> = {}) =>
    new Promise<{ status: unknown; stdout: string; stderr: string }>((resolve) => {
      const options = { env: { PATH: process.env.PATH, ...environment }, cwd: parent };
      execFile(process.execPath, [main, 'replay-unsent', ...argv], options, (error, stdout, stderr) =>
        resolve({ status: error ? error.code : 0, stdout, stderr }),
      );
    });

  it('its help names every setting by flag and variable, the order of work, and the exit codes', async () => {
    const { status, stdout } = await run(['--help']);
    assert.equal(status, 0);
    for (const variable of ['TEST_SIZE', 'BATCH_SIZE', 'TOTAL_BATCHES', 'SKIP', 'BACKUP_DONE'])
      assert.match(
        stdout,
        new RegExp(`--${variable.toLowerCase().replaceAll('_', '-')} .*\\[${variable}\\]`),
      );
    assert.match(stdout, /--test-size <n> .*default 150/);
    assert.match(stdout, /--batch-size <n> .*default 1000/);
    assert.match(stdout, /host\[:25080\]/);
    assert.match(stdout, /host\[:9200\]/);
    assert.ok(stdout.endsWith(exitCodesText('records were rejected, or the run stopped half way')));
  });

  const mistakes: ReadonlyArray<
    readonly [string, readonly string[], Readonly<Record<string, string>>, RegExp]
  > = [
    ['a TEST_SIZE that is none', [], { TEST_SIZE: 'many' }, /^ERROR: TEST_SIZE must be a whole number/],
    ['an unknown flag', ['--batchsize', '10'], {}, /^ERROR: unknown flag/],
    [
      'an unknown collection',
      ['--collection', 'Sent'],
      {},
      /^ERROR: --collection must be one of UnsentMessage/,
    ],
    ['a folder without a database', ['--data', 'none'], {}, /^ERROR: there is no platform database in /],
  ];
  for (const [what, argv, environment, message] of mistakes)
    it(`one line and exit code 2: ${what}`, async () => {
      const { status, stdout, stderr } = await run(argv, environment);
      assert.equal(status, 2);
      assert.match(stderr, message);
      assert.equal(stderr.trimEnd().split('\n').length, 1);
      assert.equal(stdout, '');
    });

  for (const primary of ['10.9.8.7:25080', undefined])
    it(`refuses a node that is not the primary, ${primary ? 'naming the primary' : 'also when it knows none'}`, async () => {
      await using node = await startSecondaryNode(primary);
      const url = `mongodb://127.0.0.1:${node.port}/gatehouse`;
      const { status, stderr } = await run(['--database-url', url, '--stream', 's', '--yes']);
      assert.equal(status, 2, stderr);
      const who = primary ? `that is ${primary}` : 'it knows of none at the moment';
      assert.match(stderr, new RegExp(`^ERROR: mongodb://127.* is not the primary .*\\(${who}\\)`));
    });
});
