import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { reply } from '../catalogue/answer.ts';
import { noBody } from '../catalogue/declarations.ts';
import { endpointsFor } from '../catalogue/endpoint.ts';
import { runExample } from '../catalogue/testing/run-example.ts';
import { fault } from '../faults.ts';
import { silentLog } from '../log.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import { rawRequest } from '../testing/raw-client.ts';
import { moduleEntries } from './module-endpoints.ts';
import { type RunningModule, startModule } from './module-service.ts';

class Gone extends Error {}

const endpoint = endpointsFor<{ name: string }, string>();
const described = {
  group: 'g',
  summary: 's',
  methods: ['GET'],
  responses: { 200: noBody('ok') },
  examples: [],
};
const endpoints = [
  endpoint({
    ...described,
    id: 'hello',
    path: '/hello/{word}',
    access: 'token',
    handle: ({ services, caller }) => reply.text(`${services.name} ${caller}`),
  }),
  endpoint({
    ...described,
    id: 'gone',
    path: '/gone',
    errors: 'newer',
    handle: () => {
      throw new Gone();
    },
  }),
];

const clock = new ManualClock();
let isThere = true;
let module: RunningModule;
before(async () => {
  module = await startModule({
    module: 'sample',
    clock,
    host: '127.0.0.1',
    port: 0,
    endpoints,
    services: { name: 'Ada' },
    identify: ({ endpoint: entry }) => (entry?.access === 'token' ? 'knows you' : 'nobody'),
    translate: (error) => (error instanceof Gone ? fault('store.unavailable') : error),
    checks: [
      {
        name: 'part',
        run: async () => {
          if (!isThere) throw new Gone();
        },
      },
    ],
    shutdownTimeoutMs: 1000,
    log: silentLog,
  });
});
after(() => module.stop());

const get = async (path: string, ...fields: string[]) => {
  const head = [`GET ${path} HTTP/1.1`, 'Host: test', 'Connection: close', ...fields];
  const { status, headers, body } = await rawRequest(module.port, `${head.join('\r\n')}\r\n\r\n`);
  return { status, headers, text: body.toString() };
};

describe('a module', () => {
  test('answers its own endpoints with services and caller', async () => {
    assert.deepEqual(await get('/hello/x').then(({ text }) => text), 'Ada knows you');
  });

  test('tells errors in the contract of the endpoint, those of its parts too', async () => {
    const { status, text } = await get('/gone');
    assert.deepEqual([status, JSON.parse(text).errorKey], [503, 'SERVICE_UNAVAILABLE']);
    assert.equal(JSON.parse((await get('/nowhere')).text).errorKey, 'ROUTE_NOT_FOUND');
  });

  test('tells a request that is none in the problem contract', async () => {
    const { status, headers, body } = await rawRequest(module.port, 'GET /a?b HTTP/1.1\r\n\r\n');
    assert.equal(status, 400);
    assert.equal(new Map(headers).get('Content-Type'), 'application/problem+json');
    const { path, errorKey, message } = JSON.parse(body.toString());
    assert.deepEqual([path, errorKey], ['/a', 'HOST_MISSING']);
    assert.ok(message.length > 0);
  });

  test('names itself where it listens', () => {
    assert.equal(module.module, 'sample');
    assert.equal(module.url, `http://127.0.0.1:${module.port}`);
  });

  for (const entry of moduleEntries) {
    for (const example of entry.examples) {
      test(`${entry.id}: ${example.name}`, () => runExample(module.port, entry, example));
    }
  }

  test('health is 503 while a part is gone, in JSON and in text, and 200 again afterwards', async () => {
    const RESULT_KEPT_MS = 1000;
    isThere = false;
    clock.advance(RESULT_KEPT_MS);
    const { status, text } = await get('/gateway/management/health');
    assert.equal(status, 503);
    assert.deepEqual(JSON.parse(text).checks.part.status, 'DOWN');
    const plain = await get('/gateway/management/health', 'Accept: text/plain');
    assert.deepEqual([plain.status, plain.text], [503, 'DOWN']);
    isThere = true;
    clock.advance(RESULT_KEPT_MS);
    assert.equal((await get('/gateway/management/health')).status, 200);
  });

  test('metrics count requests by endpoint, method and class of status, with few labels', async () => {
    for (const path of ['/hello/a', '/hello/b', '/%FE', '/nowhere']) await get(path);
    await rawRequest(module.port, 'BREW /hello/a HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n');
    const { text } = await get('/metrics');
    const count = (labels: string) =>
      Number(
        new RegExp(
          `^gatehouse_http_request_duration_seconds_count\\{module="sample",${labels}\\} (\\d+)$`,
          'm',
        ).exec(text)?.[1],
      );
    assert.ok(count('endpoint="hello",method="GET",status="2xx"') >= 2);
    assert.ok(count('endpoint="none",method="GET",status="4xx"') >= 2);
    assert.equal(count('endpoint="hello",method="other",status="4xx"'), 1);
    assert.match(text, /^process_cpu_user_seconds_total\{module="sample"\} /m);
    assert.match(text, /^gatehouse_http_connections\{module="sample"\} 1$/m);
  });
});
