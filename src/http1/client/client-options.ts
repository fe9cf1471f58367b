import type { LookupFunction } from 'node:net';

/** Each of them ends a call with a reason of its own. Zero or less switches one off. */
export interface ClientTimeouts {
  /** Until a pooled connection is free, or one may be opened: `acquire-timeout`. */
  readonly acquireMs: number;
  /** Name resolution, TCP and TLS together: `connect-timeout`. */
  readonly connectMs: number;
  /** From the first byte of the request until the system took the last: `write-timeout`. */
  readonly writeMs: number;
  /** From the last byte of the request until the head of the answer is complete: `response-timeout`. */
  readonly responseMs: number;
  /** Between two pieces of the answer, once its head is complete: `idle-timeout`. */
  readonly idleMs: number;
}

export const defaultClientTimeouts: ClientTimeouts = {
  acquireMs: 2_000,
  connectMs: 2_000,
  writeMs: 30_000,
  responseMs: 2_000,
  idleMs: 2_000,
};

export type TlsVersion = 'TLSv1.2' | 'TLSv1.3';

/** A file's content as text or bytes, or several of them. */
export type TlsMaterial = string | Buffer | readonly (string | Buffer)[];

export interface ClientTls {
  /** The certificates that are trusted, as PEM. Without any the target is not verified at all. */
  readonly ca?: TlsMaterial;
  /** False: the chain is verified, the name is not. True unless given. */
  readonly verifiesHostname?: boolean;
  /** The client's own certificate chain and key, as PEM. */
  readonly cert?: TlsMaterial;
  readonly key?: string | Buffer;
  /** Both of them in a PKCS #12 file instead. */
  readonly pfx?: Buffer;
  /** Of the key or the PKCS #12 file. */
  readonly passphrase?: string;
  /** TLS 1.2 unless given. */
  readonly minVersion?: TlsVersion;
  /** TLS 1.3 unless given. */
  readonly maxVersion?: TlsVersion;
}

/** Which addresses a host has, and which of them are called. */
export interface AddressSource {
  readonly lookup: LookupFunction;
  /** Asked for every address that is about to be called, also where the host is one. */
  refuses(address: string): boolean;
}

export interface ClientPoolOptions {
  /** Connections at the same time to one host and port. */
  readonly maxPerHost: number;
  /** Connections over all hosts; raised to `maxPerHost` when it is less. */
  readonly maxTotal: number;
  /** Requests that wait for a connection; one more fails at once with `queue-full`. 10,000 unless given. */
  readonly maxWaiting?: number;
  readonly timeouts?: Partial<ClientTimeouts>;
  /** How long a connection is kept without a request, unless the target says it keeps it for less. */
  readonly keepAliveMs?: number;
  /**
   * Who refuses a connection refuses the next one as well: for so long after a refusal, calls to that host and port
   * fail with it and nobody knocks. Without it thousands a second would. Zero unless given.
   */
  readonly refusalMemoryMs?: number;
  readonly tls?: ClientTls;
  /** The system's resolver, and every address, unless given. */
  readonly addresses?: AddressSource;
  /** Of the answer: status line and header fields together. */
  readonly maxHeadBytes?: number;
  readonly maxHeaderCount?: number;
}

export interface OpenOptions {
  readonly signal?: AbortSignal;
  /** Instead of the pool's. */
  readonly timeouts?: Partial<ClientTimeouts>;
}

export interface SendOptions extends OpenOptions {
  /** What is kept of the answer's body; 1 MiB unless given. */
  readonly maxBodyBytes?: number;
}

export interface PoolUsage {
  /** Open connections, and those being opened. */
  readonly total: number;
  readonly busy: number;
  readonly idle: number;
  readonly connecting: number;
  /** Requests that wait for a connection. */
  readonly waiting: number;
  readonly maxPerHost: number;
  readonly maxTotal: number;
}
