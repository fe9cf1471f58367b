import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import type { Clock } from '../kernel/clock.ts';
import { startScriptedServer } from '../kernel/testing/scripted-server.ts';
import { localhostIdentity, strangerIdentity } from '../kernel/testing/tls-identities.ts';
import { cleanupScript } from './cleanup-script.ts';
import { LogIndexClient } from './client.ts';
import type { LogIndexClientOptions, ReportedCall } from './log-index-caller.ts';

const everything = { match_all: {} };
const noPause: Clock = { now: Date.now, sleep: async () => {} };

const answerOf = (status: number, body: object | string) => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return `HTTP/1.1 ${status} X\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
};
const errorOf = (status: number, type: string) =>
  answerOf(status, { error: { type, reason: `because of ${type}`, root_cause: [] }, status });

/** A client of a server that gives these answers, one after the other, and then the last one for ever. */
async function scripted(answers: readonly string[], options: Partial<LogIndexClientOptions> = {}) {
  let at = 0;
  const server = await startScriptedServer((socket) => {
    const give = () => {
      const answer = answers[Math.min(at++, answers.length - 1)]!;
      if (answer === '') socket.destroy();
      else socket.write(answer);
    };
    give();
    // One for each head, however its bytes come.
    socket.on('data', (bytes) => bytes.includes(' HTTP/1.1') && give());
  });
  const url = `http://127.0.0.1:${server.port}`;
  const client = new LogIndexClient({ url, clock: noPause, ...options });
  return {
    client,
    url,
    requests: () =>
      [...server.received.join('').matchAll(/((?:GET|POST|PUT|DELETE) \S+) HTTP/g)].map((match) => match[1]),
    received: () => server.received.join(''),
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

describe('the log-index client', () => {
  it('sends who it is, and tells of each call without the password', async () => {
    const calls: ReportedCall[] = [];
    await using index = await scripted([answerOf(200, { count: 1, _shards: {} })], {
      user: 'ada',
      password: 'sécret',
      onCall: (call) => calls.push(call),
    });
    await index.client.count('a b/c', everything);
    const credentials = Buffer.from('ada:sécret').toString('base64');
    assert.match(index.received(), new RegExp(`^Authorization: Basic ${credentials}\r$`, 'm'));
    assert.deepEqual(index.requests(), ['POST /a%20b%2Fc/_count']);
    assert.deepEqual(calls, [
      {
        method: 'POST',
        url: `${index.url}/a%20b%2Fc/_count`,
        user: 'ada',
        headers: ['Accept', 'application/json', 'Content-Type', 'application/json'],
        body: '{"query":{"match_all":{}}}',
        isInsecure: false,
      },
    ]);
    assert.doesNotMatch(JSON.stringify(calls), new RegExp(`s.cret|${credentials}`));
  });

  it('sends no credentials without a user', async () => {
    await using index = await scripted([answerOf(200, {})], { user: '', password: 'x' });
    await index.client.info();
    assert.doesNotMatch(index.received(), /Authorization/i);
  });

  it('runs by query as the procedure says: conflicts proceed, and it waits', async () => {
    const done = { took: 1, total: 0, noops: 0, version_conflicts: 0, failures: [] };
    await using index = await scripted([answerOf(200, done)]);
    await index.client.updateByQuery('i', cleanupScript('remove', ['x']), {
      query: everything,
      opaqueId: 'me',
      slices: 2,
      requestsPerSecond: 100,
    });
    assert.deepEqual(index.requests(), [
      'POST /i/_update_by_query?conflicts=proceed&wait_for_completion=true&refresh=true&slices=2&requests_per_second=100',
    ]);
    assert.match(index.received(), /^X-Opaque-Id: me\r$/m);
  });

  it('gives the counters of a run that ended with failures', async () => {
    const body = { total: 1, noops: 0, version_conflicts: 0, failures: [{ status: 403 }] };
    await using index = await scripted([answerOf(403, body)]);
    const { failures } = await index.client.deleteByQuery('i', { query: everything });
    assert.equal(failures.length, 1);
  });

  const answers: Array<[name: string, answer: string, kind: string]> = [
    ['401', answerOf(401, 'Unauthorized'), 'unauthorised'],
    ['a user who may not', errorOf(403, 'security_exception'), 'unauthorised'],
    ['a missing index', errorOf(404, 'index_not_found_exception'), 'index-missing'],
    ['another missing thing', errorOf(404, 'resource_not_found_exception'), 'not-found'],
    ['a write block', errorOf(403, 'cluster_block_exception'), 'blocked'],
    ['a flood-stage block', errorOf(429, 'cluster_block_exception'), 'blocked'],
    ['a conflict', errorOf(409, 'version_conflict_engine_exception'), 'conflict'],
    ['too many requests', errorOf(429, 'rejected_execution_exception'), 'busy'],
    ['no service', answerOf(503, ''), 'busy'],
    ['an error in words', answerOf(400, { error: 'no handler found', status: 400 }), 'refused'],
    ['a page instead of JSON', answerOf(200, '<html>'), 'malformed'],
    ['an error of the engine', answerOf(500, '<html>'), 'failed'],
    ['no HTTP', 'SSH-2.0-OpenSSH\r\n\r\n', 'malformed'],
    ['a connection that breaks off', '', 'lost'],
  ];
  for (const [name, answer, kind] of answers) {
    it(`tells ${name} by its kind: ${kind}`, async () => {
      await using index = await scripted([answer]);
      await assert.rejects(index.client.changeSettings('i', {}), { name: 'LogIndexFailure', kind });
      assert.equal(index.requests().length, 1, 'a call that writes is made once');
    });
  }

  it('repeats a call that only reads when the index was busy or went away, at most twice', async () => {
    await using busy = await scripted([answerOf(503, ''), '', answerOf(200, { count: 3, _shards: {} })]);
    assert.equal((await busy.client.count('i', everything)).count, 3);
    assert.equal(busy.requests().length, 3);
    await using gone = await scripted(['']);
    await assert.rejects(gone.client.count('i', everything), { kind: 'lost', isRequestSent: true });
    assert.equal(gone.requests().length, 3);
    await using refused = await scripted([errorOf(400, 'parsing_exception')]);
    await assert.rejects(refused.client.count('i', everything), { kind: 'refused' });
    assert.equal(refused.requests().length, 1);
  });

  it('says that nobody answers, and where', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    const url = `http://127.0.0.1:${port}`;
    await using client = new LogIndexClient({ url, clock: noPause, user: 'ada', password: 'secret' });
    await assert.rejects(client.info(), (error: Error & { kind: string; isRequestSent: boolean }) => {
      assert.deepEqual([error.kind, error.isRequestSent], ['unreachable', false]);
      assert.ok(error.message.includes(`127.0.0.1:${port}`));
      assert.doesNotMatch(`${error.message} ${error.stack}`, /secret/);
      return true;
    });
  });

  it('keeps its deadline, and stops when its caller does', async () => {
    await using index = await scripted(['HTTP/1.1 2'], { deadlineMs: 50 });
    await assert.rejects(index.client.changeSettings('i', {}), { kind: 'timeout', isRequestSent: true });
    const signal = AbortSignal.timeout(20);
    await assert.rejects(index.client.call('POST', '/', { signal, deadlineMs: 60_000 }), {
      kind: 'cancelled',
    });
  });
});

