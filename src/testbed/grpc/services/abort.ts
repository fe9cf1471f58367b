import { fault } from '../../../kernel/faults.ts';
import type { GrpcCall, Message } from '../call.ts';
import { framed } from '../framing.ts';
import { grpcLimits } from '../limits.ts';
import { grpcError } from '../status.ts';

interface AbortRequest {
  readonly kind: number;
  readonly messages: number;
  readonly http2Error: number;
  readonly httpStatus: number;
}

/** In the order of AbortRequest.Kind. */
const kinds = [
  'RESET',
  'GOAWAY',
  'NO_STATUS',
  'TRUNCATED_MESSAGE',
  'BAD_FLAGS',
  'GARBAGE_MESSAGE',
  'HTTP_STATUS',
  'STALL',
] as const;

type Breaker = (call: GrpcCall, request: AbortRequest) => Promise<void> | void;

const breakers: Readonly<Record<(typeof kinds)[number], Breaker>> = {
  RESET: ({ exchange, reply }, { http2Error }) => {
    if (!exchange.http2) throw fault('protocol.http2-only');
    reply.abandon();
    exchange.http2.resetStream(http2Error);
  },
  GOAWAY: ({ exchange }, { http2Error }) => {
    if (!exchange.http2) throw fault('protocol.http2-only');
    exchange.http2.goAway(http2Error);
  },
  NO_STATUS: ({ reply }) => reply.endWithoutStatus(),
  TRUNCATED_MESSAGE: ({ reply }) => reply.sendRaw(framed(Buffer.alloc(100)).subarray(0, 15)),
  BAD_FLAGS: ({ reply }) => reply.sendRaw(framed(Buffer.alloc(0), 0x7f)),
  // A field that announces more bytes than follow.
  GARBAGE_MESSAGE: ({ reply }) => reply.sendRaw(framed(Buffer.from([0x0a, 0xff, 0x01]))),
  HTTP_STATUS: ({ exchange, reply }, { httpStatus }) => {
    reply.abandon();
    const status = httpStatus || 503;
    exchange.send(status, ['content-type', 'text/plain'], `HTTP ${status}, and no gRPC\n`);
  },
  STALL: ({ services, signal }) => services.clock.sleep(services.settings.limits.maxDelayMs, signal),
};

/** Streams the messages, then breaks the call in the given way. */
export async function* abort(request: AbortRequest, call: GrpcCall): AsyncGenerator<Message> {
  const kind = kinds[request.kind];
  if (!kind) throw grpcError('INVALID_ARGUMENT', `there is no kind ${request.kind}`);
  const { messages, httpStatus } = request;
  if (messages > grpcLimits.maxStreamCount)
    throw grpcError('OUT_OF_RANGE', `messages may be at most ${grpcLimits.maxStreamCount}`);
  if (httpStatus !== 0 && (httpStatus < 200 || httpStatus > 599))
    throw grpcError('INVALID_ARGUMENT', 'http_status must be from 200 to 599');
  // An HTTP status stands in the head, before which no message can come.
  const sent = kind === 'HTTP_STATUS' ? 0 : messages;
  for (let number = 1; number <= sent; number++) yield { message: 'abort', number };
  await breakers[kind](call, request);
}
