import type { RawExchange } from '../../../src/kernel/testing/raw-client.ts';
import { type WireFaultName, wireFaults } from '../../../src/testbed/wire/faults.ts';
import {
  type CheckGroup,
  changed,
  failed,
  type ProxyCheck,
  refused,
  type Sight,
  unchanged,
  type Verdict,
} from '../proxy-check.ts';
import { get } from '../request-bytes.ts';
import { lackOf } from '../run-check.ts';

const BASE = '/proxy-test/connection';

type Judge = (sight: Sight) => Verdict;

/** A fault by its name, where it is asked for, what it is, and the verdict of a client without a proxy. */
type Fault = readonly [name: WireFaultName, path: string, asks: string, directVerdict: string];

/** The exact bytes of a fault are published under its name; a client without a proxy must get them. */
const faults = (verdict: Judge, rows: readonly Fault[]): ProxyCheck[] =>
  rows.map(([name, path, asks, directVerdict]) => ({
    id: `broken.${name}`,
    asks,
    request: get(`${BASE}/${path}`),
    waitMs: 3_000,
    direct: { wire: new RegExp(`^${RegExp.escape(wireFaults[name].bytes)}$`), ends: wireFaults[name].ends },
    directVerdict,
    judgesEverything: true,
    verdict,
  }));

/** Judges what reached the client by `read`, after the ways of not getting an answer at all. */
const whenAnswered =
  (read: Judge): Judge =>
  (sight) => {
    const { answer, direct } = sight;
    if (answer.wire.equals(direct.wire)) return read(sight);
    if (answer.status === 0) return failed(lackOf(answer));
    return answer.status >= 500 ? refused(answer.status) : read(sight);
  };

/** For answers that end too early: can the client tell? */
const cutOff = whenAnswered(({ answer }) => {
  if (answer.status === 0) return unchanged(lackOf(answer));
  return answer.isComplete ? changed('seems complete') : unchanged('cut off');
});

/** For answers whose framing is ambiguous or followed by more: how much of it was taken for content. */
const content = whenAnswered(({ answer, direct }) => {
  return describe(answer) === describe(direct) ? unchanged(describe(answer)) : changed(describe(answer));
});

function describe({ status, body, rest, isComplete }: RawExchange): string {
  const how = `${status === 200 ? '' : `${status}, `}${body.length} bytes`;
  if (rest.length > 0) return `${how} and more`;
  return isComplete ? how : `${how}, cut off`;
}

/** For a head that breaks a rule: does the client see the breach? */
const head = (breach: string) =>
  whenAnswered(({ answer }) => {
    if (answer.wire.toString('latin1').includes(breach)) return unchanged('passed on');
    if (answer.body.toString() !== 'ok') return changed('content lost');
    return changed(
      /\r\nX-(Broken|Folded)/i.test(answer.wire.toString('latin1')) ? 'mended' : 'field dropped',
    );
  });

const lines = whenAnswered(({ answer }) => {
  if (answer.wire.includes('HTTP/1.1 200 OK\n')) return unchanged('passed on');
  return answer.body.toString() === 'ok' ? changed('mended') : changed('content lost');
});

const noHttp = whenAnswered(({ answer, direct }) =>
  answer.wire.equals(direct.wire) ? unchanged('passed on') : changed(`answers ${answer.status}`),
);

const legal = whenAnswered(({ answer, direct }) => {
  if (!answer.isComplete) return changed('cut off');
  return answer.body.equals(direct.body) ? unchanged() : changed('other bytes');
});

const noContent = whenAnswered(({ answer }) => {
  if (answer.body.length + answer.rest.length > 0) return unchanged('content passed on');
  return changed('content dropped');
});

const switched = whenAnswered(({ answer }) =>
  answer.status === 101 ? unchanged('passed on') : changed(`answers ${answer.status}`),
);

