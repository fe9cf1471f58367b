import type { Server } from 'node:net';
import type { HttpConnections } from './http-connections.ts';
import type { Log } from './log.ts';

/** Stops accepting, lets running exchanges finish, and cuts off what is left after the deadline. */
export async function stopListening(
  server: Server,
  connections: HttpConnections,
  deadlineMs: number,
  log: Log,
): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  connections.closeGracefully();
  const timer = setTimeout(() => {
    log.warn({ event: 'listener.cut-off', connections: connections.size });
    connections.destroy();
  }, deadlineMs);
  await closed;
  clearTimeout(timer);
}
