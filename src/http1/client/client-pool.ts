import type { Socket } from 'node:net';
import { Deadline } from '../deadline.ts';
import { defaultLimits, type Http1Limits } from '../limits.ts';
import type { ClientAnswer, OpenAnswer } from './client-answer.ts';
import { type CallHolder, type CallTaker, ClientCall } from './client-call.ts';
import { ClientConnection, type ConnectionOwner } from './client-connection.ts';
import {
  type ClientPoolOptions,
  type ClientTimeouts,
  defaultClientTimeouts,
  type OpenOptions,
  type PoolUsage,
  type SendOptions,
} from './client-options.ts';
import type { ClientOrigin, ClientRequest } from './client-request.ts';
import { TlsSettings } from './client-tls.ts';
import { Connector } from './connector.ts';
import { RecentRefusals } from './recent-refusals.ts';
import { composeRequest } from './request-head.ts';
import { Roster } from './roster.ts';

const DEFAULT_MAX_BODY_BYTES = 1024 * 1024;
const DEFAULT_MAX_WAITING = 10_000;
const DEFAULT_KEEP_ALIVE_MS = 30_000;
/** The target's clock began to run before ours did, and its close takes a while to arrive. */
const KEEP_ALIVE_MARGIN_MS = 1_000;

/** The connections to one host and port. */
interface Host {
  readonly key: string;
  /** Open or being opened. */
  openCount: number;
  /** The one used last is used next, so that those nobody needs come to their end. */
  readonly idle: ClientConnection[];
}

/**
 * Connections to one or several targets, bounded per host and in total. Requests that find none free wait in one
 * queue, first come, first served. Nothing is ever repeated, and no redirect is followed: that is for callers to decide.
 */
export class ClientPool implements ConnectionOwner, CallHolder {
  readonly #maxPerHost: number;
  readonly #maxTotal: number;
  readonly #maxWaiting: number;
  readonly #keepAliveMs: number;
  readonly #refusals: RecentRefusals;
  readonly #timeouts: ClientTimeouts;
  readonly #limits: Http1Limits;
  readonly #tls: TlsSettings;
  readonly #addresses: ClientPoolOptions['addresses'];

  readonly #hosts = new Map<string, Host>();
  readonly #waiting = new Map<ClientCall, Deadline<'acquire'>>();
  readonly #connecting = new Roster<ClientCall>();
  readonly #busy = new Roster<ClientConnection>();
  #totalCount = 0;
  #idleCount = 0;
  #isClosing = false;
  #closed: Promise<void> | undefined = undefined;
  #onEmpty: (() => void) | undefined = undefined;

