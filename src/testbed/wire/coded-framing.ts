import type { RawSocket } from '../../http1/exchange.ts';
import type { HeaderPairs } from '../../http1/header-list.ts';
import { reply, type WireAnswer } from '../../kernel/catalogue/answer.ts';

/** A body whose Content-Length is off by some bytes. Whatever was declared, the whole body is sent; then the connection closes. */
export function wrongLength(body: Uint8Array, declaredLength: number, headers: HeaderPairs): WireAnswer {
  return reply.wire(async (socket) => {
    await socket.write(headOf(['Content-Length', String(declaredLength), ...headers]));
    await socket.write(body);
    socket.close();
  });
}

/**
 * A body coded hop by hop (RFC 9112 §7): first the transfer coding, then chunks of the given size. The engine's own
 * writer only knows `chunked`, so this is written on the bare socket.
 */
export function transferCoded(
  coded: Uint8Array,
  coding: string,
  headers: HeaderPairs,
  chunkBytes = 64,
): WireAnswer {
  return reply.wire(async (socket) => {
    await socket.write(headOf(['Transfer-Encoding', `${coding}, chunked`, ...headers]));
    await writeChunks(socket, coded, chunkBytes);
    socket.close();
  });
}

async function writeChunks(socket: RawSocket, bytes: Uint8Array, chunkBytes: number): Promise<void> {
  for (let offset = 0; offset < bytes.length; offset += chunkBytes) {
    const chunk = bytes.subarray(offset, offset + chunkBytes);
    await socket.write(`${chunk.length.toString(16)}\r\n`);
    await socket.write(chunk);
    await socket.write('\r\n');
  }
  await socket.write('0\r\n\r\n');
}

function headOf(headers: HeaderPairs): Buffer {
  let head = 'HTTP/1.1 200 OK\r\n';
  for (let index = 0; index < headers.length; index += 2)
    head += `${headers[index]}: ${headers[index + 1]}\r\n`;
  return Buffer.from(`${head}Connection: close\r\n\r\n`, 'latin1');
}
