import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface EchoLoad {
  readonly payloadBytes: number;
  readonly connections: number;
  /** Messages on their way per connection. */
  readonly inFlight: number;
}

export interface EchoResult {
  readonly messages: number;
  readonly messagesPerSecond: number;
}

/**
 * Keeps that many echoes under way and counts them by their bytes alone: every frame back has the same size, so that
 * next to nothing of the processor goes into looking at them.
 */
export async function runEchoLoad(
  port: number,
  path: string,
  { payloadBytes, connections, inFlight }: EchoLoad,
  seconds: number,
): Promise<EchoResult> {
  const frame = maskedFrame(payloadBytes);
  const frameBytesBack = frame.length - 4;
  const burst = Buffer.concat(Array.from({ length: inFlight }, () => frame));
  const sockets = await Promise.all(Array.from({ length: connections }, () => openWebSocket(port, path)));
  let messages = 0;
  let failure: Error | undefined;
  for (const socket of sockets) {
    let unfinishedBytes = 0;
    socket.on('data', (chunk: Buffer) => {
      unfinishedBytes += chunk.length;
      const whole = Math.floor(unfinishedBytes / frameBytesBack);
      if (whole === 0) return;
      unfinishedBytes -= whole * frameBytesBack;
      messages += whole;
      socket.write(burst.subarray(0, whole * frame.length));
    });
    socket.on('close', () => {
      failure = new Error('the server closed a connection under load');
    });
    socket.resume();
    socket.write(burst);
  }
  const startedAtMs = performance.now();
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  const tookMs = performance.now() - startedAtMs;
  const counted = messages;
  if (failure) throw failure;
  for (const socket of sockets) socket.removeAllListeners('close').destroy();
  return { messages: counted, messagesPerSecond: (counted * 1000) / tookMs };
}

async function openWebSocket(port: number, path: string): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  socket.on('error', () => {});
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: bench\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
      'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  );
  const [answer] = (await once(socket, 'data')) as [Buffer];
  if (!answer.toString('latin1').startsWith('HTTP/1.1 101 ')) throw new Error(`refused: ${answer}`);
  socket.pause();
  return socket;
}

/** A binary message of a client, masked. */
function maskedFrame(payloadBytes: number): Buffer {
  const length =
    payloadBytes <= 125
      ? [0x80 | payloadBytes]
      : payloadBytes <= 0xffff
        ? [0x80 | 126, payloadBytes >> 8, payloadBytes & 0xff]
        : [
            0x80 | 127,
            0,
            0,
            0,
            0,
            payloadBytes >>> 24,
            (payloadBytes >> 16) & 0xff,
            (payloadBytes >> 8) & 0xff,
            payloadBytes & 0xff,
          ];
  return Buffer.concat([Buffer.from([0x82, ...length, 1, 2, 3, 4]), Buffer.alloc(payloadBytes, 'gatehouse')]);
}
