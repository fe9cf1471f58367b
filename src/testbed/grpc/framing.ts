import { grpcError } from './status.ts';

/** One length-prefixed message as it stood on the wire. */
export interface Frame {
  readonly isCompressed: boolean;
  readonly bytes: Buffer;
}

const PREFIX_BYTES = 5;
const COMPRESSED_FLAG = 1;

/** Cuts a request body into its messages; what is no message ends the call with INTERNAL. */
export async function* readFrames(
  body: AsyncIterable<Buffer>,
  maxBytes: number,
  onPending: (byteCount: number) => void = () => {},
): AsyncGenerator<Frame> {
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  let wantedBytes = PREFIX_BYTES;
  for await (const chunk of body) {
    pending.push(chunk);
    pendingBytes += chunk.length;
    onPending(pendingBytes);
    if (pendingBytes < wantedBytes) continue;
    let bytes = pending.length === 1 ? chunk : Buffer.concat(pending);
    while (bytes.length >= PREFIX_BYTES) {
      const end = PREFIX_BYTES + lengthOf(bytes, maxBytes);
      if (bytes.length < end) break;
      yield { isCompressed: bytes[0] === COMPRESSED_FLAG, bytes: bytes.subarray(PREFIX_BYTES, end) };
      bytes = bytes.subarray(end);
    }
    // Joined again only when the message can be whole, so that many small chunks cost no more than large ones.
    wantedBytes = bytes.length < PREFIX_BYTES ? PREFIX_BYTES : PREFIX_BYTES + bytes.readUInt32BE(1);
    pending = bytes.length === 0 ? [] : [bytes];
    pendingBytes = bytes.length;
  }
  if (pendingBytes > 0) throw grpcError('INTERNAL', 'the request ends within a message');
}

function lengthOf(bytes: Buffer, maxBytes: number): number {
  const flags = bytes[0]!;
  if (flags > COMPRESSED_FLAG) throw grpcError('INTERNAL', `a message has the unknown flags ${flags}`);
  const length = bytes.readUInt32BE(1);
  if (length > maxBytes)
    throw grpcError('RESOURCE_EXHAUSTED', `a message of ${length} bytes is larger than ${maxBytes}`);
  return length;
}

/** A message with its prefix. */
export function framed(bytes: Uint8Array, flags = 0): Buffer {
  const frame = Buffer.allocUnsafe(PREFIX_BYTES + bytes.length);
  frame[0] = flags;
  frame.writeUInt32BE(bytes.length, 1);
  frame.set(bytes, PREFIX_BYTES);
  return frame;
}

export function compressedFrame(bytes: Uint8Array): Buffer {
  return framed(bytes, COMPRESSED_FLAG);
}
