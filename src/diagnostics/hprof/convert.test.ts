import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { dumpKnownHeap, type KnownDump } from './testing/dump-known-heap.ts';
import { type FieldValue, HprofFile } from './testing/hprof-reader.ts';

let dump: KnownDump;
let file: HprofFile;
let holder: Record<string, FieldValue>;
before(async () => {
  dump = await dumpKnownHeap();
  // Reading refuses whatever does not fit together: sizes, classes, layouts, references.
  file = new HprofFile(readFileSync(dump.file));
  const [only, ...others] = file.instancesOf('KnownHolder');
  assert.equal(others.length, 0);
  holder = file.fieldsOf(only!);
});
after(() => dump[Symbol.dispose]());

const fieldsAt = (id: FieldValue | undefined) => file.fieldsOf(file.instance(id!));

describe('the dump of a known heap', () => {
  test('is dated, and leaves nothing else behind', () => {
    assert.ok(Math.abs(file.timeMs - Date.now()) < 300_000);
    assert.deepEqual(readdirSync(dump.folder), ['known.hprof']);
  });

  test('has exactly 12,345 instances of the class with three fields', () => {
    assert.equal(file.instancesOf('KnownTriple').length, 12_345);
    const { fields, superId, instanceBytes } = file.classNamed('KnownTriple');
    assert.deepEqual(
      fields.map(({ name }) => name),
      ['serial', 'label', 'next'],
    );
    assert.equal(file.classes.get(superId)?.name, 'v8/HeapObject');
    assert.ok(instanceBytes >= 40 && instanceBytes <= 64, `${instanceBytes} bytes`);
  });

  test('has the one string of a megabyte, with its length and its beginning', () => {
    const text = file.text(holder.megabyte!);
    assert.equal(text.length, 1 << 20);
    assert.equal(text.slice(0, 1024), 'gatehouse '.repeat(103).slice(0, 1024));
    const strings = file.instancesOf('java/lang/String').map(({ id }) => file.text(id));
    assert.equal(strings.filter((one) => one.length === 1 << 20).length, 1);
  });

  test('keeps numbers and strings of instances, and whom they refer to', () => {
    const triples = file.instancesOf('KnownTriple').map((one) => file.fieldsOf(one));
    const serials = new Set<FieldValue>();
    for (const { serial, label, next } of triples) {
      const value = fieldsAt(serial).value!;
      serials.add(value);
      assert.equal(file.text(label!), `triple ${value}`);
      if (value === 0 || value === -1) assert.equal(next, 0n);
      else assert.equal(fieldsAt(fieldsAt(next).serial).value, Number(value) - 1);
    }
    assert.equal(serials.size, 12_345);
  });

  test('shows text beyond Latin-1, and text that JSON escapes', () => {
    assert.equal(file.text(holder.wideText!), 'Grüße, 世界');
    assert.equal(file.text(holder.escapedText!), 'a"b\\c\nd\te\u0001é');
  });

  test('has fractions, negative numbers, booleans and null', () => {
    assert.equal(file.className(holder.fraction!), 'java/lang/Double');
    assert.equal(fieldsAt(holder.fraction).value, Math.PI);
    assert.equal(file.className(holder.negative!), 'java/lang/Integer');
    assert.equal(fieldsAt(holder.negative).value, -42);
    assert.equal(file.className(holder.yes!), 'java/lang/Boolean');
    assert.equal(fieldsAt(holder.yes).value, 1);
    assert.equal(holder.nothing, 0n);
  });

  test('leads from a map to its entries', () => {
    assert.equal(file.className(holder.table!), 'Map');
    const table = fieldsAt(holder.table)['[[table]]']!;
    const entries = file.elementsOf(table).filter((id) => id !== 0n);
    const strings = entries.filter((id) => file.objects.get(id)?.kind === 'instance');
    assert.ok(strings.some((id) => file.className(id) === 'KnownTriple'));
    assert.ok(
      strings.some((id) => file.className(id) === 'java/lang/String' && file.text(id) === 'known key'),
    );
  });

  test('leads from a list to its elements, in their order', () => {
    const elements = file.elementsOf(fieldsAt(holder.triples)['[[elements]]']!);
    for (const place of [0, 1, 4711, 12_343])
      assert.equal(fieldsAt(fieldsAt(elements[place]).serial).value, place);
  });

  test('gives buffers their size', () => {
    const content = fieldsAt(holder.buffer)['[[backing_store]]']!;
    assert.equal(file.bytesOf(content).length, 123_456);
  });

  test('gives an array that is larger than a segment a segment of its own', () => {
    const elements = file.elementsOf(fieldsAt(holder.bigList)['[[elements]]']!);
    assert.equal(elements.length, 300_000);
    assert.ok(elements.every((id) => id === holder.wideText));
    assert.ok(file.segmentSizes.includes(25 + 300_000 * 8));
  });

  test('keeps the entries of a dictionary with their names', () => {
    const more = file.elementsOf(fieldsAt(holder.dictionary)['[[more]]']!);
    const names = more.filter((_, place) => place % 2 === 0).map((id) => (id === 0n ? '' : file.text(id)));
    for (const name of ['entry 0', 'entry 2500', 'entry 4999']) assert.ok(names.includes(name), name);
    const value = more[names.indexOf('entry 2500') * 2 + 1];
    assert.equal(fieldsAt(fieldsAt(value).serial).value, 2500);
    assert.ok(file.classNamed('Object').fields.length < 20);
  });

  test('names functions', () => {
    assert.equal(file.className(holder.call!), 'Function');
    assert.equal(file.text(fieldsAt(holder.call)['[[name]]']!), 'knownFunction');
  });

  test('lets no constructor pass for a class of Java', () => {
    assert.equal(file.className(holder.impostor!), 'js/java.lang.String');
  });

  test('has roots that lead to everything', () => {
    const reached = new Set<bigint>(file.roots);
    const waiting = [...reached];
    for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
      for (const next of referencesOf(id)) {
        if (next === 0n || reached.has(next)) continue;
        reached.add(next);
        waiting.push(next);
      }
    }
    const triples = file.instancesOf('KnownTriple');
    assert.equal(triples.filter(({ id }) => reached.has(id)).length, triples.length);
    assert.ok(reached.size > file.objects.size * 0.9, `${reached.size} of ${file.objects.size}`);
  });

  test('adds up to about what V8 says it uses', () => {
    let sum = 0;
    for (const object of file.objects.values()) {
      if (object.kind === 'instance') sum += file.classes.get(object.classId)!.instanceBytes;
      else sum += 16 + object.content.length;
    }
    const ratio = sum / dump.heapBytes;
    assert.ok(ratio > 0.6 && ratio < 1.6, `${sum} bytes instead of ${dump.heapBytes}`);
  });
});

function referencesOf(id: bigint): bigint[] {
  const object = file.objects.get(id);
  if (object?.kind === 'objects') return file.elementsOf(id);
  if (object?.kind !== 'instance') return [];
  return Object.values(file.fieldsOf(object)).filter((value): value is bigint => typeof value === 'bigint');
}
