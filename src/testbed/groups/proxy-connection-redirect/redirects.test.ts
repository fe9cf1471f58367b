import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { request as undiciRequest } from 'undici';
import { rawRequest } from '../../../kernel/testing/raw-client.ts';
import { startTestbed } from '../../testing/start-testbed.ts';

const BASE = '/proxy-test/redirect';
const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: gateway.test:8080\r\nConnection: close\r\n\r\n`;

/** Follows like a careful client; gives every address on the way. */
async function follow(port: number, path: string): Promise<string[]> {
  const visited: string[] = [];
  let url = new URL(path, `http://127.0.0.1:${port}`);
  while (visited.length < 20) {
    visited.push(url.pathname);
    const { statusCode, headers, body } = await undiciRequest(url);
    await body.dump();
    if (statusCode < 300 || statusCode > 399 || typeof headers.location !== 'string') break;
    url = new URL(headers.location, url);
  }
  return visited;
}

describe('following the redirects', () => {
  for (const form of [
    'absolute',
    'relative',
    'root-relative',
    'protocol-relative',
    'backend-host',
    'fragment',
    'cookie',
  ]) {
    test(`${form} leads to the landing page`, async () => {
      await using testbed = await startTestbed();
      assert.deepEqual(await follow(testbed.port, `${BASE}/${form}`), [`${BASE}/${form}`, `${BASE}/landing`]);
    });
  }

  test('a chain has as many steps as asked for', async () => {
    await using testbed = await startTestbed();
    const visited = await follow(testbed.port, `${BASE}/chain/5?status=307`);
    assert.equal(visited.length, 6);
    assert.equal(visited.at(-1), `${BASE}/landing`);
  });

  test('loop and self never end', async () => {
    await using testbed = await startTestbed();
    assert.equal((await follow(testbed.port, `${BASE}/loop`)).length, 20);
    assert.equal((await follow(testbed.port, `${BASE}/self`)).length, 20);
  });

  test('raw UTF-8 in Location leads to a path the landing page knows', async () => {
    await using testbed = await startTestbed();
    const { header } = await rawRequest(testbed.port, get(`${BASE}/unicode`));
    const { status, body } = await rawRequest(testbed.port, get(header('location')!));
    assert.equal(status, 200);
    assert.equal(JSON.parse(body.toString()).rawPath, Buffer.from(`${BASE}/landing/çığ`).toString('latin1'));
  });
});

describe('in public mode', () => {
  const settings = { isPublic: true, allowedRedirectHosts: ['allowed.test'] };

  test('redirects leave only to hosts that are allowed', async () => {
    await using testbed = await startTestbed({ settings });
    const location = async (path: string) => {
      const { status, header } = await rawRequest(testbed.port, get(`${BASE}/${path}`));
      return status === 403 ? 403 : header('location');
    };
    assert.equal(await location('external'), 403);
    assert.equal(await location('external?host=evil.test:443'), 403);
    assert.equal(await location('external?host=allowed.test'), 'https://allowed.test/');
    assert.equal(await location('external?host=allowed.test:8443'), 'https://allowed.test:8443/');
    assert.equal(await location('backend-host'), 403);
    assert.equal(await location('absolute'), `http://gateway.test:8080${BASE}/landing`);
  });
});
