import { timeSpanOf } from './date-value.ts';
import { type ErrorCause, mapperError } from './engine-error.ts';

/** What a mapping says of one field, in the words of the wire. */
export interface Field {
  readonly type: FieldType;
  /** Longer values of a keyword are kept, but not found. */
  readonly ignore_above?: number;
  /** False: kept, but never found. */
  readonly index?: boolean;
  readonly norms?: boolean;
  /** False for an object of any shape that is kept, but not looked at. */
  readonly enabled?: boolean;
  /** The same value under a further name and type. */
  readonly fields?: Fields;
  readonly properties?: Fields;
}

export type Fields = Readonly<Record<string, Field>>;
export type FieldType = (typeof fieldTypes)[number];

export const fieldTypes = [
  'keyword',
  'text',
  'long',
  'integer',
  'short',
  'byte',
  'double',
  'float',
  'boolean',
  'date',
  'object',
] as const;

/** Bounds of the whole numbers. */
const WHOLE_NUMBERS: Readonly<Record<string, number>> = {
  long: 2 ** 63,
  integer: 2 ** 31,
  short: 2 ** 15,
  byte: 2 ** 7,
};

export function isNumeric(type: FieldType): boolean {
  return type in WHOLE_NUMBERS || type === 'double' || type === 'float';
}

/** The number that a value of a numeric field stands for; undefined when it stands for none. Digits in a text count too. */
export function numberOf(value: unknown, type: FieldType): number | undefined {
  const number =
    typeof value === 'number' || (typeof value === 'string' && /^[+-]?[\d.]/.test(value))
      ? Number(value)
      : Number.NaN;
  if (!Number.isFinite(number)) return undefined;
  const bound = WHOLE_NUMBERS[type];
  if (bound === undefined) return number;
  // What lies behind the point is cut off, as the engine does.
  const whole = Math.trunc(number);
  return whole >= -bound && whole <= bound - (bound < 2 ** 53 ? 1 : 0) ? whole : undefined;
}

export function booleanOf(value: unknown): boolean | undefined {
  if (value === true || value === 'true') return true;
  if (value === false || value === 'false' || value === '') return false;
  return undefined;
}

/** Throws when the field cannot hold the value. */
export function checkValue(path: string, field: Field, value: unknown, id: string): void {
  const reason = objectionTo(field, value);
  if (reason === undefined) return;
  throw mapperError(
    `failed to parse field [${path}] of type [${field.type}] in document with id '${id}'. Preview of field's value: '${previewOf(value)}'`,
    reason,
  );
}

function objectionTo({ type }: Field, value: unknown): ErrorCause | undefined {
  if (type === 'keyword' || type === 'text') {
    return typeof value === 'object'
      ? { type: 'illegal_state_exception', reason: "Can't get text on a START_OBJECT" }
      : undefined;
  }
  if (type === 'date') {
    return timeSpanOf(value)
      ? undefined
      : illegal(
          `failed to parse date field [${previewOf(value)}] with format [strict_date_optional_time||epoch_millis]`,
        );
  }
  if (type === 'boolean') {
    return booleanOf(value) === undefined
      ? illegal(`Failed to parse value [${previewOf(value)}] as only [true] or [false] are allowed.`)
      : undefined;
  }
  return numberOf(value, type) === undefined
    ? { type: 'number_format_exception', reason: `For input string: "${previewOf(value)}"` }
    : undefined;
}

function illegal(reason: string): ErrorCause {
  return { type: 'illegal_argument_exception', reason };
}

const LONGEST_PREVIEW = 100;

function previewOf(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.slice(0, LONGEST_PREVIEW);
}
