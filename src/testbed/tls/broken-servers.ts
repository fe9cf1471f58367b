import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { fatalAlert } from '../../kernel/tls-records.ts';
import type { BrokenServer } from './scenario.ts';

/** Beyond it the system turns clients away by itself. */
const MAX_CONNECTIONS = 1000;
/** Not even a stall holds a connection for ever. */
const LONGEST_STALL_MS = 300_000;

type SilentServer = Exclude<BrokenServer, 'plain-http' | 'no-close-notify'>;

const behaviours: Readonly<Record<SilentServer, (socket: Socket) => void>> = {
  stall: () => {},
  reset: (socket) => socket.once('data', () => socket.resetAndDestroy()),
  'handshake-failure': (socket) => answerHello(socket, fatalAlert('handshake_failure')),
  'protocol-version': (socket) => answerHello(socket, fatalAlert('protocol_version', 'SSL 3.0')),
};

/** A server that never comes to a handshake. */
export class HandshakelessServer {
  readonly isServing = true;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(behaviour: SilentServer) {
    this.#server = createServer((socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
      socket.on('error', () => socket.destroy());
      socket.setTimeout(LONGEST_STALL_MS, () => socket.destroy());
      behaviours[behaviour](socket);
      socket.resume();
    });
    this.#server.maxConnections = MAX_CONNECTIONS;
  }

  static async start(behaviour: SilentServer, host: string, port: number): Promise<HandshakelessServer> {
    const started = new HandshakelessServer(behaviour);
    started.#server.listen({ host, port });
    await once(started.#server, 'listening');
    return started;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}

function answerHello(socket: Socket, alert: Buffer): void {
  socket.once('data', () => socket.end(alert));
}

const ALERT_RECORD = 0x15;
const CHANGE_CIPHER_RECORD = 0x14;
const RECORD_HEAD_BYTES = 5;

/**
 * Lies between TLS 1.2 and its socket and swallows the alerts that the server sends after its handshake, the
 * close_notify above all. (TLS 1.3 hides what is an alert.)
 */
export function withoutCloseNotify(socket: Socket): Duplex {
  let isEncrypted = false;
  const keeps = (record: Buffer) => {
    if (record[0] === CHANGE_CIPHER_RECORD) isEncrypted = true;
    return !(isEncrypted && record[0] === ALERT_RECORD);
  };
  const between = new Duplex({
    read: () => socket.resume(),
    write: (chunk: Buffer, _encoding, done) => {
      const kept = recordsOf(chunk).filter(keeps);
      if (kept.length === 0) done();
      else socket.write(Buffer.concat(kept), done);
    },
    final: (done) => socket.end(done),
    destroy: (error, done) => {
      socket.destroy();
      done(error);
    },
  });
  socket.on('data', (chunk: Buffer) => {
    if (!between.push(chunk)) socket.pause();
  });
  socket.on('end', () => between.push(null));
  socket.on('error', (error) => between.destroy(error));
  socket.on('close', () => between.destroy());
  return between;
}

/** TLS writes whole records. */
function recordsOf(bytes: Buffer): Buffer[] {
  const records: Buffer[] = [];
  for (let at = 0; at + RECORD_HEAD_BYTES <= bytes.length; ) {
    const end = at + RECORD_HEAD_BYTES + bytes.readUInt16BE(at + 3);
    records.push(bytes.subarray(at, end));
    at = end;
  }
  return records;
}
