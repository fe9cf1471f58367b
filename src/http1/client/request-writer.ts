import type { Socket } from 'node:net';
import type { ComposedRequest } from './request-head.ts';

/** Up to here head and body are copied into one buffer; beyond it the system joins them in one call. */
const MAX_JOINED_BYTES = 16 * 1024;
/** Parts that are smaller than this on average are cheaper to copy than to hand over one by one. */
const SMALL_PART_BYTES = 8 * 1024;

/** Writes a request whose body is all here, in one go; `onFlushed` hears when the system has taken the last byte. */
export function writeWhole(
  socket: Socket,
  { head, parts }: ComposedRequest,
  onFlushed: (error?: Error | null) => void,
): void {
  if (parts.length === 0) {
    socket.write(head, 'latin1', onFlushed);
    return;
  }
  let bodyBytes = 0;
  for (const part of parts) bodyBytes += part.length;
  const isJoined = bodyBytes <= MAX_JOINED_BYTES || bodyBytes < parts.length * SMALL_PART_BYTES;
  if (isJoined) {
    socket.write(joined(head, parts, bodyBytes), onFlushed);
    return;
  }
  socket.cork();
  socket.write(head, 'latin1');
  const last = parts.length - 1;
  for (let index = 0; index < last; index++) socket.write(parts[index]!);
  socket.write(parts[last]!, onFlushed);
  socket.uncork();
}

function joined(head: string, parts: readonly Uint8Array[], bodyBytes: number): Buffer {
  const whole = Buffer.allocUnsafe(head.length + bodyBytes);
  let at = whole.write(head, 0, 'latin1');
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** What a connection and the writing of a streamed body tell each other. */
export interface StreamWriting {
  /** The target takes bytes now, or does not: true while it is waited for, false while the source is. */
  onWaiting(isForTarget: boolean): void;
  onFlushed(error?: Error | null): void;
  /** The source failed, or gave another length than it promised. */
  onSourceFailed(error: unknown): void;
}

/** Writes the head and then a body as it comes from its source, no faster than the target takes it. */
export class StreamWriter {
  readonly #socket: Socket;
  readonly #request: ComposedRequest;
  readonly #writing: StreamWriting;
  #source: AsyncIterator<Uint8Array> | undefined = undefined;
  #isStopped = false;
  #wake: (() => void) | undefined = undefined;

  constructor(socket: Socket, request: ComposedRequest, writing: StreamWriting) {
    this.#socket = socket;
    this.#request = request;
    this.#writing = writing;
    socket.write(request.head, 'latin1');
    void this.#run();
  }

  /** Nothing more is sent. The source hears that it is not read to its end. */
  stop(): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#wake?.();
    void this.#leaveSource();
  }

  /** To be called on the socket's `drain`. */
  drained(): void {
    this.#wake?.();
  }

  async #run(): Promise<void> {
    try {
      await this.#writeAll();
    } catch (error) {
      if (!this.#isStopped) this.#writing.onSourceFailed(error);
    }
  }

  async #leaveSource(): Promise<void> {
    try {
      await this.#source?.return?.();
    } catch {
      // A source that fails while it is left has nobody to tell any more.
    }
  }

  async #writeAll(): Promise<void> {
    const { stream, streamLength } = this.#request;
    const source = stream![Symbol.asyncIterator]();
    this.#source = source;
    let sentBytes = 0;
    for (;;) {
      this.#writing.onWaiting(false);
      const { done, value } = await source.next();
      if (this.#isStopped) return;
      if (done) break;
      if (value.length === 0) continue;
      sentBytes += value.length;
      if (streamLength !== undefined && sentBytes > streamLength) throw lengthError(streamLength);
      if (!this.#writeChunk(value)) await this.#untilDrained();
      if (this.#isStopped) return;
    }
    if (streamLength !== undefined && sentBytes < streamLength) throw lengthError(streamLength);
    this.#writing.onWaiting(true);
    this.#socket.write(streamLength === undefined ? '0\r\n\r\n' : '', 'latin1', this.#writing.onFlushed);
  }

  #writeChunk(bytes: Uint8Array): boolean {
    const socket = this.#socket;
    if (this.#request.streamLength !== undefined) return socket.write(bytes);
    socket.cork();
    socket.write(`${bytes.length.toString(16)}\r\n`, 'latin1');
    socket.write(bytes);
    const hasRoom = socket.write('\r\n', 'latin1');
    socket.uncork();
    return hasRoom;
  }

  #untilDrained(): Promise<void> {
    this.#writing.onWaiting(true);
    return new Promise((resolve) => {
      this.#wake = () => {
        this.#wake = undefined;
        resolve();
      };
    });
  }
}

function lengthError(length: number): Error {
  return new Error(`the body is not as long as its Content-Length of ${length}`);
}
