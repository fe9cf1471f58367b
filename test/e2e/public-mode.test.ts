import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type RawExchange, rawRequest } from '../../src/kernel/testing/raw-client.ts';
import { GatehouseProcess } from '../support/gatehouse-process.ts';

const SECRET = 'what stands outside the upload folder';
const SCRIPT = '<script>alert(1)</script>';

describe('a public service', () => {
  // The data folder lies within a folder of the test's own, so that climbing out of it would hit the bait.
  const around = mkdtempSync(join(tmpdir(), 'gatehouse-public-'));
  const data = join(around, 'data');
  let gatehouse: GatehouseProcess;
  let port: number;

  before(async () => {
    mkdirSync(data);
    writeFileSync(join(around, 'bait.txt'), SECRET);
    writeFileSync(join(data, 'bait.txt'), SECRET);
    const hosts = ['--allowed-redirect-hosts', 'friend.example'];
    gatehouse = new GatehouseProcess(['testbed', '--port', '0', '--public', '--data', data, ...hosts]);
    port = await gatehouse.ready();
  });
  after(async () => {
    await gatehouse.stop();
    rmSync(around, { recursive: true, force: true });
  });

  const send = (line: string, headers: readonly string[] = [], body = '') =>
    rawRequest(
      port,
      `${line} HTTP/1.1\r\n${[
        'Host: public.example',
        'Connection: close',
        `Content-Length: ${Buffer.byteLength(body, 'latin1')}`,
        ...headers,
      ].join('\r\n')}\r\n\r\n${body}`,
    );
  const get = (target: string, ...headers: string[]) => send(`GET ${target}`, headers);

  function assertSwitchedOff(answer: RawExchange, what: string): void {
    assert.equal(answer.status, 403, what);
    const problem = JSON.parse(answer.body.toString());
    assert.equal(problem.type, '/problems/feature.disabled', what);
    assert.match(problem.detail, /switched off: this service is public\.$/, what);
  }

  const refused = [
    '/proxy-test/security/xss/raw?input=x',
    '/bomb/gzip',
    '/bomb/br?size=1',
    '/encoding-test/large/br?size=104857600',
    '/encoding-test/wrong-length/gzip?delta=-1',
    '/proxy-test/connection/double-response',
    '/proxy-test/connection/garbage-after-end',
    '/redirect-to?url=http://elsewhere.example/',
    '/redirect-to?url=//elsewhere.example/',
    '/redirect-to?url=/%5Celsewhere.example/',
    '/redirect-to?url=https:elsewhere.example',
    '/redirect-to?url=http:/elsewhere.example',
    '/redirect-to?url=javascript:alert(1)',
    '/redirect-to?url=http://friend.example@elsewhere.example/',
    '/redirect-to?url=http://friend.example.elsewhere.example/',
    '/proxy-test/redirect/external',
    '/proxy-test/redirect/external?host=elsewhere.example',
    '/proxy-test/redirect/backend-host',
    '/response-headers?Refresh=0%3Burl%3Dhttp://elsewhere.example/',
    '/response-headers?Location=http://elsewhere.example/',
    '/journal',
  ];
  for (const target of refused) {
    test(`refuses ${target}`, async () => assertSwitchedOff(await get(target), target));
  }

  test('refuses a control that makes a page of an echo or leads elsewhere', async () => {
    const controls = [
      'Content-Type: text/html',
      'content-type:TEXT/HTML;charset=utf-8',
      'Content-Type: image/svg+xml',
      'Content-Type: application/xhtml+xml',
      'Content-Type: text/javascript',
      'Content-Type: nonsense',
      'Refresh: 0;url=http://elsewhere.example/',
      'Location: http://elsewhere.example/',
    ];
    for (const control of controls) {
      const inQuery = `/anything?x=${SCRIPT}&__status=302&__header=${encodeURIComponent(control)}`;
      assertSwitchedOff(await get(inQuery), `${control} in the query`);
      assertSwitchedOff(await get('/anything', `X-Test-Header: ${control}`), `${control} in a header`);
    }
    const redirected = await get('/response-headers?Location=http://elsewhere.example/&__status=302');
    assert.equal(redirected.header('location'), undefined);
    assertSwitchedOff(await get('/get?__fault=double-response'), 'a fault that upsets other connections');
  });

  test('refuses a cache script that makes a page or leads elsewhere', async () => {
    const fields = [
      ['Content-Type', 'text/html'],
      ['Location', 'http://elsewhere.example/'],
    ];
    for (const [index, field] of fields.entries()) {
      const id = `00000000-0000-4000-8000-00000000000${index}`;
      const script = JSON.stringify([{ response_headers: [field], response_body: SCRIPT }]);
      const stored = await send(`PUT /cache-tests/config/${id}`, ['Content-Type: application/json'], script);
      assert.equal(stored.status, 201);
      const answer = await get(`/cache-tests/test/${id}`);
      assertSwitchedOff(answer, String(field));
      assert.ok(!answer.body.includes(SCRIPT));
    }
  });

  test('reflects input in no type that a browser runs, unless it is escaped', async () => {
    const encoded = Buffer.from(SCRIPT).toString('base64url');
    for (const target of [
      `/base64/${encoded}`,
      `/base64/${encoded}?content-type=text/html`,
      `/base64/decode/${encoded}?content-type=image/svg%2Bxml`,
      `/response-headers?Content-Type=text/html&x=${SCRIPT}`,
      `/proxy-test/security/xss/escaped?input=${SCRIPT}`,
      `/anything/${SCRIPT}?${SCRIPT}`,
      `/nowhere/${SCRIPT}`,
      `/links/${SCRIPT}/1`,
      `/cookies/set/${SCRIPT}/1`,
    ]) {
      const { body, header } = await get(target);
      const isInert = /^(?:text\/plain|application\/(?:problem\+)?json)/.test(header('content-type') ?? '');
      assert.ok(isInert || !body.includes('<script>'), `${target}: ${header('content-type')}`);
    }
  });

  test('everything else works as ever', async () => {
    const works: Array<[target: string, status: number]> = [
      ['/', 200],
      ['/get', 200],
      ['/anything?x=1&__header=X-Added:%20yes', 200],
      ['/status/418', 418],
      ['/redirect/2', 302],
      ['/absolute-redirect/2', 302],
      ['/redirect-to?url=/get', 302],
      ['/redirect-to?url=https://friend.example/a', 302],
      ['/proxy-test/redirect/external?host=friend.example', 302],
      ['/response-headers?Location=/get', 200],
      ['/encoding-test/large/gzip?size=1000', 200],
      ['/proxy-test/security/xml/xxe-check', 200],
      ['/journal/of-one', 404],
      ['/proxy-test/connection/info', 200],
    ];
    for (const [target, status] of works) assert.equal((await get(target)).status, status, target);
    assert.equal((await get('/proxy-test/connection/reset')).ended, 'reset');
  });

  test('gives away no file outside its own folders', async () => {
    const names = [
      ...['../bait.txt', '..%2Fbait.txt', '%2e%2e%2fbait.txt', '%2e%2e/bait.txt', '..%5Cbait.txt'],
      ...['..%252Fbait.txt', '....//bait.txt', '..;/bait.txt', `%2F${join(data, 'bait.txt').slice(1)}`],
      ...[encodeURIComponent(join(data, 'bait.txt')), 'sample.txt%00.pdf', 'sample.txt%00/../../bait.txt'],
      ...['..', '.', '%2e', '%2e%2e', '', '%c0%ae%c0%ae%c0%afbait.txt', '..\xff/bait.txt', '~', 'bait.txt'],
    ];
    for (const name of names) {
      const answer = await get(`/test/downloadFile/${name}`);
      assert.ok(answer.status === 400 || answer.status === 404, `${name}: ${answer.status}`);
      assert.ok(!answer.wire.includes(SECRET), name);
    }
    for (const target of [
      '/assets/../bait.txt',
      '/assets/x/..%2f..%2fbait.txt',
      '/assets/endpoints/..%2f..%2fx',
    ]) {
      assert.ok((await get(target)).status! >= 400, target);
    }
  });

  test('writes no file outside its own folder', async () => {
    const tree = () => [...readdirSync(around), ...readdirSync(data)].sort();
    // The upload folder itself may come into being with the first good upload.
    assert.equal((await upload('fine.txt')).status, 200);
    const before = tree();
    const names = [
      '../evil.txt',
      '..\\evil.txt',
      `${around}/evil.txt`,
      '..',
      '.',
      'a/../../evil.txt',
      'evil\0.txt',
    ];
    for (const name of names) {
      const { status } = await upload(name);
      assert.equal(status, 400, JSON.stringify(name));
      assert.equal(existsSync(join(around, 'evil.txt')), false, name);
    }
    assert.deepEqual(tree(), before);
  });

  function upload(fileName: string): Promise<RawExchange> {
    const body = [
      '--B',
      `Content-Disposition: form-data; name="files"; filename="${fileName}"`,
      'Content-Type: text/plain',
      '',
      'evil',
      '--B--',
      '',
    ].join('\r\n');
    return send('POST /test/multipartMultiple', ['Content-Type: multipart/form-data; boundary=B'], body);
  }
});
