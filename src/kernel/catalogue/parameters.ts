import type { TObject } from 'typebox';
import { fault } from '../faults.ts';
import { compileValue, type ParameterSchema, type ReadValue } from './parameter-values.ts';
import { decodePercent, type QueryPairs } from './query.ts';

type Values = Record<string, unknown>;

/** Reads the declared query parameters; pairs that are not declared pass unseen. */
export type ReadQuery = (pairs: QueryPairs) => Values;
/** Reads the captured path segments. */
export type ReadPath = (names: readonly string[], rawValues: readonly string[]) => Values;

interface Parameter {
  readonly name: string;
  readonly kind: 'single' | 'list' | 'map' | 'files';
  /** Where clients spell the name in any casing. */
  readonly ignoresCase: boolean;
  readonly isRequired: boolean;
  readonly fallback: unknown;
  /** How often a list may be given. */
  readonly minItems: number;
  readonly maxItems: number;
  readonly read: ReadValue;
}

/**
 * The reader of an entry's query. A single value that is repeated counts by its first; an array takes all of them.
 * A map takes every pair that no other parameter claims. Maps and files may also come in the body (spec 1 §4.5, §4.7),
 * so the kernel never misses them: it is for the handler to look there and refuse.
 */
export function compileQuery(schema: TObject): ReadQuery {
  const parameters = parametersOf(schema);
  const claimed = new Set(parameters.filter(({ kind }) => kind !== 'map').map(({ name }) => name));
  return (pairs) => {
    const values: Values = {};
    for (const parameter of parameters) {
      const value = readFromQuery(parameter, pairs, claimed);
      if (value !== undefined) values[parameter.name] = value;
    }
    return values;
  };
}

/** The reader of an entry's path. Segments without a schema are given as decoded text. */
export function compilePath(schema: TObject | undefined): ReadPath {
  const parameters = new Map((schema ? parametersOf(schema) : []).map((one) => [one.name, one]));
  return (names, rawValues) => {
    const values: Values = {};
    for (let index = 0; index < names.length; index++) {
      const name = names[index]!;
      const text = decodePercent(rawValues[index]!);
      const parameter = parameters.get(name);
      values[name] = parameter ? checked('path', parameter, text) : text;
    }
    return values;
  };
}

function parametersOf(schema: TObject): Parameter[] {
  const required = new Set<string>(schema.required);
  return Object.entries(schema.properties as Record<string, ParameterSchema>).map(([name, property]) => {
    const kind = kindOf(property);
    return {
      name,
      kind,
      ignoresCase: property['x-ignore-case'] === true,
      isRequired: required.has(name) && property.default === undefined,
      fallback: property.default,
      minItems: property.minItems ?? 0,
      maxItems: property.maxItems ?? Number.POSITIVE_INFINITY,
      read: compileValue(kind === 'list' || kind === 'files' ? (property.items ?? {}) : property),
    };
  });
}

function kindOf(schema: ParameterSchema): Parameter['kind'] {
  if (schema.type === 'object') return 'map';
  if (schema.type !== 'array') return schema.format === 'binary' ? 'files' : 'single';
  return schema.items?.format === 'binary' ? 'files' : 'list';
}

function readFromQuery(parameter: Parameter, pairs: QueryPairs, claimed: ReadonlySet<string>): unknown {
  const { name, kind, isRequired, fallback } = parameter;
  if (kind === 'map') return Object.fromEntries(pairs.filter(([key]) => !claimed.has(key)));
  if (kind === 'single') {
    const pair = findPair(pairs, parameter);
    if (pair) return checked('query', parameter, pair[1]);
  } else {
    const texts = pairs.filter(([key]) => key === name).map(([, text]) => text);
    if (texts.length > 0 || kind === 'files') return checkedList(parameter, texts);
  }
  if (isRequired) throw fault('parameter.missing', { in: 'query', name, rule: 'is required' });
  return fallback;
}

/** The pair of that very name, else one that differs only in casing where that does not matter. */
function findPair(pairs: QueryPairs, { name, ignoresCase }: Parameter): QueryPairs[number] | undefined {
  const exact = pairs.find(([key]) => key === name);
  if (exact || !ignoresCase) return exact;
  return pairs.find(([key]) => key.toLowerCase() === name.toLowerCase());
}

function checkedList(parameter: Parameter, texts: readonly string[]): unknown[] {
  const { name, minItems, maxItems } = parameter;
  const bound =
    texts.length > maxItems ? `most ${maxItems}` : texts.length < minItems ? `least ${minItems}` : undefined;
  if (bound && texts.length > 0) {
    throw fault('parameter.invalid', { in: 'query', name, rule: `must be given at ${bound} times` });
  }
  return texts.map((text) => checked('query', parameter, text));
}

function checked(place: 'query' | 'path', { name, read }: Parameter, text: string): unknown {
  const { value, rule } = read(text);
  if (rule !== undefined) throw fault('parameter.invalid', { in: place, name, rule });
  return value;
}
