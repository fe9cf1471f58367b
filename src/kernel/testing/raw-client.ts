import net from 'node:net';
import { parseRawAnswer, type RawAnswer } from './raw-answer.ts';

export interface RawExchange extends RawAnswer {
  /** Everything that came over the wire. */
  readonly wire: Buffer;
  /** How the connection ended: by FIN, by RST, or not within the time waited. */
  readonly ended: 'close' | 'reset' | 'open';
  /** From the request being written to the first byte of any answer; undefined when none came. */
  readonly firstByteMs: number | undefined;
}

export interface RawRequestOptions {
  /** How long to wait for the server to end the connection. */
  readonly waitMs?: number;
  readonly host?: string;
  /** More bytes after a pause, such as a body that waits for its 100. */
  readonly later?: { readonly afterMs: number; readonly bytes: string | Uint8Array };
}

/**
 * Sends exactly these bytes (a string is Latin-1) on a connection of their own and collects what comes back until the
 * server ends the connection. A request that leaves it open should be given a short `waitMs`.
 */
export function rawRequest(
  port: number,
  request: string | Uint8Array,
  { waitMs = 10_000, host = '127.0.0.1', later }: RawRequestOptions = {},
): Promise<RawExchange> {
  const bytes = bytesOf(request);
  const method = bytes.toString('latin1', 0, Math.max(bytes.indexOf(' '), 0));
  return new Promise((resolve, reject) => {
    const received: Buffer[] = [];
    let sentAtMs = 0;
    let firstByteMs: number | undefined;
    let isConnected = false;
    let laterTimer: NodeJS.Timeout | undefined;

    const socket = net.connect({ port, host, noDelay: true }, () => {
      isConnected = true;
      sentAtMs = performance.now();
      socket.write(bytes);
      if (later) laterTimer = setTimeout(() => socket.write(bytesOf(later.bytes)), later.afterMs);
    });
    const timer = setTimeout(() => settle('open'), waitMs);

    socket.on('data', (chunk: Buffer) => {
      firstByteMs ??= performance.now() - sentAtMs;
      received.push(chunk);
    });
    socket.on('end', () => settle('close'));
    socket.on('close', () => settle('close'));
    socket.on('error', (error) => {
      if (isConnected) settle('reset');
      else {
        clearTimeout(timer);
        reject(error);
      }
    });

    function settle(ended: RawExchange['ended']): void {
      clearTimeout(timer);
      clearTimeout(laterTimer);
      socket.destroy();
      const wire = Buffer.concat(received);
      resolve({ ...parseRawAnswer(wire, method), wire, ended, firstByteMs });
    }
  });
}

function bytesOf(text: string | Uint8Array): Buffer {
  return typeof text === 'string' ? Buffer.from(text, 'latin1') : Buffer.from(text);
}
