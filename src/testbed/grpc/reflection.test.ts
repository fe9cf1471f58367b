import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Client, credentials, loadPackageDefinition, status } from '@grpc/grpc-js';
import { loadFileDescriptorSetFromObject } from '@grpc/proto-loader';
import descriptor from 'protobufjs/ext/descriptor.js';
import { type StartedTestbed, startTestbed } from '../testing/start-testbed.ts';
import { protoFileNames } from './proto-files.ts';
import { callUnary, collect, grpcClient, type Loose } from './testing/grpc-client.ts';

let testbed: StartedTestbed;
before(async () => {
  testbed = await startTestbed();
});
after(async () => {
  await testbed.close();
  assert.deepEqual(testbed.errors, [], 'nothing unforeseen may be logged');
});

/** Asks all questions on one call, as reflection clients do. */
async function ask(version: 'v1' | 'v1alpha', questions: readonly object[]): Promise<Loose[]> {
  const client = grpcClient(testbed.port, `grpc.reflection.${version}.ServerReflection`);
  const call = client.ServerReflectionInfo();
  for (const question of questions) call.write(question);
  call.end();
  const { messages, error } = await collect(call);
  client.close();
  assert.equal(error, undefined);
  return messages;
}

function filesIn(answer: Loose): Loose[] {
  return answer.fileDescriptorResponse.fileDescriptorProto.map((bytes: Buffer) =>
    descriptor.FileDescriptorProto.decode(bytes),
  );
}

for (const version of ['v1', 'v1alpha'] as const) {
  describe(`grpc.reflection.${version}`, () => {
    test('lists every service', async () => {
      const [answer] = await ask(version, [{ listServices: '*' }]);
      assert.deepEqual(
        answer.listServicesResponse.service.map(({ name }: Loose) => name),
        [
          'testservice.v1.Echo',
          'grpcbin.GRPCBin',
          'hello.HelloService',
          'addsvc.Add',
          'grpc.health.v1.Health',
          'grpc.reflection.v1.ServerReflection',
          'grpc.reflection.v1alpha.ServerReflection',
        ],
      );
      assert.equal(answer.originalRequest.listServices, '*');
    });

    test('gives the file of a service, method, message, field and enum', async () => {
      const symbols = [
        'testservice.v1.Echo',
        'testservice.v1.Echo.Unary',
        '.testservice.v1.EchoRequest',
        'testservice.v1.EchoRequest.message',
        'testservice.v1.AbortRequest.Kind',
      ];
      const answers = await ask(
        version,
        symbols.map((fileContainingSymbol) => ({ fileContainingSymbol })),
      );
      assert.deepEqual(
        answers.map((answer) => filesIn(answer).map(({ name }) => name)),
        symbols.map(() => ['testservice/v1/echo.proto']),
      );
    });

    test('says what it does not have', async () => {
      const questions = [
        { fileByFilename: 'none.proto' },
        { fileContainingSymbol: 'none.None' },
        { fileContainingExtension: { containingType: 'hello.HelloRequest', extensionNumber: 100 } },
        { allExtensionNumbersOfType: 'none.None' },
        {},
      ];
      const answers = await ask(version, questions);
      assert.deepEqual(
        answers.map(({ errorResponse }) => errorResponse.errorCode),
        [status.NOT_FOUND, status.NOT_FOUND, status.NOT_FOUND, status.NOT_FOUND, status.INVALID_ARGUMENT],
      );
      const [none] = await ask(version, [{ allExtensionNumbersOfType: 'hello.HelloRequest' }]);
      assert.deepEqual(none.allExtensionNumbersResponse.extensionNumber, []);
    });
  });
}

describe('descriptors', () => {
  test('a client made from reflection alone can call', async () => {
    const answers = await ask(
      'v1',
      protoFileNames.map((fileByFilename) => ({ fileByFilename })),
    );
    const files = answers.flatMap(filesIn);
    const set = descriptor.FileDescriptorSet.toObject(descriptor.FileDescriptorSet.create({ file: files }));
    const { testservice, grpcbin } = loadPackageDefinition(loadFileDescriptorSetFromObject(set)) as Loose;
    const address = `127.0.0.1:${testbed.port}`;
    const echo: Client & Loose = new testservice.v1.Echo(address, credentials.createInsecure());
    assert.equal((await callUnary(echo, 'Unary', { message: 'by reflection' })).message, 'by reflection');
    const bin: Client & Loose = new grpcbin.GRPCBin(address, credentials.createInsecure());
    const dummy = { f_int64s: [1], f_sub: { f_string: 'x' } };
    assert.equal((await callUnary(bin, 'DummyUnary', dummy)).f_sub.f_string, 'x');
    echo.close();
    bin.close();
  });

  test('maps, oneofs, labels and type names are written as protoc writes them', async () => {
    const [health, reflection, hello, echo] = (
      await ask(
        'v1',
        [
          'grpc/health/v1/health.proto',
          'grpc/reflection/v1/reflection.proto',
          'hello/hello.proto',
          'testservice/v1/echo.proto',
        ].map((fileByFilename) => ({ fileByFilename })),
      )
    ).map(
      (answer) => descriptor.FileDescriptorProto.toObject(filesIn(answer)[0], { enums: String }) as Loose,
    );
    const messageOf = (file: Loose, name: string) => file.messageType.find((one: Loose) => one.name === name);

    const list = messageOf(health, 'HealthListResponse');
    assert.equal(list.field[0].typeName, '.grpc.health.v1.HealthListResponse.StatusesEntry');
    assert.equal(list.field[0].label, 'LABEL_REPEATED');
    assert.equal(list.nestedType[0].name, 'StatusesEntry');
    assert.equal(list.nestedType[0].options.mapEntry, true);
    assert.equal(list.nestedType[0].field[1].typeName, '.grpc.health.v1.HealthCheckResponse');

    const request = messageOf(reflection, 'ServerReflectionRequest');
    assert.deepEqual(request.oneofDecl, [{ name: 'message_request' }]);
    assert.equal(request.field.filter(({ oneofIndex }: Loose) => oneofIndex === 0).length, 5);

    assert.equal(hello.syntax, undefined);
    assert.equal(messageOf(hello, 'HelloResponse').field[0].label, 'LABEL_REQUIRED');
    assert.deepEqual([echo.syntax, echo.dependency], ['proto3', ['google/protobuf/any.proto']]);
    const { name, jsonName } = messageOf(echo, 'StreamRequest').field[3];
    assert.deepEqual([name, jsonName], ['interval_ms', 'intervalMs']);
  });
});
