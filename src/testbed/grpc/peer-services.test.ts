import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type ServiceError, status } from '@grpc/grpc-js';
import { type StartedTestbed, startTestbed } from '../testing/start-testbed.ts';
import { callUnary, collect, grpcClient, type Loose, metadataOf } from './testing/grpc-client.ts';

let testbed: StartedTestbed;
const clients = new Map<string, Loose>();
before(async () => {
  testbed = await startTestbed();
});
after(async () => {
  for (const client of clients.values()) client.close();
  await testbed.close();
  assert.deepEqual(testbed.errors, [], 'nothing unforeseen may be logged');
});

function clientOf(service: string): Loose {
  if (!clients.has(service)) clients.set(service, grpcClient(testbed.port, service));
  return clients.get(service);
}

/** Sends messages one after the other on a call that streams them. */
function sendAll(call: Loose, messages: readonly object[]): Loose {
  for (const message of messages) call.write(message);
  call.end();
  return call;
}

function replyToStream(client: Loose, method: string, messages: readonly object[]): Promise<Loose> {
  return new Promise((resolve, reject) => {
    const call = client[method]((error: unknown, reply: Loose) => (error ? reject(error) : resolve(reply)));
    sendAll(call, messages);
  });
}

describe('grpcbin.GRPCBin', () => {
  const dummy = {
    fString: 'ş',
    fStrings: ['a', 'b'],
    fInt32: -1,
    fInt32s: [1, 2],
    fEnum: 'ENUM_1',
    fEnums: ['ENUM_2', 'ENUM_0'],
    fSub: { fString: 'sub' },
    fSubs: [{ fString: 'x' }],
    fBool: true,
    fBools: [true, false],
    fInt64: '-9007199254740993',
    fInt64s: ['9223372036854775807'],
    fBytes: Buffer.from([0, 255]),
    fBytess: [Buffer.from([1])],
    fFloat: 0.5,
    fFloats: [1.5, -2],
  };

  test('DummyUnary sends all sixteen fields back', async () => {
    assert.deepEqual(await callUnary(clientOf('grpcbin.GRPCBin'), 'DummyUnary', dummy), dummy);
  });

  test('DummyServerStream sends ten copies', async () => {
    const { messages } = await collect(clientOf('grpcbin.GRPCBin').DummyServerStream(dummy));
    assert.deepEqual(messages, Array(10).fill(dummy));
  });

  test('DummyClientStream returns the tenth message, or the last of fewer', async () => {
    const numbered = (count: number) => Array.from({ length: count }, (_, index) => ({ fInt32: index + 1 }));
    const client = clientOf('grpcbin.GRPCBin');
    assert.equal((await replyToStream(client, 'DummyClientStream', numbered(3))).fInt32, 3);
    assert.equal((await replyToStream(client, 'DummyClientStream', numbered(12))).fInt32, 10);
  });

  test('DummyBidirectionalStreamStream sends every message back', async () => {
    const call = sendAll(clientOf('grpcbin.GRPCBin').DummyBidirectionalStreamStream(), [dummy, dummy]);
    assert.deepEqual((await collect(call)).messages, [dummy, dummy]);
  });

  test('Index lists the ten methods', async () => {
    const { endpoints } = await callUnary(clientOf('grpcbin.GRPCBin'), 'Index', {});
    assert.deepEqual(endpoints.map(({ path }: Loose) => path).sort(), [
      'DummyBidirectionalStreamStream',
      'DummyClientStream',
      'DummyServerStream',
      'DummyUnary',
      'Empty',
      'HeadersUnary',
      'Index',
      'NoResponseUnary',
      'RandomError',
      'SpecificError',
    ]);
  });

  test('SpecificError ends with the code and reason it is given', async () => {
    const client = clientOf('grpcbin.GRPCBin');
    await assert.rejects(callUnary(client, 'SpecificError', { code: 7, reason: 'mine' }), {
      code: 7,
      details: 'mine',
    });
    await assert.rejects(callUnary(client, 'SpecificError', { code: 5 }), { code: 5, details: 'NOT_FOUND' });
    assert.deepEqual(await callUnary(client, 'SpecificError', { code: 0 }), {});
  });

  test('RandomError ends with one of the codes 0 to 15', async () => {
    for (let round = 0; round < 20; round++) {
      const error: ServiceError | undefined = await callUnary(
        clientOf('grpcbin.GRPCBin'),
        'RandomError',
        {},
      ).then(
        () => undefined,
        (caught) => caught,
      );
      if (error) assert.equal(error.details, status[error.code]);
    }
  });

  test('HeadersUnary tells the metadata', async () => {
    const sent = metadataOf({ 'x-a': '1' });
    sent.add('x-a', '2');
    const { metadata } = await callUnary(clientOf('grpcbin.GRPCBin'), 'HeadersUnary', {}, sent);
    assert.deepEqual(metadata['x-a'], { values: ['1', '2'] });
  });

  test('Empty replies, and NoResponseUnary cannot', async () => {
    const client = clientOf('grpcbin.GRPCBin');
    assert.deepEqual(await callUnary(client, 'Empty', {}), {});
    await assert.rejects(callUnary(client, 'NoResponseUnary', {}), { code: status.INTERNAL });
  });
});

