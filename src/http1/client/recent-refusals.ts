import type { ClientFailureReason } from './client-failure.ts';
import type { SocketFailure } from './socket-failures.ts';

/** Those that come at once and that the next attempt would meet as well. */
const LASTING: ReadonlySet<ClientFailureReason> = new Set(['connect-refused', 'connect-unreachable']);
/** Where requests choose the host, there is no end to them. */
const MAX_HOSTS = 1000;

/** Which hosts refused a connection a moment ago. */
export class RecentRefusals {
  readonly #memoryMs: number;
  readonly #monotonicMs: () => number;
  readonly #byHost = new Map<string, { readonly failure: SocketFailure; readonly untilMs: number }>();

  constructor(memoryMs: number, monotonicMs: () => number = () => performance.now()) {
    this.#memoryMs = memoryMs;
    this.#monotonicMs = monotonicMs;
  }

  note(hostKey: string, failure: SocketFailure): void {
    if (this.#memoryMs === 0 || !LASTING.has(failure.reason)) return;
    if (this.#byHost.size >= MAX_HOSTS) this.#byHost.clear();
    this.#byHost.set(hostKey, { failure, untilMs: this.#monotonicMs() + this.#memoryMs });
  }

  recent(hostKey: string): SocketFailure | undefined {
    const refusal = this.#byHost.get(hostKey);
    return refusal && this.#monotonicMs() < refusal.untilMs ? refusal.failure : undefined;
  }
}
