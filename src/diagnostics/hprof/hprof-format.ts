/** The numbers of HPROF 1.0.2 that are written here. */

export const ID_BYTES = 8;
export const SEGMENT_HEAD_BYTES = 9;
/** Every object is said to have been allocated by this trace, which has no frames: V8 does not remember. */
export const STACK_TRACE_SERIAL = 1;

export const tag = {
  string: 0x01,
  loadClass: 0x02,
  stackTrace: 0x05,
  heapDumpSegment: 0x1c,
  heapDumpEnd: 0x2c,
} as const;

export const subTag = {
  rootUnknown: 0xff,
  rootJniGlobal: 0x01,
  classDump: 0x20,
  instanceDump: 0x21,
  objectArrayDump: 0x22,
  primitiveArrayDump: 0x23,
} as const;

export const basicType = { object: 2, boolean: 4, double: 7, byte: 8, int: 10 } as const;
export type BasicType = (typeof basicType)[keyof typeof basicType];

const bytesByType: Readonly<Record<BasicType, number>> = { 2: ID_BYTES, 4: 1, 7: 8, 8: 1, 10: 4 };

export function bytesOf(type: BasicType): number {
  return bytesByType[type];
}

/** A class as the file describes it. */
export interface HprofClass {
  readonly id: number;
  /** As a virtual machine writes it: `java/lang/String`. */
  readonly name: string;
  /** Undefined for java.lang.Object alone. */
  readonly superClass: HprofClass | undefined;
  /** Those of its own; what it inherits follows them in every instance. */
  readonly fields: readonly HprofField[];
  readonly constants?: ReadonlyArray<{ readonly name: string; readonly int: number }>;
  /** What one instance takes, in bytes. */
  readonly instanceBytes: number;
}

export interface HprofField {
  readonly name: string;
  readonly type: BasicType;
}

/** The bytes of all fields of an instance, inherited ones included. */
export function fieldBytesOf({ fields, superClass }: HprofClass): number {
  const own = fields.reduce((sum, { type }) => sum + bytesOf(type), 0);
  return superClass ? own + fieldBytesOf(superClass) : own;
}
