import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explainPath, explainQuery, odditiesOf } from './target-changes.ts';

const pathCases: ReadonlyArray<[sent: string, seen: string, why: string | undefined]> = [
  ['/a/../b', '/a/../b', undefined],
  ['/a/../b', '/b', 'dot segments were resolved'],
  ['/a/./b/..', '/a/', 'dot segments were resolved'],
  ['/a/%2e%2E/b', '/b', 'encoded dots were decoded and resolved'],
  ['/a//b', '/a/b', 'double slashes were merged'],
  ['/a//../b', '/b', 'double slashes were merged and dot segments resolved'],
  ['/a%2fb', '/a%2Fb', 'hex digits changed case'],
  ['/a%2Fb%20c', '/a/b%20c', 'encoded slashes were decoded'],
  ['/%7Ea', '/~a', 'unreserved characters were decoded'],
  ['/%C5%9F', '/\xc5\x9f', 'percent-encoding was undone once'],
  ['/\xc5\x9f', '/%C5%9F', 'characters were percent-encoded'],
  ['/a%20b', '/a%2520b', 'percent signs were encoded again'],
  ['/a;v=1/b', '/a/b', 'path parameters were cut off'],
  ['/a#b', '/a', 'the fragment was cut off'],
  ['/a%2F..//%62', '/b', 'the path was decoded and normalised'],
  ['/api/x', '/x', 'a prefix was stripped'],
  ['/x', '/api/x', 'a prefix was added'],
  ['/x', '/y', 'the path is another one'],
];

for (const [sent, seen, why] of pathCases) {
  test(`path ${sent} seen as ${seen}: ${why ?? 'unchanged'}`, () => {
    assert.equal(explainPath(sent, seen), why);
  });
}

const queryCases: ReadonlyArray<
  [sent: string | undefined, seen: string | undefined, why: string | undefined]
> = [
  ['b=1&a=2', 'b=1&a=2', undefined],
  ['b=1&a=2', 'a=2&b=1', 'the order of the parameters changed'],
  ['a=b+c', 'a=b%20c', '+ became %20'],
  ['a=b%20c', 'a=b+c', '%20 became +'],
  ['a=%c3', 'a=%C3', 'hex digits changed case'],
  ['a={', 'a=%7B', 'characters were percent-encoded'],
  ['', undefined, 'the empty query lost its question mark'],
  ['a', undefined, 'the query was lost'],
  [undefined, 'a', 'a query was added'],
  ['a', 'b', 'the query is another one'],
];

for (const [sent, seen, why] of queryCases) {
  test(`query ${sent} seen as ${seen}: ${why ?? 'unchanged'}`, () => {
    assert.equal(explainQuery(sent, seen), why);
  });
}

test('oddities are found on the raw path', () => {
  assert.deepEqual(odditiesOf('/a/b.c/...'), { dotSegments: false, doubleSlash: false, encodedSlash: false });
  assert.deepEqual(odditiesOf('/a/%2e./b'), { dotSegments: true, doubleSlash: false, encodedSlash: false });
  assert.deepEqual(odditiesOf('/a//b%2Fc'), { dotSegments: false, doubleSlash: true, encodedSlash: true });
});
