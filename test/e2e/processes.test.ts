import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { after, before, test } from 'node:test';
import { rawRequest } from '../../src/kernel/testing/raw-client.ts';
import { GatehouseProcess } from '../support/gatehouse-process.ts';

const REQUESTS = 40;
const gatehouse = new GatehouseProcess([
  'testbed',
  '--port',
  '0',
  '--processes',
  '2',
  '--log-level',
  'error',
]);
let port = 0;
before(async () => {
  port = await gatehouse.ready();
});
after(() => gatehouse.stop());

/** Each on a connection of its own, so that both processes are met. */
async function call(
  method: string,
  path: string,
  body?: unknown,
  headers = '',
): Promise<{ status?: number; json: unknown }> {
  const content = body === undefined ? '' : JSON.stringify(body);
  const fields = content ? `Content-Type: application/json\r\nContent-Length: ${content.length}\r\n` : '';
  const answer = await rawRequest(
    port,
    `${method} ${path} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n${headers}${fields}\r\n${content}`,
  );
  const text = answer.body.toString();
  return {
    status: answer.status,
    json: text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : text,
  };
}

const many = <Result>(act: (index: number) => Promise<Result>): Promise<Result[]> =>
  Promise.all(Array.from({ length: REQUESTS }, (_, index) => act(index)));

test('connections are served by both processes', async () => {
  const ids = await many(
    async () => (await call('GET', '/proxy-test/connection/info')).json as { connectionId: string },
  );
  assert.equal(new Set(ids.map(({ connectionId }) => connectionId.split('-')[0])).size, 2);
});

test('a user created through one process is seen through the other, each with an id of its own', async () => {
  await many((index) => call('POST', '/api/user/', { name: `user ${index}` }));
  const { json } = await call('GET', '/api/user/');
  assert.equal(new Set((json as { id: number }[]).map(({ id }) => id)).size, REQUESTS);
});

test('a rate limit counts all processes together', async () => {
  const answers = await many(() =>
    call('GET', '/proxy-test/security/rate-limit?limit=15&window=60&key=shared'),
  );
  assert.equal(answers.filter(({ status }) => status === 200).length, 15);
  assert.equal(answers.filter(({ status }) => status === 429).length, REQUESTS - 15);
});

test('retry attempts are counted over all processes', async () => {
  const answers = await many(() =>
    call('GET', '/proxy-test/connection/retry?id=shared&succeedAfter=10&status=503'),
  );
  assert.equal(answers.filter(({ status }) => status === 503).length, 10);
});

test('the journal keeps what any process saw', async () => {
  await many(() => call('GET', '/get', undefined, 'X-Test-Journal: shared\r\n'));
  const { json } = await call('GET', '/journal/shared');
  assert.equal((json as { entries: unknown[] }).entries.length, REQUESTS);
});

test('contacts refuse a duplicate whichever process is asked', async () => {
  const contact = { id: 7, name: 'Ada' };
  const answers = await many(() => call('POST', '/openapi/contacts', contact));
  assert.equal(answers.filter(({ status }) => status === 201).length, 1);
  assert.equal(answers.filter(({ status }) => status === 409).length, REQUESTS - 1);
});

test('a process that is killed is replaced, and the state survives it', async () => {
  const children = () =>
    execFileSync('ps', ['-o', 'pid=', '--ppid', String(gatehouse.child.pid)], { encoding: 'utf8' })
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map(Number);
  const [victim, ...others] = children();
  process.kill(victim!, 'SIGKILL');
  const deadline = Date.now() + 20_000;
  while (children().filter((pid) => pid !== victim && !others.includes(pid)).length === 0) {
    assert.ok(Date.now() < deadline, 'a new process is there');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const { json } = await call('GET', '/api/user/');
  assert.equal((json as unknown[]).length, REQUESTS);
});
