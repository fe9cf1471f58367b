import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readHeapSnapshot } from './snapshot-reader.ts';

const head = {
  meta: {
    // Another order than V8's, and a column that nobody asks for.
    node_fields: ['id', 'detachedness', 'type', 'name', 'edge_count', 'self_size'],
    node_types: [['hidden', 'object']],
    edge_fields: ['type', 'name_or_index', 'to_node'],
    edge_types: [['property', 'element']],
  },
  node_count: 3,
  edge_count: 3,
};
const strings = [
  '',
  'plain',
  'quote " and \\ slash',
  'lines\r\n\t\b\f',
  'beyond ASCII é 世 \u0001',
  '17',
  '1x',
];
const text = [
  `{"snapshot":${JSON.stringify(head)},\n"nodes":[1,0,1,1,2,16\n,3,0,0,2,0,5000000000\n,5,0,1,0,1,8\n],\n`,
  '"edges":[0,1,6\n,1,7,12\n,0,2,0\n],\n"trace_function_infos":[],\n"locations":[1,2,3\n],\n"strings":[',
  strings.map(asV8Writes).join(',\n'),
  ']}',
].join('');

/** V8 escapes everything beyond ASCII. */
function asV8Writes(value: string): string {
  return JSON.stringify(value).replaceAll(
    /[^\x20-\x7e]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function read(bytes: string, chunkBytes = 1 << 16) {
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += chunkBytes)
    chunks.push(Buffer.from(bytes.slice(at, at + chunkBytes), 'latin1'));
  return readHeapSnapshot(() => chunks.shift());
}

describe('a heap snapshot', () => {
  for (const chunkBytes of [1, 7, 1 << 16]) {
    test(`is read column by column, from chunks of ${chunkBytes} bytes`, () => {
      const { nodes, edges, strings: read_, nodeTypes, edgeTypes } = read(text, chunkBytes);
      assert.deepEqual(
        [nodeTypes, edgeTypes],
        [
          ['hidden', 'object'],
          ['property', 'element'],
        ],
      );
      assert.deepEqual([...nodes.id], [1, 3, 5]);
      assert.deepEqual([...nodes.type], [1, 0, 1]);
      assert.deepEqual([...nodes.name], [1, 2, 0]);
      assert.deepEqual([...nodes.selfSize], [16, 5_000_000_000, 8]);
      assert.deepEqual([...nodes.firstEdge], [0, 2, 2, 3]);
      assert.deepEqual([...edges.type], [0, 1, 0]);
      assert.deepEqual([...edges.name], [1, 7, 2]);
      assert.deepEqual([...edges.to], [1, 2, 0]);
      assert.deepEqual(
        strings.map((_, place) => read_.text(place)),
        strings,
      );
    });
  }

  test('finds strings by their text, and numbers in them', () => {
    const found = read(text).strings;
    assert.equal(found.count, strings.length);
    assert.equal(found.placeOf('plain'), 1);
    assert.equal(found.placeOf('plai'), -1);
    assert.deepEqual([found.index(5), found.index(6), found.index(0), found.index(1)], [17, ...Array(3)]);
    assert.deepEqual([...found.units(4)].at(-3), '世'.charCodeAt(0));
  });

  const refused: ReadonlyArray<readonly [what: string, bytes: string, error: RegExp]> = [
    ['nothing at all', '', /ends too early/],
    ['something else', `${'{"a":1}'.repeat(20_000)}`, /no heap snapshot/],
    ['one that is cut off in its head', text.slice(0, 50), /ends too early/],
    ['one that is cut off in its nodes', text.slice(0, text.indexOf('5000000000')), /ends too early/],
    ['one that is cut off before its strings', text.slice(0, text.indexOf('"strings"')), /ends too early/],
    ['one that is cut off in a string', text.slice(0, text.indexOf('quote') + 3), /ends within a string/],
    ['one without a column', text.replace('"self_size"', '"size"'), /no column self_size/],
  ];
  for (const [what, bytes, error] of refused) {
    test(`${what} is refused`, () => {
      assert.throws(() => read(bytes, 100), error);
    });
  }
});
