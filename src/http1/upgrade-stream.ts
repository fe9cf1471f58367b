import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { UpgradedStream } from './exchange.ts';
import { resetSocket } from './socket-endings.ts';

/** A connection after a protocol switch: first the bytes that were already read, then the socket's. */
export class UpgradeStream extends Duplex implements UpgradedStream {
  readonly #socket: Socket;

  constructor(socket: Socket, alreadyRead: Buffer, hasInputEnded: boolean) {
    super({ allowHalfOpen: true });
    this.#socket = socket;
    socket.pause();
    if (alreadyRead.length > 0) this.push(alreadyRead);
    if (hasInputEnded) this.push(null);
    socket.on('data', (chunk: Buffer) => {
      if (!this.push(chunk)) socket.pause();
    });
    socket.on('end', () => this.push(null));
    socket.on('close', () => {
      // What came before a clean end can still be read; the stream then closes by itself.
      if (!socket.readableEnded || !this.writableFinished) this.destroy();
    });
    // A client that vanishes is no reason to end the process when the protocol above does not listen for it.
    this.on('error', () => {});
  }

  resetAndDestroy(): void {
    resetSocket(this.#socket);
    this.destroy();
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, callback: (error?: Error | null) => void): void {
    this.#socket.write(chunk, callback);
  }

  override _writev(
    chunks: { chunk: Buffer; encoding: BufferEncoding }[],
    callback: (error?: Error | null) => void,
  ): void {
    this.#socket.cork();
    for (const { chunk } of chunks.slice(0, -1)) this.#socket.write(chunk);
    this.#socket.write(chunks.at(-1)!.chunk, callback);
    this.#socket.uncork();
  }

  override _final(callback: (error?: Error | null) => void): void {
    this.#socket.end(() => callback());
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#socket.destroy();
    callback(error);
  }
}
