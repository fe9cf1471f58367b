import {
  isIP,
  type LookupFunction,
  connect as netConnect,
  type Socket,
  type TcpNetConnectOpts,
} from 'node:net';
import { type TLSSocket, connect as tlsConnect } from 'node:tls';
import { Deadline } from '../deadline.ts';
import type { AddressSource } from './client-options.ts';
import type { ClientOrigin } from './client-request.ts';
import type { TlsSettings } from './client-tls.ts';
import {
  AddressRefused,
  connectFailure,
  type HandshakeCircumstances,
  type SocketFailure,
} from './socket-failures.ts';

export type ConnectPhase = 'dns' | 'connect' | 'tls';

/** Hears of every step, and of exactly one end unless it cancels. */
export interface ConnectListener {
  onPhase(phase: ConnectPhase): void;
  onConnected(socket: Socket): void;
  onFailed(failure: SocketFailure, cause: Error | undefined): void;
}

export interface ConnectSettings {
  readonly tls: TlsSettings;
  readonly addresses: AddressSource | undefined;
  /** Name resolution, TCP and TLS together; zero for no limit. */
  readonly timeoutMs: number;
}

/** A connection on its way to a target: its name resolved, its addresses tried side by side, and TLS if it is spoken. */
export class Connector {
  readonly #listener: ConnectListener;
  readonly #deadline = new Deadline<'connect'>(() => this.#onTimeout());
  #socket: Socket | undefined = undefined;
  #phase: ConnectPhase = 'dns';
  #isOver = false;

  constructor(origin: ClientOrigin, hostKey: string, settings: ConnectSettings, listener: ConnectListener) {
    this.#listener = listener;
    this.#deadline.set('connect', settings.timeoutMs);
    // Nobody is told of an end before the constructor has returned.
    process.nextTick(() => this.#start(origin, hostKey, settings));
  }

  cancel(): void {
    this.#end();
    this.#socket?.destroy();
  }

  #start(origin: ClientOrigin, hostKey: string, settings: ConnectSettings): void {
    if (this.#isOver) return;
    const { tls, addresses } = settings;
    const isLiteral = isIP(origin.host) !== 0;
    this.#enter(isLiteral ? 'connect' : 'dns');
    if (isLiteral && addresses?.refuses(origin.host)) {
      this.#fail(new AddressRefused());
      return;
    }
    const isTls = origin.protocol === 'https:';
    let socket: Socket;
    try {
      socket = isTls
        ? this.#connectTls(origin, hostKey, settings)
        : netConnect(tcpOptions(origin, addresses));
    } catch (error) {
      if (isTls) this.#enter('tls');
      this.#fail(error as Error);
      return;
    }
    this.#socket = socket;
    socket.once('lookup', (error: Error | null) => {
      if (error === null) this.#enter('connect');
    });
    const onError = (error: Error) => {
      if (isTls) tls.dropSession(hostKey);
      this.#fail(error, {
        hasServerChosen: isTls && (socket as TLSSocket).getCipher()?.name !== undefined,
        hasClientCertificate: tls.hasClientCertificate,
      });
    };
    const onReady = () => {
      if (this.#isOver) return;
      this.#end();
      socket.off('error', onError);
      this.#listener.onConnected(socket);
    };
    socket.on('error', onError);
    if (isTls) socket.once('connect', () => this.#enter('tls'));
    socket.once(isTls ? 'secureConnect' : 'connect', onReady);
  }

  #connectTls(origin: ClientOrigin, hostKey: string, { tls, addresses }: ConnectSettings): TLSSocket {
    const socket = tlsConnect({
      ...tcpOptions(origin, addresses),
      ...tls.optionsFor(origin.host, hostKey),
    });
    socket.on('session', (session: Buffer) => tls.keepSession(hostKey, session));
    return socket;
  }

  #enter(phase: ConnectPhase): void {
    if (this.#isOver) return;
    this.#phase = phase;
    this.#listener.onPhase(phase);
  }

  #fail(error: Error, circumstances?: HandshakeCircumstances): void {
    if (this.#isOver) return;
    this.#end();
    this.#socket?.destroy();
    this.#listener.onFailed(connectFailure(error, this.#phase, circumstances), error);
  }

  /** When the process itself was busy for so long, what came meanwhile is looked at first. */
  #onTimeout(): void {
    setImmediate(() => this.#giveUp());
  }

  #giveUp(): void {
    if (this.#isOver) return;
    this.#end();
    this.#socket?.destroy();
    this.#listener.onFailed({ reason: 'connect-timeout', detail: undefined }, undefined);
  }

  #end(): void {
    this.#isOver = true;
    this.#deadline.dispose();
  }
}

function tcpOptions({ host, port }: ClientOrigin, addresses: AddressSource | undefined): TcpNetConnectOpts {
  return {
    host,
    port,
    noDelay: true,
    // RFC 8305: the addresses of both families race, so that a broken one costs a quarter of a second.
    autoSelectFamily: true,
    ...(addresses && { lookup: guardedLookup(addresses) }),
  };
}

/** One address that must not be called refuses the name: whoever mixes them in wants them to be tried. */
function guardedLookup(addresses: AddressSource): LookupFunction {
  return (hostname, options, callback) => {
    addresses.lookup(hostname, options, (error, found, family) => {
      if (error) {
        callback(error, found, family);
        return;
      }
      const all = Array.isArray(found) ? found.map(({ address }) => address) : [found];
      if (all.some((address) => addresses.refuses(address))) callback(new AddressRefused(), '', 0);
      else callback(null, found, family);
    });
  };
}
