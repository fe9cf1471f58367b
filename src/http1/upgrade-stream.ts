import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { UpgradedStream } from './exchange.ts';
import { resetSocket } from './socket-endings.ts';

/** The socket after a protocol switch. It first gives the bytes that were already read. */
export function upgradedStream(socket: Socket, alreadyRead: Buffer, hasInputEnded: boolean): UpgradedStream {
  // A socket whose input has ended takes no bytes back and would not tell the end once more.
  if (hasInputEnded) return new HalfClosedStream(socket, alreadyRead);
  // The socket itself and no stream around it: what passes through it would pay for each layer.
  socket.pause();
  if (alreadyRead.length > 0) socket.unshift(alreadyRead);
  // As for a stream nobody has listened to yet: the next listener for data sets it flowing.
  (socket as { readableFlowing: boolean | null }).readableFlowing = null;
  return Object.assign(socket, { reset: () => resetSocket(socket) });
}

/** The same where the client has closed its half already: what it sent before, and the socket to write on. */
class HalfClosedStream extends Duplex implements UpgradedStream {
  readonly #socket: Socket;

  constructor(socket: Socket, alreadyRead: Buffer) {
    super({ allowHalfOpen: true });
    this.#socket = socket;
    if (alreadyRead.length > 0) this.push(alreadyRead);
    this.push(null);
    socket.on('close', () => {
      // What was sent can still be read; the stream then closes by itself.
      if (!this.writableFinished) this.destroy();
    });
    // A client that vanishes is no reason to end the process when the protocol above does not listen for it.
    this.on('error', () => {});
  }

  reset(): void {
    resetSocket(this.#socket);
    this.destroy();
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, callback: (error?: Error | null) => void): void {
    this.#socket.write(chunk, callback);
  }

  override _final(callback: (error?: Error | null) => void): void {
    this.#socket.end(() => callback());
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#socket.destroy();
    callback(error);
  }
}
