import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { composeAnswerHead } from './response-head.ts';

const context = { method: 'GET', version: '1.1', mayStayOpen: true, nowMs: 0 } as const;
const compose = (headers: string[], bodyLength = 0) =>
  composeAnswerHead(200, undefined, headers, bodyLength, context).text;
const date = 'Date: Thu, 01 Jan 1970 00:00:00 GMT\r\n';

describe('a field that was sent before', () => {
  test('is sent with the value it has now', () => {
    for (const value of ['one', 'one', 'two', 'one', 'one', '', 'x'.repeat(1000), 'one']) {
      const expected = `HTTP/1.1 200 OK\r\nX-Again: ${value}\r\nContent-Length: 0\r\n${date}\r\n`;
      assert.equal(compose(['X-Again', value]), expected);
    }
  });

  test('keeps bytes beyond ASCII', () => {
    for (let time = 0; time < 3; time++)
      assert.match(compose(['X-Bytes', 'caf\xe9']), /X-Bytes: caf\xe9\r\n/);
  });

  for (const value of ['a\r\nX-Injected: 1', 'a\nb', 'a\rb', 'a\0b', 'a\x7fb', 'ċ', 'ĊX-Injected: 1']) {
    test(`cannot split the answer by ${JSON.stringify(value)}`, () => {
      compose(['X-Before', 'fine']);
      for (let time = 0; time < 2; time++)
        assert.throws(() => compose(['X-Before', value]), /cannot be sent/);
      assert.match(compose(['X-Before', 'fine']), /X-Before: fine\r\n/);
    });
  }

  test('is refused under any name that is no token, as often as it is tried', () => {
    for (let time = 0; time < 3; time++) assert.throws(() => compose(['X Before', 'fine']), /cannot be sent/);
  });
});

test('every length is written as it is', () => {
  for (const length of [0, 1, 131, 4095, 4096, 4097, 10 ** 9, 131])
    assert.match(compose([], length), new RegExp(`\\r\\nContent-Length: ${length}\\r\\n`));
});
