import type { HeaderList } from '../../http1/header-list.ts';
import { Fault } from '../../kernel/faults.ts';
import { decodeWhole, encodeWhole } from '../content/codings.ts';
import { compressedFrame, type Frame, framed } from './framing.ts';
import { grpcError } from './status.ts';

const messageEncodings = ['identity', 'deflate', 'gzip'] as const;
export type MessageEncoding = (typeof messageEncodings)[number];

/** What we understand, as every answer says. */
export const acceptedEncodings = messageEncodings.join(',');

/** The encoding a request names for its messages. */
export function requestEncoding(headers: HeaderList): MessageEncoding {
  const name = headers.first('grpc-encoding') ?? 'identity';
  if (!isMessageEncoding(name))
    throw grpcError('UNIMPLEMENTED', `grpc-encoding ${name} is not understood; send ${acceptedEncodings}`);
  return name;
}

export function isMessageEncoding(name: string): name is MessageEncoding {
  return messageEncodings.includes(name as MessageEncoding);
}

/** The message within a frame. */
export async function decodeFrame(
  { isCompressed, bytes }: Frame,
  encoding: MessageEncoding,
  maxBytes: number,
): Promise<Buffer> {
  if (!isCompressed) return bytes;
  if (encoding === 'identity')
    throw grpcError('INTERNAL', 'a message is marked as compressed, but grpc-encoding names no compression');
  try {
    return await decodeWhole(encoding, bytes, maxBytes);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw grpcError(error.key === 'encoding.bomb' ? 'RESOURCE_EXHAUSTED' : 'INTERNAL', error.message);
  }
}

/** A message in its frame. */
export async function encodeFrame(message: Uint8Array, encoding: MessageEncoding): Promise<Buffer> {
  if (encoding === 'identity') return framed(message);
  return compressedFrame(await encodeWhole(encoding, message));
}
