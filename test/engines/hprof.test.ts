import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { dumpKnownHeap, type KnownDump } from '../../src/diagnostics/hprof/testing/dump-known-heap.ts';

/** Where Debian's `visualvm` puts the library that opens heap dumps; it needs no other. */
const LIBRARY = '/usr/share/visualvm/visualvm/modules/org-graalvm-visualvm-lib-jfluid-heap.jar';
const program = fileURLToPath(new URL('./hprof/HeapFacts.java', import.meta.url));

const missing = whatIsMissing();
if (missing !== undefined) it('heap dumps in VisualVM', { skip: missing });
else describe('a heap dump in VisualVM’s own library', describeDump);

function describeDump(): void {
  let dump: KnownDump;
  let facts: ReadonlyMap<string, string>;
  before(async () => {
    dump = await dumpKnownHeap();
    facts = await factsOf(dump.file);
  });
  after(() => dump[Symbol.dispose]());

  const expected: ReadonlyArray<readonly [fact: string, value: string]> = [
    ['triple.instances', '12345'],
    ['triple.fields', '3'],
    ['triple.super', 'v8.HeapObject'],
    ['triple.serial.class', 'java.lang.Integer'],
    ['triple.reachable', 'true'],
    ['fraction', String(Math.PI)],
    ['megabyte.class', 'java.lang.String'],
    ['megabyte.length', '1048576'],
    ['megabyte.begins', `${'g'.charCodeAt(0)},${'a'.charCodeAt(0)}`],
    ['megabyte.count', '1'],
  ];
  for (const [fact, value] of expected) {
    it(`says that ${fact} is ${value}`, () => {
      assert.equal(facts.get(fact), value);
    });
  }

  it('has sizes that make sense', () => {
    const bytes = Number(facts.get('bytes'));
    assert.ok(bytes > 5e6 && bytes < statSync(dump.file).size * 1.5, `${bytes} bytes`);
    const retained = Number(facts.get('triple.retained'));
    assert.ok(retained > 12_345 * 40 && retained < 12_345 * 300, `${retained} bytes`);
  });

  it('is refused when it is cut off, so that the above proves something', async () => {
    const cut = join(dump.folder, 'cut.hprof');
    writeFileSync(cut, readFileSync(dump.file).subarray(0, -1_000_000));
    await assert.rejects(factsOf(cut));
  });
}

async function factsOf(file: string): Promise<Map<string, string>> {
  const { stdout } = await promisify(execFile)('java', ['-cp', LIBRARY, program, file]);
  return new Map(
    stdout
      .trim()
      .split('\n')
      .map((line) => line.split('=', 2) as [string, string]),
  );
}

function whatIsMissing(): string | undefined {
  if (!existsSync(LIBRARY)) return 'VisualVM is not installed';
  // A source file is run by the compiler, which a runtime alone does not have.
  return spawnSync('javac', ['-version']).status === 0 ? undefined : 'there is no JDK';
}
