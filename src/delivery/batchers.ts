import { Batcher, type BatcherOptions } from './batcher.ts';
import type { DeliveryAddress } from './delivery-address.ts';
import type { Fallback } from './delivery-event.ts';

/** Where records choose the address, each open one has a block of memory. */
const MAX_BATCHERS = 256;

/** The open batches: events of different addresses or fallbacks never travel together. */
export class Batchers {
  readonly #options: Omit<BatcherOptions, 'address' | 'fallback' | 'signal'>;
  readonly #byFallback = new Map<Fallback, Map<DeliveryAddress, Batcher>>();
  readonly #stop = new AbortController();
  #count = 0;
  /** Nearly always the next event is for the same one. */
  #last:
    | { readonly address: DeliveryAddress; readonly fallback: Fallback; readonly batcher: Batcher }
    | undefined = undefined;

  constructor(options: Omit<BatcherOptions, 'address' | 'fallback' | 'signal'>) {
    this.#options = options;
  }

  batcherFor(address: DeliveryAddress, fallback: Fallback): Batcher {
    const last = this.#last;
    if (last && last.address === address && last.fallback === fallback) return last.batcher;
    const batcher = this.#byFallback.get(fallback)?.get(address) ?? this.#open(address, fallback);
    this.#last = { address, fallback, batcher };
    return batcher;
  }

  /** Everything collected so far goes out, and nothing waits for more. */
  close(): void {
    this.#flush();
    this.#stop.abort();
  }

  #open(address: DeliveryAddress, fallback: Fallback): Batcher {
    if (this.#count >= MAX_BATCHERS) this.#flush();
    const batcher = new Batcher({ ...this.#options, address, fallback, signal: this.#stop.signal });
    this.#count++;
    const siblings = this.#byFallback.get(fallback);
    if (siblings) siblings.set(address, batcher);
    else this.#byFallback.set(fallback, new Map([[address, batcher]]));
    return batcher;
  }

  #flush(): void {
    for (const siblings of this.#byFallback.values())
      for (const batcher of siblings.values()) batcher.flush();
    this.#byFallback.clear();
    this.#count = 0;
    this.#last = undefined;
  }
}
