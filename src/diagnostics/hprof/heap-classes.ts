import type { HeapSnapshot } from './heap-snapshot.ts';
import { basicType, type HprofClass } from './hprof-format.ts';
import { classId, FIRST_HEAP_CLASS_SERIAL, heapObject } from './java-classes.ts';

/** As what a node is written. */
export const form = {
  /** It is no object of its own: a group of roots, `null`, the text of a number. */
  absent: 0,
  instance: 1,
  string: 2,
  integer: 3,
  double: 4,
  boolean: 5,
  objectArray: 6,
  byteArray: 7,
} as const;

/** A class made from what V8 calls a constructor, or from a kind of V8's own objects. */
export interface HeapClass extends HprofClass {
  /** Where a field stands, by its key; see `fieldKey`. */
  readonly places: ReadonlyMap<number, number>;
  /** Whether its first field is the name that V8 gives the object. */
  readonly hasNameField: boolean;
}

export interface HeapClasses {
  readonly classes: readonly HeapClass[];
  /** For each node one of `form`. */
  readonly forms: Uint8Array;
  /** For each node that is an instance the place of its class. */
  readonly classOf: Uint32Array;
}

/** An internal edge may have the name of a property, and must not be taken for it. */
export function fieldKey(name: number, isInternal: boolean): number {
  return name * 2 + (isInternal ? 1 : 0);
}

/** A field that fewer instances have than one in so many would mostly be empty; its values stand in `[[more]]`. */
const RAREST_FIELD = 8;
const MAX_FIELDS = 200;
/** Objects that serve as dictionaries have more names than there is sense in counting; see `count`. */
const MAX_COUNTED_NAMES = 4096;
const MAX_CLASS_NAME_LENGTH = 200;

interface Draft {
  readonly name: string;
  readonly hasNameField: boolean;
  readonly uses: Map<number, number>;
  instanceCount: number;
  selfSize: number;
  /** At how many instances the rare names are forgotten next. */
  nextForgetting: number;
}

/** Finds the form of every node, and the classes of those that are instances. */
export function heapClassesOf(snapshot: HeapSnapshot): HeapClasses {
  const { nodes, edges, strings, nodeTypes, edgeTypes } = snapshot;
  const forms = new Uint8Array(nodes.count);
  const classOf = new Uint32Array(nodes.count);
  const drafts: Draft[] = [];
  const placeByName = new Map<string, number>();
  const placeByNode = new Map<number, number>();

  const draftPlace = (type: number, name: number): number => {
    const typeName = nodeTypes[type] ?? '';
    const generic = genericClasses[typeName];
    const key = (generic ? 0 : name + 1) * 32 + type;
    const known = placeByNode.get(key);
    if (known !== undefined) return known;
    const className = generic ?? classNameOf(typeName, strings.text(name));
    const place = placeByName.get(className) ?? drafts.length;
    if (place === drafts.length) {
      const hasNameField = typeName === 'closure' || typeName === 'code';
      const counts = { uses: new Map(), instanceCount: 0, selfSize: 0, nextForgetting: 0 };
      drafts.push({ name: className, hasNameField, ...counts });
      placeByName.set(className, place);
    }
    placeByNode.set(key, place);
    return place;
  };

  const formOf = formFinder(snapshot);
  const shared = sharedFields(snapshot);
  const isNamed = edgeTypes.map((type) => type === 'property' || type === 'context' || type === 'internal');
  const internal = edgeTypes.indexOf('internal');
  for (let node = 0; node < nodes.count; node++) {
    forms[node] = formOf(node);
    if (forms[node] !== form.instance) continue;
    const place = draftPlace(nodes.type[node]!, nodes.name[node]!);
    const draft = drafts[place]!;
    classOf[node] = place;
    draft.instanceCount++;
    draft.selfSize += nodes.selfSize[node]!;
    for (let edge = nodes.firstEdge[node]!; edge < nodes.firstEdge[node + 1]!; edge++) {
      const type = edges.type[edge]!;
      if (!isNamed[type]) continue;
      const key = fieldKey(edges.name[edge]!, type === internal);
      if (shared[key] === NOT_SHARED) count(draft, key);
    }
  }
  forgetTextsOfNumbers(snapshot, forms);
  return { classes: drafts.map((draft, place) => heapClass(draft, place, snapshot)), forms, classOf };
}

/** Names that are too rare to become fields make room for new ones, so that what is counted stays bounded. */
function count(draft: Draft, key: number): void {
  const { uses, instanceCount } = draft;
  const known = uses.get(key);
  if (known === undefined && uses.size >= MAX_COUNTED_NAMES) {
    if (instanceCount < draft.nextForgetting) return;
    draft.nextForgetting = instanceCount * 2;
    for (const [name, times] of uses) if (times * 2 * RAREST_FIELD < instanceCount) uses.delete(name);
    if (uses.size >= MAX_COUNTED_NAMES) return;
  }
  uses.set(key, (known ?? 0) + 1);
}

