import assert from 'node:assert/strict';
import type { LookupFunction } from 'node:net';
import { describe, it } from 'node:test';
import type { ClientFailureReason } from './client-failure.ts';
import type { AddressSource } from './client-options.ts';
import { ClientPool } from './client-pool.ts';
import { connectFailure } from './socket-failures.ts';
import { closedPort } from './testing/closed-port.ts';
import { failureOf } from './testing/failing.ts';
import { ok, RawTarget, type TargetConnection } from './testing/raw-target.ts';

const answering = { onRequest: ({ socket }: TargetConnection) => void socket.write(ok('ok')) };

function resolvingTo(...addresses: string[]): AddressSource {
  const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  const lookup: LookupFunction = (_name, _options, callback) => {
    setImmediate(() => callback(null, found));
  };
  return { lookup, refuses: () => false };
}

function failingWith(code: string): AddressSource {
  const lookup: LookupFunction = (_name, _options, callback) => {
    setImmediate(() => callback(Object.assign(new Error(code), { code }), ''));
  };
  return { lookup, refuses: () => false };
}

function poolWith(addresses?: AddressSource): ClientPool {
  return new ClientPool({ maxPerHost: 1, maxTotal: 1, addresses });
}

describe('reaching a target', () => {
  it('resolves its name and measures it', async () => {
    await using target = await RawTarget.start(answering);
    const pool = poolWith(resolvingTo('127.0.0.1'));
    const answer = await pool.send(target.request({ origin: { ...target.origin, host: 'name.test' } }));
    assert.deepEqual(Object.keys(answer.phases), ['acquire', 'dns', 'connect', 'write', 'response', 'body']);
    assert.match(target.connections[0]!.received, /\r\nHost: name\.test:\d+\r\n/);
    await pool.close();
  });

  it('uses the resolver of the system unless told otherwise', async () => {
    await using target = await RawTarget.start(answering);
    const pool = poolWith();
    const answer = await pool.send(target.request({ origin: { ...target.origin, host: 'localhost' } }));
    assert.equal(answer.status, 200);
    await pool.close();
  });

  it('tries the other addresses when one refuses', async () => {
    await using target = await RawTarget.start(answering);
    const pool = poolWith(resolvingTo('::1', '127.0.0.2', '127.0.0.1'));
    const origin = { ...target.origin, host: 'name.test' };
    // Whoever listens on this port listens on the last address only.
    assert.equal((await pool.send(target.request({ origin }))).status, 200);
    await pool.close();
  });

  it('says that the target refuses', async () => {
    const origin = { protocol: 'http:', host: '127.0.0.1', port: await closedPort() } as const;
    const pool = poolWith();
    const failure = await failureOf(pool.send({ origin, method: 'GET', target: '/', headers: [] }));
    assert.equal(failure.reason, 'connect-refused');
    assert.equal(failure.phase, 'connect');
    assert.equal(failure.detail, 'ECONNREFUSED');
    assert.equal(failure.isRequestSent, false);
    assert.equal(pool.usage().total, 0);
  });

  it('says that every address refuses', async () => {
    const origin = { protocol: 'http:', host: 'name.test', port: await closedPort() } as const;
    const pool = poolWith(resolvingTo('127.0.0.2', '127.0.0.1'));
    const failure = await failureOf(pool.send({ origin, method: 'GET', target: '/', headers: [] }));
    assert.equal(failure.reason, 'connect-refused');
    assert.equal(failure.phase, 'connect');
  });

  for (const [code, reason] of [
    ['ENOTFOUND', 'dns-not-found'],
    ['EAI_AGAIN', 'dns-failed'],
    ['ESERVFAIL', 'dns-failed'],
  ] as const) {
    it(`says ${reason} when the resolver says ${code}`, async () => {
      const pool = poolWith(failingWith(code));
      const origin = { protocol: 'http:', host: 'name.test', port: 80 } as const;
      const failure = await failureOf(pool.send({ origin, method: 'GET', target: '/', headers: [] }));
      assert.equal(failure.reason, reason);
      assert.equal(failure.phase, 'dns');
      assert.equal(failure.detail, code);
      assert.equal(failure.isRequestSent, false);
      assert.equal(pool.usage().total, 0);
    });
  }
});

describe('an address that must not be called', () => {
  const refusing = (source: AddressSource, refused: string): AddressSource => ({
    ...source,
    refuses: (address) => address === refused,
  });

  for (const [name, host, addresses] of [
    ['is refused as a literal', '127.0.0.1', resolvingTo()],
    ['is refused behind a name', 'name.test', resolvingTo('127.0.0.1')],
    ['is refused among others', 'name.test', resolvingTo('127.0.0.2', '127.0.0.1')],
  ] as const) {
    for (const protocol of ['http:', 'https:'] as const) {
      it(`${name} (${protocol})`, async () => {
        await using target = await RawTarget.start(answering);
        const pool = poolWith(refusing(addresses, '127.0.0.1'));
        const origin = { ...target.origin, host, protocol };
        const failure = await failureOf(pool.send(target.request({ origin })));
        assert.equal(failure.reason, 'address-refused');
        assert.equal(failure.isRequestSent, false);
        assert.equal(target.connections.length, 0);
      });
    }
  }

  it('is looked for at every connection, so that a name cannot change its mind', async () => {
    await using target = await RawTarget.start({
      onRequest: ({ socket }) => void socket.write(ok('ok', 'Connection: close')),
    });
    const answers = ['127.0.0.1', '127.0.0.66'];
    const source: AddressSource = {
      lookup: (_name, _options, callback) => callback(null, [{ address: answers.shift()!, family: 4 }]),
      refuses: (address) => address === '127.0.0.66',
    };
    const pool = poolWith(source);
    const origin = { ...target.origin, host: 'name.test' };
    assert.equal((await pool.send(target.request({ origin }))).status, 200);
    assert.equal((await failureOf(pool.send(target.request({ origin })))).reason, 'address-refused');
  });
});

describe('errors of the system while connecting', () => {
  const coded = (code: string) => Object.assign(new Error(code), { code });
  const cases: readonly [error: Error, reason: ClientFailureReason][] = [
    [coded('ECONNREFUSED'), 'connect-refused'],
    [coded('ENETUNREACH'), 'connect-unreachable'],
    [coded('EHOSTUNREACH'), 'connect-unreachable'],
    [coded('ECONNRESET'), 'connect-reset'],
    [coded('ETIMEDOUT'), 'connect-timeout'],
    [coded('EMFILE'), 'connect-failed'],
    [new Error('?'), 'connect-failed'],
    [new AggregateError([coded('ENETUNREACH'), coded('ECONNREFUSED')]), 'connect-refused'],
    [new AggregateError([coded('ENETUNREACH'), coded('ETIMEDOUT')]), 'connect-unreachable'],
    [new AggregateError([]), 'connect-failed'],
  ];
  for (const [index, [error, reason]] of cases.entries()) {
    it(`${index + 1}: ${reason}`, () => assert.equal(connectFailure(error, 'connect').reason, reason));
  }
});
