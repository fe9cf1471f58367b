import { bidi, clientStream, type Message, type ServiceMethods, serverStream, unary } from '../call.ts';
import type { Schema } from '../schema.ts';
import { codeName, GrpcError, grpcError } from '../status.ts';

const COPIES = 10;
/** RandomError chooses among the codes 0 to 15. */
const RANDOM_CODES = 16;

/** What grpcbin's handlers do, so that tests written for grpcbin run here unchanged. */
export function grpcbinService(schema: Schema): ServiceMethods {
  return {
    Index: unary(() => ({
      description: 'gRPC testing server',
      endpoints: schema.methodsOf('grpcbin.GRPCBin').map(({ path }) => ({ path: path.split('/')[2] })),
    })),
    Empty: unary(() => ({})),
    DummyUnary: unary((message: Message) => message),
    DummyServerStream: serverStream(async function* (message: Message) {
      for (let sent = 0; sent < COPIES; sent++) yield message;
    }),
    DummyClientStream: clientStream(async (messages: AsyncIterable<Message>) => {
      let last: Message = {};
      let count = 0;
      for await (const message of messages) {
        last = message;
        if (++count === COPIES) break;
      }
      return last;
    }),
    DummyBidirectionalStreamStream: bidi((messages: AsyncIterable<Message>) => messages),
    SpecificError: unary(({ code, reason }: { code: number; reason: string }) => {
      if (code === 0) return {};
      throw new GrpcError(code, reason || codeName(code));
    }),
    RandomError: unary((_request, { services }) => {
      const code = Math.floor(services.random.float() * RANDOM_CODES);
      if (code === 0) return {};
      throw new GrpcError(code, codeName(code));
    }),
    HeadersUnary: unary((_request, { metadata }) => {
      const values: Record<string, { values: string[] }> = {};
      for (const [key, value] of metadata) {
        values[key] ??= { values: [] };
        // The field holds text: bytes beyond UTF-8 cannot be shown in it.
        values[key].values.push(value.toString());
      }
      return { metadata: values };
    }),
    NoResponseUnary: unary(() => {
      throw grpcError('INTERNAL', 'there is no message to reply with');
    }),
  };
}
