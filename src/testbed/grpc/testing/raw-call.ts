import {
  type ClientHttp2Session,
  connect,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
} from 'node:http2';
import { framed } from '../framing.ts';
import { loadSchema } from '../schema.ts';

const schema = loadSchema();

/** The encoded message of a type. */
export function encoded(type: string, value: object): Buffer {
  return Buffer.from(schema.messageType(type).encode(value).finish());
}

export function decoded(type: string, bytes: Uint8Array): Record<string, unknown> {
  const messageType = schema.messageType(type);
  return messageType.toObject(messageType.decode(bytes), { enums: String, longs: String });
}

/** A request message in its frame. */
export function requestFrame(type: string, value: object): Buffer {
  return framed(encoded(type, value));
}

export interface RawReply {
  readonly headers: IncomingHttpHeaders;
  readonly trailers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** The code of an RST_STREAM; 0 when the stream ended in order. */
  readonly rstCode: number;
}

export interface RawCallOptions {
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: Uint8Array;
  /** Leaves the request open instead of ending it with its body. */
  readonly isOpen?: boolean;
}

/** One request on a bare HTTP/2 client: what comes back is shown as it came. */
export async function rawCall(port: number, path: string, options: RawCallOptions = {}): Promise<RawReply> {
  const session = connect(`http://127.0.0.1:${port}`);
  try {
    return await callOn(session, path, options);
  } finally {
    session.destroy();
  }
}

async function callOn(
  session: ClientHttp2Session,
  path: string,
  { headers = {}, body, isOpen = false }: RawCallOptions,
): Promise<RawReply> {
  const stream = session.request({
    ':method': 'POST',
    ':path': path,
    'content-type': 'application/grpc',
    te: 'trailers',
    ...headers,
  });
  const chunks: Buffer[] = [];
  const reply = { headers: {}, trailers: {} };
  stream.on('response', (fields) => Object.assign(reply.headers, fields));
  stream.on('trailers', (fields) => Object.assign(reply.trailers, fields));
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  // A reset is told by its code.
  stream.on('error', () => {});
  if (isOpen) stream.write(body ?? Buffer.alloc(0));
  else stream.end(body);
  await new Promise((resolve) => stream.once(isOpen ? 'end' : 'close', resolve));
  return { ...reply, body: Buffer.concat(chunks), rstCode: stream.rstCode ?? 0 };
}
