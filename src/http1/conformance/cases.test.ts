import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { serveHttp1 } from '../connection.ts';
import type { ConnectionInfo } from '../exchange.ts';
import { defaultLimits, defaultTimeouts } from '../limits.ts';
import { type RefusalKey, refusalTable } from '../refusals.ts';
import { TestEngine } from '../testing/loopback.ts';
import { MemorySocket } from '../testing/memory-socket.ts';
import { type ObservedRequest, observedAnswers, observeInto } from '../testing/observed-requests.ts';
import type { ConformanceCase, SeenByHandler } from './case.ts';
import { chunkedCases } from './chunked.cases.ts';
import { connectionCases } from './connection.cases.ts';
import { contentLengthCases } from './content-length.cases.ts';
import { expectCases } from './expect.cases.ts';
import { fieldCases } from './fields.cases.ts';
import { hostCases } from './host.cases.ts';
import { lenientCases } from './lenient.cases.ts';
import { limitCases } from './limits.cases.ts';
import { requestLineCases } from './request-line.cases.ts';
import { transferEncodingCases } from './transfer-encoding.cases.ts';

const themes: Readonly<Record<string, readonly ConformanceCase[]>> = {
  'request lines': requestLineCases,
  fields: fieldCases,
  Host: hostCases,
  'Content-Length': contentLengthCases,
  'Transfer-Encoding': transferEncodingCases,
  'chunked bodies': chunkedCases,
  'the connection': connectionCases,
  expectations: expectCases,
  limits: limitCases,
  'the lenient mode': lenientCases,
};
const allCases = Object.values(themes).flat();

/** What stands before the case when it is pipelined, and behind it always. */
const PRECEDING = 'POST /before HTTP/1.1\r\nHost: before\r\nContent-Length: 5\r\n\r\nfirst';
const FOLLOWING = 'GET /following HTTP/1.1\r\nHost: following\r\nConnection: close\r\n\r\n';

for (const [theme, cases] of Object.entries(themes)) {
  describe(`reading ${theme}`, () => {
    for (const conformanceCase of cases) {
      it(`${conformanceCase.expect.verdict}: ${conformanceCase.name}`, async () => {
        check(conformanceCase, await overSocket(conformanceCase));
        check(conformanceCase, await byteByByte(conformanceCase), { arrivesSlowly: true });
        check(conformanceCase, await pipelined(conformanceCase), { isPipelined: true });
      });
    }
  });
}

describe('the cases', () => {
  it('are many, and each has a name and bytes of its own', () => {
    assert.ok(allCases.length >= 350, `there are ${allCases.length}`);
    const texts = allCases.map(({ bytes, ...rest }) =>
      JSON.stringify([bytes, rest.isLenient, rest.limits, rest.maxBodyBytes, rest.closesBehind]),
    );
    assert.deepEqual(repeatedIn(texts), []);
    for (const cases of Object.values(themes))
      assert.deepEqual(repeatedIn(cases.map(({ name }) => name)), []);
  });

  it('and the tests of time below and of the content budget produce every refusal there is', () => {
    const produced = new Set<string>(['head-timeout', 'body-timeout', 'too-much-content']);
    for (const { expect } of allCases) if (expect.verdict !== 'accepted') produced.add(expect.key);
    assert.deepEqual(
      Object.keys(refusalTable).filter((key) => !produced.has(key)),
      [],
    );
  });
});

describe('requests that do not arrive', () => {
  it('refuses a head that takes too long', async () => {
    const seen: ObservedRequest[] = [];
    await using engine = await TestEngine.start(observeInto(seen), { timeouts: { headMs: 30 } });
    const client = await engine.client('GET / HTTP/1.1\r\nHost: a\r\n');
    assert.equal(await client.ended, 'fin');
    assert.deepEqual(observedAnswers(client.received).answers, [{ status: 408, closes: true }]);
    assert.deepEqual(
      engine.refusals.map(({ key }) => key),
      ['head-timeout'],
    );
    assert.deepEqual(seen, []);
  });

  it('refuses a body that stops', async () => {
    const seen: ObservedRequest[] = [];
    await using engine = await TestEngine.start(observeInto(seen), { timeouts: { bodyMs: 30 } });
    const client = await engine.client('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhe');
    assert.equal(await client.ended, 'fin');
    assert.deepEqual(observedAnswers(client.received).answers, [{ status: 408, closes: true }]);
    assert.equal(seen[0]?.bodyRefusal, 'body-timeout');
  });
});

/** What both sides saw of a connection that has ended. */
interface Observation {
  readonly seen: readonly ObservedRequest[];
  readonly received: string;
  readonly refusals: readonly RefusalKey[];
}

