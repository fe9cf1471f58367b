import { reply, type WireAnswer } from '../../kernel/catalogue/answer.ts';

/**
 * A 304 that is followed by a body, which RFC 9110 §15.4.5 forbids: the client must take the head for the whole
 * answer and must not read these bytes as the beginning of the next one. The close keeps them off later answers.
 */
export function notModifiedWithBody(etag: string, body: string): WireAnswer {
  const head = [
    'HTTP/1.1 304 Not Modified',
    `ETag: ${etag}`,
    'Content-Type: text/plain; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  return reply.wire(async (socket) => {
    await socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
    socket.close();
  });
}
