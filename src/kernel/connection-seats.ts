import type { Socket } from 'node:net';
import type { Log } from './log.ts';

/** How many connections a process holds at a time, over all its ports, so that a flood of them leaves it able to answer. */
export class ConnectionSeats {
  readonly #maxCount: number;
  readonly #log: Log;
  #takenCount = 0;
  #isFull = false;

  constructor(maxCount: number, log: Log) {
    this.#maxCount = maxCount;
    this.#log = log;
  }

  /** Keeps a seat until the socket closes. Without one left the socket is closed at once: an answer would be one more to hold. */
  admit(socket: Socket): boolean {
    if (this.#takenCount >= this.#maxCount) {
      socket.destroy();
      this.#tell(true);
      return false;
    }
    this.#takenCount++;
    socket.once('close', () => {
      this.#takenCount--;
      // Told again only after a real relief, or a service at its limit would log every connection.
      if (this.#takenCount < this.#maxCount * 0.9) this.#tell(false);
    });
    return true;
  }

  #tell(isFull: boolean): void {
    if (this.#isFull === isFull) return;
    this.#isFull = isFull;
    const event = isFull ? 'connections.full' : 'connections.relieved';
    this.#log.warn({ event, maxConnections: this.#maxCount });
  }
}
