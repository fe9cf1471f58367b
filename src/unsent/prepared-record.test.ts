import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { WaitingRecord } from '../store/unsent/unsent-records.ts';
import { bulkBody, prepare } from './prepared-record.ts';

const time = '"@timestamp":"2026-01-01T00:00:00.000Z"';

function recordOf(content: string | undefined, id = 'abc', bytes = content?.length ?? 0): WaitingRecord {
  return { key: id, id, content, bytes, timestamp: undefined, connectorId: undefined, exported: () => '' };
}

const kept = [
  [
    'large integers, decimals and the order of members',
    `{"z":12345678901234567890,"a":1.10,"1":1e400,${time}}`,
  ],
  ['blanks and members that stand twice', `{ "a" : 1,\t"a":2 , ${time} }`],
  ['escapes, surrogates and letters of all planes', `{"a":"\\u00fc \\ud83c\\udfdb 🏛 \\/",${time}}`],
  ['line separators inside of texts', `{"a":"\u2028 \\n",${time}}`],
] as const;

for (const [what, content] of kept)
  it(`content goes out byte for byte: ${what}`, () => {
    const prepared = prepare(recordOf(content), 1e6);
    assert.ok('head' in prepared);
    assert.equal(bulkBody([prepared]).toString(), `{"create":{"_id":"abc"}}\n${content}\n`);
  });

it('line breaks between tokens become blanks, because they would end the line', () => {
  const prepared = prepare(recordOf(`{\r\n  "a": "x\\ny",\n${time}\n}`), 1e6);
  assert.ok('head' in prepared);
  assert.equal(prepared.content, `{    "a": "x\\ny", ${time} }`);
});

it('an id is quoted as JSON wants it', () => {
  const prepared = prepare(recordOf(`{${time}}`, 'a"b\\'), 1e6);
  assert.ok('head' in prepared);
  assert.deepEqual(JSON.parse(prepared.head), { create: { _id: 'a"b\\' } });
});

const refused: ReadonlyArray<readonly [string, WaitingRecord, RegExp]> = [
  ['content that is no text', recordOf(undefined), /no text/],
  ['nothing at all', recordOf(''), /no JSON$/],
  ['half a text', recordOf('{"a":'), /no JSON$/],
  ['two documents', recordOf('{}\n{}'), /no JSON$/],
  ['a list', recordOf('[1]'), /no JSON object/],
  ['null', recordOf('null'), /no JSON object/],
  ['no @timestamp', recordOf('{"aci":"x"}'), /no @timestamp/],
  ['an @timestamp that is none', recordOf('{"@timestamp":{}}'), /no @timestamp/],
  ['half a surrogate pair', recordOf(`{"a":"\ud800",${time}}`), /no valid Unicode/],
  ['too many bytes', recordOf(`{${time}}`, 'abc', 2_000_000), /larger than 1000000 bytes/],
  ['an empty id', recordOf(`{${time}}`, ''), /cannot be the id/],
  ['an id longer than 512 bytes', recordOf(`{${time}}`, 'ü'.repeat(257)), /cannot be the id/],
];

for (const [what, record, reason] of refused)
  it(`a record that no index takes is refused: ${what}`, () => {
    const prepared = prepare(record, 1e6);
    assert.ok('reason' in prepared);
    assert.match(prepared.reason, reason);
  });
