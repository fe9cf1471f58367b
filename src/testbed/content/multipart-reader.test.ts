import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../../kernel/faults.ts';
import { boundaryOf, readMultipart } from './multipart-reader.ts';

const limits = { maxParts: 5 };
const read = (body: string) =>
  readMultipart(Buffer.from(body), 'b', limits).map(({ headers, content }) => [headers, content.toString()]);

const bodies: readonly [name: string, body: string, parts: unknown[]][] = [
  ['one part', '--b\r\nA: 1\r\n\r\ncontent\r\n--b--\r\n', [[['A', '1'], 'content']]],
  [
    'two parts in their order',
    '--b\r\n\r\none\r\n--b\r\n\r\ntwo\r\n--b--',
    [
      [[], 'one'],
      [[], 'two'],
    ],
  ],
  ['preamble and epilogue are left out', 'before\r\n--b\r\n\r\nx\r\n--b--\r\nafter\r\n--b', [[[], 'x']]],
  ['blanks after the boundary', '--b \t\r\n\r\nx\r\n--b-- \r\n', [[[], 'x']]],
  ['an empty content', '--b\r\nA: 1\r\n\r\n\r\n--b--', [[['A', '1'], '']]],
  ['headers and no content', '--b\r\nA: 1\r\n\r\n--b--', [[['A', '1'], '']]],
  ['neither headers nor content', '--b\r\n\r\n--b--', [[[], '']]],
  ['content with the boundary inside a line', '--b\r\n\r\nx --b\r\n--bc\r\n--b--', [[[], 'x --b\r\n--bc']]],
  ['content that ends with a line break', '--b\r\n\r\nx\r\n\r\n--b--', [[[], 'x\r\n']]],
  ['a folded header', '--b\r\nA: 1\r\n\t2\r\nB:3\r\n\r\nx\r\n--b--', [[['A', '1 2', 'B', '3'], 'x']]],
  ['UTF-8 in a header', '--b\r\nA: ş\r\n\r\n\r\n--b--', [[['A', 'ş'], '']]],
  ['no parts at all', '--b--\r\n', []],
];

for (const [name, body, parts] of bodies) {
  test(`reads ${name}`, () => assert.deepEqual(read(body), parts));
}

const refused: readonly [name: string, body: string, status: number, reason: RegExp][] = [
  ['a body without the boundary', 'nothing', 400, /does not occur/],
  ['an empty body', '', 400, /does not occur/],
  ['a body that ends too early', '--b\r\n\r\nx\r\n--b\r\n\r\ny', 400, /closing boundary/],
  ['a header without a name', '--b\r\nno colon\r\n\r\nx\r\n--b--', 400, /has no name/],
  ['a header block without end', `--b\r\nA: ${'x'.repeat(20_000)}\r\n\r\nx\r\n--b--`, 400, /longer than/],
  ['more parts than allowed', `${'--b\r\n\r\nx\r\n'.repeat(6)}--b--`, 413, /more than 5 parts/],
];

for (const [name, body, status, reason] of refused) {
  test(`refuses ${name}`, () => {
    assert.throws(
      () => read(body),
      (error) => error instanceof Fault && error.status === status && reason.test(error.message),
    );
  });
}

test('bytes of a part come through as they are', () => {
  const content = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
  const body = Buffer.concat([Buffer.from('--b\r\n\r\n'), content, Buffer.from('\r\n--b--')]);
  assert.deepEqual(readMultipart(body, 'b', limits)[0]?.content, content);
});

test('the boundary is taken from any multipart type', () => {
  assert.equal(boundaryOf('multipart/related; boundary="a b"; type=x'), 'a b');
  assert.throws(() => boundaryOf('multipart/mixed'), /names no boundary/);
  assert.throws(() => boundaryOf(`multipart/mixed; boundary=${'x'.repeat(71)}`), /longer than 70/);
  assert.throws(
    () => boundaryOf('text/plain'),
    (error) => error instanceof Fault && error.status === 415,
  );
  assert.throws(
    () => boundaryOf(undefined),
    (error) => error instanceof Fault && error.status === 415,
  );
});
