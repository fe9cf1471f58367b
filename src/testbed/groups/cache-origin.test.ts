import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ManualClock } from '../../kernel/testing/manual-clock.ts';
import { rawRequest } from '../../kernel/testing/raw-client.ts';
import { CacheScripts } from '../state/cache-scripts.ts';
import { type StartedTestbed, startTestbed } from '../testing/start-testbed.ts';

const BASE = '/cache-tests';

function ask({ port }: StartedTestbed, method: string, path: string, fields: string[] = [], body = '') {
  const head = [`${method} ${BASE}${path} HTTP/1.1`, 'Host: h', 'Connection: close', ...fields];
  if (body !== '') head.push('Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`);
  return rawRequest(port, `${head.join('\r\n')}\r\n\r\n${body}`);
}

async function configure(testbed: StartedTestbed, id: string, script: object[]): Promise<void> {
  const { status } = await ask(testbed, 'PUT', `/config/${id}`, [], JSON.stringify(script));
  assert.equal(status, 201);
}

describe('the origin of the cache test suite', () => {
  test('runs a validation by date: seconds from now become the date that was really sent', async () => {
    const clock = new ManualClock(Date.UTC(2026, 0, 1, 12));
    await using testbed = await startTestbed({ clock });
    await configure(testbed, 'lm', [
      {
        response_headers: [
          ['Last-Modified', -3600],
          ['Cache-Control', 'max-age=1'],
        ],
      },
      { expected_type: 'lm_validated', response_headers: [['Cache-Control', 'max-age=9']] },
    ]);
    const first = await ask(testbed, 'GET', '/test/lm', ['Req-Num: 1']);
    assert.equal(first.header('last-modified'), 'Thu, 01 Jan 2026 11:00:00 GMT');
    assert.equal(first.header('server-now'), String(Date.UTC(2026, 0, 1, 12)));

    clock.advance(5000);
    const fields = ['Req-Num: 2', 'If-Modified-Since: Thu, 01 Jan 2026 11:00:00 GMT'];
    const second = await ask(testbed, 'GET', '/test/lm', fields);
    assert.equal(second.status, 304);
    assert.equal(second.header('cache-control'), 'max-age=9');

    const state = await ask(testbed, 'GET', '/state/lm');
    const seen = JSON.parse(state.body.toString());
    assert.deepEqual(
      seen.map((request: { request_num: number }) => request.request_num),
      [1, 2],
    );
    assert.equal(seen[1].request_headers['if-modified-since'], 'Thu, 01 Jan 2026 11:00:00 GMT');
    assert.deepEqual(seen[0].response_headers[0], ['Last-Modified', 'Thu, 01 Jan 2026 11:00:00 GMT']);
  });

  test('answers by its own count when a cache asks of itself', async () => {
    await using testbed = await startTestbed();
    await configure(testbed, 'n', [{ response_body: 'one' }, { response_body: 'two' }]);
    const bodies = [];
    for (let round = 0; round < 3; round++)
      bodies.push((await ask(testbed, 'GET', '/test/n')).body.toString());
    assert.deepEqual(bodies.slice(0, 2), ['one', 'two']);
    assert.match(bodies[2]!, /request 3 \(anticipating 2\)/);
  });

  test('sends interim answers, status phrases and locations as told', async () => {
    await using testbed = await startTestbed();
    await configure(testbed, 's', [
      {
        interim_responses: [[102], [103, [['Link', '</x>']]]],
        response_status: [201, 'Made'],
        response_headers: [
          ['Location', 'there'],
          ['Content-Location', ''],
        ],
        magic_locations: true,
      },
    ]);
    const { wire, header } = await ask(testbed, 'POST', '/test/s/file');
    assert.match(
      wire.toString('latin1'),
      /^HTTP\/1\.1 102 [^\r]*\r\n\r\nHTTP\/1\.1 103 [^\r]*\r\nLink: <\/x>\r\n\r\nHTTP\/1\.1 201 Made\r\n/,
    );
    assert.equal(header('location'), `${BASE}/test/s/file/there`);
    assert.equal(header('content-location'), `${BASE}/test/s/file`);
  });

  test('fills in the surrogate that announced itself', async () => {
    await using testbed = await startTestbed();
    await configure(testbed, 'sc', [
      { response_headers: [['Surrogate-Control', 'max-age=5;CAPABILITY_TARGET']] },
    ]);
    const { header } = await ask(testbed, 'GET', '/test/sc', ['Surrogate-Capability: edge="Surrogate/1.0"']);
    assert.equal(header('surrogate-control'), 'max-age=5;edge');
  });

  test('waits before an answer as long as it is told', async () => {
    const clock = new ManualClock();
    await using testbed = await startTestbed({ clock });
    await configure(testbed, 'p', [{ response_pause: 2 }]);
    const answering = ask(testbed, 'GET', '/test/p');
    while (clock.sleeperCount === 0) await new Promise(setImmediate);
    assert.equal(await testbed.services.state.cacheScripts.seen('p'), undefined);
    clock.advance(2000);
    assert.equal((await answering).status, 200);
  });

  test('never lets a script break the framing of its answer', async () => {
    await using testbed = await startTestbed();
    await configure(testbed, 'f', [
      {
        response_headers: [
          ['Content-Length', '1'],
          ['Transfer-Encoding', 'chunked'],
        ],
        response_body: 'whole',
      },
    ]);
    const { header, body } = await ask(testbed, 'GET', '/test/f');
    assert.equal(header('content-length'), '5');
    assert.equal(header('transfer-encoding'), undefined);
    assert.equal(body.toString(), 'whole');
  });

  test('refuses a script that is too large to be kept', async () => {
    await using testbed = await startTestbed();
    const script = JSON.stringify([{ response_body: 'x'.repeat(70_000) }]);
    assert.equal((await ask(testbed, 'PUT', '/config/big', [], script)).status, 413);
  });
});

describe('scripts', () => {
  test('stop taking requests when they have seen too much', () => {
    const scripts = new CacheScripts(new ManualClock());
    scripts.configure('a', [{}]);
    const request = { request_num: 1, request_method: 'GET', request_headers: { x: 'x'.repeat(60_000) } };
    const kinds = Array.from({ length: 6 }, () => scripts.take('a', request).kind);
    assert.deepEqual(kinds, ['found', 'found', 'found', 'found', 'found', 'exhausted']);
  });

  test('are forgotten when nobody asks for an hour', () => {
    const clock = new ManualClock();
    const scripts = new CacheScripts(clock);
    scripts.configure('a', [{}]);
    assert.equal(scripts.configure('a', [{}]), false);
    clock.advance(60 * 60_000);
    assert.equal(scripts.configure('a', [{}]), true);
  });
});
