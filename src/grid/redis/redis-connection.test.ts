import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { silentLog } from '../../kernel/log.ts';
import { startScriptedServer } from '../../kernel/testing/scripted-server.ts';
import { GridUnavailable } from '../contract.ts';
import { RedisEngine } from './redis-engine.ts';

const open = (url: string) => RedisEngine.open({ url, namespace: 'test', log: silentLog, deadlineMs: 150 });

describe('a Redis that does not greet', () => {
  for (const scheme of ['redis', 'redis-cluster']) {
    it(`is tried again and again, over new connections (${scheme})`, async () => {
      await using server = await startScriptedServer(() => {});
      const began = performance.now();
      const engine = await open(`${scheme}://127.0.0.1:${server.port}`);
      await assert.rejects(engine.map('m', 'json', {}).get('a'), GridUnavailable);
      assert.ok(performance.now() - began < 2000);
      const deadlineMs = Date.now() + 10_000;
      while (server.received.length < 3) {
        assert.ok(Date.now() < deadlineMs, `${server.received.length} connections`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      await engine.close();
    });
  }

  it('and speaks something else is away', async () => {
    await using server = await startScriptedServer((socket) =>
      socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'),
    );
    const engine = await open(`redis://127.0.0.1:${server.port}`);
    await assert.rejects(engine.ping(), GridUnavailable);
    await engine.close();
  });
});
