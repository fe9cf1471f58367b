import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Type } from 'typebox';
import { ClientGone } from '../../http1/exchange.ts';
import { fault } from '../faults.ts';
import { FakeExchange, type FakeRequest } from '../testing/fake-exchange.ts';
import { type Answer, type PlainAnswer, reply } from './answer.ts';
import { int32, jsonBody, noBody } from './declarations.ts';
import { createDispatcher, type DispatcherOptions } from './dispatcher.ts';
import { type Endpoint, endpointsFor } from './endpoint.ts';

const services = { greeting: 'hello' };
type Services = typeof services;
const endpoint = endpointsFor<Services>();
const described = { group: 'g', summary: 's', responses: { 200: noBody('ok') }, examples: [] };

function dispatching(endpoints: Endpoint<Services>[], options: Partial<DispatcherOptions<Services>> = {}) {
  const errors: object[] = [];
  const dispatch = createDispatcher({
    endpoints,
    services,
    maxBodyBytes: 100,
    log: { error: (fields) => errors.push(fields) },
    ...options,
  });
  const ask = async (request: FakeRequest) => {
    const exchange = new FakeExchange(request);
    dispatch(exchange);
    await settled();
    return { exchange, sent: exchange.sent!, raw: exchange.raw };
  };
  return { dispatch, ask, errors };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));
const problemOf = (body: string | null | undefined) => JSON.parse(body ?? 'null');
const headerOf = (headers: readonly string[], name: string) => headers[headers.indexOf(name) + 1];

/** One GET entry with this handler at /x. */
const at = (handle: () => Answer | Promise<Answer>) => [
  endpoint({ ...described, id: 'x', methods: ['GET'], path: '/x', handle }),
];

describe('calling the handler', () => {
  const echo = endpoint({
    ...described,
    id: 'echo',
    methods: ['GET', 'POST'],
    path: '/echo/{name}',
    params: Type.Object({ name: Type.String() }),
    query: Type.Object({ n: Type.Optional(int32({ default: 7 })) }),
    handle: ({ params, query, services: { greeting } }) =>
      reply.text(`${greeting} ${params.name} ${query.n}`),
  });

  test('it is given services, decoded path parameters and query values with their defaults', async () => {
    const { sent } = await dispatching([echo]).ask({ target: '/echo/%C5%9F?m=1' });
    assert.equal(sent.status, 200);
    assert.equal(sent.body, 'hello ş 7');
  });

  test('a synchronous handler is answered within the same turn', () => {
    const exchange = new FakeExchange({ target: '/echo/a' });
    dispatching([echo]).dispatch(exchange);
    assert.equal(exchange.sent?.body, 'hello a 7');
  });

  test('an invalid parameter is a 400 that names place, parameter and rule', async () => {
    const { sent } = await dispatching([echo]).ask({ target: '/echo/a?n=2147483648' });
    assert.equal(sent.status, 400);
    assert.deepEqual(problemOf(sent.body), {
      type: '/problems/parameter.invalid',
      title: 'Bad Request',
      status: 400,
      detail: 'query parameter n must be a 32-bit integer.',
      instance: '/echo/a',
      in: 'query',
      name: 'n',
      rule: 'must be a 32-bit integer',
    });
    assert.equal(headerOf(sent.headers, 'Content-Type'), 'application/problem+json');
  });
});

