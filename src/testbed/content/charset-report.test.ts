import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../../kernel/faults.ts';
import { refuseInvalid, reportCharset } from './charset-report.ts';

const hex = (digits: string) => Buffer.from(digits, 'hex');

const cases: readonly [
  name: string,
  bytes: string,
  contentType: string | undefined,
  used: string,
  mislabelled: boolean,
][] = [
  ['UTF-16 labelled by its family', 'feff015f', 'text/plain; charset=utf-16', 'utf-16', false],
  ['UTF-16LE labelled UTF-8', 'fffe5f01', 'text/plain; charset=utf-8', 'utf-8', true],
  ['UTF-8 labelled windows-1254', 'c59f', 'text/plain; charset=windows-1254', 'windows-1254', true],
  ['ASCII labelled anything', '6162', 'text/plain; charset=iso-8859-9', 'iso-8859-9', false],
  ['Latin-5 without a label', 'fe', undefined, 'utf-8', false],
];

for (const [name, bytes, contentType, used, mislabelled] of cases) {
  test(`${name} is read as ${used} and ${mislabelled ? 'found out' : 'left alone'}`, () => {
    const report = reportCharset(hex(bytes), contentType);
    assert.equal(report.used, used);
    assert.equal(report.isMislabelled, mislabelled);
  });
}

test('a label nobody knows is refused unless the charset is forced', () => {
  assert.throws(
    () => reportCharset(hex('61'), 'text/plain; charset=x'),
    (error) => error instanceof Fault && error.status === 415,
  );
  assert.equal(reportCharset(hex('61'), 'text/plain; charset=x', 'iso-8859-9').used, 'iso-8859-9');
});

test('an invalid text is refused with the place of its first fault', () => {
  assert.throws(() => refuseInvalid(reportCharset(hex('61ff'), undefined)), /bytes ff at offset 1/);
  refuseInvalid(reportCharset(hex('61'), undefined));
});
