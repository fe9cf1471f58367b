import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { rawRequest } from '../../kernel/testing/raw-client.ts';
import { type StartedTestbed, startTestbed } from '../testing/start-testbed.ts';
import type { Check } from './check.ts';
import { expectations } from './proxy-verdict.ts';

let testbed: StartedTestbed;
before(async () => {
  testbed = await startTestbed();
});
after(() => testbed.close());

const HELLO_SHA256 = '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824';
const chunkedHello = '2\r\nhe\r\n3\r\nllo\r\n0\r\nX-Sum: 1\r\n\r\n';

/** Each request is what a proxy made of the one its X-Expect fields describe; the ids are the checks that must fail. */
const cases: ReadonlyArray<{
  name: string;
  line?: string;
  fields: string[];
  body?: string;
  fails: string[];
}> = [
  {
    name: 'nothing was changed',
    line: 'POST /proxy-test/verdict/a//../b?x=%2f HTTP/1.1',
    fields: [
      'X-Dup: 1',
      'X-Dup: 2',
      'x-ODD: 1',
      'Trailer: X-Sum',
      'Transfer-Encoding: chunked',
      'X-Expect-Method: POST',
      'X-Expect-Target: /proxy-test/verdict/a//../b?x=%2f',
      'X-Expect-Host: shop.test',
      'X-Expect-Version: 1.1',
      'X-Expect-Forwarded: none',
      'X-Expect-Continue: answered',
      'X-Expect-Order: X-Dup, X-Dup, X-Odd',
      'X-Expect-Case: X-Dup, x-ODD',
      'X-Expect-Lines: X-Dup=2',
      `X-Expect-Sha256: ${HELLO_SHA256}`,
      'Content-Digest: sha-256=:LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=:',
      'X-Expect-Length: 5',
      'X-Expect-Framing: chunked',
      'X-Expect-Chunks: 2, 3',
      'X-Expect-Trailers: X-Sum',
    ],
    body: chunkedHello,
    fails: [],
  },
  {
    name: 'path normalised and query re-encoded',
    line: 'GET /proxy-test/verdict/b?x=/ HTTP/1.1',
    fields: ['X-Expect-Target: /proxy-test/verdict/a/../b?x=%2F'],
    fails: ['target.path', 'target.query'],
  },
  {
    name: 'body buffered, changed and cut, trailers merged',
    line: 'POST /proxy-test/verdict HTTP/1.1',
    fields: [
      'Content-Length: 4',
      'X-Sum: 1',
      `X-Expect-Sha256: ${HELLO_SHA256}`,
      'X-Expect-Length: 5',
      'X-Expect-Framing: chunked',
      'X-Expect-Chunks: 2,3',
      'X-Expect-Trailers: X-Sum',
    ],
    body: 'hell',
    fails: [
      'body.sha-256',
      'body.length',
      'body.framing',
      'body.chunks',
      'trailers.fields',
      'trailers.announced',
      'trailers.not-merged',
    ],
  },
  {
    name: 'header fields renamed, reordered, joined and re-cased',
    fields: [
      'x-b: 2',
      'X-Dup: 1, 2',
      'X-A: 1',
      'X-New: 1',
      'X-Expect-Order: X-A, X-B',
      'X-Expect-Case: X-B',
      'X-Expect-Lines: X-Dup=2',
      'X-Expect-Headers: X-A, X-B, X-Dup, X-Gone',
    ],
    fails: ['headers.order', 'headers.case', 'headers.lines', 'headers.lost', 'headers.added'],
  },
  {
    name: 'forwarding fields are missing',
    fields: ['Via: 1.1 edge', 'X-Expect-Forwarded: via, x-forwarded-for'],
    fails: ['forwarding.x-forwarded-for'],
  },
  {
    name: 'forwarding fields appear where none may',
    fields: ['X-Forwarded-For: 203.0.113.1', 'X-Expect-Forwarded: none'],
    fails: ['forwarding.none'],
  },
  {
    name: 'hop-by-hop fields leaked and TE was lost',
    fields: ['Keep-Alive: 1', 'X-Canary: 1', 'X-Expect-Removed: X-Canary', 'X-Expect-Te: trailers'],
    fails: ['hop-by-hop.keep-alive', 'hop-by-hop.x-canary', 'te'],
  },
  {
    name: 'method, host and version were changed, Expect was kept from us',
    fields: [
      'X-Expect-Method: POST',
      'X-Expect-Host: front.test',
      'X-Expect-Version: 2',
      'X-Expect-Continue: forwarded',
    ],
    fails: ['method', 'host', 'version', 'expect.continue'],
  },
];

for (const { name, line = 'GET /proxy-test/verdict HTTP/1.1', fields, body = '', fails } of cases) {
  test(name, async () => {
    const head = [line, 'Host: shop.test', 'Connection: close', ...fields].join('\r\n');
    const answer = await rawRequest(testbed.port, `${head}\r\n\r\n${body}`);
    assert.equal(answer.status, 200, answer.body.toString());
    const verdict: { ok: boolean; checks: Check[]; notAsked: unknown[] } = JSON.parse(answer.body.toString());
    const failed = verdict.checks.filter(({ ok }) => !ok);
    assert.deepEqual(
      failed.map(({ id }) => id),
      fails,
      JSON.stringify(failed, null, 2),
    );
    assert.equal(verdict.ok, fails.length === 0);
    const ids = verdict.checks.map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length, 'ids are unique within a verdict');
  });
}

test('what was not asked is named with the field that asks it', async () => {
  const request =
    'GET /proxy-test/verdict HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX-Expect-Method: GET\r\n\r\n';
  const answer = await rawRequest(testbed.port, request);
  const { notAsked } = JSON.parse(answer.body.toString());
  assert.deepEqual(
    notAsked,
    expectations.filter(({ id }) => id !== 'method').map(({ id, header }) => ({ id, header })),
  );
});

for (const field of [
  'X-Expect-Length: x',
  'X-Expect-Chunks: a',
  'X-Expect-Lines: X',
  'X-Expect-Continue: maybe',
  'X-Expect-Sha256: 12',
]) {
  test(`${field} cannot be understood and is refused`, async () => {
    const request = `GET /proxy-test/verdict HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${field}\r\n\r\n`;
    const answer = await rawRequest(testbed.port, request);
    assert.equal(answer.status, 400);
    assert.match(answer.body.toString().toLowerCase(), new RegExp(field.split(':')[0]!.toLowerCase()));
  });
}
