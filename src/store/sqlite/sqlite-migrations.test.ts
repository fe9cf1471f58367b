import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it, type TestContext } from 'node:test';
import { describeMigrations } from '../migrations.suite.ts';
import { openStore } from '../open-store.ts';

describeMigrations('SQLite', async (test) => {
  const dataFolder = emptyFolder(test);
  return (migrations) => openStore({ dataFolder, migrations });
});

describe('a data folder of version 1', () => {
  it('opens, with its documents, keys and revisions', async (test) => {
    const dataFolder = dataFolderOfVersion1(test);
    const store = await openStore({ dataFolder });
    const projects = store.collection<{ name: string; order: number }>({
      name: 'projects',
      unique: [['name']],
      indexed: [['order']],
    });
    assert.deepEqual(await projects.list({ orderBy: { member: 'order' } }), [
      { id: '0123456789abcdef01234567', revision: 3, value: { name: 'default', order: 1 } },
      { id: 'fedcba9876543210fedcba98', revision: 1, value: { name: 'Köprü 🏛', order: 2 } },
    ]);
    await assert.rejects(projects.insert({ name: 'default', order: 3 }), /same name/);
    await store.close();
  });

  it('stays whole when a step fails: not one document is rewritten', async (test) => {
    const dataFolder = dataFolderOfVersion1(test);
    const before = dump(dataFolder);
    let rewrites = 0;
    const failing = openStore({
      dataFolder,
      migrations: [
        {
          toVersion: 2,
          changes: [
            { kind: 'drop-index', collection: 'projects', index: 'unique', members: ['name'] },
            {
              kind: 'rewrite',
              collection: 'projects',
              rewrite: (project) => {
                if (++rewrites === 2) throw new Error('power cut');
                return { ...project, isNew: true };
              },
            },
          ],
        },
      ],
    });
    await assert.rejects(failing, /power cut/);
    assert.deepEqual(dump(dataFolder), before);
  });
});

function dump(dataFolder: string): unknown {
  const database = new DatabaseSync(join(dataFolder, 'platform.db'));
  try {
    return [
      database.prepare('PRAGMA user_version').get(),
      database.prepare('SELECT name, sql FROM sqlite_schema ORDER BY name').all(),
      database.prepare('SELECT * FROM c_projects ORDER BY id').all(),
    ];
  } finally {
    database.close();
  }
}

/** What the first release wrote, in SQL. It must never be changed to fit the code. */
function dataFolderOfVersion1(test: TestContext): string {
  const dataFolder = emptyFolder(test);
  const database = new DatabaseSync(join(dataFolder, 'platform.db'));
  database.exec(readFileSync(join(import.meta.dirname, 'testing', 'version-1.sql'), 'utf8'));
  database.close();
  return dataFolder;
}

function emptyFolder(test: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-store-'));
  test.after(() => rmSync(folder, { recursive: true }));
  return folder;
}
