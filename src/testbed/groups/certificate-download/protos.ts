import { Type } from 'typebox';
import { reply } from '../../../kernel/catalogue/answer.ts';
import { binary, json, problem } from '../../../kernel/catalogue/declarations.ts';
import { fault } from '../../../kernel/faults.ts';
import { rangedAnswer } from '../../content/ranged.ts';
import { endpoint, type TestbedEndpoint } from '../../endpoint.ts';
import { attachmentDisposition } from '../../files/file-name.ts';
import { type ProtoFileName, protoFileNames, readProtoFile } from '../../grpc/proto-files.ts';

const group = 'Certificate Download';
const PROTO_TYPE = 'text/plain; charset=utf-8';

export const protoEndpoints: readonly TestbedEndpoint[] = [
  endpoint({
    id: 'protos',
    group,
    methods: ['GET'],
    path: '/proto/',
    summary: 'The .proto files of the gRPC services.',
    responses: { 200: json('Names and addresses.') },
    examples: [
      {
        name: 'the echo service among them',
        expect: {
          status: 200,
          json: { descriptor: '/proto/descriptor.pb' },
          text: /"url": "\/proto\/testservice\/v1\/echo\.proto"/,
        },
      },
    ],
    handle: () =>
      reply.json({
        files: protoFileNames.map((name) => ({ name, url: `/proto/${name}` })),
        descriptor: '/proto/descriptor.pb',
      }),
  }),
  endpoint({
    id: 'proto-descriptor',
    group,
    methods: ['GET'],
    path: '/proto/descriptor.pb',
    summary: 'All .proto files compiled into one FileDescriptorSet.',
    responses: { 200: binary('What `protoc --descriptor_set_out` writes.', 'application/x-protobuf') },
    examples: [
      {
        name: 'the echo service among them',
        expect: {
          status: 200,
          headers: { 'content-type': 'application/x-protobuf' },
          text: /testservice\/v1\/echo\.proto/,
        },
      },
    ],
    handle: async (call) =>
      rangedAnswer(call, await descriptorSet(), {
        contentType: 'application/x-protobuf',
        headers: ['Content-Disposition', attachmentDisposition('descriptor.pb')],
      }),
  }),
  endpoint({
    id: 'proto-file',
    group,
    methods: ['GET'],
    path: '/proto/{file**}',
    summary: 'One .proto file, by its whole name or the last part of it.',
    params: Type.Object({ file: Type.String({ description: 'Such as `echo.proto`.' }) }),
    responses: { 200: binary('The file.', 'text/plain'), 404: problem('There is no such file.') },
    examples: [
      {
        name: 'by its last part',
        path: '/proto/echo.proto',
        expect: {
          status: 200,
          headers: { 'content-type': PROTO_TYPE, 'content-disposition': /filename="echo\.proto"/ },
          text: /^syntax = "proto3";\n\npackage testservice\.v1;\n/,
        },
      },
      {
        name: 'by its whole name',
        path: '/proto/grpc/health/v1/health.proto',
        expect: { status: 200, text: /package grpc\.health\.v1;/ },
      },
      {
        name: 'something else',
        path: '/proto/../secret',
        expect: { status: 404, json: { file: '../secret' } },
      },
    ],
    handle: (call) => {
      const { file } = call.params;
      const found = protoFileNames.find((name) => name === file || name.endsWith(`/${file}`));
      if (!found) throw fault('certificate-file.unknown', { file });
      return rangedAnswer(call, Buffer.from(readProtoFile(found)), {
        contentType: PROTO_TYPE,
        headers: ['Content-Disposition', attachmentDisposition(lastPart(found))],
      });
    },
  }),
];

function lastPart(name: ProtoFileName): string {
  return name.slice(name.lastIndexOf('/') + 1);
}

/** `FileDescriptorSet { repeated FileDescriptorProto file = 1; }` */
async function descriptorSet(): Promise<Buffer> {
  // The protobuf library is loaded by whoever needs it first.
  const [{ describeSchema }, { loadSchema }] = await Promise.all([
    import('../../grpc/descriptors.ts'),
    import('../../grpc/schema.ts'),
  ]);
  const descriptors = describeSchema(loadSchema());
  return Buffer.concat(
    protoFileNames.flatMap((name) => {
      const file = descriptors.fileNamed(name)!;
      return [Buffer.of(FILE_FIELD), varint(file.length), file];
    }),
  );
}

/** Field 1, length-delimited. */
const FILE_FIELD = 0x0a;

function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (let left = value; ; left >>>= 7) {
    if (left < 0x80) return Buffer.from([...bytes, left]);
    bytes.push((left & 0x7f) | 0x80);
  }
}
