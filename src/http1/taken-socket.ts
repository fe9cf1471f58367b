import type { Socket } from 'node:net';
import { ClientGone, type RawSocket } from './exchange.ts';
import { closeSocket, noticeAbandonment, resetSocket } from './socket-endings.ts';

/** The bare socket in the hands of a handler. What the client still sends is read and forgotten. */
export class TakenSocket implements RawSocket {
  readonly #socket: Socket;
  readonly #lingerMs: number;

  constructor(socket: Socket, lingerMs: number) {
    this.#socket = socket;
    this.#lingerMs = lingerMs;
    socket.once('end', () => noticeAbandonment(socket));
    socket.resume();
  }

  write(bytes: string | Uint8Array): Promise<void> {
    if (this.#socket.destroyed) return Promise.reject(new ClientGone());
    return new Promise((resolve, reject) => {
      const onWritten = (error?: Error | null) => (error ? reject(new ClientGone()) : resolve());
      if (typeof bytes === 'string') this.#socket.write(bytes, 'latin1', onWritten);
      else this.#socket.write(bytes, onWritten);
    });
  }

  close(): void {
    closeSocket(this.#socket, this.#lingerMs);
  }

  reset(): void {
    resetSocket(this.#socket);
  }
}
