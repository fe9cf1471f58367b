import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClientFailureReason } from '../http1/client/client-failure.ts';
import { type Circumstances, classifyAnswer, classifyFailure, type Verdict } from './classify.ts';
import { answerOf, failureOf } from './testing/scripted-pool.ts';

const plain: Circumstances = {
  eventCount: 10,
  mayRepeat: false,
  isCollector: false,
  usesAck: false,
  nowMs: Date.UTC(2026, 0, 1),
};
const repeatable: Circumstances = { ...plain, mayRepeat: true };
const collector: Circumstances = { ...plain, isCollector: true };
const acknowledging: Circumstances = { ...collector, usesAck: true };

type Kind = Verdict['kind'];

test('every 2xx is delivered', () => {
  for (const status of [200, 201, 202, 204, 205, 299])
    assert.deepEqual(classifyAnswer(answerOf({ status }), plain), { kind: 'delivered', bearing: 'works' });
});

/** Statuses after which another attempt helps, and whether a POST that may have been processed gets one. */
const statuses: ReadonlyArray<readonly [number, Kind, Kind, Verdict['bearing']]> = [
  // status, method may be repeated, it may not, what the breaker learns
  [301, 'permanent', 'permanent', 'works'],
  [302, 'permanent', 'permanent', 'works'],
  [304, 'permanent', 'permanent', 'works'],
  [307, 'permanent', 'permanent', 'works'],
  [401, 'permanent', 'permanent', 'fails'],
  [403, 'permanent', 'permanent', 'fails'],
  [404, 'permanent', 'permanent', 'works'],
  [405, 'permanent', 'permanent', 'works'],
  [408, 'retry', 'retry', 'works'],
  [409, 'permanent', 'permanent', 'works'],
  [422, 'permanent', 'permanent', 'works'],
  [425, 'retry', 'retry', 'works'],
  [429, 'retry', 'retry', 'fails'],
  [500, 'retry', 'permanent', 'fails'],
  [501, 'permanent', 'permanent', 'fails'],
  [502, 'retry', 'permanent', 'fails'],
  [503, 'retry', 'permanent', 'fails'],
  [504, 'retry', 'permanent', 'fails'],
  [505, 'permanent', 'permanent', 'fails'],
  [507, 'retry', 'permanent', 'fails'],
  [509, 'retry', 'permanent', 'fails'],
  [520, 'retry', 'permanent', 'fails'],
  [524, 'retry', 'permanent', 'fails'],
  [529, 'retry', 'permanent', 'fails'],
  [599, 'permanent', 'permanent', 'fails'],
];
for (const [status, kind, kindForPost, bearing] of statuses) {
  test(`status ${status}: ${kind}; ${kindForPost} when the call must not be repeated; the target ${bearing}`, () => {
    for (const [expected, circumstances] of [
      [kind, repeatable],
      [kindForPost, plain],
    ] as const) {
      const verdict = classifyAnswer(answerOf({ status }), circumstances);
      assert.equal(verdict.kind, expected);
      assert.equal(verdict.bearing, bearing);
      assert.equal('reason' in verdict && verdict.reason, `status-${status}`);
    }
  });
}

test('503 with Retry-After says that nothing was processed', () => {
  const verdict = classifyAnswer(answerOf({ status: 503, headers: ['Retry-After', '2'] }), plain);
  assert.deepEqual(verdict, { kind: 'retry', reason: 'status-503', askedMs: 2_000, bearing: 'fails' });
});

test('Retry-After of other statuses is not honoured', () => {
  const verdict = classifyAnswer(answerOf({ status: 500, headers: ['Retry-After', '2'] }), repeatable);
  assert.deepEqual(verdict, { kind: 'retry', reason: 'status-500', askedMs: undefined, bearing: 'fails' });
});

const failures: ReadonlyArray<readonly [ClientFailureReason, boolean, Kind, Kind, Verdict['bearing']]> = [
  // reason, something was sent, may be repeated, may not, what the breaker learns
  ['dns-not-found', false, 'retry', 'retry', 'fails'],
  ['connect-refused', false, 'retry', 'retry', 'fails'],
  ['connect-timeout', false, 'retry', 'retry', 'fails'],
  ['tls-certificate-expired', false, 'retry', 'retry', 'fails'],
  ['acquire-timeout', false, 'retry', 'retry', 'unknown'],
  ['queue-full', false, 'retry', 'retry', 'unknown'],
  ['write-timeout', true, 'retry', 'permanent', 'fails'],
  ['response-timeout', true, 'retry', 'permanent', 'fails'],
  ['idle-timeout', true, 'retry', 'permanent', 'fails'],
  ['connection-reset', true, 'retry', 'permanent', 'fails'],
  ['stale-connection', true, 'retry', 'permanent', 'fails'],
  ['answer-invalid', true, 'retry', 'permanent', 'fails'],
  ['request-invalid', false, 'permanent', 'permanent', 'unknown'],
  ['address-refused', false, 'permanent', 'permanent', 'unknown'],
  ['tls-settings-invalid', false, 'permanent', 'permanent', 'unknown'],
];
for (const [reason, isSent, kind, kindForPost, bearing] of failures) {
  test(`${reason}: ${kind}; ${kindForPost} when the call must not be repeated; the target ${bearing}`, () => {
    const failure = failureOf(reason, isSent);
    assert.deepEqual(classifyFailure(failure, repeatable), { kind, reason, bearing });
    assert.deepEqual(classifyFailure(failure, plain), { kind: kindForPost, reason, bearing });
  });
}