/** At once, and really over the network. */
async function overSocket(conformanceCase: ConformanceCase): Promise<Observation> {
  const { limits, isLenient, maxBodyBytes } = conformanceCase;
  const seen: ObservedRequest[] = [];
  await using engine = await TestEngine.start(observeInto(seen, maxBodyBytes), { limits, isLenient });
  const client = await engine.client(wireOf(conformanceCase));
  if (conformanceCase.closesBehind) client.socket.end();
  assert.equal(await client.ended, 'fin');
  return { seen, received: client.received, refusals: engine.refusals.map(({ key }) => key) };
}

/** Each byte on its own, with time for the engine to act on it. */
async function byteByByte(conformanceCase: ConformanceCase): Promise<Observation> {
  return inMemory(conformanceCase, async (socket) => {
    for (const byte of Buffer.from(wireOf(conformanceCase), 'latin1')) {
      socket.receive(Buffer.of(byte));
      await turn();
    }
  });
}

/** In one piece with a valid request before it. */
async function pipelined(conformanceCase: ConformanceCase): Promise<Observation> {
  return inMemory(conformanceCase, async (socket) => {
    socket.receive(Buffer.from(PRECEDING + wireOf(conformanceCase), 'latin1'));
  });
}

function wireOf({ bytes, closesBehind }: ConformanceCase): string {
  return closesBehind ? bytes : bytes + FOLLOWING;
}

async function inMemory(
  { limits, isLenient = false, maxBodyBytes, closesBehind }: ConformanceCase,
  send: (socket: MemorySocket) => Promise<void>,
): Promise<Observation> {
  const socket = new MemorySocket();
  const seen: ObservedRequest[] = [];
  const refusals: RefusalKey[] = [];
  serveHttp1(socket.asSocket, undefined, NOBODY, {
    limits: { ...defaultLimits, ...limits },
    timeouts: { ...defaultTimeouts, lingerMs: 0 },
    isLenient,
    now: () => 0,
    onExchange: observeInto(seen, maxBodyBytes),
    renderRefusal: ({ key }) => ({ headers: [], body: key }),
    onRefused: ({ key }) => refusals.push(key),
  });
  await send(socket);
  await turn();
  if (closesBehind) socket.receiveEnd();
  await turn();
  assert.ok(socket.hasEnded, 'the engine did not close the connection');
  return { seen, received: socket.written, refusals };
}

const NOBODY: ConnectionInfo = {
  id: 'conformance',
  openedAtMs: 0,
  remoteAddress: '',
  remotePort: 0,
  localAddress: '',
  localPort: 0,
  proxyHeader: undefined,
  tls: undefined,
};

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

interface Way {
  readonly isPipelined?: boolean;
  readonly arrivesSlowly?: boolean;
}

function check(
  { expect, closesBehind }: ConformanceCase,
  observation: Observation,
  { isPipelined, arrivesSlowly }: Way = {},
): void {
  const seen = [...observation.seen];
  const { answers, continueCount } = observedAnswers(observation.received);
  if (isPipelined) {
    assert.deepEqual(answers.shift(), { status: 200, closes: false });
    const before = seen.shift();
    assert.deepEqual([before?.target, before?.body], ['/before', 'first']);
  }
  const isFollowed = expect.verdict !== 'refused' && expect.staysOpen && !closesBehind;
  if (isFollowed) {
    assert.deepEqual(answers.pop(), { status: 200, closes: true });
    assert.deepEqual(seen.pop()?.headText, FOLLOWING);
  }

  // Nothing else was answered, and nothing else was served.
  assert.equal(answers.length, 1);
  assert.equal(seen.length, expect.verdict === 'refused' ? 0 : 1);
  const [answer] = answers;
  if (!closesBehind) assert.equal(answer!.closes, !isFollowed);
  if (expect.verdict === 'accepted') {
    assert.equal(answer!.status, expect.method === 'CONNECT' ? 501 : 200);
    assert.deepEqual(observation.refusals, []);
    checkSeen(expect, seen[0]!);
    assert.equal(continueCount, expect.isContinued && arrivesSlowly ? 1 : 0);
    return;
  }
  assert.equal(answer!.status, expect.status);
  if (expect.verdict === 'refused') assert.deepEqual(observation.refusals, [expect.key]);
  else assert.equal(seen[0]!.bodyRefusal, expect.key);
}

function checkSeen(expected: SeenByHandler, request: ObservedRequest): void {
  const { method, target, version, body, trailers } = request;
  assert.deepEqual(
    { method, target, version, body, trailers: [...trailers] },
    {
      method: expected.method,
      target: expected.target,
      version: expected.version,
      body: expected.body,
      trailers: [...expected.trailers],
    },
  );
  if (expected.headers !== undefined) assert.deepEqual([...request.headers], [...expected.headers]);
  if (expected.chunkSizes !== undefined) assert.deepEqual([...request.chunkSizes], [...expected.chunkSizes]);
}

function repeatedIn(texts: readonly string[]): string[] {
  return texts.filter((text, index) => texts.indexOf(text) !== index);
}