  constructor(options: ClientPoolOptions) {
    this.#maxPerHost = Math.max(1, options.maxPerHost);
    this.#maxTotal = Math.max(this.#maxPerHost, options.maxTotal);
    this.#maxWaiting = options.maxWaiting ?? DEFAULT_MAX_WAITING;
    this.#keepAliveMs = options.keepAliveMs ?? DEFAULT_KEEP_ALIVE_MS;
    this.#refusals = new RecentRefusals(options.refusalMemoryMs ?? 0);
    this.#timeouts = { ...defaultClientTimeouts, ...options.timeouts };
    this.#limits = {
      ...defaultLimits,
      maxHeadBytes: options.maxHeadBytes ?? defaultLimits.maxHeadBytes,
      maxHeaderCount: options.maxHeaderCount ?? defaultLimits.maxHeaderCount,
    };
    this.#tls = new TlsSettings(options.tls ?? {});
    this.#addresses = options.addresses;
  }

  /** Resolves with the whole answer. Rejects with a ClientFailure. */
  send(request: ClientRequest, options: SendOptions = {}): Promise<ClientAnswer> {
    const { maxBodyBytes = DEFAULT_MAX_BODY_BYTES } = options;
    return new Promise((resolve, reject) => {
      this.#begin(request, options, { kind: 'whole', maxBodyBytes, resolve, reject });
    });
  }

  /** Resolves with the head of the answer, whose body is read as it comes. Rejects with a ClientFailure. */
  open(request: ClientRequest, options: OpenOptions = {}): Promise<OpenAnswer> {
    return new Promise((resolve, reject) => {
      this.#begin(request, options, { kind: 'stream', resolve, reject });
    });
  }

  usage(): PoolUsage {
    return {
      total: this.#totalCount,
      busy: this.#busy.size,
      idle: this.#idleCount,
      connecting: this.#connecting.size,
      waiting: this.#waiting.size,
      maxPerHost: this.#maxPerHost,
      maxTotal: this.#maxTotal,
    };
  }

  /** Requests that run come to their end, those that wait fail. Resolves when every connection is closed. */
  close(): Promise<void> {
    this.#isClosing = true;
    this.#closed ??= new Promise((resolve) => {
      this.#onEmpty = resolve;
    });
    for (const call of [...this.#waiting.keys()]) call.fail('pool-closed');
    for (const { idle } of [...this.#hosts.values()])
      for (const connection of [...idle]) connection.destroy();
    this.#tellWhenEmpty();
    return this.#closed;
  }

  /** Ends everything at once; what runs fails with `pool-closed`. */
  destroy(): Promise<void> {
    const closed = this.close();
    for (const call of this.#connecting.members()) call.fail('pool-closed');
    for (const connection of this.#busy.members()) connection.breakOff('pool-closed');
    return closed;
  }

  // A call that has no connection yet

  #begin(request: ClientRequest, options: OpenOptions, taker: CallTaker): void {
    const call = this.#callOf(request, options, taker);
    if (options.signal?.aborted) call.fail('aborted', { cause: options.signal.reason });
    else if (this.#isClosing) call.fail('pool-closed');
    else this.#acquire(call);
  }

  /** What cannot be sent rejects the promise it is called in. */
  #callOf(request: ClientRequest, { timeouts, signal }: OpenOptions, taker: CallTaker): ClientCall {
    const { origin } = request;
    const composed = composeRequest(request);
    const allTimeouts = timeouts === undefined ? this.#timeouts : { ...this.#timeouts, ...timeouts };
    return new ClientCall(origin, keyOf(origin), composed, allTimeouts, taker, signal);
  }

  #acquire(call: ClientCall): void {
    const host = this.#hosts.get(call.hostKey);
    const connection = host && this.#takeIdle(host);
    if (connection !== undefined) {
      this.#run(connection, call);
      return;
    }
    if ((host?.openCount ?? 0) < this.#maxPerHost) {
      // Before anything is closed to make room for it.
      if (this.#isRefused(call)) return;
      if (this.#totalCount >= this.#maxTotal) this.#closeOneIdle();
      if (this.#totalCount < this.#maxTotal) {
        this.#connect(call);
        return;
      }
    }
    this.#enqueue(call);
  }

  /** The one used last, if it is still alive: the news of its end may be on its way. */
  #takeIdle({ idle }: Host): ClientConnection | undefined {
    for (;;) {
      const connection = idle.pop();
      if (connection === undefined) return undefined;
      this.#idleCount--;
      if (connection.isAlive) return connection;
      connection.destroy();
    }
  }

  #enqueue(call: ClientCall): void {
    if (this.#waiting.size >= this.#maxWaiting) {
      call.fail('queue-full');
      return;
    }
    call.holder = this;
    const deadline = new Deadline<'acquire'>(() => call.fail('acquire-timeout'));
    deadline.set('acquire', Math.max(0, call.timeouts.acquireMs));
    this.#waiting.set(call, deadline);
  }

  #dequeue(call: ClientCall): void {
    this.#waiting.get(call)?.dispose();
    this.#waiting.delete(call);
  }

  /** The call ended while it waited, or while its connection was being opened. */
  release(call: ClientCall): void {
    this.#dequeue(call);
    if (!this.#connecting.delete(call)) return;
    call.connector!.cancel();
    this.#closedOne(call.hostKey);
  }

  // Connections

  /** Whether its target refused somebody else a moment ago; then it fails as that one did. */
  #isRefused(call: ClientCall): boolean {
    const refusal = this.#refusals.recent(call.hostKey);
    if (refusal === undefined) return false;
    call.enter('connect');
    call.fail(refusal.reason, { detail: refusal.detail });
    return true;
  }

  #connect(call: ClientCall): void {
    const { hostKey, origin, timeouts } = call;
    const host = this.#hosts.get(hostKey) ?? { key: hostKey, openCount: 0, idle: [] };
    this.#hosts.set(hostKey, host);
    host.openCount++;
    this.#totalCount++;
    call.holder = this;
    const settings = {
      tls: this.#tls,
      addresses: this.#addresses,
      timeoutMs: Math.max(0, timeouts.connectMs),
    };
    call.connector = new Connector(origin, hostKey, settings, {
      onPhase: (phase) => call.enter(phase),
      onConnected: (socket) => this.#onConnected(call, socket),
      onFailed: (failure, cause) => {
        this.#refusals.note(hostKey, failure);
        call.fail(failure.reason, { detail: failure.detail, cause });
      },
    });
    this.#connecting.add(call);
  }

  #onConnected(call: ClientCall, socket: Socket): void {
    call.connector = undefined;
    this.#connecting.delete(call);
    this.#run(new ClientConnection(socket, call.hostKey, this.#limits, this), call);
  }

  #run(connection: ClientConnection, call: ClientCall): void {
    this.#busy.add(connection);
    connection.run(call);
  }

  onFree(connection: ClientConnection): void {
    this.#busy.delete(connection);
    const restMs = this.#restMs(connection);
    if (this.#isClosing || restMs <= 0) {
      connection.destroy();
      return;
    }
    const next = this.#nextFor(connection.hostKey);
    if (next === undefined) {
      this.#hosts.get(connection.hostKey)!.idle.push(connection);
      this.#idleCount++;
      connection.rest(restMs);
      return;
    }
    if (next.hostKey !== connection.hostKey) {
      // Its turn has come and only the total stands in its way: this connection makes room for one to another host.
      connection.destroy();
      return;
    }
    this.#dequeue(next);
    this.#run(connection, next);
  }

  onGone(connection: ClientConnection): void {
    if (!this.#busy.delete(connection)) {
      const idle = this.#hosts.get(connection.hostKey)?.idle;
      const index = idle?.indexOf(connection) ?? -1;
      if (index >= 0) {
        idle!.splice(index, 1);
        this.#idleCount--;
      }
    }
    this.#closedOne(connection.hostKey);
  }

  #closedOne(hostKey: string): void {
    const host = this.#hosts.get(hostKey)!;
    host.openCount--;
    this.#totalCount--;
    if (host.openCount === 0) this.#hosts.delete(hostKey);
    this.#connectWaiting();
    this.#tellWhenEmpty();
  }

  #connectWaiting(): void {
    while (!this.#isClosing && this.#totalCount < this.#maxTotal) {
      const next = this.#nextFor(undefined);
      if (next === undefined) return;
      this.#dequeue(next);
      if (!this.#isRefused(next)) this.#connect(next);
    }
  }

  /** The first that waits and could go on, with a connection to the given host or with a new one. */
  #nextFor(freeHostKey: string | undefined): ClientCall | undefined {
    for (const call of this.#waiting.keys()) {
      if (call.hostKey === freeHostKey) return call;
      if ((this.#hosts.get(call.hostKey)?.openCount ?? 0) < this.#maxPerHost) return call;
    }
    return undefined;
  }

  #closeOneIdle(): void {
    for (const { idle } of this.#hosts.values()) {
      if (idle.length === 0) continue;
      idle[0]!.destroy();
      return;
    }
  }

  #restMs(connection: ClientConnection): number {
    const { keepAliveSeconds } = connection;
    if (keepAliveSeconds === undefined) return this.#keepAliveMs;
    const saidMs = keepAliveSeconds * 1000;
    return Math.min(this.#keepAliveMs, Math.max(saidMs - KEEP_ALIVE_MARGIN_MS, saidMs / 2));
  }

  #tellWhenEmpty(): void {
    if (this.#totalCount === 0) this.#onEmpty?.();
  }
}

function keyOf({ protocol, host, port }: ClientOrigin): string {
  return `${protocol}//${host}:${port}`;
}
