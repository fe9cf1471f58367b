import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FieldMode } from '../cleanup-script.ts';
import { cleanedSource } from './cleaned-source.ts';
import { repeatedName, topLevelMembers } from './json-members.ts';

describe('a cleaned document', () => {
  const cases: Array<[mode: FieldMode, source: string, expected: string | undefined]> = [
    ['remove', '{"x":1,"y":2}', '{"y":2}'],
    ['remove', '{"y":2,"x":1}', '{"y":2}'],
    ['remove', '{"a":1,"x":1,"b":2}', '{"a":1,"b":2}'],
    ['remove', '{"x":1}', '{}'],
    ['remove', '{"y":{"x":1}}', undefined],
    ['remove', '{"y":["x"],"xx":"x"}', undefined],
    ['remove', '{}', undefined],
    ['remove', ' { "y" : 12345678901234567890 , "x" : [1,{"a":"]}"}] } ', '{"y" : 12345678901234567890}'],
    ['remove', '{"\\u0078":"escaped name","y":1.10}', '{"y":1.10}'],
    ['remove', '{"y":"\\\\","x":"\\"}","z":true}', '{"y":"\\\\","z":true}'],
    ['empty', '{"x":"text","y":1}', '{"x":"","y":1}'],
    ['empty', '{"x":null}', '{"x":""}'],
    ['empty', '{"x": {"a":[1,"]"]} ,"y":1.0}', '{"x": "" ,"y":1.0}'],
    ['empty', '{"x":""}', undefined],
    ['empty', '{"x":" "}', '{"x":""}'],
    ['empty', '{"y":""}', undefined],
    ['empty', '{"x":-1.5e+3}', '{"x":""}'],
    ['empty', '{\n\t"x"\r\n:\tfalse\n}', '{\n\t"x"\r\n:\t""\n}'],
  ];
  for (const [mode, source, expected] of cases) {
    it(`${mode} x in ${source} gives ${expected ?? 'the same'}`, () => {
      assert.equal(cleanedSource(source, mode, new Set(['x'])), expected);
      if (expected !== undefined) assert.doesNotThrow(() => JSON.parse(expected));
    });
  }
});

describe('the members of a JSON text', () => {
  it('are the same as a parser finds, whatever is in them', () => {
    const document = {
      a: 'q"\\',
      'b.c': [{ d: '}' }, ']'],
      'é\n': null,
      '': 0,
      e: { f: { g: [] } },
      t: true,
    };
    for (const text of [JSON.stringify(document), JSON.stringify(document, null, 3)]) {
      const members = topLevelMembers(text).map(({ name, valueStart, valueEnd }) => [
        name,
        JSON.parse(text.slice(valueStart, valueEnd)),
      ]);
      assert.deepEqual(Object.fromEntries(members), document);
    }
  });

  const repeated: Array<[text: string, name: string | undefined]> = [
    ['{"a":1,"b":2}', undefined],
    ['{"a":1,"a":2}', 'a'],
    ['{"a":{"a":1},"b":{"a":1}}', undefined],
    ['{"o":[{"a":1},{"a":1}]}', undefined],
    ['{"o":[{"a":1,"a":1}]}', 'a'],
    ['{"a":1,"\\u0061":2}', 'a'],
    ['{"a":"a","b":"b: a"}', undefined],
    ['{"a" :1 , "a" :2}', 'a'],
  ];
  for (const [text, name] of repeated) {
    it(`${text} repeats ${name ?? 'nothing'}`, () => assert.equal(repeatedName(text), name));
  }
});
