import type { Socket } from 'node:net';
import { ClientGone } from './exchange.ts';

/** Up to here head and body are copied into one buffer; beyond it the system joins them in one call. */
const MAX_JOINED_BYTES = 16 * 1024;
const MAX_HELD_CHARACTERS = 32 * 1024;

interface Waiter {
  readonly resolve: () => void;
  readonly reject: (reason: ClientGone) => void;
}

/**
 * The writing half of a connection. Text is Latin-1. Held text leaves together with what is written next, at the
 * latest when the event loop comes round, so that answers to pipelined requests share one system call.
 */
export class Output {
  readonly #socket: Socket;
  readonly #stallMs: number;
  readonly #onDrain: () => void;
  readonly #waiters: Waiter[] = [];
  #held = '';
  #flush: NodeJS.Immediate | undefined = undefined;
  isGone = false;

  constructor(socket: Socket, stallMs: number, onDrain: () => void) {
    this.#socket = socket;
    this.#stallMs = stallMs;
    this.#onDrain = onDrain;
  }

  get isFull(): boolean {
    return this.#socket.writableNeedDrain;
  }

  hold(text: string): void {
    this.#held += text;
    if (this.#held.length > MAX_HELD_CHARACTERS) this.flush();
    else this.#flush ??= setImmediate(() => this.flush());
  }

  flush(): void {
    if (this.#held !== '') this.write('');
  }

  write(text: string): void {
    if (this.isGone) return;
    this.#note(this.#socket.write(this.#withHeld(text), 'latin1'));
  }

  /** Bytes between two texts. They must not change afterwards. */
  writeBytes(before: string, bytes: Uint8Array, after: string): void {
    if (this.isGone) return;
    const socket = this.#socket;
    const lead = this.#withHeld(before);
    if (bytes.length <= MAX_JOINED_BYTES) {
      this.#note(socket.write(joined(lead, bytes, after)));
      return;
    }
    socket.cork();
    if (lead !== '') socket.write(lead, 'latin1');
    let hasRoom = socket.write(bytes);
    if (after !== '') hasRoom = socket.write(after, 'latin1');
    socket.uncork();
    this.#note(hasRoom);
  }

  /** Writes the last text of an answer and resolves when the system took it. */
  writeLast(text: string): Promise<void> {
    if (this.isGone) return Promise.reject(new ClientGone());
    return new Promise((resolve, reject) => {
      const hasRoom = this.#socket.write(this.#withHeld(text), 'latin1', (error) => {
        if (error) reject(new ClientGone());
        else resolve();
      });
      this.#note(hasRoom);
    });
  }

  /** Undefined while the client keeps up. */
  untilRoom(): Promise<void> | undefined {
    if (this.isGone) return Promise.reject(new ClientGone());
    if (!this.#socket.writableNeedDrain) return undefined;
    return new Promise((resolve, reject) => {
      this.#waiters.push({ resolve, reject });
    });
  }

  /** To be called on the socket's `drain`. */
  drained(): void {
    this.watchForStall(false);
    for (const waiter of this.#waiters.splice(0)) waiter.resolve();
    this.#onDrain();
  }

  /** Lets the socket emit `timeout` when it makes no progress; a socket counts partly written data as progress. */
  watchForStall(isWatched: boolean): void {
    if (this.#stallMs > 0) this.#socket.setTimeout?.(isWatched ? this.#stallMs : 0);
  }

  /** The client left. */
  gone(): void {
    this.isGone = true;
    this.#held = '';
    clearImmediate(this.#flush);
    for (const waiter of this.#waiters.splice(0)) waiter.reject(new ClientGone());
  }

  #withHeld(text: string): string {
    if (this.#held === '') return text;
    const all = this.#held + text;
    this.#held = '';
    clearImmediate(this.#flush);
    this.#flush = undefined;
    return all;
  }

  #note(hasRoom: boolean): void {
    if (!hasRoom) this.watchForStall(true);
  }
}

function joined(before: string, bytes: Uint8Array, after: string): Buffer {
  const whole = Buffer.allocUnsafe(before.length + bytes.length + after.length);
  whole.write(before, 0, 'latin1');
  whole.set(bytes, before.length);
  if (after !== '') whole.write(after, before.length + bytes.length, 'latin1');
  return whole;
}
