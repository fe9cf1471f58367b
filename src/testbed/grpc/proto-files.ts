import { readFileSync } from 'node:fs';

/** The .proto files of the service, each named as others import it; one package stands in one file. */
export const protoFileNames = [
  'testservice/v1/echo.proto',
  'grpcbin/grpcbin.proto',
  'hello/hello.proto',
  'addsvc/addsvc.proto',
  'grpc/health/v1/health.proto',
  'grpc/reflection/v1/reflection.proto',
  'grpc/reflection/v1alpha/reflection.proto',
  'google/protobuf/any.proto',
  'google/rpc/status.proto',
] as const;

export type ProtoFileName = (typeof protoFileNames)[number];

export function readProtoFile(name: ProtoFileName): string {
  return readFileSync(new URL(`protos/${name}`, import.meta.url), 'utf8');
}
