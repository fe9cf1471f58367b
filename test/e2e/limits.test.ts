import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { rawRequest } from '../../src/kernel/testing/raw-client.ts';
import { GatehouseProcess } from '../support/gatehouse-process.ts';

interface Limit {
  readonly name: string;
  /** The flag that moves it, and where the test moves it to. */
  readonly flag: readonly [name: string, bytes: number];
  readonly status: number;
  /** A request of about so many bytes. */
  readonly request: (bytes: number) => string;
  readonly problem: string;
}

const head = (line: string, ...fields: string[]) =>
  [`${line} HTTP/1.1`, 'Host: test', 'Connection: close', ...fields, '', ''].join('\r\n');
const post = (path: string, bytes: number) =>
  `${head(`POST ${path}`, `Content-Length: ${bytes}`)}${'x'.repeat(bytes)}`;

const limits: readonly Limit[] = [
  {
    name: 'a body',
    flag: ['limit-max-body', 2000],
    status: 413,
    request: (bytes) => post('/post', bytes),
    problem: 'body-too-large',
  },
  {
    name: 'a body in chunks, whose length nobody announced',
    flag: ['limit-max-body', 2000],
    status: 413,
    request: (bytes) =>
      `${head('POST /anything', 'Transfer-Encoding: chunked')}${bytes.toString(16)}\r\n${'x'.repeat(bytes)}\r\n0\r\n\r\n`,
    problem: 'body-too-large',
  },
  {
    name: 'a body that is read only to be counted',
    flag: ['limit-max-body', 2000],
    status: 413,
    request: (bytes) => post('/echo/headers', bytes),
    problem: 'body-too-large',
  },
  {
    name: 'a body to verify',
    flag: ['limit-max-verify', 3000],
    status: 413,
    request: (bytes) => post('/proxy-test/body/binary/verify', bytes),
    problem: 'body.too-large',
  },
  {
    name: 'a target',
    flag: ['limit-max-target', 4000],
    status: 414,
    request: (bytes) => head(`GET /get?${'x'.repeat(bytes)}`),
    problem: 'target-too-long',
  },
  {
    name: 'a head',
    flag: ['limit-max-head', 5000],
    status: 431,
    request: (bytes) => head('GET /get', `X-Filler: ${'x'.repeat(bytes)}`),
    problem: 'head-too-large',
  },
];

describe('limits', () => {
  let usual: { process: GatehouseProcess; port: number };
  let narrow: { process: GatehouseProcess; port: number };

  async function start(...flags: string[]) {
    const process = new GatehouseProcess(['testbed', '--port', '0', ...flags]);
    return { process, port: await process.ready() };
  }
  before(async () => {
    const flags = new Map(limits.map(({ flag }) => flag));
    [usual, narrow] = await Promise.all([
      start(),
      start(...[...flags].flatMap(([name, bytes]) => [`--${name}`, String(bytes)])),
    ]);
  });
  after(() => Promise.all([usual.process.stop(), narrow.process.stop()]));

  for (const { name, flag, status, request, problem } of limits) {
    const [, bytes] = flag;
    test(`${name}: --${flag[0]} moves where ${status} begins, and the refusal names the limit`, async () => {
      const over = request(bytes + 1);
      const refused = await rawRequest(narrow.port, over);
      assert.equal(refused.status, status);
      assert.equal(refused.header('content-type'), 'application/problem+json');
      const body = JSON.parse(refused.body.toString());
      assert.equal(body.type, `/problems/${problem}`);
      assert.equal(body.status, status);
      assert.equal(body.maxBytes, bytes);
      assert.match(body.detail, new RegExp(`\\b${bytes}\\b`), 'the text names it too');

      assert.ok(
        (await rawRequest(narrow.port, request(Math.floor(bytes / 2)))).status! < 400,
        'below the limit',
      );
      assert.ok((await rawRequest(usual.port, over)).status! < 400, 'below the usual limit');
    });
  }

  test('--limit-max-connections, --body-timeout and --min-body-rate bound what clients hold', async () => {
    const flags = ['--limit-max-connections', '2', '--body-timeout', '300ms', '--min-body-rate', '1000'];
    const { process, port } = await start('--no-tls', ...flags);
    try {
      const drips = connect(port, '127.0.0.1');
      let answer = '';
      drips.on('data', (chunk) => (answer += chunk.toString('latin1')));
      drips.write(head('POST /post', 'Content-Length: 1000'));
      const dripping = setInterval(() => drips.write('x'), 50);
      const waits = connect(port, '127.0.0.1');
      await once(waits, 'connect');
      const refused = connect(port, '127.0.0.1').resume();
      refused.on('error', () => {});
      await once(refused, 'close');
      assert.equal(refused.bytesRead, 0, 'the third of two');

      await once(drips, 'close').finally(() => clearInterval(dripping));
      assert.match(answer, /^HTTP\/1\.1 408 [\s\S]*body-timeout/);
      // The service may hear a little later than this end that the connection is over.
      const giveUpAtMs = performance.now() + 10_000;
      while ((await rawRequest(port, head('GET /get'))).status !== 200) {
        assert.ok(performance.now() < giveUpAtMs, 'there is room again');
        await sleep(20);
      }
      waits.destroy();
    } finally {
      await process.stop();
    }
  });

  test('the service goes on after every refusal', async () => {
    for (const { request, flag } of limits) await rawRequest(narrow.port, request(flag[1] + 1));
    assert.equal((await rawRequest(narrow.port, head('GET /get'))).status, 200);
  });
});
