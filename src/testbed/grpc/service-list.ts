import { grpcLimits } from './limits.ts';
import { loadSchema } from './schema.ts';

/** The services and their methods as people read them. */
export function describeServices(): object {
  const schema = loadSchema();
  return {
    protocols: ['grpc (HTTP/2)', 'grpc-web', 'grpc-web-text'],
    services: schema.serviceNames.map((name) => ({
      name,
      methods: schema.methodsOf(name).map(({ path, request, reply, isClientStream, isServerStream }) => ({
        path,
        request: `${isClientStream ? 'stream ' : ''}${request.name}`,
        reply: `${isServerStream ? 'stream ' : ''}${reply.name}`,
      })),
    })),
    limits: grpcLimits,
  };
}
