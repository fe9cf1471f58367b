import type { Socket } from 'node:net';
import { ClientGone, type RawSocket } from './exchange.ts';

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
    const socket = this.#socket;
    socket.end(() => {
      // A client that answers the FIN closes the socket before this; one that does not is not waited for long.
      const timer = setTimeout(() => socket.destroy(), this.#lingerMs);
      timer.unref();
      socket.once('close', () => clearTimeout(timer));
    });
  }

  reset(): void {
    resetSocket(this.#socket);
  }
}

/** Closes with RST. A TLS socket cannot do it by itself: the connection below it is reset. */
export function resetSocket(socket: Socket): void {
  const below = (socket as Socket & { _parent?: Socket })._parent;
  const tcp = below ?? socket;
  if (typeof tcp.resetAndDestroy === 'function') tcp.resetAndDestroy();
  socket.destroy();
}

const KEEP_ALIVE_PROBE_MS = 5_000;

/**
 * A FIN alone does not tell a client that waits for its answer from one that has left. The latter's system forgets
 * the connection after a while (a minute on Linux) and resets it when probed, which ends exchanges nobody waits for.
 */
export function noticeAbandonment(socket: Socket): void {
  socket.setKeepAlive?.(true, KEEP_ALIVE_PROBE_MS);
}
