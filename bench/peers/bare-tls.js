/** The least that node:tls needs to answer a request. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:tls';

const [port, identity] = process.argv.slice(2);
const { cert, key } = JSON.parse(readFileSync(identity, 'utf8'));
const body = 'Hello\n';
const answer = `HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`;

createServer({ cert, key, ALPNProtocols: ['h2', 'http/1.1'] }, (socket) => {
  socket.on('error', () => {});
  socket.once('data', () => socket.end(answer));
}).listen(Number(port), '127.0.0.1', 4096);
