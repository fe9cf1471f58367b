import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createEncoder } from './encode.ts';
import { channelId } from './event-collector/channel-id.ts';

const NOW_MS = Date.UTC(2026, 0, 1) + 7;
const nothing = { host: '', source: '', sourcetype: '', index: '' };

for (const { name, isBatched, metadata, record, text } of [
  { name: 'bare', isBatched: false, record: { a: 1 }, text: '{"a":1}' },
  { name: 'a line of a batch', isBatched: true, record: { a: 'ü€😀' }, text: '{"a":"ü€😀"}\n' },
  {
    name: 'given as text',
    isBatched: false,
    record: '{"n":12345678901234567890}',
    text: '{"n":12345678901234567890}',
  },
  { name: 'text of several lines', isBatched: true, record: '{\r\n "a": 1\n}', text: '{   "a": 1 }\n' },
  {
    name: 'in an envelope without metadata',
    isBatched: false,
    metadata: nothing,
    record: { a: 1 },
    text: '{"time":1767225600.007,"event":{"a":1}}',
  },
  {
    name: 'in an envelope with all of it',
    isBatched: true,
    metadata: { host: 'h"1', source: 'süd', sourcetype: '_json', index: 'main' },
    record: { a: 'ä' },
    text: '{"time":1767225600.007,"host":"h\\"1","source":"süd","sourcetype":"_json","index":"main","event":{"a":"ä"}}\n',
  },
]) {
  test(`a record is written ${name}, and can be got out again`, () => {
    const encoder = createEncoder(isBatched, metadata, () => NOW_MS);
    const encoded = encoder.encode({ record });
    assert.equal(encoded.opening + encoded.json + encoder.closing, text);
    const bytes = Buffer.from(text);
    assert.equal(encoded.bytes, bytes.length);
    const inside = bytes.toString('utf8', encoded.openingBytes, bytes.length - encoder.closing.length);
    assert.deepEqual(JSON.parse(inside), typeof record === 'string' ? JSON.parse(record) : record);
  });
}

test('the time of the event goes before the time it came in', () => {
  const encoder = createEncoder(false, nothing, () => NOW_MS);
  const { opening, timeMs } = encoder.encode({ record: {}, timeMs: 1_500 });
  assert.equal(opening, '{"time":1.500,"event":');
  assert.equal(timeMs, 1_500);
});

test('what has no JSON text is refused', () => {
  const encoder = createEncoder(false, undefined, () => NOW_MS);
  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;
  assert.throws(() => encoder.encode({ record: cycle }));
  assert.throws(() => encoder.encode({ record: { big: 1n } }));
  assert.throws(() => encoder.encode({ record: { toJSON: () => undefined } }));
});

test('a channel is a UUID that stays, and another one for every connection, environment and pod', () => {
  const channel = channelId('c1', 'Development', 'worker-1');
  assert.match(channel, /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.equal(channelId('c1', 'Development', 'worker-1'), channel);
  const others = [
    channelId('c2', 'Development', 'worker-1'),
    channelId('c1', 'Test', 'worker-1'),
    channelId('c1', 'Development', 'worker-2'),
    channelId('c1D', 'evelopment', 'worker-1'),
  ];
  assert.equal(new Set([channel, ...others]).size, 5);
});