test('413 and 400 halve a batch and are final for a single event', () => {
  for (const status of [400, 413]) {
    assert.equal(classifyAnswer(answerOf({ status }), plain).kind, 'halve');
    assert.equal(classifyAnswer(answerOf({ status }), { ...plain, eventCount: 1 }).kind, 'permanent');
  }
});

/** The status table of event collectors: HTTP status, code, verdict for a batch of ten. */
const codes: ReadonlyArray<readonly [number, number, Kind]> = [
  [200, 0, 'queued'],
  [403, 1, 'permanent'],
  [401, 2, 'permanent'],
  [401, 3, 'permanent'],
  [403, 4, 'permanent'],
  [400, 5, 'permanent'],
  [400, 6, 'halve'],
  [400, 7, 'permanent'],
  [503, 9, 'retry'],
  [400, 10, 'permanent'],
  [400, 11, 'permanent'],
  [400, 12, 'halve'],
  [400, 13, 'halve'],
  [400, 14, 'permanent'],
  [400, 15, 'halve'],
  [400, 16, 'permanent'],
  [503, 18, 'retry'],
  [503, 19, 'retry'],
  [503, 20, 'retry'],
  [400, 21, 'permanent'],
  [400, 22, 'permanent'],
  [503, 23, 'retry'],
  [429, 26, 'retry'],
];
for (const [status, code, kind] of codes) {
  test(`collector: ${status} with code ${code} is ${kind}`, () => {
    const answer = answerOf({ status, body: JSON.stringify({ text: 'x', code }) });
    assert.equal(classifyAnswer(answer, collector).kind, kind);
  });
}

test('collector: an internal error (500, code 8) is repeated only where that is allowed', () => {
  const answer = answerOf({ status: 500, body: '{"code":8}' });
  assert.equal(classifyAnswer(answer, collector).kind, 'permanent');
  assert.equal(classifyAnswer(answer, { ...collector, mayRepeat: true }).kind, 'retry');
});

for (const { name, body, expected } of [
  {
    name: 'its number',
    body: '{"code":6,"invalid-event-number":3}',
    expected: { kind: 'isolate', badIndex: 3 },
  },
  {
    name: 'the first',
    body: '{"code":12,"invalid-event-number":0}',
    expected: { kind: 'isolate', badIndex: 0 },
  },
  {
    name: 'a number beyond the batch',
    body: '{"code":6,"invalid-event-number":10}',
    expected: { kind: 'halve' },
  },
  { name: 'a negative number', body: '{"code":6,"invalid-event-number":-1}', expected: { kind: 'halve' } },
  { name: 'a text', body: '{"code":6,"invalid-event-number":"3"}', expected: { kind: 'halve' } },
  { name: 'no JSON', body: '<html>', expected: { kind: 'halve' } },
  { name: 'JSON that is no object', body: '7', expected: { kind: 'halve' } },
]) {
  test(`collector: a bad event told by ${name}`, () => {
    const verdict = classifyAnswer(answerOf({ status: 400, body }), collector);
    assert.deepEqual(verdict, { ...expected, reason: 'status-400', bearing: 'works' });
  });
}

test('a plain target is not asked what its body means', () => {
  const verdict = classifyAnswer(answerOf({ status: 400, body: '{"invalid-event-number":3}' }), plain);
  assert.equal(verdict.kind, 'halve');
});

for (const { name, body, expected } of [
  {
    name: 'with an id waits for it',
    body: '{"code":0,"ackId":0}',
    expected: { kind: 'await-ack', ackId: '0', cookie: 'lb=3; other=x' },
  },
  {
    name: 'without one is only queued',
    body: '{"code":0}',
    expected: { kind: 'queued', isAckMissing: true },
  },
  {
    name: 'with one that is no number is only queued',
    body: '{"ackId":"x"}',
    expected: { kind: 'queued', isAckMissing: true },
  },
]) {
  test(`collector with acknowledgements: a 200 ${name}`, () => {
    const headers = ['Set-Cookie', 'lb=3; Path=/; HttpOnly', 'Set-Cookie', 'other=x', 'Set-Cookie', 'bad'];
    const verdict = classifyAnswer(answerOf({ status: 200, headers, body }), acknowledging);
    assert.deepEqual(verdict, { ...expected, bearing: 'works' });
  });
}
