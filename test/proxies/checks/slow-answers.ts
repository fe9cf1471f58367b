import { type CheckGroup, changed, type Sight, unchanged, type Verdict } from '../proxy-check.ts';
import { get } from '../request-bytes.ts';
import { all, sameBody, sameFields, sameStatus } from '../verdicts.ts';

/** Judged before the answer is over: what of it has come by then? */
function streamed({ answer }: Sight): Verdict {
  return answer.body.length > 0 ? unchanged('streamed') : changed('held back');
}

export const slowAnswers: CheckGroup = {
  name: 'Proxy Timeout & Slow Response',
  checks: [
    {
      id: 'slow.first-byte',
      asks: 'a first byte after 1.5 s is waited for',
      request: get('/proxy-test/timeout/slow-first-byte?delay=1500'),
      direct: { status: 200, json: { plannedMs: 1500 }, notBeforeMs: 1500 },
      verdict: all(sameStatus, sameBody),
    },
    {
      id: 'slow.header',
      asks: 'a head that trickles for 1.5 s is waited for',
      request: get('/proxy-test/timeout/slow-header?delay=1500'),
      direct: { status: 200, headers: { 'x-slow': 'every byte of this line is sent on its own' } },
      verdict: all(sameStatus, sameFields('X-Slow'), sameBody),
    },
    {
      id: 'slow.body-length',
      asks: 'content with a length that trickles',
      request: get('/proxy-test/timeout/slow-body-with-length?chunkDelay=100&chunks=5'),
      direct: { status: 200, headers: { 'content-length': '65' }, length: 65 },
      verdict: all(sameStatus, sameFields('Content-Length'), sameBody),
    },
    {
      id: 'slow.streamed',
      asks: 'chunked content is passed on as it comes, with X-Accel-Buffering: no',
      request: get('/proxy-test/timeout/slow-body?chunkDelay=400&chunks=5'),
      waitMs: 1_000,
      direct: {
        status: 200,
        headers: { 'x-accel-buffering': 'no' },
        text: /^chunk 1 of 5\n(chunk 2 of 5\n)?$/,
      },
      directVerdict: 'streamed',
      judgesEverything: true,
      verdict: streamed,
    },
    {
      id: 'slow.unhinted',
      asks: 'content with a length is passed on as it comes',
      request: get('/range/5?duration=2&chunk_size=1'),
      waitMs: 1_000,
      direct: { status: 200, headers: { 'x-accel-buffering': null }, text: /^ab?c?d?$/ },
      directVerdict: 'streamed',
      judgesEverything: true,
      verdict: streamed,
    },
    {
      id: 'slow.incomplete',
      asks: '500 of 1000 promised bytes',
      request: get('/proxy-test/timeout/incomplete'),
      waitMs: 3_000,
      direct: { status: 200, headers: { 'content-length': '1000' }, length: 500, ends: 'close' },
      directVerdict: 'cut off',
      verdict: ({ answer }) => (answer.isComplete ? changed('seems complete') : unchanged('cut off')),
    },
  ],
};
