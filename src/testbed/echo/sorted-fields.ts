import { setMember } from './sorted-json.ts';

export type FieldValue = string | string[];

// Up to this many fields the plain insertion sort is faster than the library's.
const MAX_INSERTION_SORT = 24;

/** Names with their values, sorted by name, one entry per name: the shape of `args`, `headers`, `form` and `files`. */
export interface SortedFields {
  readonly names: readonly string[];
  readonly values: readonly FieldValue[];
}

export const noFields: SortedFields = { names: [], values: [] };

/** Sorts two parallel lists and makes one entry of each name; `merge` says what two values become. */
export function sortedFields(
  names: string[],
  values: FieldValue[],
  merge: (name: string, first: FieldValue, next: string) => FieldValue,
): SortedFields {
  if (names.length > MAX_INSERTION_SORT) sortByIndex(names, values);
  else sortByInsertion(names, values);

  let last = 0;
  for (let index = 1; index < names.length; index++) {
    if (names[index] === names[last]) {
      values[last] = merge(names[last]!, values[last]!, values[index] as string);
    } else {
      last++;
      names[last] = names[index]!;
      values[last] = values[index]!;
    }
  }
  if (last + 1 < names.length) {
    names.length = last + 1;
    values.length = last + 1;
  }
  return { names, values };
}

/** One value stays a string, repeated ones become a list: httpbin's "semi-flattened" form. */
export function asList(_name: string, first: FieldValue, next: string): FieldValue {
  if (typeof first === 'string') return [first, next];
  first.push(next);
  return first;
}

export function semiFlattened(pairs: Iterable<readonly [name: string, value: string]>): SortedFields {
  const names: string[] = [];
  const values: FieldValue[] = [];
  for (const [name, value] of pairs) {
    names.push(name);
    values.push(value);
  }
  return names.length === 0 ? noFields : sortedFields(names, values, asList);
}

export function toObject({ names, values }: SortedFields): Record<string, FieldValue> {
  const object: Record<string, FieldValue> = {};
  for (let index = 0; index < names.length; index++) setMember(object, names[index]!, values[index]!);
  return object;
}

/** The same with every value a list, as go-httpbin has it. */
export function toLists({ names, values }: SortedFields): Record<string, string[]> {
  const object: Record<string, string[]> = {};
  for (let index = 0; index < names.length; index++) {
    const value = values[index]!;
    setMember(object, names[index]!, typeof value === 'string' ? [value] : value);
  }
  return object;
}

function sortByInsertion(names: string[], values: FieldValue[]): void {
  for (let index = 1; index < names.length; index++) {
    const name = names[index]!;
    const value = values[index]!;
    let at = index;
    for (; at > 0 && names[at - 1]! > name; at--) {
      names[at] = names[at - 1]!;
      values[at] = values[at - 1]!;
    }
    names[at] = name;
    values[at] = value;
  }
}

function sortByIndex(names: string[], values: FieldValue[]): void {
  const unsortedNames = names.slice();
  const unsortedValues = values.slice();
  const order = unsortedNames.map((_, index) => index);
  order.sort((a, b) => compare(unsortedNames[a]!, unsortedNames[b]!));
  for (let index = 0; index < order.length; index++) {
    names[index] = unsortedNames[order[index]!]!;
    values[index] = unsortedValues[order[index]!]!;
  }
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
