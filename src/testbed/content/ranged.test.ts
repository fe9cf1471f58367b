import assert from 'node:assert/strict';
import test from 'node:test';
import { HeaderList } from '../../http1/header-list.ts';
import { Fault } from '../../kernel/faults.ts';
import type { TestbedCall } from '../endpoint.ts';
import { listsEtag, parseByteRanges, rangedAnswer } from './ranged.ts';

const bytes = Buffer.from('0123456789');
const lastModified = new Date('2026-04-01T00:00:00.500Z');
const shown = { contentType: 'text/plain', etag: '"v1"', lastModified };

function call(headers: string[], method = 'GET'): TestbedCall {
  return { request: { method, headers: new HeaderList(headers) } } as unknown as TestbedCall;
}

function answerTo(headers: string[], method = 'GET') {
  const { status, headers: sent, body } = rangedAnswer(call(headers, method), bytes, shown);
  return {
    status,
    body: body === null ? null : String(body),
    header: (name: string) => new HeaderList(sent).get(name),
  };
}

const whole = { first: 0, last: 9 };
const rangeCases: [header: string, ranges: { first: number; last: number }[] | undefined][] = [
  ['bytes=0-0', [{ first: 0, last: 0 }]],
  ['bytes=2-4', [{ first: 2, last: 4 }]],
  ['bytes=7-', [{ first: 7, last: 9 }]],
  ['bytes=-3', [{ first: 7, last: 9 }]],
  ['bytes=-300', [whole]],
  ['bytes=0-999', [whole]],
  [
    'BYTES=0-1, 4-5',
    [
      { first: 0, last: 1 },
      { first: 4, last: 5 },
    ],
  ],
  ['bytes=0-1,99-', [{ first: 0, last: 1 }]],
  ['bytes=10-', []],
  ['bytes=-0', []],
  ['bytes=5-4', undefined],
  ['bytes=-', undefined],
  ['bytes=a-b', undefined],
  ['bytes=1-2-3', undefined],
  ['lines=1-2', undefined],
  ['bytes', undefined],
];

for (const [header, ranges] of rangeCases) {
  test(`Range: ${header} of ten bytes is ${JSON.stringify(ranges)}`, () => {
    assert.deepEqual(parseByteRanges(header, 10), ranges);
  });
}

test('without conditions the whole is sent with its validators', () => {
  const { status, body, header } = answerTo([]);
  assert.equal(status, 200);
  assert.equal(body, '0123456789');
  assert.equal(header('etag'), '"v1"');
  assert.equal(header('last-modified'), 'Wed, 01 Apr 2026 00:00:00 GMT');
  assert.equal(header('accept-ranges'), 'bytes');
});

// RFC 9110 §13.2.2, in the order of its steps.
const conditionCases: [headers: string[], status: number][] = [
  [['If-Match', '"v1"'], 200],
  [['If-Match', '*'], 200],
  [['If-Match', '"v0", "v1"'], 200],
  [['If-Match', '"v0"'], 412],
  [['If-Match', 'W/"v1"'], 412],
  [['If-Unmodified-Since', 'Wed, 01 Apr 2026 00:00:00 GMT'], 200],
  [['If-Unmodified-Since', 'Tue, 31 Mar 2026 00:00:00 GMT'], 412],
  [['If-Match', '"v1"', 'If-Unmodified-Since', 'Tue, 31 Mar 2026 00:00:00 GMT'], 200],
  [['If-None-Match', '"v1"'], 304],
  [['If-None-Match', 'W/"v1"'], 304],
  [['If-None-Match', '*'], 304],
  [['If-None-Match', '"v0"'], 200],
  [['If-Modified-Since', 'Wed, 01 Apr 2026 00:00:00 GMT'], 304],
  [['If-Modified-Since', 'Tue, 31 Mar 2026 23:59:59 GMT'], 200],
  [['If-Modified-Since', 'yesterday'], 200],
  [['If-None-Match', '"v0"', 'If-Modified-Since', 'Wed, 01 Apr 2026 00:00:00 GMT'], 200],
  [['Range', 'bytes=0-1', 'If-None-Match', '"v1"'], 304],
  [['Range', 'bytes=0-1', 'If-Range', '"v1"'], 206],
  [['Range', 'bytes=0-1', 'If-Range', '"v0"'], 200],
  [['Range', 'bytes=0-1', 'If-Range', 'W/"v1"'], 200],
  [['Range', 'bytes=0-1', 'If-Range', 'Wed, 01 Apr 2026 00:00:00 GMT'], 206],
  [['Range', 'bytes=0-1', 'If-Range', 'Thu, 02 Apr 2026 00:00:00 GMT'], 200],
  [['Range', 'bytes=5-1'], 200],
  [['Range', 'bytes=0-8,1-9'], 200],
];

for (const [headers, status] of conditionCases) {
  test(`${headers.join(' ')} is answered by ${status}`, () => {
    if (status === 412) {
      assert.throws(
        () => answerTo(headers),
        (error) => error instanceof Fault && error.status === 412,
      );
      return;
    }
    const answer = answerTo(headers);
    assert.equal(answer.status, status);
    if (status === 304) assert.equal(answer.body, null);
    assert.equal(answer.header('etag'), '"v1"');
  });
}

test('one range is sent by itself', () => {
  const { status, body, header } = answerTo(['Range', 'bytes=-4']);
  assert.equal(status, 206);
  assert.equal(body, '6789');
  assert.equal(header('content-range'), 'bytes 6-9/10');
  assert.equal(header('content-type'), 'text/plain');
});

test('several ranges are sent as parts', () => {
  const { status, body, header } = answerTo(['Range', 'bytes=0-1, -2']);
  assert.equal(status, 206);
  assert.equal(header('content-range'), undefined);
  const boundary = /^multipart\/byteranges; boundary=(\w+)$/.exec(header('content-type')!)![1]!;
  assert.equal(
    body,
    `\r\n--${boundary}\r\nContent-Type: text/plain\r\nContent-Range: bytes 0-1/10\r\n\r\n01` +
      `\r\n--${boundary}\r\nContent-Type: text/plain\r\nContent-Range: bytes 8-9/10\r\n\r\n89` +
      `\r\n--${boundary}--\r\n`,
  );
});

test('a range that lies outside is refused with the length', () => {
  const { status, header } = answerTo(['Range', 'bytes=10-']);
  assert.equal(status, 416);
  assert.equal(header('content-range'), 'bytes */10');
});

test('HEAD has no ranges', () => {
  assert.equal(answerTo(['Range', 'bytes=0-1'], 'HEAD').status, 200);
});

test('a flood of ranges gets the whole', () => {
  const flood = Array.from({ length: 60 }, () => '0-0').join(',');
  assert.equal(answerTo(['Range', `bytes=${flood}`]).status, 200);
});

test('weak and strong comparison differ as RFC 9110 §8.8.3.2 shows', () => {
  const table: [a: string, b: string, strong: boolean, weak: boolean][] = [
    ['W/"1"', 'W/"1"', false, true],
    ['W/"1"', 'W/"2"', false, false],
    ['W/"1"', '"1"', false, true],
    ['"1"', '"1"', true, true],
  ];
  for (const [a, b, strong, weak] of table) {
    assert.equal(listsEtag(a, b, 'strong'), strong);
    assert.equal(listsEtag(a, b, 'weak'), weak);
  }
});