describe('methods', () => {
  const entries = [
    endpoint({ ...described, id: 'read', methods: ['GET'], path: '/x', handle: () => reply.text('read') }),
    endpoint({
      ...described,
      id: 'write',
      methods: ['PUT'],
      path: '/x',
      handle: () => reply.text('written'),
    }),
  ];

  test('an undeclared method is a 405 with Allow', async () => {
    const { sent } = await dispatching(entries).ask({ method: 'DELETE', target: '/x' });
    assert.equal(sent.status, 405);
    assert.equal(headerOf(sent.headers, 'Allow'), 'GET, HEAD, PUT, OPTIONS');
    assert.equal(problemOf(sent.body).type, '/problems/route.method-not-allowed');
  });

  test('OPTIONS is answered 200, empty, with Allow', async () => {
    const { sent } = await dispatching(entries).ask({ method: 'OPTIONS', target: '/x' });
    assert.deepEqual(
      [sent.status, sent.headers, sent.body],
      [200, ['Allow', 'GET, HEAD, PUT, OPTIONS'], null],
    );
  });

  test('OPTIONS * names every method of the catalogue', async () => {
    const { sent } = await dispatching(entries).ask({ method: 'OPTIONS', target: '*' });
    assert.deepEqual([sent.status, sent.headers], [200, ['Allow', 'GET, HEAD, PUT, OPTIONS']]);
  });

  test('an unknown path is a 404 whose instance is a URI, whatever bytes were sent', async () => {
    const { sent } = await dispatching(entries).ask({ target: '/\xfe"<?q' });
    assert.equal(sent.status, 404);
    assert.equal(problemOf(sent.body).instance, '/%FE%22%3C');
  });
});

describe('JSON bodies', () => {
  const entries = [
    endpoint({
      ...described,
      id: 'save',
      methods: ['POST'],
      path: '/save',
      body: jsonBody(Type.Object({ age: int32({ minimum: 0 }) })),
      handle: ({ body }) => reply.json(body),
    }),
  ];
  const save = (request: FakeRequest) =>
    dispatching(entries).ask({ method: 'POST', target: '/save', ...request });

  test('the handler is given the parsed body', async () => {
    const { sent } = await save({
      body: '\ufeff{"age": 3}',
      headers: ['Content-Type', 'Application/JSON; charset="UTF-8"'],
    });
    assert.deepEqual(problemOf(sent.body), { age: 3 });
  });

  const refusals: Array<[name: string, request: FakeRequest, status: number, detail: RegExp]> = [
    [
      'a rule that is broken, by JSON pointer',
      { body: '{"age": -1}' },
      400,
      /The request body at \/age must be >= 0\./,
    ],
    ['a member that is missing', { body: '{}' }, 400, /must have required property 'age'/],
    ['text that is not JSON', { body: '{' }, 400, /The request body is not JSON/],
    ['bytes that are not UTF-8', { body: Buffer.from([0x22, 0xfe, 0x22]) }, 400, /not valid UTF-8/],
    ['no body', {}, 400, /A request body is required/],
    ['a body beyond the limit', { body: `"${'a'.repeat(100)}"` }, 413, /larger/],
    ['another type', { body: 'age=3', headers: ['Content-Type', 'text/plain'] }, 415, /text\/plain/],
    [
      'another charset',
      { body: '{}', headers: ['Content-Type', 'application/json; charset=utf-16'] },
      415,
      /utf-16/,
    ],
    ['a content coding', { body: '{}', headers: ['Content-Encoding', 'gzip'] }, 415, /gzip/],
  ];
  for (const [name, request, status, detail] of refusals) {
    test(`${name} is refused with ${status}`, async () => {
      const { sent } = await save(request);
      assert.equal(sent.status, status);
      assert.match(problemOf(sent.body).detail, detail);
    });
  }

  test('the problem carries pointer and rule as members', async () => {
    const { sent } = await save({ body: '{"age": "x"}' });
    const { pointer, rule } = problemOf(sent.body);
    assert.deepEqual({ pointer, rule }, { pointer: '/age', rule: 'at /age must be integer' });
  });
});

