import { once } from 'node:events';
import { connect } from 'node:tls';
import { parentPort, workerData } from 'node:worker_threads';

const { port, seconds, clients } = workerData as { port: number; seconds: number; clients: number };
const deadline = performance.now() + seconds * 1000;
let count = 0;

/** One connection after the other, each with a request and its whole answer. */
async function work(): Promise<void> {
  while (performance.now() < deadline) {
    const socket = connect({
      port,
      host: '127.0.0.1',
      rejectUnauthorized: false,
      ALPNProtocols: ['http/1.1'],
    });
    await once(socket, 'secureConnect');
    socket.write('GET /get HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n');
    socket.resume();
    await once(socket, 'close');
    count++;
  }
}

await Promise.all(Array.from({ length: clients }, work));
parentPort?.postMessage(count);