describe('hello.HelloService', () => {
  test('greets by name, and who gives none as noname', async () => {
    const client = clientOf('hello.HelloService');
    assert.deepEqual(await callUnary(client, 'SayHello', { greeting: 'Ada' }), { reply: 'hello Ada' });
    assert.deepEqual(await callUnary(client, 'SayHello', {}), { reply: 'hello noname' });
  });

  test('greets ten times, all at once, and one by one', async () => {
    const client = clientOf('hello.HelloService');
    const replies = await collect(client.LotsOfReplies({ greeting: 'Ada' }));
    assert.deepEqual(replies.messages, Array(10).fill({ reply: 'hello Ada' }));
    const people = [{ greeting: 'Ada' }, {}, { greeting: 'Bob' }];
    assert.deepEqual(await replyToStream(client, 'LotsOfGreetings', people), {
      reply: 'hello Ada, noname, Bob',
    });
    const { messages } = await collect(sendAll(client.BidiHello(), people));
    assert.deepEqual(
      messages.map(({ reply }) => reply),
      ['hello Ada', 'hello noname', 'hello Bob'],
    );
  });
});

describe('addsvc.Add', () => {
  const sums: ReadonlyArray<[a: string, b: string, v: string, err: RegExp]> = [
    ['2', '3', '5', /^$/],
    ['-2147483648', '0', '-2147483648', /^$/],
    ['2147483647', '1', '0', /overflow/],
    ['9223372036854775807', '9223372036854775807', '0', /overflow/],
    ['0', '0', '0', /two zeroes/],
  ];
  for (const [a, b, v, err] of sums) {
    test(`${a} + ${b} is ${v} with the error ${err}`, async () => {
      const reply = await callUnary(clientOf('addsvc.Add'), 'Sum', { a, b });
      assert.equal(reply.v, v);
      assert.match(reply.err, err);
    });
  }

  test('Concat joins up to ten characters', async () => {
    const client = clientOf('addsvc.Add');
    assert.deepEqual(await callUnary(client, 'Concat', { a: 'ab', b: 'cd' }), { v: 'abcd', err: '' });
    assert.match((await callUnary(client, 'Concat', { a: 'abcdef', b: 'ghijk' })).err, /10 characters/);
  });
});

describe('grpc.health.v1.Health', () => {
  test('Check knows the whole server and each service, and no other', async () => {
    const client = clientOf('grpc.health.v1.Health');
    for (const service of ['', 'grpcbin.GRPCBin', 'grpc.health.v1.Health'])
      assert.deepEqual(await callUnary(client, 'Check', { service }), { status: 'SERVING' });
    await assert.rejects(callUnary(client, 'Check', { service: 'none' }), { code: status.NOT_FOUND });
  });

  test('List tells the health of every service', async () => {
    const { statuses } = await callUnary(clientOf('grpc.health.v1.Health'), 'List', {});
    assert.deepEqual(statuses['hello.HelloService'], { status: 'SERVING' });
    assert.deepEqual(statuses[''], { status: 'SERVING' });
  });

  test('Watch tells each change, and an unknown service as such', async () => {
    const client = clientOf('grpc.health.v1.Health');
    const echo = clientOf('testservice.v1.Echo');
    const unknown = client.Watch({ service: 'none' })[Symbol.asyncIterator]();
    assert.deepEqual((await unknown.next()).value, { status: 'SERVICE_UNKNOWN' });
    await unknown.return();

    const watching = client.Watch({ service: 'addsvc.Add' });
    const changes = watching[Symbol.asyncIterator]();
    assert.deepEqual((await changes.next()).value, { status: 'SERVING' });
    await callUnary(echo, 'SetHealth', { service: 'addsvc.Add', isServing: false });
    assert.deepEqual((await changes.next()).value, { status: 'NOT_SERVING' });
    await callUnary(echo, 'SetHealth', { service: 'addsvc.Add', isServing: true });
    assert.deepEqual((await changes.next()).value, { status: 'SERVING' });
    watching.on('error', () => {});
    watching.cancel();
  });

  test('SetHealth refuses a service that does not exist', async () => {
    const asked = callUnary(clientOf('testservice.v1.Echo'), 'SetHealth', { service: 'none' });
    await assert.rejects(asked, { code: status.NOT_FOUND });
  });
});