describe('the log-index client over TLS', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-client-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const fileOf = (name: string, cert: string) => {
    const path = join(folder, name);
    writeFileSync(path, cert);
    return path;
  };
  const known = fileOf('known.pem', localhostIdentity.cert);
  const stranger = fileOf('stranger.pem', strangerIdentity.cert);

  const cases: Array<[name: string, options: Partial<LogIndexClientOptions>, kind: string | undefined]> = [
    ['trusts a certificate of its CA file', { caFile: known }, undefined],
    ['trusts no other one', { caFile: stranger }, 'untrusted'],
    ['trusts the certificates of the machine without one', {}, 'untrusted'],
    ['takes any when it is told to be insecure', { isInsecure: true }, undefined],
  ];
  for (const [name, options, kind] of cases) {
    it(name, async () => {
      const server = createHttpsServer(localhostIdentity, (_, answer) =>
        answer.end('{"version":{"number":"1"}}'),
      );
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      const client = new LogIndexClient({ url: `https://localhost:${port}`, clock: noPause, ...options });
      try {
        if (kind) await assert.rejects(client.info(), { kind });
        else assert.equal((await client.info()).version.number, '1');
      } finally {
        await client[Symbol.asyncDispose]();
        server.close();
        server.closeAllConnections();
      }
    });
  }
});
