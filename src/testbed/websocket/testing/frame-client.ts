import { once } from 'node:events';
import http2 from 'node:http2';
import net from 'node:net';
import type { Duplex } from 'node:stream';

/** What carries the WebSocket. */
export type Carrier = 'HTTP/1.1' | 'HTTP/2';
export const carriers: readonly Carrier[] = ['HTTP/1.1', 'HTTP/2'];

export interface Talk {
  /** Everything the server sent after the handshake. */
  readonly received: Buffer;
  /** How the server ended the connection or stream. */
  readonly ended: 'close' | 'reset' | 'open';
}

export interface OpenedWebSocket extends AsyncDisposable {
  readonly stream: Duplex;
  /** Fields of the answer, lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
}

export const SAMPLE_KEY = 'dGhlIHNhbXBsZSBub25jZQ==';

/** Opens a WebSocket and hands over its bare bytes. */
export function openWebSocket(
  port: number,
  path: string,
  carrier: Carrier,
  headers: Readonly<Record<string, string>> = {},
): Promise<OpenedWebSocket> {
  return carrier === 'HTTP/2' ? openOnHttp2(port, path, headers) : openOnHttp1(port, path, headers);
}

/** Sends these bytes, piece by piece, and collects what comes back until the server ends it. */
export async function talk(
  port: number,
  path: string,
  carrier: Carrier,
  pieces: readonly Uint8Array[],
  { waitMs = 5000, headers = {} }: { waitMs?: number; headers?: Readonly<Record<string, string>> } = {},
): Promise<Talk> {
  await using opened = await openWebSocket(port, path, carrier, headers);
  const { stream } = opened;
  const received: Buffer[] = [];
  const ended = new Promise<Talk['ended']>((resolve) => {
    const timer = setTimeout(() => resolve('open'), waitMs);
    const settle = (how: Talk['ended']) => {
      clearTimeout(timer);
      resolve(how);
    };
    stream.on('data', (chunk: Buffer) => received.push(chunk));
    // An HTTP/2 stream also ends when it is reset; its code tells the two apart once it is closed.
    stream.on('end', () => (isHttp2(stream) ? stream.end() : settle('close')));
    stream.on('error', () => settle('reset'));
    stream.on('close', () => settle(isHttp2(stream) && stream.rstCode === 0 ? 'close' : 'reset'));
    stream.resume();
  });
  for (const piece of pieces) {
    if (stream.writable) stream.write(piece);
    // The next piece leaves as a packet of its own.
    if (pieces.length > 1) await new Promise((resolve) => setImmediate(resolve));
  }
  const how = await ended;
  return { received: Buffer.concat(received), ended: how };
}

function isHttp2(stream: Duplex): stream is http2.ClientHttp2Stream {
  return 'rstCode' in stream;
}

async function openOnHttp1(
  port: number,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<OpenedWebSocket> {
  const socket = net.connect({ port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  const fields = Object.entries({
    Host: 'test',
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': SAMPLE_KEY,
    ...headers,
  });
  socket.write(
    `GET ${path} HTTP/1.1\r\n${fields.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
  );
  let head = Buffer.alloc(0);
  while (!head.includes('\r\n\r\n')) {
    const [chunk] = (await once(socket, 'data')) as [Buffer];
    head = Buffer.concat([head, chunk]);
  }
  socket.pause();
  const headEnd = head.indexOf('\r\n\r\n') + 4;
  const [statusLine, ...lines] = head.toString('latin1', 0, headEnd - 4).split('\r\n');
  if (!statusLine?.startsWith('HTTP/1.1 101 ')) throw new Error(`the handshake was refused: ${statusLine}`);
  if (headEnd < head.length) socket.unshift(head.subarray(headEnd));
  const answered = Object.fromEntries(lines.map((line) => line.split(': ', 2) as [string, string]));
  return {
    stream: socket,
    headers: lowerCased(answered),
    async [Symbol.asyncDispose]() {
      socket.on('error', () => {}).destroy();
    },
  };
}

async function openOnHttp2(
  port: number,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<OpenedWebSocket> {
  const session = http2.connect(`http://127.0.0.1:${port}`);
  session.on('error', () => {});
  // An extended CONNECT may only be sent once the server has said that it takes it (RFC 8441 §3).
  await once(session, 'remoteSettings');
  const stream = session.request({
    ':method': 'CONNECT',
    ':protocol': 'websocket',
    ':path': path,
    'sec-websocket-version': '13',
    ...lowerCased(headers),
  });
  const [answered] = (await once(stream, 'response')) as [Record<string, string | number>];
  if (answered[':status'] !== 200) throw new Error(`the handshake was refused: ${answered[':status']}`);
  return {
    stream,
    headers: Object.fromEntries(Object.entries(answered).map(([name, value]) => [name, String(value)])),
    async [Symbol.asyncDispose]() {
      stream.on('error', () => {}).destroy();
      session.destroy();
    },
  };
}

function lowerCased(fields: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name.toLowerCase(), value]));
}
