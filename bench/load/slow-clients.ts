import { connect, type Socket } from 'node:net';

/** Holds many clients on a slow answer; each starts over when its answer ends. */
export async function holdSlowClients(port: number, count: number, path: string): Promise<() => void> {
  const sockets = new Set<Socket>();
  let isOver = false;
  const open = (onConnected?: () => void) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(`GET ${path} HTTP/1.1\r\nHost: bench\r\nConnection: close\r\n\r\n`);
      onConnected?.();
    });
    sockets.add(socket);
    socket.resume();
    socket.on('error', () => {});
    socket.on('close', () => {
      sockets.delete(socket);
      if (!isOver) open();
    });
  };
  await Promise.all(Array.from({ length: count }, () => new Promise<void>((resolve) => open(resolve))));
  return () => {
    isOver = true;
    for (const socket of sockets) socket.destroy();
  };
}
