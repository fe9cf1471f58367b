import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { silentLog } from '../log.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import { Health, type HealthCheck } from './health.ts';

const clock = () => new ManualClock();
const healthOf = (checks: HealthCheck[], time = clock(), deadlineMs = 20) =>
  new Health({ module: 'm', checks, clock: time, log: silentLog, deadlineMs, cacheMs: 1000 });

describe('health', () => {
  test('is UP with what its checks say, and counts the seconds since the start', async () => {
    const time = clock();
    const health = healthOf(
      [
        { name: 'database', run: async () => undefined },
        { name: 'grid', run: async () => 'embedded' },
      ],
      time,
    );
    time.advance(61_900);
    assert.deepEqual(await health.report(), {
      status: 'UP',
      module: 'm',
      uptime: 61,
      checks: { database: { status: 'UP' }, grid: { status: 'UP', detail: 'embedded' } },
    });
  });

  test('is DOWN when one check fails, without telling why to everybody', async () => {
    const { status, checks } = await healthOf([
      { name: 'a', run: async () => undefined },
      { name: 'b', run: () => Promise.reject(new Error('mongodb://user:password@host')) },
    ]).report();
    assert.equal(status, 'DOWN');
    assert.deepEqual(checks.a, { status: 'UP' });
    assert.deepEqual(checks.b, { status: 'DOWN', detail: 'failed; the log tells more' });
  });

  test('a check that throws at once is DOWN too', async () => {
    const run = () => {
      throw new Error('no');
    };
    assert.equal((await healthOf([{ name: 'a', run }]).report()).status, 'DOWN');
  });

  test('is DOWN when a check takes too long, which is told to stop and never runs twice at once', async () => {
    const time = clock();
    const signals: AbortSignal[] = [];
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const run = (signal: AbortSignal) => {
      signals.push(signal);
      return promise;
    };
    const health = healthOf([{ name: 'slow', run }], time);
    for (let probe = 0; probe < 2; probe++) {
      const { status, checks } = await health.report();
      assert.equal(status, 'DOWN');
      assert.equal(checks.slow?.detail, 'no answer within 20 ms');
      time.advance(1000);
    }
    assert.equal(signals.length, 1);
    assert.equal(signals[0]?.aborted, true);
    resolve(undefined);
    assert.equal((await health.report()).status, 'UP');
  });

  test('turns back UP when what it needs returns', async () => {
    const time = clock();
    let isThere = false;
    const run = async () => {
      if (!isThere) throw new Error('gone');
    };
    const health = healthOf([{ name: 'a', run }], time);
    assert.equal((await health.report()).status, 'DOWN');
    isThere = true;
    time.advance(1000);
    assert.equal((await health.report()).status, 'UP');
  });

  test('many probes at once run the checks once, and again only after a while', async () => {
    const time = clock();
    let runs = 0;
    const run = async () => {
      runs++;
    };
    const health = healthOf([{ name: 'a', run }], time);
    await Promise.all(Array.from({ length: 50 }, () => health.report()));
    time.advance(999);
    await health.report();
    assert.equal(runs, 1);
    time.advance(1);
    await health.report();
    assert.equal(runs, 2);
  });
});
