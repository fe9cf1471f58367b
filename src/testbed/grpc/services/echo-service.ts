import { sha256Hex } from '../../content/integrity.ts';
import { patternBytes } from '../../content/python-random.ts';
import {
  bidi,
  clientStream,
  type GrpcCall,
  type Message,
  type ServiceMethods,
  serverStream,
  unary,
} from '../call.ts';
import { grpcLimits } from '../limits.ts';
import { acceptedEncodings, isMessageEncoding } from '../message-encoding.ts';
import { type MetadataEntry, unpadded } from '../metadata.ts';
import type { Schema } from '../schema.ts';
import { GrpcError, grpcCodes, grpcError } from '../status.ts';
import { abort } from './abort.ts';
import { healthSwitchOf } from './health-service.ts';

interface EchoRequest {
  readonly message: string;
  readonly payload: Uint8Array;
}

interface WrittenEntry {
  readonly key: string;
  readonly text: string;
  readonly binary: Uint8Array;
}

const DEFAULT_COUNT = 10;

/** testservice.v1.Echo. */
export function echoService(schema: Schema): ServiceMethods {
  return {
    Unary: unary(({ message, payload }: EchoRequest) => ({ message, payload, number: 1 })),

    ServerStream: serverStream(async function* (
      { message, payload, count, intervalMs }: EchoRequest & { count: number; intervalMs: number },
      call,
    ) {
      const { maxStreamBytes } = call.services.settings.limits;
      if (streamCount(count) * (message.length + payload.length) > maxStreamBytes)
        throw grpcError('OUT_OF_RANGE', `all messages together may be at most ${maxStreamBytes} bytes`);
      for (let number = 1; number <= streamCount(count); number++) {
        if (number > 1) await wait(intervalMs, call);
        yield { message, payload, number };
      }
    }),

    ClientStream: clientStream(async (requests: AsyncIterable<EchoRequest>) => {
      let count = 0;
      let payloadBytes = 0;
      let last: EchoRequest | undefined;
      for await (const request of requests) {
        count++;
        payloadBytes += request.payload.length;
        last = request;
      }
      return { count, payloadBytes, last };
    }),

    Bidi: bidi(async function* (requests: AsyncIterable<EchoRequest>) {
      let number = 0;
      for await (const { message, payload } of requests) yield { message, payload, number: ++number };
    }),

    Status: unary(({ code, message, details }: { code: number; message: string; details: Message[] }) => {
      if (code === grpcCodes.OK) return {};
      const status = schema.messageType('google.rpc.Status').encode({ code, message, details }).finish();
      const hasDetails = details.length > 0;
      throw new GrpcError(code, message, hasDetails ? ['grpc-status-details-bin', unpadded(status)] : []);
    }),

    Metadata: unary((request: { initial: WrittenEntry[]; trailing: WrittenEntry[] }, call) => {
      call.reply.addInitial(request.initial.map(entryOf));
      call.reply.addTrailing(request.trailing.map(entryOf));
      const { headers } = call.exchange.head;
      return {
        metadata: call.metadata.map(([key, value]) =>
          typeof value === 'string' ? { key, text: value } : { key, binary: value },
        ),
        authority: headers.first('host') ?? '',
        userAgent: headers.first('user-agent') ?? '',
        te: headers.first('te') ?? '',
        contentType: headers.first('content-type') ?? '',
      };
    }),

    Deadline: unary(async ({ waitMs }: { waitMs: number }, call) => {
      await wait(waitMs, call);
      const { deadline, services } = call;
      if (!deadline) return { hasDeadline: false };
      const remainingMs = Math.max(0, deadline.atMs - services.clock.now());
      return { hasDeadline: true, timeout: deadline.field, timeoutMs: deadline.timeoutMs, remainingMs };
    }),

    Large: unary(({ sizeBytes }: { sizeBytes: number }, { services }) => {
      const maxBytes = Math.min(grpcLimits.maxReplyBytes, services.settings.limits.maxStreamBytes);
      if (sizeBytes > maxBytes) throw grpcError('OUT_OF_RANGE', `size_bytes may be at most ${maxBytes}`);
      const payload = patternBytes(sizeBytes);
      return { payload, sha256: sha256Hex(payload) };
    }),

    Slow: serverStream(async function* (request: SlowRequest, call) {
      await wait(request.firstDelayMs, call);
      for (let number = 1; number <= streamCount(request.count); number++) {
        if (number > 1) await wait(request.intervalMs, call);
        yield { message: 'slow', number };
      }
      await wait(request.statusDelayMs, call);
    }),

    Compressed: unary(({ replyEncoding, payload, unannounced }: CompressedRequest, call) => {
      const encoding = replyEncoding || 'identity';
      if (!isMessageEncoding(encoding))
        throw grpcError('INVALID_ARGUMENT', `reply_encoding must be one of ${acceptedEncodings}`);
      call.reply.encodeAs(encoding, !unannounced);
      return {
        payload,
        requestEncoding: call.requests.encoding,
        wasCompressed: call.requests.wasCompressed,
        acceptedEncodings: call.exchange.head.headers.get('grpc-accept-encoding') ?? '',
      };
    }),

    Abort: serverStream(abort),

    SetHealth: unary(
      async ({ service, isServing }: { service: string; isServing: boolean }, { services }) => {
        if (service !== '' && !schema.serviceNames.includes(service))
          throw grpcError('NOT_FOUND', `there is no service ${service}`);
        await services.state.healthSwitches.turn(healthSwitchOf(service), isServing);
        return {};
      },
    ),
  };
}

interface SlowRequest {
  readonly count: number;
  readonly firstDelayMs: number;
  readonly intervalMs: number;
  readonly statusDelayMs: number;
}

interface CompressedRequest {
  readonly replyEncoding: string;
  readonly payload: Uint8Array;
  readonly unannounced: boolean;
}

/** As long as the delay limit allows, and no longer than the client stays. */
async function wait(ms: number, { services, signal }: GrpcCall): Promise<void> {
  if (ms > 0) await services.clock.sleep(Math.min(ms, services.settings.limits.maxDelayMs), signal);
}

function streamCount(count: number): number {
  if (count > grpcLimits.maxStreamCount)
    throw grpcError('OUT_OF_RANGE', `count may be at most ${grpcLimits.maxStreamCount}`);
  return count || DEFAULT_COUNT;
}

function entryOf({ key, text, binary }: WrittenEntry): MetadataEntry {
  return [key, key.endsWith('-bin') ? Buffer.from(binary) : text];
}
