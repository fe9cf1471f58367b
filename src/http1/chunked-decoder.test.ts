import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ChunkedDecoder } from './chunked-decoder.ts';
import { InputBuffer } from './input-buffer.ts';
import { defaultLimits } from './limits.ts';
import { Refusal, type RefusalKey } from './refusals.ts';

function decode(wire: string, { pieceBytes = wire.length, isLenient = false } = {}) {
  const sizes: number[] = [];
  let content = '';
  const decoder = new ChunkedDecoder(defaultLimits, isLenient, {
    onChunk: (size) => sizes.push(size),
    onData: (bytes) => {
      content += bytes.toString('latin1');
    },
  });
  const input = new InputBuffer();
  let isDone = false;
  for (let at = 0; at < wire.length; at += pieceBytes) {
    input.append(Buffer.from(wire.slice(at, at + pieceBytes), 'latin1'));
    if (!isDone) isDone = decoder.decode(input);
  }
  const rest = input.takeAll().toString('latin1');
  return { isDone, content, sizes, trailers: decoder.trailers, rest };
}

describe('decoding chunks', () => {
  const wire = '5;a="b;c"\r\nhello\r\n0A\r\n0123456789\r\n000\r\nX-Sum: 1\r\nx-sum: 2\r\n\r\nGET';

  for (const pieceBytes of [1, 2, 3, 7, wire.length]) {
    it(`gives the same for pieces of ${pieceBytes} bytes`, () => {
      assert.deepEqual(decode(wire, { pieceBytes }), {
        isDone: true,
        content: 'hello0123456789',
        sizes: [5, 10],
        trailers: ['X-Sum', '1', 'x-sum', '2'],
        rest: 'GET',
      });
    });
  }

  it('waits for what is missing', () => {
    for (let end = 0; end < wire.length - 3; end++) assert.equal(decode(wire.slice(0, end)).isDone, false);
  });

  const refused: [RefusalKey, string][] = [
    ['chunk-size-invalid', 'x\r\n'],
    ['chunk-size-invalid', 'x'],
    ['chunk-size-invalid', '\r\n'],
    ['chunk-size-invalid', '0x5\r\nhello\r\n'],
    ['chunk-size-invalid', '+5\r\nhello\r\n'],
    ['chunk-size-invalid', '-1\r\n'],
    ['chunk-size-invalid', '5 \r\nhello\r\n'],
    ['chunk-size-invalid', ' 5\r\nhello\r\n'],
    ['chunk-size-invalid', '5\r\r\nhello\r\n'],
    ['chunk-size-invalid', 'FFFFFFFFFFFFFFFF\r\n'],
    ['chunk-size-invalid', '00000000000000005\r\nhello\r\n'],
    ['bare-lf', '5\nhello\r\n'],
    ['bare-lf', '5;a\nhello\r\n'],
    ['bare-lf', '0\r\nX: a\n\r\n'],
    ['bare-lf', '0\r\n\n'],
    ['chunk-extension-invalid', '5;a\rb\r\nhello\r\n'],
    ['chunk-extension-invalid', '5;a\0\r\nhello\r\n'],
    ['chunk-extension-too-long', `5;${'a'.repeat(20_000)}\r\nhello\r\n`],
    ['chunk-extension-too-long', `5;${'a'.repeat(20_000)}`],
    ['chunk-extension-too-long', `1;${'a'.repeat(1000)}\r\nx\r\n`.repeat(20)],
    ['chunk-end-invalid', '5\r\nhello!\r\n'],
    ['chunk-end-invalid', '5\r\nhello\n'],
    ['chunk-end-invalid', '5\r\nhello\rx'],
    ['trailers-too-large', `0\r\nX: ${'a'.repeat(20_000)}`],
    ['trailers-too-large', `0\r\n${`X: ${'a'.repeat(1000)}\r\n`.repeat(20)}`],
    ['trailer-forbidden', '0\r\nContent-Length: 5\r\n\r\n'],
    ['trailer-forbidden', '0\r\nTransfer-Encoding: chunked\r\n\r\n'],
    ['trailer-forbidden', '0\r\nhost: a\r\n\r\n'],
    ['header-name-invalid', '0\r\nX y: a\r\n\r\n'],
    ['obs-fold', '0\r\nX: a\r\n b\r\n\r\n'],
  ];
  for (const [key, broken] of refused) {
    it(`refuses ${JSON.stringify(broken.slice(0, 40))} as ${key}`, () => {
      for (const pieceBytes of [1, broken.length]) {
        assert.throws(
          () => decode(broken, { pieceBytes }),
          (error) => error instanceof Refusal && error.key === key,
        );
      }
    });
  }

  it('reads careless chunks in the lenient mode', () => {
    const { content, isDone } = decode(' 0x5 \nhello\n0\n\n', { isLenient: true });
    assert.equal(content, 'hello');
    assert.ok(isDone);
  });
});
