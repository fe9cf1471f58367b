import assert from 'node:assert/strict';
import { once } from 'node:events';
import net from 'node:net';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib';
import { HeaderList } from '../http1/header-list.ts';
import type { RequestView } from '../kernel/catalogue/request-view.ts';
import { ManualClock } from '../kernel/testing/manual-clock.ts';
import { type RawExchange, rawRequest } from '../kernel/testing/raw-client.ts';
import { hasOverlay } from './overlay.ts';
import { type StartedTestbed, startTestbed } from './testing/start-testbed.ts';

const decoders = {
  gzip: gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
} as const;

function get({ port }: StartedTestbed, path: string, ...fields: string[]): Promise<RawExchange> {
  const lines = [`GET ${path} HTTP/1.1`, 'Host: test', 'Connection: close', ...fields];
  return rawRequest(port, `${lines.join('\r\n')}\r\n\r\n`);
}

const PLAIN = '/proxy-test/connection/info';
const STREAMED = '/proxy-test/timeout/slow-body?chunks=3&chunkDelay=0';
const CHUNKS = 'chunk 1 of 3\nchunk 2 of 3\nchunk 3 of 3\n';

describe('the overlay on every kind of answer', () => {
  const kinds = [
    ['a whole answer', PLAIN],
    ['a streamed answer', STREAMED],
    ['a refusal', '/proxy-test/timeout/delay?ms=x'],
    ['an unknown path', '/no/such/path'],
  ] as const;

  for (const [kind, path] of kinds) {
    test(`changes the status of ${kind}`, async () => {
      await using testbed = await startTestbed();
      const answer = await get(testbed, path, 'X-Test-Status: 409');
      assert.equal(answer.status, 409);
      assert.equal(answer.reason, 'Conflict');
    });

    test(`adds header fields to ${kind}, in order and repeated`, async () => {
      await using testbed = await startTestbed();
      const answer = await get(
        testbed,
        path,
        'X-Test-Header: X-A: 1',
        'x-test-header: X-B:two words',
        'X-Test-Header: X-A: 3',
      );
      assert.deepEqual(
        answer.headers.filter(([name]) => /^X-[AB]$/.test(name)),
        [
          ['X-A', '1'],
          ['X-B', 'two words'],
          ['X-A', '3'],
        ],
      );
    });

    test(`delays ${kind}`, async () => {
      await using testbed = await startTestbed();
      const { firstByteMs, header } = await get(testbed, path, 'X-Test-Delay: 80');
      assert.ok(firstByteMs! >= 75, `${firstByteMs} ms`);
      assert.equal(header('server-timing'), 'overlay;dur=80');
    });

    test(`breaks ${kind}`, async () => {
      await using testbed = await startTestbed();
      const { wire, ended } = await get(testbed, path, 'X-Test-Fault: reset');
      assert.equal(wire.length, 0);
      assert.equal(ended, 'reset');
    });

    for (const [coding, decode] of Object.entries(decoders)) {
      test(`codes ${kind} in ${coding}`, async () => {
        await using testbed = await startTestbed();
        const plain = await get(testbed, path);
        const coded = await get(testbed, path, `X-Test-Encoding: ${coding}`);
        assert.equal(coded.header('content-encoding'), coding);
        assert.equal(coded.header('vary'), 'Accept-Encoding');
        const [decoded, expected] = [decode(coded.body).toString(), plain.body.toString()];
        // Ids, ages and ports differ from one request to the next; what is around them does not.
        assert.notEqual(decoded, '');
        assert.equal(withoutValues(decoded), withoutValues(expected));
      });
    }
  }
});

test('each chunk of a coded stream can be decoded as soon as it comes', async () => {
  await using testbed = await startTestbed();
  const { wire } = await get(testbed, STREAMED, 'X-Test-Encoding: gzip');
  const chunkCount = wire.toString('latin1').split(/\r\n[0-9a-f]+\r\n/).length - 1;
  assert.ok(chunkCount >= 3, `${chunkCount} chunks`);
});

test('a coded stream stops when its client leaves', async () => {
  const clock = new ManualClock();
  await using testbed = await startTestbed({ clock });
  const socket = net.connect({ port: testbed.port, host: '127.0.0.1' });
  await once(socket, 'connect');
  socket.write('GET /proxy-test/timeout/slow-body HTTP/1.1\r\nHost: test\r\nX-Test-Encoding: zstd\r\n\r\n');
  await once(socket, 'data');
  assert.equal(clock.sleeperCount, 1);
  socket.resetAndDestroy();
  for (let tries = 0; tries < 200 && clock.sleeperCount > 0; tries++) await delay(5);
  assert.equal(clock.sleeperCount, 0);
  assert.deepEqual(testbed.errors, []);
});

test('the query has the same controls, and header fields win', async () => {
  await using testbed = await startTestbed();
  const path = `${STREAMED}&__status=201&__delay=30&__encoding=br&__header=X-A:%201&__header=X-B:%20%C3%A7`;
  const answer = await get(testbed, path);
  assert.equal(answer.status, 201);
  assert.ok(answer.firstByteMs! >= 25);
  assert.equal(brotliDecompressSync(answer.body).toString(), CHUNKS);
  assert.equal(answer.header('x-a'), '1');
  assert.equal(Buffer.from(answer.header('x-b')!, 'latin1').toString('utf8'), 'ç');
  assert.equal((await get(testbed, path, 'X-Test-Status: 202')).status, 202);
});

