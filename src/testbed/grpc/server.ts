import { ClientGone, type Exchange, type Http2Controls } from '../../http1/exchange.ts';
import { failureOf } from '../../kernel/catalogue/failure.ts';
import { RequestView } from '../../kernel/catalogue/request-view.ts';
import type { DispatchLog } from '../../kernel/catalogue/send-answer.ts';
import { type Fault, fault } from '../../kernel/faults.ts';
import { problemAnswer } from '../../kernel/problem.ts';
import { recordInJournal } from '../journal.ts';
import type { TestbedServices } from '../services.ts';
import type { GrpcCall } from './call.ts';
import { deadlineOf, withinDeadline } from './deadline.ts';
import { type Flavour, flavourOf } from './flavour.ts';
import { grpcLimits } from './limits.ts';
import { requestEncoding } from './message-encoding.ts';
import { readMetadata } from './metadata.ts';
import type { BoundMethod } from './methods.ts';
import { preflightHeaders } from './preflight.ts';
import { GrpcReply } from './reply.ts';
import { RequestMessages } from './request-messages.ts';
import { codeOfHttpStatus, GrpcError, grpcCodes, grpcError } from './status.ts';

export interface GrpcServerOptions {
  readonly services: TestbedServices;
  readonly log: DispatchLog;
}

const NO_ERROR = 0;
const acceptedTypes =
  'application/grpc, application/grpc-web or application/grpc-web-text, each of protocol buffers';

/** From an exchange that `isGrpc` to the end of its call. */
export function createGrpcServer({ services, log }: GrpcServerOptions): (exchange: Exchange) => void {
  const { maxMessagesBytes: maxReceivedBytes, maxDelayMs: maxPauseMs } = services.settings.limits;
  const bounds = { maxReceivedBytes, maxPauseMs };
  // The codec and the .proto files are read when the first call comes: the service starts faster without.
  let methods: Promise<ReadonlyMap<string, BoundMethod>> | undefined;
  const methodAt = async (path: string): Promise<BoundMethod> => {
    methods ??= import('./methods.ts').then(({ loadMethods }) => loadMethods());
    const method = (await methods).get(path);
    if (!method) throw grpcError('UNIMPLEMENTED', `there is no method ${path}`);
    return method;
  };

  return (exchange) => {
    const { method, headers } = exchange.head;
    if (method === 'OPTIONS') {
      exchange.send(204, preflightHeaders(exchange));
      return;
    }
    const contentType = headers.first('content-type') ?? '';
    const flavour = flavourOf(contentType);
    if (!flavour)
      refuse(exchange, fault('body.unsupported-type', { type: contentType, accepted: acceptedTypes }));
    else if (method !== 'POST') refuse(exchange, notPost(exchange));
    else if (flavour === 'grpc' && exchange.head.version !== '2')
      refuse(exchange, fault('protocol.http2-only'));
    else void serve(exchange, flavour);
  };

  async function serve(exchange: Exchange, flavour: Flavour): Promise<void> {
    const request = new RequestView(exchange);
    const reply = new GrpcReply(exchange, flavour);
    let unread: RequestMessages | undefined;
    try {
      await recordInJournal({ request, exchange, services });
      const { headers } = exchange.head;
      const method = await methodAt(request.rawPath);
      const encoding = requestEncoding(headers);
      const requests = new RequestMessages(exchange.body, flavour, encoding, method.schema, bounds);
      unread = requests;
      const deadline = deadlineOf(headers, services.clock.now());
      const metadata = readMetadata(headers);
      await withinDeadline(deadline, services.clock, exchange.signal, (signal) =>
        run(method, { metadata, deadline, signal, requests, reply, services, exchange }),
      );
      await reply.end(grpcCodes.OK, '');
    } catch (error) {
      await endWith(error, reply, exchange);
    }
    if (unread && exchange.http2) await leaveUnread(unread, exchange.http2);
  }

  async function endWith(error: unknown, reply: GrpcReply, exchange: Exchange): Promise<void> {
    if (error instanceof ClientGone || exchange.signal.aborted) return;
    const { code, message, trailers } = statusOf(error, exchange);
    // The client may leave at any time, and nobody is left to be told of that.
    await reply.end(code, message, trailers).catch(() => {});
  }

  function statusOf(error: unknown, { head }: Exchange): GrpcError {
    if (error instanceof GrpcError) return error;
    const failure = failureOf(error);
    if (failure) return new GrpcError(codeOfHttpStatus(failure.status), failure.detail);
    const correlationId = services.random.uuid();
    log.error({ event: 'grpc.call.failed', correlationId, target: head.target, err: error });
    return grpcError('INTERNAL', `an unexpected error occurred; the log names it by ${correlationId}`);
  }
}

async function run(method: BoundMethod, call: GrpcCall): Promise<void> {
  for await (const message of method.handle(call.requests, call)) {
    await call.reply.send(method.schema.reply.encode(message).finish());
  }
}

/** RFC 9113 §8.1: the answer is whole, so a client that sends on and on is asked to stop. */
async function leaveUnread(requests: RequestMessages, http2: Http2Controls): Promise<void> {
  try {
    if (!(await requests.discardRest(grpcLimits.maxUnreadBytes))) http2.resetStream(NO_ERROR);
  } catch {
    // The client left, which is as good.
  }
}

/** A request that is no call at all is answered in HTTP, because its sender speaks no gRPC. */
function refuse(exchange: Exchange, refusal: Fault): void {
  const { status, headers, body } = problemAnswer(failureOf(refusal)!, exchange.head.target);
  exchange.send(status, headers, body as string);
}

function notPost({ head: { method, target: path } }: Exchange): Fault {
  return fault('route.method-not-allowed', { path, method, allow: 'POST' }, ['Allow', 'POST']);
}
