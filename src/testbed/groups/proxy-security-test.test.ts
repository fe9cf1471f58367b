import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { leastMs } from '../../kernel/testing/least-time.ts';
import { rawRequest } from '../../kernel/testing/raw-client.ts';
import { xmlAttacks } from '../content/xml-attacks.ts';
import { startTestbed } from '../testing/start-testbed.ts';

const BASE = '/proxy-test/security';
const post = (path: string, body: string) =>
  `POST ${path} HTTP/1.1\r\nHost: test\r\nConnection: close\r\nContent-Type: application/xml\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

describe('safe-parse', () => {
  const expected: Readonly<Record<keyof typeof xmlAttacks, string | undefined>> = {
    'external-file': 'xml.doctype-forbidden',
    'external-http': 'xml.doctype-forbidden',
    'external-dtd': 'xml.doctype-forbidden',
    'parameter-entity': 'xml.doctype-forbidden',
    'billion-laughs': 'xml.doctype-forbidden',
    'quadratic-blowup': 'xml.doctype-forbidden',
    'deep-nesting': 'xml.too-deep',
    'undeclared-entity': 'xml.malformed',
    xinclude: undefined,
  };
  for (const [name, { document }] of Object.entries(xmlAttacks)) {
    const problem = expected[name as keyof typeof xmlAttacks];
    test(`${name}: ${problem ?? 'parsed, and nothing is included'}`, async () => {
      await using testbed = await startTestbed();
      const ask = () => rawRequest(testbed.port, post(`${BASE}/xml/safe-parse`, document));
      const { status, body } = await ask();
      const answer = JSON.parse(body.toString());
      if (problem) assert.equal(answer.type, `/problems/${problem}`);
      else assert.deepEqual([answer.root, answer.elements], ['a', 2]);
      assert.equal(status, problem ? 400 : 200);
      const tookMs = await leastMs(ask);
      assert.ok(tookMs < 200, `${tookMs} ms`);
    });
  }

  test('a document beyond 1 MiB is refused before it is parsed', async () => {
    await using testbed = await startTestbed();
    const { status } = await rawRequest(
      testbed.port,
      post(`${BASE}/xml/safe-parse`, `<a>${'x'.repeat(1024 * 1024)}</a>`),
    );
    assert.equal(status, 413);
  });
});

describe('raw reflection', () => {
  test('is switched off in public mode, escaped reflection is not', async () => {
    await using testbed = await startTestbed({ settings: { isPublic: true } });
    const get = (path: string) =>
      rawRequest(testbed.port, `GET ${BASE}/${path} HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n`);
    const { status, body } = await get('xss/raw');
    assert.equal(status, 403);
    assert.doesNotMatch(body.toString(), /<script/);
    assert.equal((await get('xss/escaped')).status, 200);
  });
});