test('a coded answer to HEAD has the header fields of GET', async () => {
  await using testbed = await startTestbed();
  const request = (method: string) =>
    rawRequest(
      testbed.port,
      `${method} /robots.txt HTTP/1.1\r\nHost: t\r\nConnection: close\r\nX-Test-Encoding: gzip\r\n\r\n`,
    );
  const [head, full] = [await request('HEAD'), await request('GET')];
  assert.equal(head.body.length, 0);
  assert.equal(head.header('content-length'), full.header('content-length'));
  assert.equal(full.header('content-length'), String(full.body.length));
});

describe('a bad value is refused by name', () => {
  const refused = [
    ['X-Test-Delay: soon', /header parameter X-Test-Delay must be an integer from 0 to 300000/],
    ['X-Test-Delay: 300001', /X-Test-Delay must be an integer from 0 to 300000/],
    ['X-Test-Status: 99', /X-Test-Status must be an integer from 200 to 599/],
    ['X-Test-Status: 101', /X-Test-Status must be/],
    ['X-Test-Fault: toString', /X-Test-Fault must be one of reset/],
    ['X-Test-Encoding: lzma', /X-Test-Encoding must be one of gzip, deflate, br, zstd, identity/],
    ['X-Test-Header: no colon', /X-Test-Header must be a field/],
    ['X-Test-Header: bad name: x', /X-Test-Header must be a field/],
    ['X-Test-Header: Content-Length: 5', /X-Test-Header cannot set Content-Length/],
  ] as const;
  for (const [field, detail] of refused) {
    test(field, async () => {
      await using testbed = await startTestbed();
      const { status, body } = await get(testbed, PLAIN, field);
      assert.equal(status, 400);
      assert.match(JSON.parse(body.toString()).detail, detail);
    });
  }

  test('a line break in the query cannot split the answer', async () => {
    await using testbed = await startTestbed();
    const { status, wire } = await get(testbed, `${PLAIN}?__header=X-A:%201%0d%0aX-Injected:%20yes`);
    assert.equal(status, 400);
    assert.doesNotMatch(wire.toString('latin1'), /\r\nX-Injected/);
  });

  test('the query is named as the query', async () => {
    await using testbed = await startTestbed();
    const { body } = await get(testbed, `${PLAIN}?__delay=x`);
    assert.match(body.toString(), /query parameter __delay must be an integer/);
  });

  test('what cannot change an answer written byte by byte says so', async () => {
    await using testbed = await startTestbed();
    const { status, body } = await get(testbed, '/proxy-test/connection/http10', 'X-Test-Status: 201');
    assert.equal(status, 400);
    assert.match(body.toString(), /X-Test-Status cannot change an answer written byte by byte/);
    const late = await get(testbed, '/proxy-test/connection/http10', 'X-Test-Delay: 40');
    assert.ok(late.firstByteMs! >= 35);
    assert.match(late.wire.toString('latin1'), /^HTTP\/1\.0 200 OK/);
  });
});

test('a setting switches it off', async () => {
  await using testbed = await startTestbed({ settings: { hasOverlay: false } });
  const { status, header } = await get(
    testbed,
    PLAIN,
    'X-Test-Status: 418',
    'X-Test-Delay: nonsense',
    'X-Test-Header: X-A: 1',
  );
  assert.equal(status, 200);
  assert.equal(header('x-a'), undefined);
});

test('other fields and parameters that look similar are left alone', async () => {
  await using testbed = await startTestbed();
  const { status } = await get(
    testbed,
    `${PLAIN}?__other=1&a__b=2`,
    'X-Test-Verbose: 1',
    'X-Test-Dialogue: x',
  );
  assert.equal(status, 200);
});

describe('hasOverlay', () => {
  const requestWith = (headers: string[], rawQuery?: string) =>
    ({ headers: new HeaderList(headers), rawQuery }) as unknown as RequestView;

  for (const name of ['X-Test-Delay', 'x-test-status', 'X-TEST-FAULT', 'X-Test-Encoding', 'X-Test-Header']) {
    test(`sees ${name}`, () => assert.equal(hasOverlay(requestWith(['Host', 'a', name, '1'])), true));
  }
  test('sees the query', () => assert.equal(hasOverlay(requestWith([], 'a=1&__delay=5')), true));
  test('is not fooled by the fields of an ordinary request', () => {
    const usual = [
      'Host',
      'a',
      'User-Agent',
      'b',
      'Accept',
      '*/*',
      'X-Forwarded-For',
      'c',
      'X-Request-Id',
      'd',
    ];
    assert.equal(hasOverlay(requestWith(usual, 'a=1')), false);
  });
});

/** Letters stand in the ids of connections too, so what differs between requests is more than its digits. */
function withoutValues(body: string): string {
  return body.replaceAll(/"connectionId": "[^"]+"/g, '').replaceAll(/[\d.-]+/g, '');
}
