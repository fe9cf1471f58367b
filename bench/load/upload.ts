import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';

/** Uploads that many bytes as fast as the server takes them; resolves with the answer's body. */
export async function upload(port: number, path: string, totalBytes: number): Promise<string> {
  const block = Buffer.alloc(1024 * 1024, 'gatehouse ');
  const hash = createHash('sha256');
  for (let sent = 0; sent < totalBytes; sent += block.length) hash.update(block);
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  let answer = '';
  socket.setEncoding('latin1').on('data', (text: string) => {
    answer += text;
  });
  const ended = once(socket, 'close');
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: bench\r\nConnection: close\r\nContent-Type: application/octet-stream\r\n` +
      `Content-Length: ${totalBytes}\r\nX-Expected-Sha256: ${hash.digest('hex')}\r\n\r\n`,
  );
  for (let sent = 0; sent < totalBytes; sent += block.length) {
    if (!socket.write(block)) await once(socket, 'drain');
  }
  await ended;
  return answer;
}
