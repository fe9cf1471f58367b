import assert from 'node:assert/strict';
import test from 'node:test';
import zlib from 'node:zlib';
import type { BodyWriter } from '../../http1/exchange.ts';
import { Fault, type FaultKey } from '../../kernel/faults.ts';
import {
  type Coding,
  codings,
  decodeChain,
  decodeWhole,
  encodeRawDeflate,
  encodeWhole,
  flushingWriter,
  levelBounds,
} from './codings.ts';

const text = Buffer.from('Ein Bote geht um das Haus, klopft an und wartet. '.repeat(200));
const plenty = 1 << 20;
const compressing = codings.filter((coding) => coding !== 'identity');

const isFault = (key: FaultKey) => (error: unknown) => error instanceof Fault && error.key === key;

for (const coding of codings) {
  test(`${coding}: what was coded decodes to the same bytes`, async () => {
    assert.deepEqual(await decodeWhole(coding, await encodeWhole(coding, text), plenty), text);
  });

  test(`${coding}: one byte over the limit is refused, the limit itself is not`, async () => {
    const coded = await encodeWhole(coding, text);
    assert.equal((await decodeWhole(coding, coded, text.length)).length, text.length);
    await assert.rejects(decodeWhole(coding, coded, text.length - 1), isFault('encoding.bomb'));
  });
}

for (const coding of compressing) {
  const corruptions: [name: string, spoil: (coded: Buffer) => Buffer][] = [
    ['truncated by one byte', (coded) => coded.subarray(0, -1)],
    ['cut in half', (coded) => coded.subarray(0, coded.length >> 1)],
    ['with a tail of garbage', (coded) => Buffer.concat([coded, Buffer.from('garbage')])],
    ['empty', () => Buffer.alloc(0)],
    ['not coded at all', () => Buffer.from('this is plain text, whatever its label says')],
  ];
  for (const [name, spoil] of corruptions) {
    test(`${coding}: content ${name} is corrupt`, async () => {
      const spoilt = spoil(await encodeWhole(coding, text));
      await assert.rejects(decodeWhole(coding, spoilt, plenty), isFault('encoding.corrupt'));
    });
  }

  test(`${coding}: a bomb is refused before it is unfolded`, async () => {
    const bomb = await encodeWhole(coding, Buffer.alloc(50 * plenty));
    await assert.rejects(decodeWhole(coding, bomb, plenty), isFault('encoding.bomb'));
  });

  test(`${coding}: a higher level makes no larger content`, async () => {
    const [lowest, highest] = levelBounds[coding];
    const [large, small] = await Promise.all(
      [lowest, highest].map((level) => encodeWhole(coding, text, { level })),
    );
    assert.ok(large!.length >= small!.length);
    assert.deepEqual(await decodeWhole(coding, small!, plenty), text);
  });
}

test('gzip of several members is one content', async () => {
  const half = await encodeWhole('gzip', text);
  assert.equal((await decodeWhole('gzip', Buffer.concat([half, half]), plenty)).length, 2 * text.length);
});

test('a flipped bit in the gzip checksum is corrupt', async () => {
  const coded = await encodeWhole('gzip', text);
  coded[coded.length - 8]! ^= 1;
  await assert.rejects(decodeWhole('gzip', coded, plenty), isFault('encoding.corrupt'));
});

test('deflate is written with the zlib header and read with or without it', async () => {
  assert.deepEqual(zlib.inflateSync(await encodeWhole('deflate', text)), text);
  const raw = await encodeRawDeflate(text);
  assert.deepEqual(zlib.inflateRawSync(raw), text);
  assert.deepEqual(await decodeWhole('deflate', raw, plenty), text);
});

test('a chain is undone from its last coding to its first', async () => {
  let coded = text as Buffer;
  for (const coding of compressing) coded = await encodeWhole(coding, coded);
  const { codings: applied, decoded } = await decodeChain(' X-GZIP,deflate , BR,,zstd', coded, plenty);
  assert.deepEqual(applied, ['gzip', 'deflate', 'br', 'zstd']);
  assert.deepEqual(decoded, text);
});

test('identity and an empty field leave the content as it is', async () => {
  assert.deepEqual(await decodeChain('identity', text, plenty), { codings: ['identity'], decoded: text });
  assert.deepEqual(await decodeChain('', text, plenty), { codings: [], decoded: text });
});

for (const header of ['compress', 'gzip, x-foo', Array(9).fill('gzip').join(',')]) {
  test(`Content-Encoding ${header} is answered by 415 and the codings that are understood`, async () => {
    await assert.rejects(decodeChain(header, text, plenty), (error: unknown) => {
      assert.ok(error instanceof Fault);
      assert.equal(error.status, 415);
      assert.deepEqual(error.headers, ['Accept-Encoding', 'gzip, deflate, br, zstd']);
      return true;
    });
  });
}

test('a bomb inside an inner layer of a chain is refused', async () => {
  const inner = await encodeWhole('gzip', Buffer.alloc(10 * plenty));
  const outer = await encodeWhole('br', inner);
  await assert.rejects(decodeChain('gzip, br', outer, plenty), isFault('encoding.bomb'));
});

/** Gathers what reaches the wire, write by write. */
function collectingWriter(): BodyWriter & { writes: Buffer[]; isEnded: boolean } {
  const writes: Buffer[] = [];
  return {
    writes,
    isEnded: false,
    isDiscarding: false,
    async write(chunk) {
      writes.push(Buffer.from(chunk as Uint8Array));
    },
    async end() {
      this.isEnded = true;
    },
    abort() {},
  };
}

/** Decodes what has arrived so far, as a client in the middle of a stream does. */
function decodedSoFar(coding: Coding, bytes: Buffer): string {
  const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH, ZSTD_e_flush } = zlib.constants;
  switch (coding) {
    case 'gzip':
      return zlib.gunzipSync(bytes, { finishFlush: Z_SYNC_FLUSH }).toString();
    case 'deflate':
      return zlib.inflateSync(bytes, { finishFlush: Z_SYNC_FLUSH }).toString();
    case 'br':
      return zlib.brotliDecompressSync(bytes, { finishFlush: BROTLI_OPERATION_FLUSH }).toString();
    case 'zstd':
      return zlib.zstdDecompressSync(bytes, { finishFlush: ZSTD_e_flush }).toString();
    case 'identity':
      return bytes.toString();
  }
}

for (const coding of codings) {
  test(`${coding}: every write can be decoded as soon as it was made`, async () => {
    const wire = collectingWriter();
    const writer = flushingWriter(coding, wire);
    let written = '';
    for (const piece of ['first', ' second', 'x'.repeat(200_000), ' last']) {
      await writer.write(Buffer.from(piece));
      written += piece;
      assert.equal(decodedSoFar(coding, Buffer.concat(wire.writes)), written);
    }
    assert.equal(wire.writes.length, 4);
    await writer.end();
    await writer.end();
    assert.ok(wire.isEnded);
    assert.equal((await decodeWhole(coding, Buffer.concat(wire.writes), plenty)).toString(), written);
  });
}

test('a client that left is told to whoever writes', async () => {
  const wire = collectingWriter();
  wire.write = () => Promise.reject(new Error('gone'));
  await assert.rejects(async () => flushingWriter('gzip', wire).write('x'), /gone/);
});
