import type { HeaderPairs } from '../../http1/header-list.ts';

export interface WrittenPart {
  readonly headers: HeaderPairs;
  readonly content: string | Uint8Array;
}

/** A multipart body (RFC 2046 §5.1.1). The caller sees to it that no content holds the boundary. */
export function writeMultipart(boundary: string, parts: readonly WrittenPart[]): Buffer {
  const pieces: Buffer[] = [];
  for (const { headers, content } of parts) {
    pieces.push(
      Buffer.from(`--${boundary}\r\n${headerLines(headers)}\r\n`),
      Buffer.from(content),
      Buffer.from('\r\n'),
    );
  }
  pieces.push(Buffer.from(`--${boundary}--\r\n`));
  return Buffer.concat(pieces);
}

function headerLines(headers: HeaderPairs): string {
  let lines = '';
  for (let index = 0; index < headers.length; index += 2)
    lines += `${headers[index]}: ${headers[index + 1]}\r\n`;
  return lines;
}
