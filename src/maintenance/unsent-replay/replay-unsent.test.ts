import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { startEmbeddedIndex } from '../../log-index/embedded/testing/start-embedded-index.ts';
import { openStore } from '../../store/open-store.ts';
import { openUnsentSource } from '../../store/unsent/open-unsent-source.ts';
import { describeReplayUnsent } from './replay-unsent.suite.ts';

const parent = mkdtempSync(join(tmpdir(), 'gatehouse-replay-databases-'));
const index = await startEmbeddedIndex();
after(async () => {
  await index[Symbol.asyncDispose]();
  rmSync(parent, { recursive: true, force: true });
});

describeReplayUnsent('embedded database and index', async () => ({
  indexUrl: index.url,
  database: async () => {
    const data = mkdtempSync(join(parent, 'data-'));
    await (await openStore({ dataFolder: data })).close();
    return {
      source: (await openUnsentSource({ dataFolder: data }))!,
      settings: { databaseUrl: undefined, data },
    };
  },
}));
