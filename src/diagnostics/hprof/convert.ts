import {
  fieldKey,
  form,
  type HeapClasses,
  heapClassesOf,
  NOT_SHARED,
  sharedFields,
  textOfNumber,
} from './heap-classes.ts';
import type { HeapSnapshot } from './heap-snapshot.ts';
import { basicType, fieldBytesOf } from './hprof-format.ts';
import { HprofWriter } from './hprof-writer.ts';
import { heapObject, java, javaClasses } from './java-classes.ts';
import { StringLengths } from './string-lengths.ts';

type Chunks = Generator<Uint8Array<ArrayBuffer>, void>;

/** Java's arrays cannot be longer. */
const MAX_ARRAY_LENGTH = 2 ** 31 - 1;
const ARRAY_HEAD_BYTES = 16;
const SLOT_BYTES = 8;
/** What `coder` of a Java string says. */
const LATIN1 = 0;
const UTF16 = 1;
/** Of a string; V8 shows 1024 characters unless a flag says otherwise. */
const MAX_KNOWN_BYTES = 1 << 16;
const STRING_FIELD_BYTES = fieldBytesOf(java.string);
const INTEGER_FIELD_BYTES = fieldBytesOf(java.integer);
const DOUBLE_FIELD_BYTES = fieldBytesOf(java.double);

/** Places among the inherited fields. */
const ELEMENTS = 2;
const MORE = 4;

/** The ranges of ids beside that of the objects. Each is wider than V8's ids, eight bytes apart as objects are. */
const VALUE_IDS = 2 ** 40;
const MORE_IDS = 2 ** 41;
const NAME_IDS = 2 ** 42;
const NAME_VALUE_IDS = 2 ** 43;

/** The heap of a snapshot as an HPROF 1.0.2 file, chunk by chunk. */
export function hprofOf(snapshot: HeapSnapshot, timeMs: number): Chunks {
  return new Conversion(snapshot).chunks(timeMs);
}

class Conversion {
  readonly #snapshot: HeapSnapshot;
  readonly #heap: HeapClasses;
  readonly #out = new HprofWriter();
  readonly #shared: Uint8Array;
  readonly #lengths: StringLengths;
  /** For each string of the snapshot whether an object refers to it as a name. */
  readonly #usedNames: Uint8Array;
  /** The references of the instance that is being written. */
  readonly #values: Float64Array;
  readonly #isNamed: readonly boolean[];
  readonly #isIgnored: readonly boolean[];
  readonly #internal: number;
  readonly #element: number;
  readonly #map: number;

  constructor(snapshot: HeapSnapshot) {
    const { edgeTypes, strings } = snapshot;
    this.#snapshot = snapshot;
    this.#heap = heapClassesOf(snapshot);
    this.#shared = sharedFields(snapshot);
    this.#lengths = new StringLengths(snapshot);
    this.#usedNames = new Uint8Array(strings.count);
    const mostFields = this.#heap.classes.reduce((most, { fields }) => Math.max(most, fields.length), 0);
    this.#values = new Float64Array(mostFields + heapObject.fields.length);
    this.#isNamed = edgeTypes.map((type) => type === 'property' || type === 'context' || type === 'internal');
    // Weak references keep nothing alive, and shortcuts only repeat other edges.
    this.#isIgnored = edgeTypes.map((type) => type === 'weak' || type === 'shortcut');
    this.#internal = edgeTypes.indexOf('internal');
    this.#element = edgeTypes.indexOf('element');
    this.#map = strings.placeOf('map');
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
    yield* this.#objects();
    yield* this.#names();
    out.end();
    yield* out.take();
  }

