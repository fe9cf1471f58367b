/** The part of JSON Schema that one value of a path or query parameter may be declared by. */
export interface ParameterSchema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly ParameterSchema[];
  readonly items?: ParameterSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly multipleOf?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  /** Query parameters only: the name is taken in any casing. */
  readonly 'x-ignore-case'?: boolean;
}

/** The value a text stands for, or the rule it breaks, as words that follow the parameter's name. */
export type ReadValue = (text: string) => Reading;
type Reading =
  | { readonly value: unknown; readonly rule?: undefined }
  | { readonly value?: undefined; readonly rule: string };

const INT32_RANGE = { minimum: -(2 ** 31), maximum: 2 ** 31 - 1 };
const DECIMAL_INTEGER = /^-?[0-9]{1,400}$/;
const DECIMAL_NUMBER = /^-?[0-9]{1,400}(\.[0-9]{1,400})?([eE][+-]?[0-9]{1,3})?$/;

export function compileValue(schema: ParameterSchema): ReadValue {
  if (schema.anyOf) return compileAlternatives(schema.anyOf);
  if (schema.const !== undefined) return compileChoice([schema.const]);
  if (schema.enum) return compileChoice(schema.enum);
  if (schema.type === 'integer') return compileInteger(schema);
  if (schema.type === 'number') return compileNumber(schema);
  if (schema.type === 'boolean') return readBoolean;
  return compileText(schema);
}

/** Literals are told apart by their text; other alternatives are tried in order, and the last one's rule is the answer. */
function compileAlternatives(alternatives: readonly ParameterSchema[]): ReadValue {
  if (alternatives.every((one) => one.const !== undefined))
    return compileChoice(alternatives.map((one) => one.const));
  const readers = alternatives.map(compileValue);
  return (text) => {
    let reading: Reading = { value: text };
    for (const read of readers) {
      reading = read(text);
      if (reading.rule === undefined) return reading;
    }
    return reading;
  };
}

function compileChoice(choices: readonly unknown[]): ReadValue {
  const byText = new Map(choices.map((choice) => [String(choice), choice]));
  const texts = [...byText.keys()];
  const rule = texts.length === 1 ? `must be ${texts[0]}` : `must be one of ${texts.join(', ')}`;
  return (text) => (byText.has(text) ? { value: byText.get(text) } : { rule });
}

/**
 * Plain decimal digits only. A number that JavaScript cannot hold exactly is refused rather than rounded,
 * so an int64 ends at ±(2^53 - 1).
 */
function compileInteger(schema: ParameterSchema): ReadValue {
  const isInt32 = schema.format === 'int32';
  const kind = isInt32 ? 'must be a 32-bit integer' : 'must be an integer';
  const limit = Number.MAX_SAFE_INTEGER;
  const brokenBound = boundsOf(schema);
  return (text) => {
    if (!DECIMAL_INTEGER.test(text)) return { rule: kind };
    const value = Number(text) + 0;
    if (isInt32 && (value < INT32_RANGE.minimum || value > INT32_RANGE.maximum)) return { rule: kind };
    if (!Number.isSafeInteger(value)) return { rule: `must be an integer between ${-limit} and ${limit}` };
    const rule = brokenBound(value);
    return rule === undefined ? { value } : { rule };
  };
}

function compileNumber(schema: ParameterSchema): ReadValue {
  const brokenBound = boundsOf(schema);
  return (text) => {
    const value = DECIMAL_NUMBER.test(text) ? Number(text) : Number.NaN;
    if (!Number.isFinite(value)) return { rule: 'must be a decimal number' };
    const rule = brokenBound(value);
    return rule === undefined ? { value } : { rule };
  };
}

function boundsOf(schema: ParameterSchema): (value: number) => string | undefined {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  return (value) => {
    if (minimum !== undefined && value < minimum) return `must be at least ${minimum}`;
    if (maximum !== undefined && value > maximum) return `must be at most ${maximum}`;
    if (exclusiveMinimum !== undefined && value <= exclusiveMinimum)
      return `must be more than ${exclusiveMinimum}`;
    if (exclusiveMaximum !== undefined && value >= exclusiveMaximum)
      return `must be less than ${exclusiveMaximum}`;
    if (multipleOf !== undefined && value % multipleOf !== 0) return `must be a multiple of ${multipleOf}`;
    return undefined;
  };
}

function readBoolean(text: string): Reading {
  if (text === 'true') return { value: true };
  if (text === 'false') return { value: false };
  return { rule: 'must be true or false' };
}

function compileText({
  minLength = 0,
  maxLength = Number.POSITIVE_INFINITY,
  pattern,
}: ParameterSchema): ReadValue {
  const expression = pattern === undefined ? undefined : new RegExp(pattern, 'u');
  return (text) => {
    // Only a text that the bound on its UTF-16 units puts in doubt needs its characters counted.
    const length = text.length > maxLength || minLength > 0 ? [...text].length : text.length;
    if (length < minLength) {
      return { rule: minLength === 1 ? 'must not be empty' : `must have at least ${minLength} characters` };
    }
    if (length > maxLength) return { rule: `must have at most ${maxLength} characters` };
    if (expression && !expression.test(text)) return { rule: `must match ${pattern}` };
    return { value: text };
  };
}
