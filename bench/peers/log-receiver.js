/**
 * The least that takes posted batches: reads heads for their length, answers 200, and counts the lines of the bodies.
 * `GET /lines` says how many there were since it was asked last. Compressed bodies are kept and unpacked only then, so
 * that it costs nothing while something is measured.
 */
import { createServer } from 'node:net';
import { gunzipSync } from 'node:zlib';

const [port] = process.argv.slice(2);
const NEWLINE = 0x0a;
let lineCount = 0;
let packedBodies = [];

createServer({ noDelay: true }, (socket) => {
  let head = '';
  let missingBytes = 0;
  /** Of a compressed body. */
  let packed;
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    let at = 0;
    while (at < chunk.length) {
      if (missingBytes === 0) {
        const end = chunk.indexOf('\r\n\r\n', at);
        head += chunk.latin1Slice(at, end < 0 ? chunk.length : end);
        if (end < 0) return;
        at = end + 4;
        missingBytes = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
        packed = /content-encoding: gzip/i.test(head) ? [] : undefined;
        if (missingBytes === 0)
          socket.write(answer(head.startsWith('GET /lines') ? `${takeLineCount()}` : ''));
        head = '';
        continue;
      }
      const taken = chunk.subarray(at, at + missingBytes);
      if (packed) packed.push(taken);
      else lineCount += linesIn(taken);
      missingBytes -= taken.length;
      at += taken.length;
      if (missingBytes > 0) return;
      if (packed) packedBodies.push(packed);
      socket.write(answer(''));
    }
  });
}).listen(Number(port), '127.0.0.1', 4096);

function answer(body) {
  return `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

function takeLineCount() {
  const packedLines = packedBodies.reduce((sum, body) => sum + linesIn(gunzipSync(Buffer.concat(body))), 0);
  const count = lineCount + packedLines;
  lineCount = 0;
  packedBodies = [];
  return count;
}

function linesIn(bytes) {
  let count = 0;
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) count++;
  return count;
}
