import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { describe, it } from 'node:test';
import { ClientFailure, type ClientFailureReason } from '../../http1/client/client-failure.ts';
import { startScriptedServer } from '../testing/scripted-server.ts';
import { HttpCaller } from './http-caller.ts';

const answerWith = (body: string) => (socket: Socket) =>
  void socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\nX-a: b\r\n\r\n${body}`);
const silent = () => {};

function failsWith(reason: ClientFailureReason, isRequestSent: boolean) {
  return (error: unknown) =>
    error instanceof ClientFailure && error.reason === reason && error.isRequestSent === isRequestSent;
}

describe('a call of the platform', () => {
  it('brings a whole answer', async () => {
    await using server = await startScriptedServer(answerWith('{"a":1}'));
    await using caller = new HttpCaller();
    const answer = await caller.call({
      url: `http://127.0.0.1:${server.port}/a?b=c#d`,
      method: 'POST',
      headers: ['Content-Type', 'application/json'],
      body: '{"\u00e4":2}',
      deadlineMs: 5_000,
    });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('x-a'), 'b');
    assert.equal(answer.body.toString(), '{"a":1}');
    assert.equal(
      Buffer.from(server.received[0]!, 'latin1').toString(),
      `POST /a?b=c HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nContent-Type: application/json\r\nContent-Length: 8\r\n\r\n{"\u00e4":2}`,
    );
  });

  it('has one deadline for everything', async () => {
    await using server = await startScriptedServer(silent);
    await using caller = new HttpCaller();
    const startedAtMs = performance.now();
    const call = caller.call({ url: `http://127.0.0.1:${server.port}/`, deadlineMs: 100 });
    await assert.rejects(call, failsWith('deadline-exceeded', true));
    assert.ok(performance.now() - startedAtMs >= 99);
  });

  it('is late also when the answer trickles', async () => {
    await using server = await startScriptedServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n');
      const timer = setInterval(() => socket.write('x'), 10);
      socket.on('close', () => clearInterval(timer));
    });
    await using caller = new HttpCaller();
    const call = caller.call({ url: `http://127.0.0.1:${server.port}/`, deadlineMs: 150 });
    await assert.rejects(call, (error) => {
      assert.ok(error instanceof ClientFailure);
      assert.deepEqual([error.reason, error.phase, error.status], ['deadline-exceeded', 'body', 200]);
      return true;
    });
  });

  it('is late also when it waits for a connection', async () => {
    await using server = await startScriptedServer(silent);
    await using caller = new HttpCaller({ maxPerHost: 1, maxTotal: 1 });
    const url = `http://127.0.0.1:${server.port}/`;
    const first = assert.rejects(caller.call({ url, deadlineMs: 300 }));
    await assert.rejects(caller.call({ url, deadlineMs: 50 }), failsWith('deadline-exceeded', false));
    await first;
  });

  it('can be cancelled', async () => {
    await using server = await startScriptedServer(silent);
    await using caller = new HttpCaller();
    const call = caller.call({
      url: `http://127.0.0.1:${server.port}/`,
      deadlineMs: 5_000,
      signal: AbortSignal.timeout(30),
    });
    await assert.rejects(call, failsWith('aborted', true));
  });

  it('takes no longer an answer than it asked for', async () => {
    await using server = await startScriptedServer(answerWith('12345'));
    await using caller = new HttpCaller();
    const url = `http://127.0.0.1:${server.port}/`;
    assert.equal((await caller.call({ url, deadlineMs: 5_000, maxBodyBytes: 5 })).body.length, 5);
  });

  it('fails when the answer is longer', async () => {
    await using server = await startScriptedServer(answerWith('12345'));
    await using caller = new HttpCaller();
    const url = `http://127.0.0.1:${server.port}/`;
    const call = caller.call({ url, deadlineMs: 5_000, maxBodyBytes: 4 });
    await assert.rejects(call, failsWith('answer-too-large', true));
  });

  it('follows no redirect', async () => {
    await using server = await startScriptedServer((socket) => {
      socket.write('HTTP/1.1 302 Found\r\nLocation: /other\r\nContent-Length: 0\r\n\r\n');
    });
    await using caller = new HttpCaller();
    const url = `http://127.0.0.1:${server.port}/`;
    assert.equal((await caller.call({ url, deadlineMs: 5_000 })).status, 302);
    assert.equal(server.received.length, 1);
  });

  for (const [name, url] of [
    ['no URL', 'x'],
    ['another scheme', 'ftp://a.test/'],
    ['a file', 'file:///etc/passwd'],
    ['a user', 'http://user@a.test/'],
    ['a password', 'http://:secret@a.test/'],
  ] as const) {
    it(`is refused before any contact: ${name}`, async () => {
      await using caller = new HttpCaller();
      await assert.rejects(caller.call({ url, deadlineMs: 5_000 }), (error) => {
        assert.ok(error instanceof ClientFailure);
        assert.equal(error.reason, 'request-invalid');
        assert.doesNotMatch(error.message, /secret/);
        return true;
      });
    });
  }

  it('is refused when the caller is closed', async () => {
    const caller = new HttpCaller();
    await caller.close();
    const call = caller.call({ url: 'http://127.0.0.1:1/', deadlineMs: 5_000 });
    await assert.rejects(call, failsWith('pool-closed', false));
  });
});