  /** Whatever a group of roots refers to is a root. */
  *#roots(): Chunks {
    const { nodes, edges, strings, nodeTypes, edgeTypes } = this.#snapshot;
    const synthetic = nodeTypes.indexOf('synthetic');
    const weak = edgeTypes.indexOf('weak');
    const isRoot = new Uint8Array(nodes.count);
    for (let node = 0; node < nodes.count; node++) {
      if (nodes.type[node] !== synthetic) continue;
      const isHandles = /handles|persistent/i.test(strings.text(nodes.name[node]!));
      for (let edge = nodes.firstEdge[node]!; edge < nodes.firstEdge[node + 1]!; edge++) {
        const target = edges.to[edge]!;
        const id = this.#reference(target);
        if (id === 0 || isRoot[target] === 1 || edges.type[edge] === weak) continue;
        isRoot[target] = 1;
        if (isHandles) this.#out.rootJniGlobal(id);
        else this.#out.rootUnknown(id);
        if (this.#out.hasFull) yield* this.#out.take();
      }
    }
  }

  *#objects(): Chunks {
    const { nodes, strings } = this.#snapshot;
    const out = this.#out;
    for (let node = 0; node < nodes.count; node++) {
      const id = this.#reference(node);
      switch (this.#heap.forms[node]) {
        case form.instance: {
          const more = this.#instance(node, id);
          if (more.length > 0) yield* this.#array(MORE_IDS + id, more);
          break;
        }
        case form.string: {
          const units = strings.units(nodes.name[node]!);
          const shape = this.#lengths.of(node, units.length);
          const unknownBytes = this.#beginString(id, VALUE_IDS + id, units, shape);
          if (unknownBytes > 0) yield* out.zeros(unknownBytes);
          break;
        }
        case form.integer:
          out.beginInstance(id, java.integer, INTEGER_FIELD_BYTES);
          out.u4(this.#number(node));
          break;
        case form.double:
          out.beginInstance(id, java.double, DOUBLE_FIELD_BYTES);
          out.f8(this.#number(node));
          break;
        case form.boolean:
          out.beginInstance(id, java.boolean);
          out.u1(strings.text(nodes.name[node]!) === 'true' ? 1 : 0);
          break;
        case form.objectArray:
          yield* this.#array(id, this.#slots(node));
          break;
        case form.byteArray: {
          // The snapshot tells how long a buffer is, not what it holds.
          const length = Math.min(nodes.selfSize[node]!, MAX_ARRAY_LENGTH);
          out.beginPrimitiveArray(id, length, basicType.byte);
          yield* out.zeros(length);
        }
      }
      if (out.hasFull) yield* out.take();
    }
  }

  /** Returns what has no field: name and value in turn. */
  #instance(node: number, id: number): number[] {
    const { nodes, edges } = this.#snapshot;
    const heapClass = this.#heap.classes[this.#heap.classOf[node]!]!;
    const inherited = heapClass.fields.length;
    const width = inherited + heapObject.fields.length;
    const values = this.#values.fill(0, 0, width);
    const more: number[] = [];
    const elements: number[] = [];
    if (heapClass.hasNameField) values[0] = this.#nameReference(nodes.name[node]!);
    for (let edge = nodes.firstEdge[node]!; edge < nodes.firstEdge[node + 1]!; edge++) {
      const type = edges.type[edge]!;
      const value = this.#isIgnored[type] ? 0 : this.#reference(edges.to[edge]!);
      if (value === 0) continue;
      if (!this.#isNamed[type]) {
        (type === this.#element ? elements : more).push(0, value);
        continue;
      }
      const name = edges.name[edge]!;
      const key = fieldKey(name, type === this.#internal);
      const shared = this.#shared[key]!;
      const place =
        shared === NOT_SHARED ? (heapClass.places.get(key) ?? inherited + MORE) : inherited + shared;
      // Two edges may have one name, as a variable has in two scopes.
      if (place === inherited + MORE || values[place] !== 0) more.push(this.#nameReference(name), value);
      else values[place] = value;
    }
    // Mostly there is the array that holds them, too.
    if (values[inherited + ELEMENTS] === 0) for (const value of elements) more.push(value);
    if (more.length > 0) values[inherited + MORE] = MORE_IDS + id;
    this.#out.beginInstance(id, heapClass, width * SLOT_BYTES);
    this.#out.ids(values, width);
    return more;
  }

  /** The content of one of V8's arrays; what it does not show of it, such as plain numbers, is empty. */
  #slots(node: number): ArrayLike<number> {
    const { nodes, edges, strings } = this.#snapshot;
    const slotCount = Math.max(0, Math.floor((nodes.selfSize[node]! - ARRAY_HEAD_BYTES) / SLOT_BYTES));
    const edgeCount = nodes.firstEdge[node + 1]! - nodes.firstEdge[node]!;
    const slots = new Float64Array(Math.min(Math.max(slotCount, edgeCount), MAX_ARRAY_LENGTH));
    const displaced: number[] = [];
    for (let edge = nodes.firstEdge[node]!; edge < nodes.firstEdge[node + 1]!; edge++) {
      const type = edges.type[edge]!;
      const name = edges.name[edge]!;
      const value = this.#isIgnored[type] ? 0 : this.#reference(edges.to[edge]!);
      if (value === 0 || (name === this.#map && type === this.#internal)) continue;
      const place = this.#isNamed[type] ? strings.index(name) : name;
      if (place !== undefined && place < slots.length && slots[place] === 0) slots[place] = value;
      else displaced.push(value);
    }
    for (let place = 0; displaced.length > 0; place++) {
      if (slots[place] === 0) slots[place] = displaced.pop()!;
    }
    return slots;
  }

  *#array(id: number, values: ArrayLike<number>): Chunks {
    const out = this.#out;
    out.beginObjectArray(id, values.length, java.objectArray);
    for (let place = 0; place < values.length; place++) {
      out.id(values[place]!);
      if (out.hasFull) yield* out.take();
    }
  }

  /** Writes what is known of it; returns how many bytes are still to come, of which nothing is. */
  #beginString(
    id: number,
    valueId: number,
    units: Uint8Array | Uint16Array,
    shape: { isTwoByte: boolean; length: number },
  ): number {
    const out = this.#out;
    const isTwoByte = shape.isTwoByte || !isLatin1(units);
    const known = (isTwoByte ? utf16Bytes(units) : latin1Bytes(units)).subarray(0, MAX_KNOWN_BYTES);
    const length = Math.min(shape.length * (isTwoByte ? 2 : 1), MAX_ARRAY_LENGTH);
    out.beginInstance(id, java.string, STRING_FIELD_BYTES);
    out.id(valueId);
    out.u1(isTwoByte ? UTF16 : LATIN1);
    out.beginPrimitiveArray(valueId, length, basicType.byte);
    out.bytes(known);
    return length - known.length;
  }

  /** Strings for the names that objects refer to; V8 has them once for all. */
  *#names(): Chunks {
    const { strings } = this.#snapshot;
    for (let place = 0; place < this.#usedNames.length; place++) {
      if (this.#usedNames[place] === 0) continue;
      const units = strings.units(place);
      const shape = { isTwoByte: false, length: units.length };
      const id = (place + 1) * 8;
      yield* this.#out.zeros(this.#beginString(NAME_IDS + id, NAME_VALUE_IDS + id, units, shape));
      if (this.#out.hasFull) yield* this.#out.take();
    }
  }

  #nameReference(place: number): number {
    this.#usedNames[place] = 1;
    return NAME_IDS + (place + 1) * 8;
  }

  /** The id of the object that a node is written as; 0, which is Java's null, for those that are not. */
  #reference(node: number): number {
    return this.#heap.forms[node] === form.absent ? 0 : this.#snapshot.nodes.id[node]! * 8;
  }

  #number(node: number): number {
    const text = textOfNumber(this.#snapshot, node);
    if (text === undefined) return Number.NaN;
    return Number(this.#snapshot.strings.text(this.#snapshot.nodes.name[text]!));
  }
}

function isLatin1(units: Uint8Array | Uint16Array): boolean {
  if (units instanceof Uint8Array) return true;
  for (let at = 0; at < units.length; at++) if (units[at]! > 0xff) return false;
  return true;
}

function latin1Bytes(units: Uint8Array | Uint16Array): Uint8Array {
  return units instanceof Uint8Array ? units : new Uint8Array(units);
}

function utf16Bytes(units: Uint8Array | Uint16Array): Uint8Array {
  return new Uint8Array(new Uint16Array(units).buffer);
}