describe('sending', () => {
  test('a streamed body is pumped and ended', async () => {
    const { ask } = dispatching(
      at(() =>
        reply.stream('text/plain', async (out) => {
          await out.write('a');
          await out.write('b');
        }),
      ),
    );
    const { sent } = await ask({ target: '/x' });
    assert.deepEqual([sent.pieces, sent.isEnded], [['a', 'b'], true]);
  });

  test('HEAD keeps the headers of a stream but never runs its pump', async () => {
    let isPumped = false;
    const { ask } = dispatching(
      at(() =>
        reply.stream('text/plain', async () => {
          isPumped = true;
        }),
      ),
    );
    const { sent } = await ask({ method: 'HEAD', target: '/x' });
    assert.deepEqual([sent.headers, sent.isEnded, isPumped], [['Content-Type', 'text/plain'], true, false]);
  });

  test('a pump that fails after the head went out breaks the answer off and is logged', async () => {
    const { ask, errors } = dispatching(
      at(() =>
        reply.stream('text/plain', async (out) => {
          await out.write('a');
          throw new Error('broken');
        }),
      ),
    );
    const { sent } = await ask({ target: '/x' });
    assert.deepEqual([sent.isAborted, sent.isEnded, errors.length], [true, false, 1]);
  });

  test('a wire answer writes on the bare socket', async () => {
    const { ask } = dispatching(
      at(() =>
        reply.wire(async (socket) => {
          await socket.write('garbage');
          socket.close();
        }),
      ),
    );
    const { raw, sent } = await ask({ target: '/x' });
    assert.deepEqual([raw, sent], [['garbage', 'FIN'], undefined]);
  });

  test('a wire answer that fails resets the connection', async () => {
    const { ask, errors } = dispatching(
      at(() => reply.wire(async () => Promise.reject(new Error('broken')))),
    );
    const { raw } = await ask({ target: '/x' });
    assert.deepEqual([raw, errors.length], [['RST'], 1]);
  });

  test('HTTP/2 has no bare socket: 505, finished like any answer', async () => {
    const { ask } = dispatching(
      at(() => reply.wire(async () => {})),
      {
        finish: (_, answer) => {
          if ('headers' in answer) answer.headers.push('X-Mark', '1');
          return answer;
        },
      },
    );
    const { sent } = await ask({ target: '/x', version: '2' });
    assert.deepEqual([sent.status, headerOf(sent.headers, 'X-Mark')], [505, '1']);
    assert.equal(problemOf(sent.body).type, '/problems/protocol.http1-only');
  });
});

describe('errors', () => {
  for (const [kind, handle] of [
    [
      'thrown',
      () => {
        throw fault('feature.disabled', { feature: 'It', reason: 'no' }, ['Retry-After', '1']);
      },
    ],
    [
      'rejected',
      async () => {
        throw fault('feature.disabled', { feature: 'It', reason: 'no' }, ['Retry-After', '1']);
      },
    ],
  ] satisfies Array<[string, () => Answer | Promise<Answer>]>) {
    test(`a fault that is ${kind} is rendered with its headers`, async () => {
      const { sent } = await dispatching(at(handle)).ask({ target: '/x' });
      assert.equal(sent.status, 403);
      assert.equal(headerOf(sent.headers, 'Retry-After'), '1');
      assert.equal(problemOf(sent.body).detail, 'It is switched off: no.');
    });
  }

  test('an unforeseen error is a 500 whose correlation id stands in the log, and nothing else of it', async () => {
    const secret = new Error('secret');
    const { ask, errors } = dispatching(at(() => Promise.reject(secret)));
    const { sent } = await ask({ target: '/x' });
    const { correlationId } = problemOf(sent.body);
    assert.equal(sent.status, 500);
    assert.doesNotMatch(sent.body!, /secret/);
    assert.deepEqual(errors, [
      { event: 'request.failed', correlationId, endpoint: 'x', method: 'GET', path: '/x', err: secret },
    ]);
  });

  test('a client that left is neither answered nor logged', async () => {
    const { ask, errors } = dispatching(at(() => Promise.reject(new ClientGone())));
    const { sent } = await ask({ target: '/x' });
    assert.deepEqual([sent, errors], [undefined, []]);
  });

  test('what fails because the client left passes silently too', async () => {
    const { dispatch, errors } = dispatching(
      at(async () => {
        await settled();
        throw new Error('aborted');
      }),
    );
    const exchange = new FakeExchange({ target: '/x' });
    dispatch(exchange);
    exchange.clientLeaves.abort();
    await settled();
    await settled();
    assert.deepEqual([exchange.sent, errors], [undefined, []]);
  });

  for (const [name, options] of [
    [
      'a renderer that fails',
      {
        renderFailure: () => {
          throw new Error('broken');
        },
      },
    ],
    ['a renderer whose answer cannot be sent', { renderFailure: () => reply.empty(400, ['Bad', 'a\nb']) }],
  ] satisfies Array<[string, Partial<DispatcherOptions<Services>>]>) {
    test(`${name} still leaves the client with a 500`, async () => {
      const { ask, errors } = dispatching([], options);
      const { sent } = await ask({ target: '/x' });
      assert.deepEqual([sent.status, sent.headers], [500, []]);
      assert.ok(errors.length > 0);
    });
  }

  test('an answer that cannot be sent is a 500', async () => {
    const { ask, errors } = dispatching(at(() => reply.empty(200, ['Bad', 'a\nb'])));
    const { sent } = await ask({ target: '/x' });
    assert.deepEqual([sent.status, errors.length], [500, 1]);
  });

  test('the module may render errors its own way', async () => {
    const { ask } = dispatching([], { renderFailure: ({ key, status }) => reply.text(key, { status }) });
    const { sent } = await ask({ target: '/x' });
    assert.deepEqual([sent.status, sent.body], [404, 'route.not-found']);
  });
});

