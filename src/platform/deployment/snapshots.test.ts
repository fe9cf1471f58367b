import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { openStore } from '../../store/open-store.ts';
import { describeSnapshots } from './snapshots.suite.ts';

const dataFolder = mkdtempSync(join(tmpdir(), 'gatehouse-revisions-'));
after(() => rmSync(dataFolder, { recursive: true, force: true }));
describeSnapshots('SQLite', () => openStore({ dataFolder }));
