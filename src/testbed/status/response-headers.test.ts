import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { rawRequest } from '../../kernel/testing/raw-client.ts';
import { type StartedTestbed, startTestbed } from '../testing/start-testbed.ts';

function ask({ port }: StartedTestbed, query: string) {
  return rawRequest(port, `GET /response-headers?${query} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n`);
}

describe('response-headers', () => {
  test('names its own length however long the body is', async () => {
    await using testbed = await startTestbed();
    // Around 100 and 1000 bytes the length itself becomes one digit longer.
    for (const padding of [0, 1, 2, 20, 21, 22, 23, 24, 25, 26, 900, 920, 921, 922, 923, 924, 925]) {
      const { header, body } = await ask(testbed, `X=${'x'.repeat(padding)}`);
      assert.equal(JSON.parse(body.toString())['Content-Length'], String(body.length));
      assert.equal(header('content-length'), String(body.length));
    }
  });

  test('keeps repeated names as lines of their own, whatever their casing', async () => {
    await using testbed = await startTestbed();
    const { wire, body } = await ask(testbed, 'X-A=1&x-a=2&X-A=3');
    assert.match(wire.toString('latin1'), /\r\nX-A: 1\r\nx-a: 2\r\nX-A: 3\r\n/);
    assert.deepEqual(JSON.parse(body.toString())['X-A'], ['1', '2', '3']);
  });

  test('go dialect: every value is a list, and the parameter itself is none', async () => {
    await using testbed = await startTestbed({ settings: { dialect: 'go' } });
    const listed = JSON.parse((await ask(testbed, 'X=1&dialect=go')).body.toString());
    assert.deepEqual(listed.X, ['1']);
    assert.deepEqual(Object.keys(listed), ['Content-Type', 'X']);
  });

  test('in public mode does not send people elsewhere', async () => {
    await using testbed = await startTestbed({ settings: { isPublic: true } });
    const { status, header } = await ask(testbed, 'rEFRESH=0;url=http://evil.example');
    assert.equal(status, 403);
    assert.equal(header('refresh'), undefined);
  });
});
