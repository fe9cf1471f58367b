import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CircuitBreaker, type Permit } from './circuit-breaker.ts';
import type { BreakerSettings } from './delivery-settings.ts';

function breakerAt(given: Partial<BreakerSettings> = {}) {
  const time = { ms: 1_000_000 };
  const settings = { threshold: 5, windowMs: 10_000, sleepMs: 30_000, isHalfOpenEnabled: true, ...given };
  const breaker = new CircuitBreaker(settings, () => time.ms);
  return { breaker, time };
}

function fail(breaker: CircuitBreaker, times = 1): void {
  for (let failure = 0; failure < times; failure++) enter(breaker).failed();
}

function enter(breaker: CircuitBreaker): Permit {
  const permit = breaker.enter();
  assert.ok(permit, 'the circuit refuses');
  return permit;
}

test('one failure less than the threshold leaves it closed, the next opens it', () => {
  const { breaker } = breakerAt();
  fail(breaker, 4);
  assert.equal(breaker.state, 'closed');
  fail(breaker);
  assert.equal(breaker.state, 'open');
  assert.equal(breaker.enter(), undefined);
  assert.equal(breaker.openings, 1);
});

for (const { name, spreadMs, state } of [
  { name: 'just within the window', spreadMs: 9_999, state: 'open' },
  { name: 'just beyond it', spreadMs: 10_000, state: 'closed' },
]) {
  test(`failures spread ${name} leave the circuit ${state}`, () => {
    const { breaker, time } = breakerAt();
    fail(breaker);
    time.ms += spreadMs;
    fail(breaker, 4);
    assert.equal(breaker.state, state);
  });
}

test('successes between the failures do not take them back', () => {
  const { breaker } = breakerAt();
  for (let failure = 0; failure < 5; failure++) {
    enter(breaker).succeeded();
    fail(breaker);
  }
  assert.equal(breaker.state, 'open');
});

test('the window slides: old failures make room for new ones', () => {
  const { breaker, time } = breakerAt();
  for (let second = 0; second < 20; second++) {
    fail(breaker);
    time.ms += 2_500;
  }
  assert.equal(breaker.state, 'closed');
  fail(breaker, 2);
  assert.equal(breaker.state, 'open');
});

for (const { threshold, sleepMs } of [
  { threshold: 1, sleepMs: 1_000 },
  { threshold: 10_000, sleepMs: 3_600_000 },
]) {
  test(`the bounds hold: threshold ${threshold}, sleep window ${sleepMs} ms`, () => {
    const { breaker, time } = breakerAt({ threshold, sleepMs });
    fail(breaker, threshold - 1);
    assert.equal(breaker.state, 'closed');
    fail(breaker);
    assert.equal(breaker.state, 'open');
    time.ms += sleepMs - 1;
    assert.equal(breaker.enter(), undefined);
    time.ms += 1;
    enter(breaker).succeeded();
    assert.equal(breaker.state, 'closed');
  });
}

test('after the sleep window exactly one of many callers gets through', () => {
  const { breaker, time } = breakerAt();
  fail(breaker, 5);
  time.ms += 30_000;
  assert.equal(breaker.isRefusing, false);
  const permits = Array.from({ length: 100 }, () => breaker.enter()).filter((permit) => permit);
  assert.equal(permits.length, 1);
  assert.equal(breaker.state, 'half-open');
  assert.equal(breaker.isRefusing, true);
});

test('a probe that succeeds closes the circuit, and old failures no longer count', () => {
  const { breaker, time } = breakerAt({ sleepMs: 1_000 });
  fail(breaker, 5);
  time.ms += 1_000;
  enter(breaker).succeeded();
  fail(breaker, 4);
  assert.equal(breaker.state, 'closed');
});

for (const ending of ['failed', 'abandoned'] as const) {
  test(`a probe that ${ending} waits another whole sleep window`, () => {
    const { breaker, time } = breakerAt();
    fail(breaker, 5);
    time.ms += 30_000;
    const probe = enter(breaker);
    time.ms += 5_000;
    probe[ending]();
    assert.equal(breaker.state, 'open');
    assert.equal(breaker.openings, 2);
    time.ms += 29_999;
    assert.equal(breaker.enter(), undefined);
    time.ms += 1;
    assert.ok(breaker.enter());
  });
}

test('a probe that never reports gives way to another, and its late report is ignored', () => {
  const { breaker, time } = breakerAt();
  fail(breaker, 5);
  time.ms += 30_000;
  const lost = enter(breaker);
  time.ms += 59_999;
  assert.equal(breaker.enter(), undefined);
  time.ms += 1;
  const second = enter(breaker);
  lost.succeeded();
  assert.equal(breaker.state, 'half-open');
  second.succeeded();
  assert.equal(breaker.state, 'closed');
});

test('attempts that began before it opened no longer say anything', () => {
  const { breaker, time } = breakerAt();
  const early = enter(breaker);
  const alsoEarly = enter(breaker);
  fail(breaker, 5);
  early.succeeded();
  assert.equal(breaker.state, 'open');
  time.ms += 30_000;
  enter(breaker).succeeded();
  alsoEarly.failed();
  fail(breaker, 4);
  assert.equal(breaker.state, 'closed');
});

test('a permit counts once', () => {
  const { breaker } = breakerAt({ threshold: 2 });
  const permit = enter(breaker);
  permit.failed();
  permit.failed();
  assert.equal(breaker.state, 'closed');
});

test('abandoned attempts are no failures', () => {
  const { breaker } = breakerAt({ threshold: 1 });
  enter(breaker).abandoned();
  assert.equal(breaker.state, 'closed');
});

test('a clock that goes back keeps the circuit open and opens none', () => {
  const { breaker, time } = breakerAt({ threshold: 2, sleepMs: 1_000 });
  fail(breaker);
  time.ms -= 60_000;
  fail(breaker);
  assert.equal(breaker.state, 'open');
  time.ms += 1_000;
  assert.ok(breaker.enter());
});

test('without the half-open attempt the circuit closes when the sleep window is over', () => {
  const { breaker, time } = breakerAt({ isHalfOpenEnabled: false });
  fail(breaker, 5);
  time.ms += 30_000;
  assert.ok(breaker.enter());
  assert.equal(breaker.state, 'closed');
  assert.ok(breaker.enter());
});

test('without settings everybody gets through', () => {
  const breaker = new CircuitBreaker(undefined, () => 0);
  fail(breaker, 100);
  assert.equal(breaker.state, 'off');
  assert.equal(breaker.isRefusing, false);
});
