import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BodyWriter } from '../../http1/exchange.ts';
import { deterministicBlocks, sha256OfBlocks, uniformBlocks, writeCoded } from './coded-stream.ts';
import { codings, decodeWhole } from './codings.ts';
import { sha256Hex } from './integrity.ts';

class CollectingWriter implements BodyWriter {
  readonly isDiscarding = false;
  readonly pieces: Buffer[] = [];

  async write(chunk: string | Uint8Array): Promise<void> {
    this.pieces.push(Buffer.from(chunk));
  }

  async end(): Promise<void> {}

  abort(): void {}
}

const size = 300_001;
const content = Buffer.concat([...deterministicBlocks(size)]);

for (const coding of codings) {
  test(`a long content streamed as ${coding} decodes to itself`, async () => {
    const out = new CollectingWriter();
    const codedLength = await writeCoded(coding, deterministicBlocks(size), out);
    const coded = Buffer.concat(out.pieces);
    assert.equal(codedLength, coded.length);
    assert.deepEqual(await decodeWhole(coding, coded, size), content);
  });
}

test('a writer that fails stops the coding and passes its error on', async () => {
  const gone = new Error('gone');
  let taken = 0;
  function* counted() {
    for (const block of uniformBlocks(1024 * 1024 * 1024)) {
      taken++;
      yield block;
    }
  }
  const out = new CollectingWriter();
  out.write = () => Promise.reject(gone);
  await assert.rejects(writeCoded('gzip', counted(), out), gone);
  assert.ok(taken < 2000, `${taken} blocks were produced for nobody`);
});

test('deterministic blocks depend on nothing but the size and begin with their offset', async () => {
  assert.equal(content.length, size);
  assert.equal(content.toString('latin1', 0, 20), '0000000000000000qrst');
  assert.equal(content.toString('latin1', 65536, 65552), '0000000000065536');
  assert.equal(await sha256OfBlocks(deterministicBlocks(size)), sha256Hex(content));
});

test('uniform blocks add up to the size', () => {
  assert.deepEqual(Buffer.concat([...uniformBlocks(70_000, 0x61)]), Buffer.alloc(70_000, 'a'));
  assert.deepEqual([...uniformBlocks(0)], []);
});