describe('begin, alter and finish', () => {
  const mark = (answer: Answer): PlainAnswer => {
    const plain = answer as PlainAnswer;
    plain.headers.push('X-Mark', '1');
    return plain;
  };

  for (const [name, target, status] of [
    ['a good answer', '/x', 200],
    ['a 404', '/y', 404],
  ] as const) {
    test(`finish has the last hand on ${name}`, async () => {
      const { ask } = dispatching(
        at(() => reply.text('ok')),
        { finish: (_, answer) => mark(answer) },
      );
      const { sent } = await ask({ target });
      assert.deepEqual([sent.status, headerOf(sent.headers, 'X-Mark')], [status, '1']);
    });
  }

  test('alter may take its time, and what it gives back is finished', async () => {
    const { ask } = dispatching(
      at(() => reply.text('ok')),
      { alter: async () => reply.text('other'), finish: (_, answer) => mark(answer) },
    );
    const { sent } = await ask({ target: '/x' });
    assert.deepEqual([sent.body, headerOf(sent.headers, 'X-Mark')], ['other', '1']);
  });

  for (const [kind, alter] of [
    [
      'throws',
      () => {
        throw fault('body.invalid', { rule: 'is bad' });
      },
    ],
    [
      'rejects',
      async () => {
        throw fault('body.invalid', { rule: 'is bad' });
      },
    ],
  ] satisfies Array<[string, () => Answer | Promise<Answer>]>) {
    test(`when alter ${kind}, its error is the answer, and finished too`, async () => {
      const { ask } = dispatching(
        at(() => reply.text('ok')),
        { alter, finish: (_, answer) => mark(answer) },
      );
      const { sent } = await ask({ target: '/x' });
      assert.deepEqual([sent.status, headerOf(sent.headers, 'X-Mark')], [400, '1']);
    });
  }

  test('begin runs before the handler, which waits for it', async () => {
    const order: string[] = [];
    const { ask } = dispatching(
      at(() => {
        order.push('handler');
        return reply.text('ok');
      }),
      {
        begin: async ({ endpoint: entry }) => {
          await settled();
          order.push(`begin ${entry?.id}`);
        },
      },
    );
    await ask({ target: '/x' });
    await settled();
    assert.deepEqual(order, ['begin x', 'handler']);
  });
});

