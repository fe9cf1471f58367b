import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isValidB3, isValidBaggage, isValidTracestate, parseTraceparent } from './trace-context.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

const traceparents: ReadonlyArray<[value: string, isValid: boolean]> = [
  [`00-${TRACE}-${SPAN}-01`, true],
  [`00-${TRACE}-${SPAN}-00`, true],
  [`cc-${TRACE}-${SPAN}-01-what-the-future-holds`, true],
  [`00-${TRACE}-${SPAN}-01-more`, false],
  [`ff-${TRACE}-${SPAN}-01`, false],
  [`00-${'0'.repeat(32)}-${SPAN}-01`, false],
  [`00-${TRACE}-${'0'.repeat(16)}-01`, false],
  [`00-${TRACE.toUpperCase()}-${SPAN}-01`, false],
  [`00-${TRACE}-${SPAN}`, false],
  ['', false],
];

for (const [value, isValid] of traceparents) {
  test(`traceparent ${value} is ${isValid ? 'valid' : 'invalid'}`, () => {
    assert.equal(parseTraceparent(value) !== undefined, isValid);
  });
}

test('the sampled flag is read', () => {
  assert.equal(parseTraceparent(`00-${TRACE}-${SPAN}-03`)!.isSampled, true);
  assert.equal(parseTraceparent(`00-${TRACE}-${SPAN}-02`)!.isSampled, false);
});

test('tracestate has at most 32 members with unique keys', () => {
  assert.ok(isValidTracestate('rojo=00f067aa0ba902b7,congo=t61rcWkgMzE'));
  assert.ok(isValidTracestate('tenant@system=1, ,a=b'));
  assert.ok(!isValidTracestate('a=1,a=2'));
  assert.ok(!isValidTracestate('A=1'));
  assert.ok(!isValidTracestate('a'));
  assert.ok(!isValidTracestate(Array.from({ length: 33 }, (_, index) => `k${index}=1`).join()));
});

test('b3 and baggage follow their grammars', () => {
  assert.ok(isValidB3(`${TRACE}-${SPAN}-1-05e3ac9a4f6e3b90`));
  assert.ok(isValidB3('0'));
  assert.ok(!isValidB3(`${TRACE}-1`));
  assert.ok(isValidBaggage('userId=alice,serverNode=DF%2028;prop=1'));
  assert.ok(!isValidBaggage('a b=1'));
});
