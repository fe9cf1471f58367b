import assert from 'node:assert/strict';
import test from 'node:test';
import { rawRequest } from '../../../kernel/testing/raw-client.ts';
import { startTestbed } from '../../testing/start-testbed.ts';

const script = Buffer.from('<script>alert(1)</script>').toString('base64url');

async function bodyOf(port: number, path: string): Promise<string> {
  const { body } = await rawRequest(port, `GET ${path} HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n`);
  return body.toString();
}

test('a private service shows a decoded page as it is, a public one escaped', async () => {
  const padded = script.padEnd(Math.ceil(script.length / 4) * 4, '=');
  await using isolated = await startTestbed();
  assert.equal(await bodyOf(isolated.port, `/base64/${padded}`), '<script>alert(1)</script>');
  await using open = await startTestbed({ settings: { isPublic: true } });
  assert.equal(await bodyOf(open.port, `/base64/${padded}`), '&lt;script&gt;alert(1)&lt;/script&gt;');
});

for (const type of [
  'text/html',
  'TEXT/HTML;charset=utf-8',
  'image/svg+xml',
  'application/xhtml+xml',
  'text/xml',
  'x/y',
]) {
  test(`a client cannot make the service send a script as ${type}`, async () => {
    await using testbed = await startTestbed();
    const path = `/base64/decode/${script}?content-type=${encodeURIComponent(type)}`;
    assert.equal(await bodyOf(testbed.port, path), '&lt;script&gt;alert(1)&lt;/script&gt;');
  });
}
