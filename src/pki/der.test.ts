import assert from 'node:assert/strict';
import { test } from 'node:test';
import { derOfBer } from './ber.ts';
import { DerFields, derElements, derTags, oidText } from './der-reader.ts';
import {
  bitString,
  bmpString,
  boolean,
  generalizedTime,
  integer,
  namedBits,
  nothing,
  octetString,
  oid,
  sequence,
  setOf,
  tagged,
  taggedValue,
  time,
} from './der-writer.ts';

const bytes = (hex: string) => Buffer.from(hex.replaceAll(' ', ''), 'hex');

const encodings: ReadonlyArray<readonly [what: string, written: Buffer, hex: string]> = [
  ['zero', integer(0), '02 01 00'],
  ['a number without sign bit', integer(127), '02 01 7f'],
  ['a number that would look negative', integer(128), '02 02 0080'],
  ['a long number', integer(0x0123_4567_89ab_cdef_01n), '02 09 0123456789abcdef01'],
  ['truth', boolean(true), '01 01 ff'],
  ['null', nothing(), '05 00'],
  ['an identifier', oid('1.2.840.113549.1.1.11'), '06 09 2a864886f70d01010b'],
  ['an identifier under 2', oid('2.999.3'), '06 03 883703'],
  ['bits', bitString(bytes('beef')), '03 03 00beef'],
  ['no named bits', namedBits([]), '03 01 00'],
  ['named bits', namedBits([0, 5]), '03 02 0284'],
  ['named bits of two bytes', namedBits([0, 8]), '03 03 078080'],
  ['two-byte characters', bmpString('aş'), '1e 04 0061015f'],
  ['a set in the order of its bytes', setOf(integer(2), integer(1)), '31 06 020101020102'],
  ['a sequence without its optional part', sequence(undefined, nothing()), '30 02 0500'],
  ['tags', tagged(3, taggedValue(1, bytes('aa'))), 'a3 03 8101aa'],
  ['the last short year', time(new Date('2049-12-31T23:59:59Z')), '17 0d 3439313233313233353935395a'],
  ['the first long year', time(new Date('2050-01-01T00:00:00Z')), '18 0f 32303530303130313030303030305a'],
  [
    'a long year anyway',
    generalizedTime(new Date('2026-01-02T03:04:05.678Z')),
    '18 0f 32303236303130323033303430355a',
  ],
];

test('values are written as X.690 wants them', () => {
  for (const [what, written, hex] of encodings) assert.deepEqual(written, bytes(hex), what);
});

test('lengths of every size are written and read', () => {
  const heads = [
    [0, '0400'],
    [127, '047f'],
    [128, '048180'],
    [255, '0481ff'],
    [256, '04820100'],
    [65_536, '0483010000'],
  ] as const;
  for (const [length, head] of heads) {
    const written = octetString(Buffer.alloc(length, 1));
    assert.equal(written.subarray(0, head.length / 2).toString('hex'), head);
    assert.equal(derElements(written)[0]?.content.length, length);
  }
});

test('the members of a sequence are taken in their order', () => {
  const fields = new DerFields(sequence(integer(300), oid('2.5.29.15'), tagged(0, nothing())));
  assert.throws(() => fields.take(derTags.oid), RangeError);
  assert.equal(fields.takeIf(derTags.oid), undefined);
  assert.equal(fields.takeCount(), 300);
  assert.equal(fields.takeOid(), '2.5.29.15');
  assert.deepEqual(fields.takeIf(0xa0)?.content, nothing());
  assert.throws(() => fields.take(0xa0), RangeError);
  assert.throws(() => new DerFields(sequence(bytes('0201ff'))).takeCount(), /out of bounds/);
  assert.throws(() => new DerFields(sequence(integer(2n ** 60n))).takeCount(), /out of bounds/);
});

test('lengths that lie are refused', () => {
  for (const hex of ['30', '3005', '3080', '30850000000000', '30820100', '3084ffffffff', '1f00']) {
    assert.throws(() => derElements(bytes(hex)), RangeError, hex);
    assert.throws(() => derOfBer(bytes(hex), 8), RangeError, hex);
  }
  assert.equal(oidText(bytes('2a864886f70d010702')), '1.2.840.113549.1.7.2');
  assert.equal(oidText(bytes('8837')), '2.999');
});

const conversions: ReadonlyArray<readonly [ber: string, der: string]> = [
  ['30 80 0000', '3000'],
  ['30 80 020101 30 80 0500 0000 0000', '3007 020101 3002 0500'],
  ['24 80 0401aa 2404 0402bbcc 0000', '0403 aabbcc'],
  ['30 8105 0203 010203', '3005 0203 010203'],
  ['a0 80 04 00 0000', 'a002 0400'],
];

test('BER becomes DER', () => {
  for (const [ber, der] of conversions) {
    assert.deepEqual(derOfBer(bytes(ber), 8), bytes(der), ber);
    assert.deepEqual(derOfBer(bytes(der), 8), bytes(der), der);
  }
});

test('BER that is cut off, too deep, or longer than what it stands in is refused', () => {
  for (const [ber] of conversions)
    for (let length = 0; length < bytes(ber).length; length++)
      assert.throws(() => derOfBer(bytes(ber).subarray(0, length), 8), RangeError, ber);
  assert.throws(() => derOfBer(bytes('3003 3002 0500'), 8), RangeError);
  assert.throws(() => derOfBer(bytes('3002 0500 00'), 8), /behind the end/);
  assert.throws(() => derOfBer(bytes('3004 3002 0500'), 2), /too deeply/);
  assert.deepEqual(derOfBer(bytes('3004 3002 0500'), 3), bytes('3004 3002 0500'));
});
