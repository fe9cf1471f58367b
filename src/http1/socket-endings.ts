import type { Socket } from 'node:net';

/**
 * Sends FIN behind everything written, and goes on reading until the client closes too, though not for long: closing
 * with unread bytes would reset the connection and could take the answer from the client (RFC 9112 §9.6).
 */
export function closeSocket(socket: Socket, lingerMs: number): void {
  socket.resume();
  socket.end(() => {
    if (socket.destroyed) return;
    if (lingerMs === 0) {
      socket.destroy();
      return;
    }
    const timer = setTimeout(() => socket.destroy(), lingerMs);
    timer.unref();
    socket.once('close', () => clearTimeout(timer));
  });
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
