import type { RequestHead } from '../../http1/exchange.ts';

/**
 * The head of a request as it came over the wire, up to and with its empty line. HTTP/2 has no such bytes:
 * there it is the same list of fields, in its order, written as HTTP/1.1 would.
 */
export function rawHeadBytes(head: RequestHead): Buffer {
  if (head.wireBytes) return head.wireBytes;
  let text = `${head.method} ${head.target} HTTP/2\r\n`;
  for (const [name, value] of head.headers.pairs()) text += `${name}: ${value}\r\n`;
  return Buffer.from(`${text}\r\n`, 'latin1');
}

/** The same as text, one character per byte. */
export function rawHeadText(head: RequestHead): string {
  return rawHeadBytes(head).toString('latin1');
}
