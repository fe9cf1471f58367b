import type { RawSocket } from '../../http1/exchange.ts';
import type { HeaderPairs } from '../../http1/header-list.ts';
import { reply, type WireAnswer } from '../../kernel/catalogue/answer.ts';

interface FramedBody {
  readonly body: Uint8Array;
  readonly headers: HeaderPairs;
  /** A HEAD is answered by the same head, and nothing after it. */
  readonly isHead: boolean;
}

/** A body whose Content-Length is off by some bytes. Whatever was declared, the whole body is sent; then the connection closes. */
export function wrongLength({ body, headers, isHead }: FramedBody, declaredLength: number): WireAnswer {
  return reply.wire(async (socket) => {
    await socket.write(headOf(['Content-Length', String(declaredLength), ...headers]));
    if (!isHead) await socket.write(body);
    socket.close();
  });
}

const CHUNK_BYTES = 64;

/**
 * A body coded hop by hop (RFC 9112 §7): first the transfer coding, then chunks. The engine's own writer only knows
 * `chunked`, so this is written on the bare socket.
 */
export function transferCoded({ body, headers, isHead }: FramedBody, coding: string): WireAnswer {
  return reply.wire(async (socket) => {
    await socket.write(headOf(['Transfer-Encoding', `${coding}, chunked`, ...headers]));
    if (!isHead) await writeChunks(socket, body);
    socket.close();
  });
}

async function writeChunks(socket: RawSocket, bytes: Uint8Array): Promise<void> {
  for (let offset = 0; offset < bytes.length; offset += CHUNK_BYTES) {
    const chunk = bytes.subarray(offset, offset + CHUNK_BYTES);
    await socket.write(
      Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n')]),
    );
  }
  await socket.write('0\r\n\r\n');
}

function headOf(headers: HeaderPairs): Buffer {
  let head = 'HTTP/1.1 200 OK\r\n';
  for (let index = 0; index < headers.length; index += 2)
    head += `${headers[index]}: ${headers[index + 1]}\r\n`;
  return Buffer.from(`${head}Connection: close\r\n\r\n`, 'latin1');
}
