import type { UnsentEvent, UnsentSink } from './delivery-event.ts';

interface Order {
  readonly events: readonly UnsentEvent[];
  readonly bytes: number;
  readonly onDone: (isKept: boolean) => void;
}

export interface UnsentWriterOptions {
  readonly sink: UnsentSink;
  readonly maxWaitingBytes: number;
  /** Nobody waits for the store any longer. */
  readonly signal: AbortSignal;
  readonly onFailed: () => void;
}

/** Events of one write. */
const MAX_EVENTS_A_WRITE = 1000;

/** Writes into one store, one write after the other, several orders in one; a slow store cannot pile up memory. */
export class UnsentWriter {
  readonly #sink: UnsentSink;
  readonly #maxWaitingBytes: number;
  readonly #signal: AbortSignal;
  readonly #onFailed: () => void;
  readonly #orders: Order[] = [];
  #waitingBytes = 0;
  #isWriting = false;

  constructor({ sink, maxWaitingBytes, signal, onFailed }: UnsentWriterOptions) {
    this.#sink = sink;
    this.#maxWaitingBytes = maxWaitingBytes;
    this.#signal = signal;
    this.#onFailed = onFailed;
  }

  /** Resolves with whether the events are kept now. */
  write(events: readonly UnsentEvent[]): Promise<boolean> {
    const bytes = events.reduce((sum, { content }) => sum + content.length, 0);
    if (this.#waitingBytes > 0 && this.#waitingBytes + bytes > this.#maxWaitingBytes)
      return Promise.resolve(false);
    return new Promise((onDone) => {
      this.#orders.push({ events, bytes, onDone });
      this.#waitingBytes += bytes;
      if (!this.#isWriting) void this.#writeAll();
    });
  }

  async #writeAll(): Promise<void> {
    this.#isWriting = true;
    while (this.#orders.length > 0) {
      const orders = this.#takeSome();
      const isKept = await this.#keep(orders.flatMap(({ events }) => events));
      for (const { bytes, onDone } of orders) {
        this.#waitingBytes -= bytes;
        onDone(isKept);
      }
    }
    this.#isWriting = false;
  }

  #takeSome(): Order[] {
    let events = 0;
    const end = this.#orders.findIndex((order) => {
      events += order.events.length;
      return events > MAX_EVENTS_A_WRITE;
    });
    return this.#orders.splice(0, end < 0 ? this.#orders.length : Math.max(1, end));
  }

  async #keep(events: readonly UnsentEvent[]): Promise<boolean> {
    let giveUp = (): void => {};
    const givenUp = new Promise<never>((_, reject) => {
      giveUp = () => reject(this.#signal.reason);
      if (this.#signal.aborted) giveUp();
      this.#signal.addEventListener('abort', giveUp, { once: true });
    });
    try {
      await Promise.race([this.#sink.keep(events), givenUp]);
      return true;
    } catch {
      // The store tells its own log what went wrong; here it is counted.
      this.#onFailed();
      return false;
    } finally {
      this.#signal.removeEventListener('abort', giveUp);
    }
  }
}
