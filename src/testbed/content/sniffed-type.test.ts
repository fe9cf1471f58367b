import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sniffedType } from './sniffed-type.ts';

const cases: ReadonlyArray<readonly [body: string | Buffer, type: string]> = [
  ['', 'application/x-empty'],
  [Buffer.from('89504e470d0a1a0a00', 'hex'), 'image/png'],
  [Buffer.from('ffd8ffe0', 'hex'), 'image/jpeg'],
  ['GIF89a', 'image/gif'],
  [Buffer.from('RIFF\x00\x00\x00\x00WEBPVP8 '), 'image/webp'],
  ['%PDF-1.7', 'application/pdf'],
  [Buffer.from('1f8b0800', 'hex'), 'application/gzip'],
  [Buffer.from('0061736d01000000', 'hex'), 'application/wasm'],
  ['  <!DOCTYPE html><p>', 'text/html'],
  ['<script>x</script>', 'text/html'],
  ['<!-- only a comment -->', 'text/html'],
  ['<paragraph>', 'text/plain'],
  ['<?xml version="1.0"?><a/>', 'text/xml'],
  ['{"a":1}', 'application/json'],
  ['\uFEFF[1]', 'application/json'],
  ['{not json}', 'text/plain'],
  ['şeker', 'text/plain'],
  [Buffer.from('fe', 'hex'), 'text/plain'],
  [Buffer.from('feff0061', 'hex'), 'text/plain'],
  [Buffer.from('6100', 'hex'), 'application/octet-stream'],
];

for (const [body, type] of cases) {
  test(`${JSON.stringify(body.toString())} looks like ${type}`, () => {
    assert.equal(sniffedType(Buffer.from(body)), type);
  });
}
