import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ClientPool } from './client-pool.ts';
import { RecentRefusals } from './recent-refusals.ts';
import { closedPort } from './testing/closed-port.ts';
import { failureOf } from './testing/failing.ts';
import { RawTarget } from './testing/raw-target.ts';

const refused = { reason: 'connect-refused', detail: 'ECONNREFUSED' } as const;

describe('recent refusals', () => {
  it('are forgotten after their time', () => {
    let nowMs = 0;
    const refusals = new RecentRefusals(10, () => nowMs);
    refusals.note('a', refused);
    nowMs = 9;
    assert.equal(refusals.recent('a'), refused);
    assert.equal(refusals.recent('b'), undefined);
    nowMs = 10;
    assert.equal(refusals.recent('a'), undefined);
  });

  it('are not what may go well the next time', () => {
    const refusals = new RecentRefusals(10, () => 0);
    refusals.note('a', { reason: 'connect-timeout', detail: undefined });
    assert.equal(refusals.recent('a'), undefined);
  });

  it('are bounded, whatever hosts are called', () => {
    const refusals = new RecentRefusals(10, () => 0);
    for (let host = 0; host <= 1000; host++) refusals.note(String(host), refused);
    assert.equal(refusals.recent('0'), undefined);
    assert.equal(refusals.recent('1000'), refused);
  });
});

describe('a pool whose target refuses', () => {
  it('knocks once, and tells all who call or wait', async () => {
    const { pool, call, knocks } = await refusingTarget({ refusalMemoryMs: 60_000 });
    const failures = await Promise.all([call(), call(), call(), call()]);
    failures.push(await call());
    for (const { reason, phase, detail, isRequestSent } of failures)
      assert.deepEqual(
        { reason, phase, detail, isRequestSent },
        { ...refused, phase: 'connect', isRequestSent: false },
      );
    assert.equal(knocks(), 1);
    assert.deepEqual([pool.usage().total, pool.usage().waiting], [0, 0]);
  });

  it('closes no connection to another host for a call that it will refuse', async () => {
    await using other = await RawTarget.start({
      onRequest: ({ socket }) => void socket.write('HTTP/1.1 204 No Content\r\n\r\n'),
    });
    const { pool, call } = await refusingTarget({ refusalMemoryMs: 60_000 });
    const callOther = () => pool.send(other.request());
    await call();
    await callOther();
    assert.equal((await call()).reason, 'connect-refused');
    assert.equal(pool.usage().idle, 1);
    assert.equal((await callOther()).isReusedConnection, true);
    await pool.close();
  });

  it('knocks for every call unless it is to remember', async () => {
    const { call, knocks } = await refusingTarget({});
    await call();
    await call();
    assert.equal(knocks(), 2);
  });
});

async function refusingTarget(options: { readonly refusalMemoryMs?: number }) {
  let knocks = 0;
  const origin = { protocol: 'http:', host: 'name.test', port: await closedPort() } as const;
  const pool = new ClientPool({
    maxPerHost: 1,
    maxTotal: 1,
    ...options,
    addresses: {
      refuses: () => false,
      lookup: (_name, _options, callback) => {
        knocks++;
        setImmediate(() => callback(null, [{ address: '127.0.0.1', family: 4 }]));
      },
    },
  });
  return {
    pool,
    call: () => failureOf(pool.send({ origin, method: 'GET', target: '/', headers: [] })),
    knocks: () => knocks,
  };
}
