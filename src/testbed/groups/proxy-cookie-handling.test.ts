import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rawRequest } from '../../kernel/testing/raw-client.ts';
import { startTestbed } from '../testing/start-testbed.ts';

test('a session counts its visits while its cookie comes back, and only then', async () => {
  await using testbed = await startTestbed();
  const visit = async (cookie = '') => {
    const request = `GET /proxy-test/cookie/session HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${cookie}\r\n`;
    const answer = await rawRequest(testbed.port, request);
    return { ...JSON.parse(answer.body.toString()), setCookie: answer.header('set-cookie') };
  };
  const first = await visit();
  const cookie = `Cookie: other=1; ${first.setCookie.split(';')[0]}\r\n`;
  const second = await visit(cookie);
  const third = await visit(cookie);
  const stranger = await visit();
  assert.deepEqual([second.id, second.new, second.count, second.setCookie], [first.id, false, 2, undefined]);
  assert.equal(third.count, 3);
  assert.deepEqual([stranger.new, stranger.count], [true, 1]);
  assert.notEqual(stranger.id, first.id);
});
