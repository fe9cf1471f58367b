import {
  type BasicType,
  basicType,
  bytesOf,
  fieldBytesOf,
  type HprofClass,
  ID_BYTES,
  SEGMENT_HEAD_BYTES,
  STACK_TRACE_SERIAL,
  subTag,
  tag,
} from './hprof-format.ts';

/** Records are gathered in segments of this size; a record that is larger has a segment of its own. */
const CHUNK_BYTES = 1 << 20;
const TWO_TO_32 = 2 ** 32;

/**
 * Writes HPROF 1.0.2 into chunks. Whoever writes takes the chunks away (`take`) at least after every record, within long ones
 * more often: nothing else bounds what is held here.
 */
export class HprofWriter {
  readonly #names = new Map<string, number>();
  #bytes = new Uint8Array(CHUNK_BYTES);
  #view = new DataView(this.#bytes.buffer);
  #at = 0;
  /** Where the head of the segment stands that is being filled; -1 between segments. */
  #segmentAt = -1;
  #full: Uint8Array<ArrayBuffer>[] = [];

  get hasFull(): boolean {
    return this.#full.length > 0;
  }

  take(): Uint8Array<ArrayBuffer>[] {
    const full = this.#full;
    this.#full = [];
    return full;
  }

  begin(timeMs: number): void {
    this.text('JAVA PROFILE 1.0.2\0');
    this.u4(ID_BYTES);
    this.id(timeMs);
    this.#record(tag.stackTrace, 12);
    this.u4(STACK_TRACE_SERIAL);
    this.u4(0);
    this.u4(0);
  }

  /** Names the class and its fields, and says that it is there. Comes before all objects. */
  loadClass({ id, name, fields, constants = [] }: HprofClass, serial: number): void {
    for (const named of [...fields, ...constants]) this.#nameId(named.name);
    const nameId = this.#nameId(name);
    this.#record(tag.loadClass, 4 + ID_BYTES + 4 + ID_BYTES);
    this.u4(serial);
    this.id(id);
    this.u4(STACK_TRACE_SERIAL);
    this.id(nameId);
  }

