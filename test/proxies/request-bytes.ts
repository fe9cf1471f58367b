export const HOST = 'shop.example.test';

/** A request that asks for its connection to be closed, unless the lines say otherwise. */
export function request(method: string, target: string, lines: readonly string[] = [], body = ''): string {
  const names = new Set(lines.map((line) => line.slice(0, line.indexOf(':')).toLowerCase()));
  const isFramed = names.has('content-length') || names.has('transfer-encoding');
  const head = [
    `${method} ${target} HTTP/1.1`,
    ...(names.has('host') ? [] : [`Host: ${HOST}`]),
    ...lines,
    ...(names.has('connection') ? [] : ['Connection: close']),
    ...(body === '' || isFramed ? [] : [`Content-Length: ${body.length}`]),
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

export const get = (target: string, ...lines: string[]) => request('GET', target, lines);

export const post = (target: string, body: string, ...lines: string[]) =>
  request('POST', target, lines, body);

/** The same content in chunks of these sizes, with trailers behind it. */
export function chunked(content: string, sizes: readonly number[], trailers: readonly string[] = []): string {
  let at = 0;
  const chunks = sizes.map((size) => {
    at += size;
    return `${size.toString(16)}\r\n${content.slice(at - size, at)}\r\n`;
  });
  return `${chunks.join('')}0\r\n${trailers.map((line) => `${line}\r\n`).join('')}\r\n`;
}
