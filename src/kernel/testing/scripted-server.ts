import { once } from 'node:events';
import net, { type AddressInfo, type Socket } from 'node:net';

export interface ScriptedServer extends AsyncDisposable {
  readonly port: number;
  /** Everything received so far, one text per connection (Latin-1). */
  readonly received: string[];
}

/** A server that runs a script on every connection once bytes have come: for testing clients against any answer. */
export async function startScriptedServer(script: (socket: Socket) => void): Promise<ScriptedServer> {
  const received: string[] = [];
  const sockets = new Set<Socket>();
  const server = net.createServer((socket) => {
    const index = received.push('') - 1;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('data', (bytes: Buffer) => {
      const isFirst = received[index] === '';
      received[index] += bytes.toString('latin1');
      if (isFirst) script(socket);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    received,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
