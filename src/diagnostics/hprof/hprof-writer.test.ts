import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { basicType } from './hprof-format.ts';
import { HprofWriter } from './hprof-writer.ts';
import { java, javaClasses } from './java-classes.ts';
import { HprofFile } from './testing/hprof-reader.ts';

const SEGMENT = 1 << 20;

/** What `write` makes of the heap, read again. */
function written(write: (out: HprofWriter) => Iterable<Uint8Array>): HprofFile {
  const out = new HprofWriter();
  out.begin(1234);
  for (const [place, one] of javaClasses.entries()) out.loadClass(one, place + 1);
  for (const one of javaClasses) out.classDump(one);
  const chunks = [...out.take(), ...write(out)];
  out.end();
  return new HprofFile(Buffer.concat([...chunks, ...out.take()]));
}

describe('records and segments', () => {
  test('an empty heap is a whole file', () => {
    const { timeMs, objects, classes } = written(() => []);
    assert.equal(timeMs, 1234);
    assert.equal(objects.size, 0);
    assert.equal(classes.size, javaClasses.length);
  });

  test('many records fill segments that are never too large', () => {
    const file = written(function* (out) {
      for (let id = 8; id <= 8 * 100_000; id += 8) {
        out.beginInstance(id, java.integer);
        out.u4(id);
        yield* out.take();
      }
    });
    assert.equal(file.objects.size, 100_000);
    assert.ok(file.segmentSizes.length > 2);
    assert.ok(file.segmentSizes.every((size) => size <= SEGMENT));
  });

  for (const length of [0, 1, SEGMENT - 28, SEGMENT - 27, SEGMENT - 26, SEGMENT, 3 * SEGMENT + 1]) {
    test(`an array of ${length} bytes is whole, and so is what stands around it`, () => {
      const file = written(function* (out) {
        out.beginInstance(8, java.boolean);
        out.u1(1);
        out.beginPrimitiveArray(16, length, basicType.byte);
        yield* out.zeros(length);
        out.beginInstance(24, java.boolean);
        out.u1(0);
      });
      assert.equal(file.objects.size, 3);
      assert.equal(file.bytesOf(16n).length, length);
      assert.equal(file.fieldsOf(file.instance(8n)).value, 1);
      assert.equal(file.fieldsOf(file.instance(24n)).value, 0);
    });
  }

  test('a long array leaves in chunks while it is written', () => {
    const out = new HprofWriter();
    out.beginPrimitiveArray(8, 50 * SEGMENT, basicType.byte);
    let most = 0;
    for (const chunk of out.zeros(50 * SEGMENT)) most = Math.max(most, chunk.length);
    assert.ok(most <= SEGMENT);
    assert.ok(out.take().length <= 1);
  });

  test('ids beyond 32 bits and doubles keep their value', () => {
    const file = written(function* (out) {
      out.beginInstance(2 ** 45 + 8, java.double);
      out.f8(-0.1);
      out.rootJniGlobal(2 ** 45 + 8);
      out.rootUnknown(2 ** 45 + 8);
      yield* out.take();
    });
    const id = 2n ** 45n + 8n;
    assert.equal(file.fieldsOf(file.instance(id)).value, -0.1);
    assert.deepEqual(file.roots, [id, id]);
  });
});

describe('the reader of these tests', () => {
  const broken: ReadonlyArray<readonly [what: string, write: (out: HprofWriter) => void, error: RegExp]> = [
    ['a reference to nothing', (out) => out.rootUnknown(4711), /4711, which is not there/],
    [
      'an instance with too few bytes',
      (out) => {
        out.beginInstance(8, java.integer, 2);
        out.u2(0);
      },
      /RangeError|outside|not as long/,
    ],
    [
      'an object that is there twice',
      (out) => {
        for (let time = 0; time < 2; time++) {
          out.beginInstance(8, java.boolean);
          out.u1(0);
        }
      },
      /twice/,
    ],
    [
      'an instance of no class',
      (out) => {
        out.beginInstance(8, { ...java.boolean, id: 99 });
        out.u1(0);
      },
      /class of 8 is not there/,
    ],
  ];
  for (const [what, write, error] of broken) {
    test(`refuses ${what}`, () => {
      assert.throws(
        () =>
          written((out) => {
            write(out);
            return [];
          }),
        error,
      );
    });
  }
});
