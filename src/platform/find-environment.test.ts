import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { UsageError } from '../kernel/options.ts';
import type { Store } from '../store/contract.ts';
import { openStore } from '../store/open-store.ts';
import { findEnvironment } from './find-environment.ts';
import { addEnvironment } from './testing/add-environment.ts';

const dataFolder = mkdtempSync(join(tmpdir(), 'gatehouse-environments-'));
let store: Store;
before(async () => {
  store = await openStore({ dataFolder });
});
after(async () => {
  await store.close();
  rmSync(dataFolder, { recursive: true });
});

describe('the environment of a pod', () => {
  test('cannot be found before the Manager has started for the first time', async () => {
    await assert.rejects(findEnvironment(store, 'Test'), (error) => {
      assert.ok(error instanceof UsageError);
      assert.match(error.message, /^environment 'Test' is not known; there are none yet/);
      return true;
    });
  });

  test('is found by its name and by its id', async () => {
    const { id } = await addEnvironment(store, 'Test');
    assert.equal((await findEnvironment(store, 'Test')).id, id);
    assert.equal((await findEnvironment(store, id)).value.name, 'Test');
  });

  test('is missed together with those that are known, and names are case-sensitive', async () => {
    await addEnvironment(store, 'Production');
    await assert.rejects(findEnvironment(store, 'test'), {
      message: "environment 'test' is not known; known are Production, Test",
    });
  });
});
