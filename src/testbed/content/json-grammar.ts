/**
 * RFC 8259 as a table: state and byte give the next state, or an action where brackets and commas need more than
 * that. One lookup per byte is what makes checking JSON cheaper than parsing it.
 */
const SPACE = ' \t\r\n';
const DIGIT = '0123456789';
const HEX = `${DIGIT}abcdefABCDEF`;

/** The next state of a byte that cannot stand where it does. */
export const MISTAKE = 0;

const expectations: string[] = ['' /* MISTAKE */];

/** A new state, and what a text that goes wrong there should have had. */
function state(expectation: string): number {
  expectations.push(expectation);
  return expectations.length - 1;
}

export const VALUE = state('expected a value');
export const FIRST_VALUE = state('expected a value or ]');
export const KEY = state('expected the name of a member');
export const FIRST_KEY = state('expected the name of a member or }');
const COLON = state('expected a colon');
export const AFTER = state('expected a comma or the end of what is open');
export const STRING = state('a control character in a string must be escaped');
export const KEY_STRING = state('a control character in a string must be escaped');
const MINUS = state('expected a digit');
const ZERO = state('a number has no leading zeros');
const INTEGER = state('expected the rest of a number');
const POINT = state('expected a digit');
const FRACTION = state('expected the rest of a number');
const EXPONENT = state('expected a digit or a sign');
const EXPONENT_SIGN = state('expected a digit');
const EXPONENT_DIGITS = state('expected the rest of a number');

/** Numbers have no end of their own: these states are complete when the text ends in them. */
export const completeStates: ReadonlySet<number> = new Set([AFTER, ZERO, INTEGER, FRACTION, EXPONENT_DIGITS]);

// Actions share the number space with states and lie above all of them.
export const FIRST_ACTION = 200;
export const OPEN_OBJECT = 200;
export const OPEN_ARRAY = 201;
export const CLOSE_OBJECT = 202;
export const CLOSE_ARRAY = 203;
export const NEXT_ITEM = 204;

type Rows = Map<number, Map<number, number>>;
const rows: Rows = new Map();

/** From a state, each of these characters leads to the next one. */
function from(origin: number, characters: string, next: number): void {
  const row = rows.get(origin) ?? new Map<number, number>();
  rows.set(origin, row);
  for (const character of characters) row.set(character.charCodeAt(0), next);
}

for (const origin of [VALUE, FIRST_VALUE]) {
  from(origin, SPACE, origin);
  from(origin, '"', STRING);
  from(origin, '{', OPEN_OBJECT);
  from(origin, '[', OPEN_ARRAY);
  from(origin, '-', MINUS);
  from(origin, '0', ZERO);
  from(origin, '123456789', INTEGER);
  for (const literal of ['true', 'false', 'null']) addLiteral(origin, literal);
}
from(FIRST_VALUE, ']', CLOSE_ARRAY);
for (const origin of [KEY, FIRST_KEY]) {
  from(origin, SPACE, origin);
  from(origin, '"', KEY_STRING);
}
from(FIRST_KEY, '}', CLOSE_OBJECT);
from(COLON, SPACE, COLON);
from(COLON, ':', VALUE);
addString(STRING, AFTER);
addString(KEY_STRING, COLON);

from(MINUS, '0', ZERO);
from(MINUS, '123456789', INTEGER);
for (const origin of [ZERO, INTEGER]) {
  from(origin, '.', POINT);
  from(origin, 'eE', EXPONENT);
}
from(INTEGER, DIGIT, INTEGER);
from(POINT, DIGIT, FRACTION);
from(FRACTION, DIGIT, FRACTION);
from(FRACTION, 'eE', EXPONENT);
from(EXPONENT, '+-', EXPONENT_SIGN);
for (const origin of [EXPONENT, EXPONENT_SIGN, EXPONENT_DIGITS]) from(origin, DIGIT, EXPONENT_DIGITS);
// What may follow a value ends a number.
for (const origin of completeStates) {
  from(origin, SPACE, AFTER);
  from(origin, ',', NEXT_ITEM);
  from(origin, '}', CLOSE_OBJECT);
  from(origin, ']', CLOSE_ARRAY);
}

function addLiteral(origin: number, literal: string): void {
  let at = origin;
  for (const character of literal.slice(0, -1)) {
    const next = state(`expected ${literal}`);
    from(at, character, next);
    at = next;
  }
  from(at, literal.slice(-1), AFTER);
}

function addString(inside: number, end: number): void {
  for (let byte = 0x20; byte < 0x100; byte++) from(inside, String.fromCharCode(byte), inside);
  const escaped = state('this character cannot be escaped');
  from(inside, '"', end);
  from(inside, '\\', escaped);
  from(escaped, '"\\/bfnrt', inside);
  let at = escaped;
  for (const character of ['u', HEX, HEX, HEX]) {
    const next = state('\\u must be followed by four hex digits');
    from(at, character, next);
    at = next;
  }
  from(at, HEX, inside);
}

/** The next state or action of state `s` and byte `b` stands at `s * 256 + b`. */
export const transitions: Uint8Array = flatten();

function flatten(): Uint8Array {
  const table = new Uint8Array(expectations.length * 256).fill(MISTAKE);
  for (const [origin, row] of rows) for (const [byte, next] of row) table[origin * 256 + byte] = next;
  return table;
}

export function expectationAt(origin: number): string {
  return expectations[origin] ?? '';
}
