import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type TSchema, Type } from 'typebox';
import { Fault } from '../faults.ts';
import { int32, int64 } from './declarations.ts';
import { compilePath, compileQuery } from './parameters.ts';
import { parseQuery } from './query.ts';

const REQUIRED = Symbol('the parameter is required');

/** The value of `x` in this query, the broken rule as a string after `!`, or REQUIRED. */
function readX(schema: TSchema, query: string): unknown {
  try {
    return compileQuery(Type.Object({ x: schema }))(parseQuery(query)).x;
  } catch (error) {
    assert.ok(error instanceof Fault);
    assert.equal(error.status, 400);
    assert.equal(error.values.in, 'query');
    assert.equal(error.values.name, 'x');
    return error.key === 'parameter.missing' ? REQUIRED : `!${error.values.rule}`;
  }
}

const decimal = Type.Number({ exclusiveMinimum: 0, exclusiveMaximum: 10 });
const choice = Type.Union([Type.Literal('a'), Type.Literal('b'), Type.Literal(3)]);
const integerOrDecimal = Type.Union([int32(), Type.Number({ minimum: 0 })]);

const cases: Array<[name: string, schema: TSchema, query: string, expected: unknown]> = [
  ['text', Type.String(), 'x=a%20b+c', 'a b c'],
  ['text in UTF-8', Type.String(), 'x=%C5%9F', 'ş'],
  ['empty text', Type.String(), 'x=', ''],
  ['a bare name', Type.String(), 'x', ''],
  ['the first of several', Type.String(), 'x=1&x=2', '1'],
  ['missing', Type.String(), 'y=1', REQUIRED],
  ['missing but optional', Type.Optional(Type.String()), '', undefined],
  ['missing with a default', Type.String({ default: 'd' }), '', 'd'],
  ['missing, optional, with a default', Type.Optional(int32({ default: 5 })), '', 5],
  ['text too short', Type.String({ minLength: 2 }), 'x=a', '!must have at least 2 characters'],
  ['empty where it may not be', Type.String({ minLength: 1 }), 'x=', '!must not be empty'],
  ['text too long', Type.String({ maxLength: 2 }), 'x=abc', '!must have at most 2 characters'],
  ['characters are counted, not UTF-16 units', Type.String({ maxLength: 1 }), 'x=%F0%9F%98%80', '😀'],
  ['a pattern', Type.String({ pattern: '^[a-z]+$' }), 'x=abc', 'abc'],
  ['a pattern that fails', Type.String({ pattern: '^[a-z]+$' }), 'x=ab1', '!must match ^[a-z]+$'],
  ['an integer', int32(), 'x=-12', -12],
  ['leading zeros', int32(), 'x=007', 7],
  ['minus zero is zero', int32(), 'x=-0', 0],
  ['the largest int32', int32(), 'x=2147483647', 2147483647],
  ['beyond int32', int32(), 'x=2147483648', '!must be a 32-bit integer'],
  ['below int32', int32(), 'x=-2147483649', '!must be a 32-bit integer'],
  ['no integer: letters', int32(), 'x=abc', '!must be a 32-bit integer'],
  ['no integer: nothing', int32(), 'x=', '!must be a 32-bit integer'],
  ['no integer: a decimal', int64(), 'x=1.0', '!must be an integer'],
  ['no integer: an exponent', int64(), 'x=1e3', '!must be an integer'],
  ['no integer: hexadecimal', int64(), 'x=0x10', '!must be an integer'],
  ['no integer: a plus sign', int64(), 'x=%2B1', '!must be an integer'],
  ['no integer: spaces', int64(), 'x=+1', '!must be an integer'],
  ['no integer: other digits', int64(), 'x=%D9%A1', '!must be an integer'],
  ['the largest exact integer', int64(), 'x=9007199254740991', 9007199254740991],
  [
    'beyond exact integers',
    int64(),
    'x=9007199254740992',
    '!must be an integer between -9007199254740991 and 9007199254740991',
  ],
  ['too small', int32({ minimum: 1 }), 'x=0', '!must be at least 1'],
  ['too large', int32({ maximum: 100 }), 'x=101', '!must be at most 100'],
  ['a number', decimal, 'x=2.5e0', 2.5],
  ['no number', decimal, 'x=Infinity', '!must be a decimal number'],
  ['a number too large to hold', Type.Number(), 'x=1e999', '!must be a decimal number'],
  ['at an excluded bound', decimal, 'x=0', '!must be more than 0'],
  ['at the other excluded bound', decimal, 'x=10', '!must be less than 10'],
  ['not a multiple', int32({ multipleOf: 4 }), 'x=6', '!must be a multiple of 4'],
  ['true', Type.Boolean(), 'x=true', true],
  ['false', Type.Boolean(), 'x=false', false],
  ['neither', Type.Boolean(), 'x=yes', '!must be true or false'],
  ['one of a union', choice, 'x=b', 'b'],
  ['a number of a union', choice, 'x=3', 3],
  ['none of a union', choice, 'x=c', '!must be one of a, b, 3'],
  ['one of an enum', Type.Enum(['p', 'q']), 'x=q', 'q'],
  ['none of an enum', Type.Enum(['p', 'q']), 'x=r', '!must be one of p, q'],
  ['a literal', Type.Literal('only'), 'x=other', '!must be only'],
  ['the first alternative that fits', integerOrDecimal, 'x=-3', -3],
  ['the second alternative', integerOrDecimal, 'x=0.5', 0.5],
  ['no alternative: the last rule', integerOrDecimal, 'x=abc', '!must be a decimal number'],
  ['a list', Type.Array(int32()), 'x=1&y=0&x=2', [1, 2]],
  ['a list with a bad item', Type.Array(int32()), 'x=1&x=b', '!must be a 32-bit integer'],
  ['no list', Type.Array(int32()), '', REQUIRED],
  ['a list too long', Type.Array(int32(), { maxItems: 1 }), 'x=1&x=2', '!must be given at most 1 times'],
  ['a list too short', Type.Array(int32(), { minItems: 2 }), 'x=1', '!must be given at least 2 times'],
  ['a map is everything else', Type.Record(Type.String(), Type.String()), 'a=1&b=2', { a: '1', b: '2' }],
  ['no map', Type.Record(Type.String(), Type.String()), '', {}],
  ['files that may come in the body', Type.Array(Type.String({ format: 'binary' })), '', []],
  ['files in the query', Type.Array(Type.String({ format: 'binary' })), 'x=f', ['f']],
  ['anything', Type.Unknown(), 'x=1', '1'],
];

describe('one query parameter', () => {
  for (const [name, schema, query, expected] of cases) {
    test(`${name}: ?${query}`, () => assert.deepEqual(readX(schema, query), expected));
  }
});

test('a map leaves out what other parameters claim, and a name like __proto__ is only a name', () => {
  const read = compileQuery(Type.Object({ m: Type.Record(Type.String(), Type.String()), n: int32() }));
  const { m, n } = read(parseQuery('n=1&__proto__=p&k=v')) as { m: object; n: number };
  assert.deepEqual(Object.entries(m), [
    ['__proto__', 'p'],
    ['k', 'v'],
  ]);
  assert.equal(n, 1);
});

describe('path parameters', () => {
  const read = compilePath(Type.Object({ id: int64(), name: Type.String() }));

  test('they are decoded and coerced', () => {
    assert.deepEqual(read(['id', 'name', 'other'], ['12', '%C5%9F%2Fa+b', 'x']), {
      id: 12,
      name: 'ş/a+b',
      other: 'x',
    });
  });

  test('what breaks a rule is named with its place', () => {
    assert.throws(() => read(['id'], ['abc']), {
      key: 'parameter.invalid',
      message: 'path parameter id must be an integer.',
    });
  });
});
