import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defaultLimits } from '../../limits.ts';
import { MemorySocket } from '../../testing/memory-socket.ts';
import type { ClientAnswer } from '../client-answer.ts';
import { ClientCall } from '../client-call.ts';
import { ClientConnection } from '../client-connection.ts';
import { ClientFailure } from '../client-failure.ts';
import { defaultClientTimeouts } from '../client-options.ts';
import { ClientPool } from '../client-pool.ts';
import type { ClientRequest } from '../client-request.ts';
import { composeRequest } from '../request-head.ts';
import { RawTarget } from '../testing/raw-target.ts';
import { answerCases } from './answer.cases.ts';
import type { AnswerCase } from './answer-case.ts';

const allCases = Object.values(answerCases).flat();

for (const [theme, cases] of Object.entries(answerCases)) {
  describe(`reading ${theme}`, () => {
    for (const answerCase of cases) {
      const verdict = 'failure' in answerCase.expect ? 'refused' : 'accepted';
      it(`${verdict}: ${answerCase.name} (${answerCase.rfc})`, async () => {
        check(answerCase, await overSocket(answerCase));
        check(answerCase, await inMemory(answerCase, 'whole'));
        // Bytes behind an answer come when it is over already, and end a connection that rests.
        check(answerCase, await inMemory(answerCase, 'byte by byte'));
        check(answerCase, await streamed(answerCase));
      });
    }
  });
}

describe('the cases', () => {
  it('are many, and each has a name of its own', () => {
    assert.ok(allCases.length >= 120, `there are ${allCases.length}`);
    for (const cases of Object.values(answerCases)) {
      const names = cases.map(({ name }) => name);
      assert.deepEqual(
        names.filter((name, index) => names.indexOf(name) !== index),
        [],
      );
    }
  });
});

describe('answers with random damage', () => {
  it('have one verdict, however their bytes were cut', async () => {
    const random = randomFrom(20_261_115);
    for (let count = 0; count < 1_500; count++) {
      const original = allCases[random(allCases.length)]!;
      if (original.bytes.length > 1_000) continue;
      const damaged = { ...original, bytes: damage(original.bytes, random), closesBehind: true };
      const whole = await inMemory(damaged, 'whole');
      const cut = await inMemory(damaged, 'byte by byte');
      assert.deepEqual(shown(cut), shown(whole), JSON.stringify(damaged.bytes));
    }
  });
});

function damage(bytes: string, random: (below: number) => number): string {
  let damaged = bytes;
  for (let count = random(3); count >= 0; count--) {
    const at = random(damaged.length + 1);
    const inserted = ['', '\r', '\n', '\r\n', ' ', '\t', ':', ',', '0', '\0', '\xff', 'x'][random(12)]!;
    damaged = damaged.slice(0, at) + inserted + damaged.slice(at + random(2));
  }
  return damaged;
}

/** A small generator of our own (mulberry32), so that a failure can be repeated. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

function shown({ answer, failure }: Outcome) {
  if (failure !== undefined)
    return { reason: failure.reason, detail: failure.detail, status: failure.status };
  const { status, reason, headers, body, trailers } = answer!;
  return { status, reason, headers: headers.raw, body: body.toString('latin1'), trailers };
}

interface Outcome {
  readonly answer?: Omit<ClientAnswer, 'phases' | 'isBodyCut'>;
  readonly failure?: ClientFailure;
  readonly wasKept: boolean;
}

function check({ expect }: AnswerCase, { answer, failure, wasKept }: Outcome): void {
  if ('failure' in expect) {
    assert.equal(failure?.reason, expect.failure);
    if (expect.detail !== undefined) assert.equal(failure.detail, expect.detail);
    assert.equal(wasKept, false);
    return;
  }
  if (failure !== undefined) throw failure;
  assert.equal(answer!.status, expect.status);
  assert.equal(answer!.body.toString('latin1'), expect.body);
  assert.deepEqual(answer!.trailers, expect.trailers);
  if (expect.reason !== undefined) assert.equal(answer!.reason, expect.reason);
  if (expect.version !== undefined) assert.equal(answer!.version, expect.version);
  if (expect.headers !== undefined) assert.deepEqual(answer!.headers.raw, expect.headers);
  assert.equal(wasKept, expect.mayBeReused, 'whether the connection is kept');
}

/** At once, and really over the network. */
async function overSocket({ bytes, method = 'GET', closesBehind, limits }: AnswerCase): Promise<Outcome> {
  await using target = await RawTarget.start({
    onRequest: ({ socket }) => {
      socket.write(bytes, 'latin1');
      if (closesBehind) socket.end();
    },
  });
  const pool = new ClientPool({ maxPerHost: 1, maxTotal: 1, ...limits });
  try {
    const answer = await pool.send(target.request({ method }));
    return { answer, wasKept: pool.usage().idle === 1 };
  } catch (error) {
    return { failure: failureOf(error), wasKept: pool.usage().idle === 1 };
  } finally {
    await pool.close();
  }
}

/** The same with the body as a stream. */
async function streamed({ bytes, method = 'GET', closesBehind, limits }: AnswerCase): Promise<Outcome> {
  await using target = await RawTarget.start({
    onRequest: ({ socket }) => {
      socket.write(bytes, 'latin1');
      if (closesBehind) socket.end();
    },
  });
  const pool = new ClientPool({ maxPerHost: 1, maxTotal: 1, ...limits });
  try {
    const answer = await pool.open(target.request({ method }));
    const parts: Buffer[] = [];
    for await (const part of answer.body) parts.push(part);
    const whole = { ...answer, body: Buffer.concat(parts), trailers: answer.body.trailers };
    return { answer: whole, wasKept: pool.usage().idle === 1 };
  } catch (error) {
    return { failure: failureOf(error), wasKept: pool.usage().idle === 1 };
  } finally {
    await pool.close();
  }
}

/** On a connection without a system below it. */
async function inMemory(
  { bytes, method = 'GET', closesBehind, limits }: AnswerCase,
  way: 'whole' | 'byte by byte',
): Promise<Outcome> {
  const socket = new MemorySocket();
  let isFree = false;
  const owner = {
    onFree: () => {
      isFree = true;
    },
    onGone: () => {
      isFree = false;
    },
  };
  const connection = new ClientConnection(socket.asSocket, 'memory', { ...defaultLimits, ...limits }, owner);
  const answered = new Promise<ClientAnswer>((resolve, reject) => {
    const taker = { kind: 'whole', maxBodyBytes: 1e6, resolve, reject } as const;
    const { origin } = request(method);
    connection.run(
      new ClientCall(
        origin,
        'memory',
        composeRequest(request(method)),
        defaultClientTimeouts,
        taker,
        undefined,
      ),
    );
  });
  const outcome = answered.then(
    (answer) => ({ answer }),
    (error) => ({ failure: failureOf(error) }),
  );
  await turn();
  const wire = Buffer.from(bytes, 'latin1');
  if (way === 'whole') socket.receive(wire);
  else for (let at = 0; at < wire.length; at++) socket.receive(wire.subarray(at, at + 1));
  await turn();
  if (closesBehind) socket.receiveEnd();
  const result = await outcome;
  return { ...result, wasKept: isFree };
}

function request(method: string): ClientRequest {
  return { origin: { protocol: 'http:', host: 'memory', port: 80 }, method, target: '/', headers: [] };
}

function failureOf(error: unknown): ClientFailure {
  if (!(error instanceof ClientFailure)) throw error;
  return error;
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
