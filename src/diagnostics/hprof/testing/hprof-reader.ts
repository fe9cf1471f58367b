/** Reads an HPROF 1.0.2 file by the letter of its format, and refuses whatever does not fit together. Tests only. */

const typeBytes: Readonly<Record<number, number>> = {
  2: 8,
  4: 1,
  5: 2,
  6: 4,
  7: 8,
  8: 1,
  9: 2,
  10: 4,
  11: 8,
};
const OBJECT = 2;

export interface ReadClass {
  readonly id: bigint;
  readonly name: string;
  readonly superId: bigint;
  readonly instanceBytes: number;
  readonly fields: ReadonlyArray<{ readonly name: string; readonly type: number }>;
}

export type ReadObject =
  | { readonly kind: 'instance'; readonly id: bigint; readonly classId: bigint; readonly content: Buffer }
  | { readonly kind: 'objects'; readonly id: bigint; readonly classId: bigint; readonly content: Buffer }
  | { readonly kind: 'primitives'; readonly id: bigint; readonly type: number; readonly content: Buffer };

export type ReadInstance = Extract<ReadObject, { kind: 'instance' }>;
export type FieldValue = bigint | number;

export class HprofFile {
  readonly timeMs: number;
  readonly classes = new Map<bigint, ReadClass>();
  readonly objects = new Map<bigint, ReadObject>();
  readonly roots: bigint[] = [];
  readonly segmentSizes: number[] = [];
  readonly #names = new Map<bigint, string>();
  readonly #loaded = new Map<bigint, string>();
  readonly #traces = new Set<number>();

  constructor(bytes: Buffer) {
    const head = 'JAVA PROFILE 1.0.2\0';
    if (bytes.toString('latin1', 0, head.length) !== head) throw new Error('this is no HPROF 1.0.2 file');
    if (bytes.readUInt32BE(head.length) !== 8) throw new Error('ids must have 8 bytes');
    this.timeMs = Number(bytes.readBigUInt64BE(head.length + 4));
    let at = head.length + 12;
    let hasEnded = false;
    while (at < bytes.length) {
      if (hasEnded) throw new Error('records after the end');
      const tag = bytes.readUInt8(at);
      const length = bytes.readUInt32BE(at + 5);
      const content = bytes.subarray(at + 9, at + 9 + length);
      if (content.length !== length) throw new Error(`record ${tag} is cut off`);
      at += 9 + length;
      if (tag === 0x2c) hasEnded = true;
      else this.#record(tag, content);
    }
    if (!hasEnded) throw new Error('the end is missing');
    this.#check();
  }

  classNamed(name: string): ReadClass {
    const found = [...this.classes.values()].filter((one) => one.name === name);
    if (found.length !== 1) throw new Error(`${found.length} classes are called ${name}`);
    return found[0]!;
  }

  instancesOf(name: string): ReadInstance[] {
    const { id } = this.classNamed(name);
    return [...this.objects.values()].filter(
      (one): one is ReadInstance => one.kind === 'instance' && one.classId === id,
    );
  }

  /** By name; where a class and one that it inherits from share a name, the class's own. */
  fieldsOf({ classId, content }: ReadInstance): Record<string, FieldValue> {
    const values: Record<string, FieldValue> = {};
    let at = 0;
    for (const { name, type } of this.#layout(classId)) {
      values[name] ??= fieldValue(content, at, type);
      at += typeBytes[type]!;
    }
    return values;
  }

  instance(id: FieldValue): ReadInstance {
    const found = this.objects.get(id as bigint);
    if (found?.kind !== 'instance') throw new Error(`${id} is no instance`);
    return found;
  }

  bytesOf(id: FieldValue): Buffer {
    const found = this.objects.get(id as bigint);
    if (found?.kind !== 'primitives') throw new Error(`${id} is no array of primitives`);
    return found.content;
  }

  elementsOf(id: FieldValue): bigint[] {
    const found = this.objects.get(id as bigint);
    if (found?.kind !== 'objects') throw new Error(`${id} is no array of objects`);
    return references(found.content);
  }

  className(id: FieldValue): string {
    return this.classes.get(this.instance(id).classId)!.name;
  }

  /** The text of a java.lang.String. */
  text(id: FieldValue): string {
    if (this.className(id) !== 'java/lang/String') throw new Error(`${id} is no string`);
    const { value, coder } = this.fieldsOf(this.instance(id));
    return this.bytesOf(value!).toString(coder === 0 ? 'latin1' : 'utf16le');
  }

