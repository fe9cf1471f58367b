/** The least that takes posted batches: reads heads for their length, throws bodies away, answers 200. */
import { createServer } from 'node:net';

const [port] = process.argv.slice(2);
const answer = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';

createServer({ noDelay: true }, (socket) => {
  let head = '';
  let missingBytes = 0;
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    let at = 0;
    while (at < chunk.length) {
      if (missingBytes > 0) {
        const taken = Math.min(missingBytes, chunk.length - at);
        missingBytes -= taken;
        at += taken;
        if (missingBytes === 0) socket.write(answer);
        continue;
      }
      const end = chunk.indexOf('\r\n\r\n', at);
      head += chunk.latin1Slice(at, end < 0 ? chunk.length : end);
      if (end < 0) return;
      at = end + 4;
      missingBytes = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
      head = '';
      if (missingBytes === 0) socket.write(answer);
    }
  });
}).listen(Number(port), '127.0.0.1', 4096);