  classDump({ id, superClass, fields, constants = [], instanceBytes }: HprofClass): void {
    this.#beginSub(
      subTag.classDump,
      7 * ID_BYTES + 14 + constants.length * (ID_BYTES + 5) + fields.length * (ID_BYTES + 1),
    );
    this.id(id);
    this.u4(STACK_TRACE_SERIAL);
    this.id(superClass?.id ?? 0);
    // Loader, signers, protection domain, and two that are reserved.
    for (let absent = 0; absent < 5; absent++) this.id(0);
    this.u4(instanceBytes);
    this.u2(0);
    this.u2(constants.length);
    for (const { name, int } of constants) {
      this.id(this.#nameId(name));
      this.u1(basicType.int);
      this.u4(int);
    }
    this.u2(fields.length);
    for (const { name, type } of fields) {
      this.id(this.#nameId(name));
      this.u1(type);
    }
  }

  rootUnknown(id: number): void {
    this.#beginSub(subTag.rootUnknown, ID_BYTES);
    this.id(id);
  }

  rootJniGlobal(id: number): void {
    this.#beginSub(subTag.rootJniGlobal, 2 * ID_BYTES);
    this.id(id);
    this.id(0);
  }

  /** The fields follow: those of the class, then those it inherits. */
  beginInstance(id: number, of: HprofClass, fieldBytes = fieldBytesOf(of)): void {
    this.#beginSub(subTag.instanceDump, 2 * ID_BYTES + 8 + fieldBytes);
    this.id(id);
    this.u4(STACK_TRACE_SERIAL);
    this.id(of.id);
    this.u4(fieldBytes);
  }

  /** The ids of the elements follow. */
  beginObjectArray(id: number, length: number, arrayClass: HprofClass): void {
    this.#beginSub(subTag.objectArrayDump, (2 + length) * ID_BYTES + 8);
    this.id(id);
    this.u4(STACK_TRACE_SERIAL);
    this.u4(length);
    this.id(arrayClass.id);
  }

  /** The elements follow. */
  beginPrimitiveArray(id: number, length: number, type: BasicType): void {
    this.#beginSub(subTag.primitiveArrayDump, ID_BYTES + 9 + length * bytesOf(type));
    this.id(id);
    this.u4(STACK_TRACE_SERIAL);
    this.u4(length);
    this.u1(type);
  }

  end(): void {
    this.#endSegment();
    this.#record(tag.heapDumpEnd, 0);
    this.#cut();
  }

  u1(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#at++] = value;
  }

  u2(value: number): void {
    this.#reserve(2);
    this.#view.setUint16(this.#at, value);
    this.#at += 2;
  }

  u4(value: number): void {
    this.#reserve(4);
    this.#view.setUint32(this.#at, value);
    this.#at += 4;
  }

  f8(value: number): void {
    this.#reserve(8);
    this.#view.setFloat64(this.#at, value);
    this.#at += 8;
  }

  id(value: number): void {
    this.#reserve(ID_BYTES);
    this.#view.setUint32(this.#at, value / TWO_TO_32);
    this.#view.setUint32(this.#at + 4, value);
    this.#at += ID_BYTES;
  }

  /** The first of them, at most as many as a chunk holds. */
  ids(values: Float64Array, count: number): void {
    this.#reserve(count * ID_BYTES);
    const view = this.#view;
    let at = this.#at;
    for (let place = 0; place < count; place++, at += ID_BYTES) {
      const value = values[place]!;
      view.setUint32(at, value / TWO_TO_32);
      view.setUint32(at + 4, value);
    }
    this.#at = at;
  }

  /** At most as many as a chunk holds. */
  bytes(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#at);
    this.#at += bytes.length;
  }

  /** Content that nobody knows. */
  *zeros(count: number): Generator<Uint8Array<ArrayBuffer>> {
    for (let left = count; left > 0; ) {
      if (this.#at === CHUNK_BYTES) this.#cut();
      if (this.hasFull) yield* this.take();
      const some = Math.min(left, CHUNK_BYTES - this.#at);
      // The chunk is fresh, so there are zeros already.
      this.#at += some;
      left -= some;
    }
  }

  text(text: string): void {
    this.bytes(Buffer.from(text));
  }

  #nameId(name: string): number {
    const known = this.#names.get(name);
    if (known !== undefined) return known;
    const id = this.#names.size + 1;
    this.#names.set(name, id);
    const bytes = Buffer.from(name);
    this.#record(tag.string, ID_BYTES + bytes.length);
    this.id(id);
    this.bytes(bytes);
    return id;
  }

  #record(recordTag: number, length: number): void {
    this.u1(recordTag);
    // Microseconds since the time in the head of the file.
    this.u4(0);
    this.u4(length);
  }

  #beginSub(recordTag: number, length: number): void {
    const recordBytes = 1 + length;
    if (this.#segmentAt >= 0 && this.#at + recordBytes > CHUNK_BYTES) this.#endSegment();
    if (SEGMENT_HEAD_BYTES + recordBytes > CHUNK_BYTES) {
      // A segment for this record alone; its chunks leave while it is being written, so its length is told now.
      this.#record(tag.heapDumpSegment, recordBytes);
    } else if (this.#segmentAt < 0) {
      if (this.#at + SEGMENT_HEAD_BYTES + recordBytes > CHUNK_BYTES) this.#cut();
      this.#segmentAt = this.#at;
      this.#record(tag.heapDumpSegment, 0);
    }
    this.u1(recordTag);
  }

  #endSegment(): void {
    if (this.#segmentAt < 0) return;
    this.#view.setUint32(this.#segmentAt + 5, this.#at - this.#segmentAt - SEGMENT_HEAD_BYTES);
    this.#segmentAt = -1;
    this.#cut();
  }

  #reserve(bytes: number): void {
    if (this.#at + bytes > CHUNK_BYTES) this.#cut();
  }

  #cut(): void {
    if (this.#at === 0) return;
    this.#full.push(this.#bytes.subarray(0, this.#at));
    this.#bytes = new Uint8Array(CHUNK_BYTES);
    this.#view = new DataView(this.#bytes.buffer);
    this.#at = 0;
  }
}
