import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseTimeout } from './deadline.ts';
import { flavourOf } from './flavour.ts';
import { framed, readFrames } from './framing.ts';
import { statusFields } from './status.ts';

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

describe('frames', () => {
  const messages = [Buffer.alloc(0), Buffer.from('a'), Buffer.alloc(1000, 'b'), Buffer.alloc(3, 'c')];
  const whole = Buffer.concat(messages.map((message) => framed(message)));

  for (const size of [1, 2, 5, 6, 7, 500, whole.length]) {
    test(`are read from pieces of ${size} bytes`, async () => {
      const frames = await Array.fromAsync(readFrames(inPieces(whole, size), 1000));
      assert.deepEqual(
        frames.map(({ bytes }) => bytes.toString()),
        messages.map(String),
      );
    });
  }

  test('a message is given before the next one begins to arrive', async () => {
    const { promise: later, resolve: goOn } = Promise.withResolvers<void>();
    const frames = readFrames(
      (async function* () {
        yield framed(Buffer.from('first'));
        await later;
      })(),
      100,
    );
    assert.equal((await frames.next()).value!.bytes.toString(), 'first');
    goOn();
    assert.equal((await frames.next()).done, true);
  });

  test('a large message in small pieces costs no more than its bytes', async () => {
    const large = framed(Buffer.alloc(4_000_000));
    const startedAt = performance.now();
    await Array.fromAsync(readFrames(inPieces(large, 100), 4_000_000));
    // Joined anew for each of its 40,000 pieces it would take minutes.
    assert.ok(performance.now() - startedAt < 5000);
  });
});

test('a timeout is read in each of its units', () => {
  const timeouts = {
    '1H': 3_600_000,
    '2M': 120_000,
    '3S': 3000,
    '4m': 4,
    '5u': 0.005,
    '0n': 0,
    '99999999m': 99_999_999,
  };
  for (const [field, ms] of Object.entries(timeouts)) assert.equal(parseTimeout(field), ms, field);
  for (const field of ['', 'm', '1', '1s', '-1m', '1.5S', '123456789m', '1 m'])
    assert.throws(() => parseTimeout(field), { code: 13 }, field);
});

test('a Content-Type tells the flavour', () => {
  const flavours = {
    'application/grpc': 'grpc',
    'application/grpc+proto': 'grpc',
    'Application/gRPC; charset=utf-8': 'grpc',
    'application/grpc-web': 'grpc-web',
    'application/grpc-web+proto': 'grpc-web',
    'application/grpc-web-text': 'grpc-web-text',
    'application/grpc-web-text+proto': 'grpc-web-text',
    'application/grpc+json': undefined,
    'application/grpcweb': undefined,
    'application/json': undefined,
  };
  for (const [type, flavour] of Object.entries(flavours)) assert.equal(flavourOf(type), flavour, type);
});

test('a status message is percent-encoded', () => {
  assert.deepEqual(statusFields(5, 'a% ş\r\n'), ['grpc-status', '5', 'grpc-message', 'a%25 %C5%9F%0D%0A']);
  assert.deepEqual(statusFields(0, ''), ['grpc-status', '0']);
});
