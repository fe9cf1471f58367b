import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { loadMasterKey } from './master-key.ts';
import { UsageError } from './options.ts';

const root = mkdtempSync(join(tmpdir(), 'gatehouse-key-'));
after(() => rmSync(root, { recursive: true }));
const key = randomBytes(32);

describe('a given master key', () => {
  for (const encoding of ['hex', 'base64', 'base64url'] as const) {
    test(`is read as ${encoding}`, () => {
      assert.deepEqual(loadMasterKey({ given: key.toString(encoding), dataFolder: root }), key);
      assert.deepEqual(readdirSync(root), []);
    });
  }

  test('of another length is refused without being repeated', () => {
    const given = randomBytes(31).toString('base64');
    assert.throws(
      () => loadMasterKey({ given, dataFolder: root }),
      (error) => error instanceof UsageError && !error.message.includes(given),
    );
  });
});

describe('without a given master key', () => {
  test('the first start makes one, for its owner alone, and later ones find it', () => {
    const dataFolder = join(root, 'first');
    const made = loadMasterKey({ given: undefined, dataFolder });
    assert.equal(made.length, 32);
    assert.deepEqual(loadMasterKey({ given: '', dataFolder }), made);
    assert.deepEqual(readdirSync(dataFolder), ['master.key']);
    assert.equal(statSync(join(dataFolder, 'master.key')).mode & 0o777, 0o600);
    assert.equal(statSync(dataFolder).mode & 0o777, 0o700);
  });

  test('a file that others may read is refused', () => {
    const dataFolder = join(root, 'open');
    loadMasterKey({ given: undefined, dataFolder });
    chmodSync(join(dataFolder, 'master.key'), 0o640);
    assert.throws(() => loadMasterKey({ given: undefined, dataFolder }), /chmod 600/);
  });

  test('a damaged file is refused, never replaced', () => {
    const dataFolder = join(root, 'damaged');
    loadMasterKey({ given: undefined, dataFolder });
    writeFileSync(join(dataFolder, 'master.key'), 'ab');
    assert.throws(() => loadMasterKey({ given: undefined, dataFolder }), UsageError);
    assert.throws(() => loadMasterKey({ given: undefined, dataFolder }), UsageError);
  });
});