export const brokenAnswers: CheckGroup = {
  name: 'Proxy Connection & Redirect: broken answers of the backend',
  about:
    '`cut off`: the client gets less than the framing promises and can tell. `seems complete`: it cannot. `passed on`: ' +
    'the client gets the same breach. `mended`: it gets a correct answer instead.',
  checks: [
    ...faults(cutOff, [
      ['reset', 'reset', 'reset before the answer', 'reset'],
      ['empty-reply', 'empty-reply', 'closed before the answer', 'closed'],
      ['close-after-headers', 'close?at=after-headers', 'closed after the head', 'cut off'],
      ['short-length', 'content-length/short', 'half of the promised content, then closed', 'cut off'],
    ]),
    {
      id: 'broken.reset-mid-body',
      asks: 'reset within the content',
      request: get(`${BASE}/reset?at=mid-body&bytes=50`),
      waitMs: 3_000,
      direct: { wire: /Content-Length: 100\r\n\r\nx{50}$/, ends: 'reset' },
      directVerdict: 'cut off',
      judgesEverything: true,
      verdict: cutOff,
    },
    ...faults(cutOff, [
      ['no-last-chunk', 'chunked/no-terminator', 'chunks without the last one', 'cut off'],
      ['bad-chunk', 'chunked/bad-size', 'a chunk size that is no number', 'cut off'],
      ['huge-chunk', 'chunked/huge-chunk', 'a chunk of 2^64 bytes', 'cut off'],
      ['no-headers-end', 'no-headers-end', 'a head without an end', 'no HTTP'],
    ]),
    ...faults(noHttp, [
      ['garbage', 'garbage', 'bytes that are no HTTP', 'passed on'],
      ['bad-status-line', 'bad-status-line', 'a status that is no number', 'passed on'],
      ['bad-version', 'bad-version', 'HTTP/7.3', 'passed on'],
    ]),
    ...faults(head('X-Broken no colon'), [
      ['header-no-colon', 'bad-header', 'a header line without a colon', 'passed on'],
    ]),
    ...faults(head('a\x00b'), [['header-nul', 'bad-header?kind=nul', 'NUL in a value', 'passed on']]),
    ...faults(head('X-Broken :'), [
      [
        'header-space-before-colon',
        'bad-header?kind=space-before-colon',
        'a space before the colon',
        'passed on',
      ],
    ]),
    ...faults(head('first\r\n second'), [
      ['header-obs-fold', 'bad-header?kind=obs-fold', 'a folded line', 'passed on'],
    ]),
    ...faults(lines, [
      ['header-bare-lf', 'bad-header?kind=bare-lf', 'lines that end in a bare LF', 'passed on'],
    ]),
    ...faults(content, [
      ['long-length', 'content-length/long', 'twice the promised 50 bytes', '50 bytes and more'],
      ['negative-length', 'content-length/negative', 'a negative length, 100 bytes', '100 bytes'],
      ['duplicate-length', 'content-length/duplicate', 'two lengths, 50 and 100', '50 bytes and more'],
      ['length-and-chunked', 'content-length/mismatch-te', 'length 5 and 100 bytes in chunks', '100 bytes'],
      ['garbage-after-end', 'garbage-after-end', 'garbage after 100 bytes', '100 bytes and more'],
    ]),
    ...faults(legal, [
      ['no-length', 'content-length/missing', 'content until the close (legal)', 'unchanged'],
      ['chunk-extension', 'chunked/extension', 'chunk extensions (legal)', 'unchanged'],
      ['tiny-chunks', 'chunked/tiny', 'chunks of one byte (legal)', 'unchanged'],
    ]),
    ...faults(noContent, [['body-after-204', 'body-after-204', 'content after 204', 'content passed on']]),
    {
      id: 'broken.body-after-304',
      asks: 'content after 304',
      request: get('/status/304-with-body'),
      waitMs: 3_000,
      direct: { status: 304, wire: /where none may stand\.\n$/, ends: 'close' },
      directVerdict: 'content passed on',
      judgesEverything: true,
      verdict: noContent,
    },
    ...faults(switched, [['unsolicited-101', 'unsolicited-101', '101 that nobody asked for', 'passed on']]),
    {
      id: 'broken.header-overflow',
      asks: 'a field of 128 KiB',
      request: get(`${BASE}/header-overflow`),
      waitMs: 3_000,
      direct: { status: 200, headers: { 'x-overflow': /^x{131072}$/ }, text: 'ok' },
      judgesEverything: true,
      verdict: whenAnswered(({ answer }) =>
        answer.header('x-overflow')?.length === 131_072 ? unchanged() : changed('field lost'),
      ),
    },
  ],
};
