import type { Socket } from 'node:net';
import type { ProxyHeader } from '../http1/exchange.ts';
import type { Log } from './log.ts';
import { readProxyHeader } from './proxy-protocol.ts';

export interface OpeningOptions<Protocol> {
  /** Every connection must start with a PROXY protocol header. */
  readonly expectsProxyHeader: boolean;
  /** A client that has not said what it speaks after this time is let go. */
  readonly silenceMs: number;
  /** Undefined while the bytes may still become more than one thing. */
  readonly protocolOf: (bytes: Buffer) => Protocol | undefined;
  /** What a client speaks that closed its half after bytes that told nothing. */
  readonly protocolOfRest: Protocol;
  readonly onOpened: (socket: Socket, opening: Opening<Protocol>) => void;
  readonly log: Log;
}

export interface Opening<Protocol> {
  readonly protocol: Protocol;
  /** Read from the socket already, without the PROXY protocol header. */
  readonly firstBytes: Buffer;
  readonly proxyHeader: ProxyHeader | undefined;
}

const EMPTY = Buffer.alloc(0);

/** Connections that have not said yet what they speak: their first bytes are looked at until they have. */
export class Openings<Protocol> {
  readonly #options: OpeningOptions<Protocol>;
  readonly #undecided = new Set<Socket>();

  constructor(options: OpeningOptions<Protocol>) {
    this.#options = options;
  }

  destroy(): void {
    for (const socket of this.#undecided) socket.destroy();
  }

  accept(socket: Socket): void {
    const { expectsProxyHeader, protocolOf, protocolOfRest, onOpened, log } = this.#options;
    let received: Buffer = EMPTY;
    let proxyHeader: ProxyHeader | undefined;

    const settle = () => {
      clearTimeout(timer);
      this.#undecided.delete(socket);
      socket.off('data', onData).off('end', onEnd).off('error', giveUp).off('close', settle);
    };
    const giveUp = () => {
      settle();
      socket.destroy();
    };
    const open = (protocol: Protocol) => {
      settle();
      onOpened(socket, { protocol, firstBytes: received, proxyHeader });
    };
    const onData = (chunk: Buffer) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
      if (expectsProxyHeader && !proxyHeader) {
        const reading = readProxyHeader(received);
        if (reading.outcome === 'incomplete') return;
        if (reading.outcome === 'invalid') {
          log.warn({ event: 'listener.proxy-header.invalid', reason: reading.reason });
          giveUp();
          return;
        }
        proxyHeader = reading.header;
        received = received.subarray(reading.length);
      }
      const protocol = protocolOf(received);
      if (protocol !== undefined) open(protocol);
    };
    const onEnd = () => {
      if (received.length > 0 && (proxyHeader || !expectsProxyHeader)) {
        open(protocolOfRest);
        return;
      }
      settle();
      socket.end();
    };
    const timer = setTimeout(giveUp, this.#options.silenceMs);
    this.#undecided.add(socket);
    socket.on('data', onData).on('end', onEnd).on('error', giveUp).on('close', settle);
  }
}