describe('identifying the caller', () => {
  const guarded = endpointsFor<Services, string>()({
    ...described,
    id: 'guarded',
    access: 'token',
    methods: ['GET'],
    path: '/of/{owner}',
    query: Type.Object({ n: int32() }),
    handle: ({ caller }) => reply.text(`for ${caller}`),
  });
  const asking = async (identify: DispatcherOptions<Services, string>['identify'], target: string) => {
    const exchange = new FakeExchange({ target });
    createDispatcher<Services, string>({
      endpoints: [guarded],
      services,
      maxBodyBytes: 100,
      log: { error: () => {} },
      identify,
    })(exchange);
    await settled();
    return exchange.sent!;
  };

  test('the handler is given who was found, at once or later', async () => {
    assert.equal((await asking((_, { owner }) => owner!, '/of/%C5%9F?n=1')).body, 'for ş');
    assert.equal(
      (await asking(async ({ endpoint: entry }) => String(entry?.access), '/of/x?n=1')).body,
      'for token',
    );
  });

  test('whoever is refused learns nothing about the inputs', async () => {
    const refuse = () => {
      throw fault('feature.disabled', { feature: 'this', reason: 'a test' });
    };
    assert.equal((await asking(refuse, '/of/x?n=abc')).status, 403);
    assert.equal((await asking(async () => refuse(), '/of/x?n=abc')).status, 403);
    assert.equal((await asking(() => 'me', '/of/x?n=abc')).status, 400);
  });
});

describe('translating errors', () => {
  class Away extends Error {}
  const translate = (error: unknown) =>
    error instanceof Away ? fault('feature.disabled', { feature: 'this', reason: 'away' }) : error;

  for (const [name, handle] of [
    [
      'thrown',
      () => {
        throw new Away();
      },
    ],
    ['rejected', () => Promise.reject(new Away())],
  ] as const) {
    test(`an error that is known to it is told as its fault when ${name}, and is no unexpected one`, async () => {
      const { ask, errors } = dispatching(at(handle), { translate });
      assert.equal((await ask({ target: '/x' })).sent.status, 403);
      assert.deepEqual(errors, []);
    });
  }

  test('what it does not know stays unexpected, and faults stay themselves', async () => {
    const unknown = dispatching(
      at(() => Promise.reject(new Error('x'))),
      { translate },
    );
    assert.equal((await unknown.ask({ target: '/x' })).sent.status, 500);
    assert.equal(unknown.errors.length, 1);
    assert.equal((await unknown.ask({ target: '/y' })).sent.status, 404);
  });
});

describe('observing', () => {
  const observing = (handle: () => Answer | Promise<Answer>) => {
    const seen: Array<[id: string | undefined, status: number]> = [];
    const arrivals: number[] = [];
    const { ask } = dispatching(at(handle), {
      observe: ({ endpoint: entry, arrivedAtMs }, status) => {
        seen.push([entry?.id, status]);
        arrivals.push(arrivedAtMs);
      },
    });
    return { ask, seen, arrivals };
  };

  test('every answer is told once with its status and when its request came, errors included', async () => {
    const { ask, seen, arrivals } = observing(async () => reply.empty(204));
    const beforeMs = performance.now();
    await ask({ target: '/x' });
    await ask({ target: '/nowhere' });
    await ask({ method: 'POST', target: '/x' });
    assert.deepEqual(seen, [
      ['x', 204],
      [undefined, 404],
      ['x', 405],
    ]);
    assert.ok(arrivals.every((arrivedAtMs) => arrivedAtMs >= beforeMs && arrivedAtMs <= performance.now()));
  });

  test('an answer that cannot be sent counts as the one sent in its place', async () => {
    const { ask, seen } = observing(() => reply.text('x', { headers: ['X', 'a\r\nb'] }));
    await ask({ target: '/x' });
    assert.deepEqual(seen, [['x', 500]]);
  });
});
