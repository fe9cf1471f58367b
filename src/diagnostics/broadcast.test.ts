import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ClientFailure, type ClientFailureReason } from '../http1/client/client-failure.ts';
import { HeaderList } from '../http1/header-list.ts';
import type { OutboundCall } from '../kernel/outbound/http-caller.ts';
import type { Pod } from '../store/pods.ts';
import { type BroadcastOptions, createBroadcast } from './broadcast.ts';
import type { PodReport } from './pod-report.ts';
import { createReportCall, ipOf } from './report-call.ts';
import { podNamed, TEST_ENVIRONMENT_ID } from './testing/start-diagnosed-module.ts';

type Behaviour = (call: OutboundCall) => Promise<{ status: number; text: string }>;

const failure = (reason: ClientFailureReason) =>
  new ClientFailure(reason, { phase: 'response', isRequestSent: true });
const good: Behaviour = async ({ url }) => ({
  status: 200,
  text: JSON.stringify({ podName: new URL(url).hostname, podIp: '', responseTime: 0, jvm: { uptime: 1 } }),
});
const silent: Behaviour = ({ deadlineMs, signal }) =>
  new Promise((_, reject) => {
    const timer = setTimeout(() => reject(failure('deadline-exceeded')), deadlineMs);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });

/** Pods whose host is their name, each with its behaviour. */
function setUp(behaviours: Readonly<Record<string, Behaviour>>, overrides: Partial<BroadcastOptions> = {}) {
  const calls: OutboundCall[] = [];
  const pods: Pod[] = ['b-own', ...Object.keys(behaviours)].map((name) =>
    podNamed(name, `http://${name}:8091`),
  );
  const broadcast = createBroadcast({
    module: 'worker',
    environmentId: TEST_ENVIRONMENT_ID,
    pods: { live: async () => pods },
    ask: createReportCall({
      environmentId: TEST_ENVIRONMENT_ID,
      call: async (call) => {
        calls.push(call);
        const { status, text } = await behaviours[new URL(call.url).hostname]!(call);
        return { status, headers: new HeaderList([]), body: Buffer.from(text) };
      },
    }),
    deadlines: { listMs: 50, podMs: 50, wholeMs: 200 },
    ...overrides,
  });
  const own: PodReport = { podName: 'b-own', podIp: '::1', responseTime: 1, jvm: { uptime: 2 } };
  const run = (signal = new AbortController().signal) =>
    broadcast({ name: 'jvm', keys: ['jvm'] }, { podName: 'b-own', report: Promise.resolve(own) }, signal);
  return { calls, own, run };
}

