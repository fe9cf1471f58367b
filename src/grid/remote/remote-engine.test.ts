import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { systemClock } from '../../kernel/clock.ts';
import { ManualClock } from '../../kernel/testing/manual-clock.ts';
import { type ScriptedServer, startScriptedServer } from '../../kernel/testing/scripted-server.ts';
import type { Pod } from '../../store/pods.ts';
import { GridUnavailable } from '../contract.ts';
import { EngineGrid } from '../engine-grid.ts';
import { OwnerFinder, ownerOf } from './owner-finder.ts';
import { RemoteEngine } from './remote-engine.ts';

function pod(podName: string, startedAtMs = 0, port = 1): Pod {
  const address = `http://127.0.0.1:${port}`;
  return {
    podName,
    module: 'cache',
    environmentId: 'e',
    address,
    processId: 1,
    startedAtMs,
    heartbeatAtMs: 0,
  };
}

const gridOn = (live: () => Promise<Pod[]>, deadlineMs = 300) =>
  new EngineGrid(new RemoteEngine({ pods: { live }, clock: systemClock, environmentId: 'e', deadlineMs }));

const answering = (answer: string): Promise<ScriptedServer> =>
  startScriptedServer((socket) => socket.write(answer));

const json = (status: string, body: string) =>
  `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

describe('a grid that a Cache pod holds', () => {
  it('is away while no pod is alive, or nobody can tell', async () => {
    const none = gridOn(async () => []);
    const unknown = gridOn(() => Promise.reject(new Error('database away')));
    for (const grid of [none, unknown]) {
      await assert.rejects(grid.map('m').get('a'), GridUnavailable);
      await grid.close();
    }
  });

  const useless: Array<[what: string, answer: string]> = [
    ['that answers nothing', ''],
    ['that is wrong about its status', json('500 Oops', '{"results":[{}]}')],
    ['that does not know us', json('401 Unauthorized', '{}')],
    ['that answers no JSON', json('200 OK', 'hello')],
    ['that answers other JSON', json('200 OK', '[]')],
    ['that answers too few results', json('200 OK', '{"results":[]}')],
    ['that refuses for a reason nobody knows', json('200 OK', '{"results":[{"refused":"mood"}]}')],
    ['that does not speak HTTP', 'SSH-2.0-nonsense\r\n'],
    ['that stops in the middle', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"res'],
  ];
  for (const [what, answer] of useless) {
    it(`is away when it is asked of a pod ${what}`, async () => {
      await using server = await answering(answer);
      const grid = gridOn(async () => [pod('a', 0, server.port)]);
      const began = performance.now();
      await assert.rejects(grid.map('m').increment('a'), GridUnavailable);
      assert.ok(performance.now() - began < 10_000);
      await grid.close();
    });
  }

  it('is found again after a pod is gone, without asking the same one for ever', async () => {
    await using second = await answering(json('200 OK', '{"results":[{"result":"7"}]}'));
    let live = [pod('gone', 0, 1), pod('next', 1, second.port)];
    const grid = gridOn(async () => live);
    await assert.rejects(grid.map('m').get('a'), GridUnavailable);
    live = [live[1]!];
    assert.equal(await grid.map('m').get('a'), 7);
    assert.match(second.received[0]!, /^POST \/gateway\/grid\/operations HTTP\/1.1\r\n/);
    assert.match(second.received[0]!, /\r\nAuthorization: e\r\n/);
    await grid.close();
  });

  it('shows the calls under way and those that wait', async () => {
    const silent = await startScriptedServer(() => {});
    const grid = gridOn(async () => [pod('a', 0, silent.port)], 5000);
    assert.equal(grid.usage()?.calls.queueSize, 0);
    const get = grid.map('m').get('a');
    assert.equal(grid.usage()?.calls.queueSize, 1);
    while (grid.usage()?.connections.leased === 0) await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(grid.usage(), {
      calls: { poolSize: 8, activeCount: 1, queueSize: 0, rejectedTaskCount: 0 },
      connections: { name: 'data grid', leased: 1, available: 0, pending: 0, maxTotal: 16 },
    });
    const left = assert.rejects(get, GridUnavailable);
    await silent[Symbol.asyncDispose]();
    await left;
    await grid.close();
  });

  it('sends nothing for calls that nobody waits for any more', async () => {
    let release: (pods: Pod[]) => void = () => {};
    await using server = await answering(json('200 OK', '{"results":[{"result":"1"}]}'));
    const slow = new Promise<Pod[]>((resolve) => {
      release = resolve;
    });
    const grid = gridOn(() => slow, 100);
    // Calls under way are many, so that the last ones wait in line.
    const calls = Array.from({ length: 9 }, () => nextTurn().then(() => grid.map('m').get('a')));
    const outcomes = await Promise.allSettled(calls);
    assert.ok(outcomes.every(({ status }) => status === 'rejected'));
    release([pod('a', 0, server.port)]);
    await new Promise((resolve) => setTimeout(resolve, 200));
    assert.ok(server.received.length <= 8);
    await grid.close();
  });
});

describe('the pod that holds the maps', () => {
  it('is the one that started first, by name among equals', () => {
    assert.equal(ownerOf([]), undefined);
    assert.equal(ownerOf([pod('b', 2), pod('c', 1), pod('a', 1)])?.podName, 'a');
  });

  it('is asked of the database once in a while, and once for all who ask together', async () => {
    const clock = new ManualClock();
    let asked = 0;
    const live = async () => {
      asked++;
      return [pod(`a-${asked}`)];
    };
    const finder = new OwnerFinder({ pods: { live }, clock, environmentId: 'e' });
    const found = await Promise.all([finder.find(), finder.find(), finder.find()]);
    assert.deepEqual(
      found.map(({ podName }) => podName),
      ['a-1', 'a-1', 'a-1'],
    );
    clock.advance(4999);
    assert.equal((await finder.find()).podName, 'a-1');
    clock.advance(1);
    assert.equal((await finder.find()).podName, 'a-2');
    finder.forget(found[0]!);
    assert.equal((await finder.find()).podName, 'a-2');
  });

  it('stays the one that was known while the database is away', async () => {
    const clock = new ManualClock();
    let isAway = false;
    const live = async () => {
      if (isAway) throw new Error('away');
      return [pod('a')];
    };
    const finder = new OwnerFinder({ pods: { live }, clock, environmentId: 'e' });
    await finder.find();
    isAway = true;
    clock.advance(10_000);
    assert.equal((await finder.find()).podName, 'a');
  });
});

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