  #record(tag: number, content: Buffer): void {
    if (tag === 0x01) this.#names.set(content.readBigUInt64BE(0), content.toString('utf8', 8));
    else if (tag === 0x02)
      this.#loaded.set(content.readBigUInt64BE(4), this.#name(content.readBigUInt64BE(16)));
    else if (tag === 0x05) this.#traces.add(content.readUInt32BE(0));
    else if (tag === 0x1c) this.#segment(content);
    else throw new Error(`unknown record ${tag}`);
  }

  #segment(content: Buffer): void {
    this.segmentSizes.push(content.length);
    let at = 0;
    while (at < content.length) at += this.#subRecord(content.subarray(at));
    if (at !== content.length) throw new Error('a record goes beyond its segment');
  }

  /** Returns its length. */
  #subRecord(bytes: Buffer): number {
    const id = bytes.readBigUInt64BE(1);
    switch (bytes[0]) {
      case 0xff:
        this.roots.push(id);
        return 9;
      case 0x01:
        this.roots.push(id);
        return 17;
      case 0x20:
        return this.#classDump(id, bytes);
      case 0x21: {
        const length = bytes.readUInt32BE(21);
        const content = bytes.subarray(25, 25 + length);
        this.#add({ kind: 'instance', id, classId: bytes.readBigUInt64BE(13), content }, bytes);
        return 25 + length;
      }
      case 0x22: {
        const length = bytes.readUInt32BE(13) * 8;
        const content = bytes.subarray(25, 25 + length);
        this.#add({ kind: 'objects', id, classId: bytes.readBigUInt64BE(17), content }, bytes);
        return 25 + length;
      }
      case 0x23: {
        const type = bytes.readUInt8(17);
        const length = bytes.readUInt32BE(13) * typeBytes[type]!;
        this.#add({ kind: 'primitives', id, type, content: bytes.subarray(18, 18 + length) }, bytes);
        return 18 + length;
      }
      default:
        throw new Error(`unknown record ${bytes[0]} in a segment`);
    }
  }

  #classDump(id: bigint, bytes: Buffer): number {
    if (bytes.readUInt16BE(65) !== 0) throw new Error('a constant pool is not expected');
    let at = 67;
    const statics = bytes.readUInt16BE(at);
    at += 2;
    for (let place = 0; place < statics; place++) {
      this.#name(bytes.readBigUInt64BE(at));
      at += 9 + typeBytes[bytes.readUInt8(at + 8)]!;
    }
    const fields = [];
    const fieldCount = bytes.readUInt16BE(at);
    at += 2;
    for (let place = 0; place < fieldCount; place++, at += 9) {
      fields.push({ name: this.#name(bytes.readBigUInt64BE(at)), type: bytes.readUInt8(at + 8) });
    }
    const name = this.#loaded.get(id);
    if (name === undefined) throw new Error(`class ${id} was not loaded`);
    if (this.classes.has(id)) throw new Error(`class ${name} is there twice`);
    this.#checkTrace(bytes.readUInt32BE(9));
    const superId = bytes.readBigUInt64BE(13);
    this.classes.set(id, { id, name, superId, instanceBytes: bytes.readUInt32BE(61), fields });
    return at;
  }

  #add(object: ReadObject, bytes: Buffer): void {
    if (this.objects.has(object.id)) throw new Error(`object ${object.id} is there twice`);
    this.#checkTrace(bytes.readUInt32BE(9));
    this.objects.set(object.id, object);
  }

  #checkTrace(serial: number): void {
    if (!this.#traces.has(serial)) throw new Error(`there is no stack trace ${serial}`);
  }

  #name(id: bigint): string {
    const name = this.#names.get(id);
    if (name === undefined) throw new Error(`there is no name ${id}`);
    return name;
  }

  #layout(classId: bigint): Array<{ name: string; type: number }> {
    const found = this.classes.get(classId);
    if (!found) throw new Error(`there is no class ${classId}`);
    return found.superId === 0n ? [...found.fields] : [...found.fields, ...this.#layout(found.superId)];
  }

  /** Everything that is referred to is there, and everything has the form that its class says. */
  #check(): void {
    for (const [id, name] of this.#loaded) {
      if (!this.classes.has(id)) throw new Error(`class ${name} was loaded but is not described`);
    }
    for (const { name, superId } of this.classes.values()) {
      if (superId === 0n ? name !== 'java/lang/Object' : !this.classes.has(superId))
        throw new Error(`${name} has no class above it`);
    }
    for (const root of this.roots) this.#checkReference(root, 'a root');
    const layouts = new Map([...this.classes.keys()].map((id) => [id, this.#layout(id)]));
    for (const object of this.objects.values()) {
      if (object.kind === 'primitives') continue;
      const layout = layouts.get(object.classId);
      if (!layout) throw new Error(`the class of ${object.id} is not there`);
      if (object.kind === 'objects') {
        for (const id of references(object.content)) this.#checkReference(id, 'an array');
        continue;
      }
      let at = 0;
      for (const { name, type } of layout) {
        if (type === OBJECT) this.#checkReference(object.content.readBigUInt64BE(at), name);
        at += typeBytes[type]!;
      }
      if (at !== object.content.length) throw new Error(`${object.id} is not as long as its class says`);
    }
  }

  #checkReference(id: bigint, where: string): void {
    if (id !== 0n && !this.objects.has(id) && !this.classes.has(id))
      throw new Error(`${where} refers to ${id}, which is not there`);
  }
}

function references(content: Buffer): bigint[] {
  return Array.from({ length: content.length / 8 }, (_, place) => content.readBigUInt64BE(place * 8));
}

function fieldValue(content: Buffer, at: number, type: number): FieldValue {
  switch (type) {
    case OBJECT:
      return content.readBigUInt64BE(at);
    case 7:
      return content.readDoubleBE(at);
    case 10:
      return content.readInt32BE(at);
    default:
      return content.readInt8(at);
  }
}
