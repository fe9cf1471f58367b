import type { Method, ServiceMethods } from './call.ts';
import { loadSchema, type MethodSchema, type Schema } from './schema.ts';
import { addService } from './services/add-service.ts';
import { echoService } from './services/echo-service.ts';
import { grpcbinService } from './services/grpcbin-service.ts';
import { healthService } from './services/health-service.ts';
import { helloService } from './services/hello-service.ts';
import { reflectionService } from './services/reflection-service.ts';

export interface BoundMethod extends Method {
  readonly schema: MethodSchema;
}

/** Every method by the path of its requests. */
export function loadMethods(): ReadonlyMap<string, BoundMethod> {
  const schema = loadSchema();
  const services: Readonly<Record<string, ServiceMethods>> = {
    'testservice.v1.Echo': echoService(schema),
    'grpcbin.GRPCBin': grpcbinService(schema),
    'hello.HelloService': helloService,
    'addsvc.Add': addService,
    'grpc.health.v1.Health': healthService(schema),
    'grpc.reflection.v1.ServerReflection': reflectionService(schema),
    'grpc.reflection.v1alpha.ServerReflection': reflectionService(schema),
  };
  return new Map(schema.serviceNames.flatMap((name) => bind(schema, name, services[name]!)));
}

/** Ties the code of a service to its .proto file; a method that differs from it is a mistake of ours. */
function bind(schema: Schema, serviceName: string, methods: ServiceMethods): Array<[string, BoundMethod]> {
  return schema.methodsOf(serviceName).map((method) => {
    const code = methods[method.path.slice(method.path.lastIndexOf('/') + 1)];
    if (code?.kind !== kindOf(method))
      throw new Error(`${method.path} is not written as its .proto file says`);
    return [method.path, { ...code, schema: method }];
  });
}

function kindOf({ isClientStream, isServerStream }: MethodSchema): Method['kind'] {
  if (isClientStream) return isServerStream ? 'bidi' : 'client-stream';
  return isServerStream ? 'server-stream' : 'unary';
}
