import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { brokenOpenApiRules } from '../kernel/catalogue/testing/openapi-rules.ts';
import { systemClock } from '../kernel/clock.ts';
import { localState } from '../kernel/shared-state.ts';
import { leastMs } from '../kernel/testing/least-time.ts';
import { type RawExchange, rawRequest } from '../kernel/testing/raw-client.ts';
import { testbedGroups } from './groups.ts';
import { defaultSettings } from './settings.ts';
import { createTestbedState } from './state.ts';
import { createTestbed } from './testbed.ts';
import { type StartedTestbed, startTestbed } from './testing/start-testbed.ts';

/** A group leaves this list when it is built and never returns. */
const NOT_BUILT_YET: readonly string[] = [];

function newTestbed() {
  return createTestbed({
    settings: defaultSettings,
    clock: systemClock,
    random: { bytes: () => Buffer.alloc(0), float: () => 0, uuid: () => 'id' },
    log: { error: () => {} },
    state: localState(createTestbedState(systemClock)),
    stopping: new AbortController().signal,
    uploadFolder: '/nonexistent',
  });
}

/** Asks with these request and header lines; Host and Connection are added. */
function ask({ port }: StartedTestbed, requestLine: string, ...fields: string[]): Promise<RawExchange> {
  return rawRequest(port, [requestLine, 'Host: h', 'Connection: close', ...fields, '', ''].join('\r\n'));
}

test('putting the test service together takes well under 100 ms', async () => {
  const tookMs = await leastMs(newTestbed);
  assert.ok(tookMs < 60, `it took ${tookMs.toFixed(1)} ms`);
});

describe('the OpenAPI document of the test service', () => {
  const document = newTestbed().openApi() as { tags: Array<{ name: string }>; paths: Record<string, object> };

  test('keeps the rules of OpenAPI 3.1 and JSON Schema', async () => {
    assert.deepEqual(await brokenOpenApiRules({ ...document }), []);
  });

  test('has exactly the 36 tags of the specification, and each has operations', () => {
    assert.equal(document.tags.length, 36);
    assert.deepEqual(
      document.tags.map(({ name }) => name),
      testbedGroups.map(({ name }) => name),
    );
    const operations = Object.values(document.paths).flatMap(
      (item) => Object.values(item) as Array<{ tags: string[] }>,
    );
    const counts = new Map(testbedGroups.map(({ name }) => [name as string, 0]));
    for (const { tags } of operations) for (const tag of tags) counts.set(tag, (counts.get(tag) ?? 0) + 1);
    const idle = [...counts].filter(([, count]) => count === 0).map(([name]) => name);
    assert.deepEqual(idle, NOT_BUILT_YET);
  });

  test('is the same at both of its addresses', async () => {
    await using testbed = await startTestbed();
    const one = await ask(testbed, 'GET /openapi.json HTTP/1.1');
    const other = await ask(testbed, 'GET /v3/api-docs HTTP/1.1');
    assert.deepEqual(JSON.parse(one.body.toString()), JSON.parse(JSON.stringify(document)));
    assert.ok(one.body.equals(other.body));
  });
});