/** What `sharedFields` says of all other keys. */
export const NOT_SHARED = 0xff;

/** By key the place of a field that all objects inherit. Every edge is looked up here, so it is a table. */
export function sharedFields({ strings }: HeapSnapshot): Uint8Array {
  const places = new Uint8Array(strings.count * 2).fill(NOT_SHARED);
  const fields = [
    ['map', true],
    ['properties', true],
    ['elements', true],
    ['__proto__', false],
  ] as const;
  for (const [place, [name, isInternal]] of fields.entries()) {
    const at = strings.placeOf(name);
    if (at >= 0) places[fieldKey(at, isInternal)] = place;
  }
  return places;
}

function heapClass(draft: Draft, place: number, { strings }: HeapSnapshot): HeapClass {
  const { name, hasNameField, uses, instanceCount, selfSize } = draft;
  const kept = [...uses]
    .filter(([, count]) => count * RAREST_FIELD >= instanceCount)
    .sort(([, one], [, other]) => other - one)
    .slice(0, MAX_FIELDS)
    .map(([key]) => key);
  const names = kept.map((key) => {
    const text = strings.text(key >>> 1);
    return key % 2 === 1 ? `[[${text}]]` : text;
  });
  const own = hasNameField ? ['[[name]]', ...names] : names;
  return {
    id: classId(FIRST_HEAP_CLASS_SERIAL + place),
    name,
    superClass: heapObject,
    fields: own.map((fieldName) => ({ name: fieldName, type: basicType.object })),
    // The format has one size for all instances of a class: the mean, so that their sum is V8's.
    instanceBytes: Math.min(Math.round(selfSize / instanceCount), 2 ** 31 - 1),
    places: new Map(kept.map((key, index) => [key, hasNameField ? index + 1 : index])),
    hasNameField,
  };
}

/** Types of nodes whose names are their own, not those of their class. */
const genericClasses: Readonly<Record<string, string>> = {
  closure: 'Function',
  regexp: 'RegExp',
  symbol: 'Symbol',
  bigint: 'BigInt',
  code: 'v8/Code',
  'concatenated string': 'v8/ConcatenatedString',
  'sliced string': 'v8/SlicedString',
};

/** `system / Context` becomes `v8.Context`, `Node / Environment` becomes `node.Environment`, constructors keep their names. */
function classNameOf(type: string, name: string): string {
  const [, owner, rest] = /^(system|Node) \/ (.+)$/s.exec(name) ?? [];
  if (owner !== undefined) return `${owner === 'Node' ? 'node' : 'v8'}/${clean(rest!)}`;
  if (type === 'hidden' || type === 'object shape') return `v8/${clean(name)}`;
  // A constructor may be called anything, but must not pass for one of the classes above.
  return /^(java|v8|node)[./]/.test(name) ? `js/${clean(name)}` : clean(name);
}

/** Slashes, brackets and semicolons mean something in names of classes. */
function clean(name: string): string {
  const cleaned = name
    .slice(0, MAX_CLASS_NAME_LENGTH)
    .replaceAll(/[/;[\]\p{Cc}]/gu, '_')
    .trim();
  return cleaned === '' ? '(anonymous)' : cleaned;
}

function formFinder({ nodes, strings, nodeTypes }: HeapSnapshot): (node: number) => number {
  const nullName = strings.placeOf('null');
  const booleans = [strings.placeOf('true'), strings.placeOf('false')];
  const smallInteger = strings.placeOf('smi number');
  const bufferContent = strings.placeOf('system / JSArrayBufferData');
  return (node) => {
    const name = nodes.name[node]!;
    switch (nodeTypes[nodes.type[node]!]) {
      case 'synthetic':
        return form.absent;
      case 'string':
        return form.string;
      case 'array':
        return form.objectArray;
      case 'number':
        return name === smallInteger ? form.integer : form.double;
      case 'native':
        return name === bufferContent ? form.byteArray : form.instance;
      case 'hidden':
        if (name === nullName) return form.absent;
        return booleans.includes(name) ? form.boolean : form.instance;
      default:
        return form.instance;
    }
  };
}

/** V8 shows a number by a string that is nowhere in the heap. */
function forgetTextsOfNumbers(snapshot: HeapSnapshot, forms: Uint8Array): void {
  for (let node = 0; node < forms.length; node++) {
    if (forms[node] !== form.integer && forms[node] !== form.double) continue;
    const text = textOfNumber(snapshot, node);
    if (text !== undefined && snapshot.nodes.selfSize[text] === 0) forms[text] = form.absent;
  }
}

/** The node with the text of a number. */
export function textOfNumber({ nodes, edges, nodeTypes }: HeapSnapshot, node: number): number | undefined {
  for (let edge = nodes.firstEdge[node]!; edge < nodes.firstEdge[node + 1]!; edge++) {
    const target = edges.to[edge]!;
    if (nodeTypes[nodes.type[target]!] === 'string') return target;
  }
  return undefined;
}