describe('a broadcast', () => {
  test('puts the own report beside those of all others, ordered by name', async () => {
    const { run, own } = setUp({ 'c-1': good, 'a-1': good });
    const { pods, error } = await run();
    assert.deepEqual(
      pods.map(({ podName }) => podName),
      ['a-1', 'b-own', 'c-1'],
    );
    assert.equal(pods[1], own);
    assert.deepEqual(pods[0]!.jvm, { uptime: 1 });
    assert.equal(error, undefined);
  });

  test('asks each other pod once, as one that must not ask further, with the id of the environment', async () => {
    const { run, calls } = setUp({ 'c-1': good, 'a-1': good });
    await run();
    assert.deepEqual(calls.map(({ url }) => String(url)).toSorted(), [
      'http://a-1:8091/gateway/diagnostics/jvm?internal=true',
      'http://c-1:8091/gateway/diagnostics/jvm?internal=true',
    ]);
    for (const { headers, deadlineMs, maxBodyBytes } of calls) {
      assert.deepEqual(headers?.slice(0, 2), ['Authorization', TEST_ENVIRONMENT_ID]);
      assert.equal(deadlineMs, 50);
      assert.equal(maxBodyBytes, 4 * 1024 * 1024);
    }
  });

  test('asks nobody when this pod is alone', async () => {
    const { run, calls } = setUp({});
    assert.equal((await run()).pods.length, 1);
    assert.equal(calls.length, 0);
  });

  const failures: ReadonlyArray<readonly [what: string, behaviour: Behaviour, error: RegExp]> = [
    [
      'refuses the connection',
      () => Promise.reject(failure('connect-refused')),
      /^no answer: the target refused the connection$/,
    ],
    ['answers too slowly', silent, /^no answer: the whole call took too long$/],
    [
      'answers with more than is read',
      () => Promise.reject(failure('answer-too-large')),
      /^no answer: the answer is longer than was asked for$/,
    ],
    ['answers with an error', async () => ({ status: 500, text: '{}' }), /^answered with status 500$/],
    ['takes the id for another', async () => ({ status: 401, text: '{}' }), /^answered with status 401$/],
    ['sends elsewhere', async () => ({ status: 302, text: '' }), /^answered with status 302$/],
    [
      'answers with garbage',
      async () => ({ status: 200, text: '<html>' }),
      /^answered with something else than JSON$/,
    ],
    [
      'answers with half a report',
      async () => ({ status: 200, text: '{"podName":"a-1","jv' }),
      /^answered with something else than JSON$/,
    ],
    [
      'answers with a list',
      async () => ({ status: 200, text: '[]' }),
      /^answered with something else than a report$/,
    ],
    [
      'answers with null',
      async () => ({ status: 200, text: 'null' }),
      /^answered with something else than a report$/,
    ],
    [
      'is another pod by now',
      async () => ({ status: 200, text: '{"podName":"z"}' }),
      /^another pod answers at its address$/,
    ],
    [
      'answers without what was asked for',
      async () => ({ status: 200, text: '{"podName":"a-1","podIp":"a-1"}' }),
      /^answered without jvm$/,
    ],
    [
      'answers with something else in its place',
      async () => ({ status: 200, text: '{"podName":"a-1","podIp":"a-1","jvm":"well"}' }),
      /^answered without jvm$/,
    ],
    [
      'could not collect it',
      async () => ({ status: 200, text: '{"podName":"a-1","podIp":"a-1","error":"could not"}' }),
      /^could not$/,
    ],
  ];
  for (const [what, behaviour, error] of failures) {
    test(`a pod that ${what} appears with its error, and the others are there`, async () => {
      const { run } = setUp({ 'a-1': behaviour, 'c-1': good });
      const { pods } = await run();
      const [failed, , other] = pods;
      assert.deepEqual([failed?.podName, failed?.podIp], ['a-1', 'a-1']);
      assert.match(failed?.error ?? '', error);
      assert.equal(typeof failed?.responseTime, 'number');
      assert.equal(failed?.jvm, undefined);
      assert.deepEqual(other?.jvm, { uptime: 1 });
    });
  }

  test('is bounded as a whole, however long one pod may take', async () => {
    const { run } = setUp(
      { 'a-1': silent, 'c-1': good },
      { deadlines: { listMs: 50, podMs: 60_000, wholeMs: 50 } },
    );
    const [late, , other] = (await run()).pods;
    assert.equal(late?.error, 'no answer within the time for all pods');
    assert.deepEqual(other?.jvm, { uptime: 1 });
  });

  test('asks at most 32 at once, and all in the end', async () => {
    let running = 0;
    let most = 0;
    const counted: Behaviour = async (call) => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
      return good(call);
    };
    const names = Array.from({ length: 100 }, (_, index) => `p-${index}`);
    const { run } = setUp(Object.fromEntries(names.map((name) => [name, counted])), {
      deadlines: { listMs: 5000, podMs: 5000, wholeMs: 10_000 },
    });
    const { pods } = await run();
    assert.equal(pods.length, 101);
    assert.deepEqual(
      pods.filter(({ error }) => error),
      [],
    );
    assert.equal(most, 32);
  });

  for (const [what, live] of [
    ['refuses', () => Promise.reject(new Error('mongodb://ada:secret@host'))],
    ['hangs', () => new Promise<Pod[]>(() => {})],
  ] as const) {
    test(`still has the own report when the database ${what}, and says so`, async () => {
      const { run, own } = setUp({ 'a-1': good }, { pods: { live } });
      assert.deepEqual(await run(), {
        error: 'the other pods are not known: the platform database does not answer',
        pods: [own],
      });
    });
  }

  test('ends when whoever asked leaves, and so do its calls', async () => {
    const leaving = new AbortController();
    const { run, calls } = setUp(
      { 'a-1': silent },
      { deadlines: { listMs: 50, podMs: 60_000, wholeMs: 60_000 } },
    );
    const running = run(leaving.signal);
    setImmediate(() => leaving.abort(new Error('gone')));
    await assert.rejects(running, /gone/);
    assert.equal(calls[0]?.signal?.aborted, true);
  });
});

test('the address of a pod without its port', () => {
  assert.equal(ipOf('http://10.0.0.7:8091'), '10.0.0.7');
  assert.equal(ipOf('http://[fd00::7]:8091'), 'fd00::7');
  assert.equal(ipOf('nonsense'), '');
});
