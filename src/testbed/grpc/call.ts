import type { Exchange } from '../../http1/exchange.ts';
import type { TestbedServices } from '../services.ts';
import type { MetadataEntry } from './metadata.ts';
import type { GrpcReply } from './reply.ts';
import type { RequestMessages } from './request-messages.ts';
import { grpcError } from './status.ts';

/** What the handler of a method is given besides its messages. */
export interface GrpcCall {
  readonly metadata: readonly MetadataEntry[];
  readonly deadline: Deadline | undefined;
  /** Aborts when the client leaves or the deadline passes. */
  readonly signal: AbortSignal;
  readonly requests: RequestMessages;
  readonly reply: GrpcReply;
  readonly services: TestbedServices;
  readonly exchange: Exchange;
}

export interface Deadline {
  /** The grpc-timeout field as it came. */
  readonly field: string;
  readonly timeoutMs: number;
  readonly atMs: number;
  /** False when the client asked for a server that lets it pass. */
  readonly isKept: boolean;
}

/** A decoded message; fields in camel case. */
export type Message = object;

/** The code of a method, whatever its kind: messages in, messages out. */
export type Handler = (requests: AsyncIterable<Message>, call: GrpcCall) => AsyncIterable<Message>;

export interface Method {
  readonly kind: 'unary' | 'server-stream' | 'client-stream' | 'bidi';
  readonly handle: Handler;
}

/** The methods of one service, by name. */
export type ServiceMethods = Readonly<Record<string, Method>>;

export function unary<Request extends Message, Reply extends Message>(
  answer: (request: Request, call: GrpcCall) => Reply | Promise<Reply>,
): Method {
  return {
    kind: 'unary',
    handle: async function* (requests, call) {
      yield await answer(await onlyOne<Request>(requests), call);
    },
  };
}

export function serverStream<Request extends Message, Reply extends Message>(
  answer: (request: Request, call: GrpcCall) => AsyncIterable<Reply>,
): Method {
  return {
    kind: 'server-stream',
    handle: async function* (requests, call) {
      yield* answer(await onlyOne<Request>(requests), call);
    },
  };
}

export function clientStream<Request extends Message, Reply extends Message>(
  answer: (requests: AsyncIterable<Request>, call: GrpcCall) => Promise<Reply>,
): Method {
  return {
    kind: 'client-stream',
    handle: async function* (requests, call) {
      yield await answer(requests as AsyncIterable<Request>, call);
    },
  };
}

export function bidi<Request extends Message, Reply extends Message>(
  answer: (requests: AsyncIterable<Request>, call: GrpcCall) => AsyncIterable<Reply>,
): Method {
  return {
    kind: 'bidi',
    handle: (requests, call) => answer(requests as AsyncIterable<Request>, call),
  };
}

/** The message of a call that has exactly one. */
async function onlyOne<Request extends Message>(requests: AsyncIterable<Message>): Promise<Request> {
  let request: Message | undefined;
  for await (const message of requests) {
    if (request) throw grpcError('UNIMPLEMENTED', 'more than one message came where the method takes one');
    request = message;
  }
  if (!request) throw grpcError('UNIMPLEMENTED', 'no message came where the method takes one');
  return request as Request;
}
