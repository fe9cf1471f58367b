import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Type } from 'typebox';
import { reply } from '../catalogue/answer.ts';
import { noBody } from '../catalogue/declarations.ts';
import { createDispatcher } from '../catalogue/dispatcher.ts';
import { type ErrorContract, endpointsFor } from '../catalogue/endpoint.ts';
import { fault } from '../faults.ts';
import { FakeExchange } from '../testing/fake-exchange.ts';
import { success } from './envelope.ts';
import { createFailureRenderer } from './error-contracts.ts';

const endpoint = endpointsFor<object>();

/** What an entry of this contract answers when its handler throws this. */
async function answerTo(errors: ErrorContract, thrown: () => Error, target = '/x?n=1') {
  const lines: Array<Record<string, unknown>> = [];
  const log = {
    debug: (line: object) => lines.push({ ...line }),
    error: (line: object) => lines.push({ ...line }),
  };
  const dispatch = createDispatcher({
    endpoints: [
      endpoint({
        id: 'x',
        group: 'g',
        summary: 's',
        methods: ['GET'],
        path: '/x',
        errors,
        query: Type.Object({ n: Type.Integer() }),
        responses: { 200: noBody('ok') },
        examples: [],
        handle: () => {
          throw thrown();
        },
      }),
    ],
    services: {},
    renderFailure: createFailureRenderer(log),
    maxBodyBytes: 10,
    log,
  });
  const exchange = new FakeExchange({ target });
  dispatch(exchange);
  const { status, headers, body } = exchange.sent!;
  return { status, headers, type: headers[1], json: JSON.parse(body!), lines };
}

const notFound = () => fault('user.not-found', { id: 7 });
const forbidden = () => fault('feature.disabled', { feature: 'F', reason: 'r' });
const unexpected = () => new Error('a secret of the inside');

describe('the older contract', () => {
  test('success is an envelope', () => {
    const { status, body } = success({ resultList: [1], resultCount: 9 });
    assert.equal(status, 200);
    assert.deepEqual(JSON.parse(body as string), { status: 'SUCCESS', resultList: [1], resultCount: 9 });
    assert.deepEqual(JSON.parse(success().body as string), { status: 'SUCCESS' });
    assert.deepEqual(reply.json({ status: 'SUCCESS' }), success());
  });

  for (const [name, thrown] of Object.entries({
    'an absent object': notFound,
    'a missing permission': forbidden,
    'a duplicate': () => fault('user.exists', { id: 7 }),
    'a stale revision': () => fault('revision.stale'),
  })) {
    test(`${name} is a 400 with its text`, async () => {
      const { status, json } = await answerTo('envelope', thrown);
      assert.deepEqual([status, json], [400, { status: 'FAILURE', resultMessage: thrown().message }]);
    });
  }

  test('an unavailable database stays a 503', async () => {
    assert.equal((await answerTo('envelope', () => fault('store.unavailable'))).status, 503);
  });
});

describe('the problem contract', () => {
  test('names path, errorKey and message', async () => {
    const { status, type, json } = await answerTo('problem', notFound);
    assert.deepEqual([status, type], [404, 'application/problem+json']);
    assert.deepEqual(json, {
      type: '/problems/user.not-found',
      title: 'Not Found',
      status: 404,
      path: '/x',
      errorKey: 'USER_NOT_FOUND',
      message: 'There is no user 7.',
    });
  });

  test('names the field that is wrong', async () => {
    const { json } = await answerTo('problem', notFound, '/x?n=many');
    assert.equal(json.errorKey, 'VALIDATION_FAILED');
    assert.deepEqual(json.fieldErrors, [{ field: 'n', message: 'must be an integer' }]);
  });

  test('a stale revision is a 412', async () => {
    const { status, json } = await answerTo('problem', () => fault('revision.stale'));
    assert.deepEqual([status, json.errorKey], [412, 'RESOURCE_CONFLICT']);
  });
});

describe('the newer contract', () => {
  test('carries errorKey, details, and a correlation id that the log knows', async () => {
    const { status, json, lines } = await answerTo('newer', notFound);
    assert.equal(status, 404);
    const { correlationId, ...rest } = json;
    assert.deepEqual(rest, {
      errorKey: 'USER_NOT_FOUND',
      status: 404,
      message: 'There is no user 7.',
      details: { id: 7 },
    });
    assert.match(correlationId, /^[0-9a-f-]{36}$/);
    assert.equal(lines[0]?.correlationId, correlationId);
  });

  test('an unexpected error has the correlation id under which the log tells it', async () => {
    const { json, lines } = await answerTo('newer', unexpected);
    assert.equal(json.correlationId, lines[0]?.correlationId);
    assert.equal(json.details, undefined);
    assert.match(String(lines[0]?.err), /a secret of the inside/);
  });
});

describe('the token endpoint', () => {
  test('a 401 satisfies both forms the specification states', async () => {
    const { status, json } = await answerTo('oauth', () => fault('client-cert.required'));
    const text = 'A client certificate is required, and the request carries none.';
    assert.equal(status, 401);
    assert.deepEqual(json, {
      error: 'unauthorized_client',
      error_description: text,
      status: 'FAILURE',
      resultMessage: text,
    });
  });

  test('a bad request is invalid_request, and nothing may be cached', async () => {
    const { status, headers, json } = await answerTo('oauth', notFound, '/x');
    assert.deepEqual([status, json.error, Object.keys(json).length], [400, 'invalid_request', 2]);
    assert.equal(headers[headers.indexOf('Cache-Control') + 1], 'no-store');
  });

  test('an unexpected error is server_error in the words of the specification', async () => {
    const { status, json } = await answerTo('oauth', unexpected);
    assert.equal(status, 500);
    assert.deepEqual(json, { error: 'server_error', error_description: 'An unexpected error occurred' });
  });
});

for (const contract of ['problem', 'envelope', 'newer', 'oauth'] as const) {
  test(`an unexpected error says nothing of the inside (${contract})`, async () => {
    const { status, json } = await answerTo(contract, unexpected);
    assert.equal(status, 500);
    assert.ok(!JSON.stringify(json).includes('secret'));
    assert.ok(JSON.stringify(json).includes('An unexpected error occurred'));
  });
}