describe('every answer', () => {
  test('allows any origin when none is named, with credentials', async () => {
    await using testbed = await startTestbed();
    const answer = await ask(testbed, 'GET /openapi.json HTTP/1.1');
    assert.equal(answer.header('access-control-allow-origin'), '*');
    assert.equal(answer.header('access-control-allow-credentials'), 'true');
    assert.equal(answer.header('access-control-allow-methods'), undefined);
  });

  test('echoes the origin, also when there is nothing at the path', async () => {
    await using testbed = await startTestbed();
    const answer = await ask(testbed, 'GET /nothing-here HTTP/1.1', 'Origin: http://a.example');
    assert.equal(answer.status, 404);
    assert.equal(answer.header('access-control-allow-origin'), 'http://a.example');
  });

  test('to OPTIONS is the preflight as httpbin gives it', async () => {
    await using testbed = await startTestbed();
    const answer = await ask(
      testbed,
      'OPTIONS /openapi.json HTTP/1.1',
      'Access-Control-Request-Headers: X-A, X-B',
    );
    assert.equal(answer.status, 200);
    assert.equal(answer.header('allow'), 'GET, HEAD, OPTIONS');
    assert.equal(answer.header('content-length'), '0');
    assert.equal(answer.header('access-control-allow-methods'), 'GET, POST, PUT, DELETE, PATCH, OPTIONS');
    assert.equal(answer.header('access-control-max-age'), '3600');
    assert.equal(answer.header('access-control-allow-headers'), 'X-A, X-B');
  });

  test('to OPTIONS * names the methods of the service', async () => {
    await using testbed = await startTestbed();
    const answer = await ask(testbed, 'OPTIONS * HTTP/1.1');
    assert.equal(answer.status, 200);
    assert.match(answer.header('allow') ?? '', /^(?=.*GET)(?=.*POST)(?=.*OPTIONS)/);
  });

  test('to HEAD has the headers of GET and no body', async () => {
    await using testbed = await startTestbed();
    const get = await ask(testbed, 'GET /v2/application.wadl HTTP/1.1');
    const head = await ask(testbed, 'HEAD /v2/application.wadl HTTP/1.1');
    assert.equal(head.header('content-length'), String(get.body.length));
    assert.equal(head.body.length, 0);
  });

  test('carries the request id it was given, or one of its own', async () => {
    await using testbed = await startTestbed();
    const given = await ask(testbed, 'GET /openapi.json HTTP/1.1', 'X-Request-Id: mine');
    assert.equal(given.header('x-request-id'), 'mine');
    const ids = await Promise.all(
      ['/nothing', '/openapi.json'].map(async (path) =>
        (await ask(testbed, `GET ${path} HTTP/1.1`)).header('x-request-id'),
      ),
    );
    for (const id of ids) assert.match(id ?? '', /^\w+-\w+-1$/);
    assert.notEqual(ids[0], ids[1]);
  });

  test('of the group that tests CORS is left alone', async () => {
    await using testbed = await startTestbed();
    const answer = await ask(
      testbed,
      'UNDECLARED /proxy-test/cors/preflight HTTP/1.1',
      'Origin: http://a.example',
    );
    assert.equal(answer.status, 405);
    assert.equal(answer.header('access-control-allow-origin'), undefined);
  });
});

describe('errors', () => {
  test('are problem details', async () => {
    await using testbed = await startTestbed();
    const answer = await ask(testbed, 'GET /nothing//..?x HTTP/1.1');
    assert.equal(answer.header('content-type'), 'application/problem+json');
    assert.deepEqual(JSON.parse(answer.body.toString()), {
      type: '/problems/route.not-found',
      title: 'Not Found',
      status: 404,
      detail: 'There is no endpoint at /nothing//...',
      instance: '/nothing//..',
      path: '/nothing//..',
    });
  });

  test("speak go-httpbin's shape to those who ask for its dialect", async () => {
    await using testbed = await startTestbed();
    const answer = await ask(testbed, 'POST /openapi.json?dialect=go HTTP/1.1');
    assert.equal(answer.header('allow'), 'GET, HEAD, OPTIONS');
    assert.deepEqual(JSON.parse(answer.body.toString()), {
      status_code: 405,
      error: 'Method Not Allowed',
      detail: '/openapi.json does not answer POST; it answers GET, HEAD, OPTIONS.',
    });
  });

  test('of the engine are problem details too', async () => {
    await using testbed = await startTestbed();
    const answer = await rawRequest(testbed.port, 'GET /a?b HTTP/1.1\r\nConnection: close\r\n\r\n');
    const { type, status, instance, rfc } = JSON.parse(answer.body.toString());
    assert.deepEqual([type, status, instance, rfc], ['/problems/host-missing', 400, '/a', 'RFC 9112 §3.2']);
    assert.equal(answer.header('content-type'), 'application/problem+json');
  });
});

test('the WADL description is based on the address it was asked for at', async () => {
  await using testbed = await startTestbed();
  const answer = await rawRequest(
    testbed.port,
    'GET /v2/application.wadl HTTP/1.1\r\nHost: a.example:1\r\nConnection: close\r\n\r\n',
  );
  assert.match(answer.body.toString(), /<resources base="http:\/\/a\.example:1\/">/);
});
