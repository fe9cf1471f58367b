import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';

/**
 * The part of a socket the engine uses (it stands at `serveHttp1`), without a system below it: every `receive` is one
 * `data` event of exactly these bytes, and nothing takes a turn of the event loop. Flow control is left out, so it
 * is for tests that send less than the engine's smallest bound.
 */
export class MemorySocket extends EventEmitter {
  /** What the engine wrote, one character per byte. */
  written = '';
  hasEnded = false;
  destroyed = false;
  allowHalfOpen = false;
  readonly writableNeedDrain = false;
  readonly writableLength = 0;

  get closed(): boolean {
    return this.destroyed;
  }

  readableEnded = false;

  get asSocket(): Socket {
    return this as unknown as Socket;
  }

  receive(bytes: Buffer): void {
    if (!this.destroyed) this.emit('data', bytes);
  }

  /** The client closes its sending half. */
  receiveEnd(): void {
    if (this.destroyed) return;
    this.readableEnded = true;
    this.emit('end');
  }

  write(chunk: string | Uint8Array, ...rest: unknown[]): boolean {
    this.written += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('latin1');
    const onFlushed = rest.at(-1);
    if (typeof onFlushed === 'function') process.nextTick(onFlushed);
    return true;
  }

  end(onEnd: () => void): void {
    this.hasEnded = true;
    onEnd();
  }

  destroy(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    this.emit('close');
  }

  pause(): void {}
  resume(): void {}
  cork(): void {}
  uncork(): void {}
}
