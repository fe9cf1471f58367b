import type { ParameterSchema } from '../catalogue/parameter-values.ts';

/** The largest numbers that int32 and int64 stand for: their name says the bound already. */
const IMPLIED_BOUNDS = new Set([2 ** 31, 2 ** 31 - 1, Number.MAX_SAFE_INTEGER]);

export function typeText(schema: ParameterSchema): string {
  if (choicesOf(schema)) return 'one of';
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeText))].join(' or ');
  if (schema.items) return `list of ${typeText(schema.items)}`;
  if (schema.type === undefined) return 'any';
  const type = Array.isArray(schema.type) ? schema.type.join(' or ') : String(schema.type);
  return schema.format ? `${type} (${schema.format})` : type;
}

/** The values there are, when they can be counted. */
export function choicesOf({ enum: choices, const: only, anyOf }: ParameterSchema): string[] | undefined {
  if (choices) return choices.map(String);
  if (only !== undefined) return [String(only)];
  if (anyOf?.every((one) => one.const !== undefined)) return anyOf.map((one) => String(one.const));
  return undefined;
}

/** What a value must keep to beside its type, in words. */
export function rulesOf(schema: ParameterSchema): string[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const { minLength, maxLength, minItems, maxItems, pattern } = schema;
  return [
    rangeText(telling(minimum), telling(maximum)),
    exclusiveMinimum === undefined ? undefined : `more than ${exclusiveMinimum}`,
    exclusiveMaximum === undefined ? undefined : `less than ${exclusiveMaximum}`,
    multipleOf === undefined ? undefined : `a multiple of ${multipleOf}`,
    withUnit(rangeText(minLength, maxLength), 'characters'),
    withUnit(rangeText(minItems, maxItems), 'items'),
    pattern === undefined ? undefined : `matches ${pattern}`,
    schema['x-ignore-case'] ? 'name in any casing' : undefined,
  ].filter((rule) => rule !== undefined);
}

function telling(bound: number | undefined): number | undefined {
  return bound === undefined || IMPLIED_BOUNDS.has(Math.abs(bound)) ? undefined : bound;
}

function rangeText(from: number | undefined, to: number | undefined): string | undefined {
  if (from !== undefined && to !== undefined) return from === to ? `exactly ${from}` : `${from} to ${to}`;
  if (from !== undefined) return `at least ${from}`;
  return to === undefined ? undefined : `at most ${to}`;
}

function withUnit(range: string | undefined, unit: string): string | undefined {
  return range && `${range} ${unit}`;
}
