import { form, type HeapClass, type HeapClasses, fieldKey, heapClassesOf, sharedFields, textOfNumber } from './heap-classes.ts';
import type { HeapSnapshot } from './heap-snapshot.ts';
import { basicType, ID_BYTES } from './hprof-format.ts';
import { HprofWriter } from './hprof-writer.ts';
import { heapObject, java, javaClasses } from './java-classes.ts';
import { StringLengths } from './string-lengths.ts';

type Chunks = Generator<Uint8Array<ArrayBuffer>, void>;

/** Java's arrays cannot be longer. */
const MAX_ARRAY_LENGTH = 2 ** 31 - 1;
const ARRAY_HEAD_BYTES = 16;
const LATIN1 = 0;
const UTF16 = 1;

/** The ranges of ids beside that of the objects. Each is wider than V8's ids, eight bytes apart as objects are. */
const VALUE_IDS = 2 ** 40;
const MORE_IDS = 2 ** 41;
const NAME_IDS = 2 ** 42;
const NAME_VALUE_IDS = 2 ** 43;

/** The heap of a snapshot as an HPROF 1.0.2 file, chunk by chunk. */
export function* hprofOf(snapshot: HeapSnapshot, timeMs: number): Chunks {
  yield* new Conversion(snapshot).chunks(timeMs);
}

class Conversion {
  readonly #snapshot: HeapSnapshot;
  readonly #heap: HeapClasses;
  readonly #out = new HprofWriter();
  readonly #shared: ReadonlyMap<number, number>;
  readonly #lengths: StringLengths;
  /** For each string of the snapshot whether it is referred to as a name. */
  readonly #usedNames: Uint8Array;

  constructor(snapshot: HeapSnapshot) {
    this.#snapshot = snapshot;
    this.#heap = heapClassesOf(snapshot);
    this.#shared = sharedFields(snapshot);
    this.#lengths = new StringLengths(snapshot);
    this.#usedNames = new Uint8Array(snapshot.strings.count);
  }

  *chunks(timeMs: number): Chunks {
    const out = this.#out;
    out.begin(timeMs);
    const classes = [...javaClasses, ...this.#heap.classes];
    for (const [place, one] of classes.entries()) {
      out.loadClass(one, place + 1);
      if (out.hasFull) yield* out.take();
    }
    for (const one of classes) {
      out.classDump(one);
      if (out.hasFull) yield* out.take();
    }
    yield* this.#roots();
    for (let node = 0; node < this.#snapshot.nodes.count; node++) {
      yield* this.#object(node);
    }
    yield* this.#names();
    out.end();
    yield* out.take();
  }
}
