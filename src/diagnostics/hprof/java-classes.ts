import { basicType, type HprofClass, type HprofField } from './hprof-format.ts';

/** The classes that every tool for HPROF files expects, in the shapes it expects. */

/** Classes have ids of their own range; those of objects, made from V8's 32 bits, are below. */
export const classId = (serial: number): number => 2 ** 44 + serial * 8;
/** From here on those that the heap brings. */
export const FIRST_HEAP_CLASS_SERIAL = 100;

const OBJECT_BYTES = 16;

const field = (name: string, type: HprofField['type']): HprofField => ({ name, type });
const reference = (name: string) => field(name, basicType.object);

// Tools take the sizes from the file, instead of computing them for a Java machine, when this one has a size.
const object = javaClass(1, 'java/lang/Object', { superClass: undefined });
const number = javaClass(2, 'java/lang/Number');

export const java = {
  object,
  class: javaClass(3, 'java/lang/Class'),
  objectArray: javaClass(4, '[Ljava/lang/Object;'),
  byteArray: javaClass(5, '[B'),
  /** As Java has it since version 9: bytes of Latin-1 or UTF-16. */
  string: javaClass(6, 'java/lang/String', {
    fields: [reference('value'), field('coder', basicType.byte)],
  }),
  integer: javaClass(7, 'java/lang/Integer', {
    superClass: number,
    fields: [field('value', basicType.int)],
    instanceBytes: 0,
  }),
  double: javaClass(8, 'java/lang/Double', {
    superClass: number,
    fields: [field('value', basicType.double)],
  }),
  boolean: javaClass(9, 'java/lang/Boolean', { fields: [field('value', basicType.boolean)] }),
} as const;

/** What all objects of V8 can have. The names are those of the language's specification where it has one. */
export const heapObject = javaClass(10, 'v8/HeapObject', {
  fields: ['[[map]]', '[[properties]]', '[[elements]]', '[[Prototype]]', '[[more]]'].map(reference),
});

/** Where tools look up in which order the bytes of UTF-16 stand. */
const stringUtf16 = javaClass(11, 'java/lang/StringUTF16', {
  constants: [
    { name: 'HI_BYTE_SHIFT', int: 0 },
    { name: 'LO_BYTE_SHIFT', int: 8 },
  ],
});

/** Tools know weak references by these classes, and give up without them. They have no instances: V8's are left out. */
const javaReference = javaClass(31, 'java/lang/ref/Reference', { fields: [reference('referent')] });
const references = ['Weak', 'Soft', 'Final', 'Phantom'].map((kind, place) =>
  javaClass(32 + place, `java/lang/ref/${kind}Reference`, { superClass: javaReference }),
);

const otherArrays = ['[Z', '[C', '[F', '[D', '[S', '[I', '[J'].map((name, place) =>
  javaClass(20 + place, name),
);

export const javaClasses: readonly HprofClass[] = [
  ...Object.values(java),
  number,
  heapObject,
  stringUtf16,
  javaReference,
  ...references,
  ...otherArrays,
];

function javaClass(serial: number, name: string, parts: Partial<HprofClass> = {}): HprofClass {
  return {
    id: classId(serial),
    name,
    superClass: 'superClass' in parts ? parts.superClass : object,
    fields: parts.fields ?? [],
    constants: parts.constants ?? [],
    instanceBytes: parts.instanceBytes ?? OBJECT_BYTES,
  };
}
