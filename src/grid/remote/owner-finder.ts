import type { Clock } from '../../kernel/clock.ts';
import type { Pod, PodRegistry } from '../../store/pods.ts';
import { GridUnavailable } from '../contract.ts';

/** Even a pod that answers is looked for again after so long: a better one may have come back. */
const KEPT_MS = 5000;

/** Of several Cache pods the one that started first holds the maps: everybody comes to the same result alone. */
export function ownerOf(pods: readonly Pod[]): Pod | undefined {
  return pods.toSorted(
    (one, other) => one.startedAtMs - other.startedAtMs || (one.podName < other.podName ? -1 : 1),
  )[0];
}

export interface OwnerFinderOptions {
  readonly pods: Pick<PodRegistry, 'live'>;
  readonly clock: Clock;
  /** Without it the owner may belong to any environment. */
  readonly environmentId: string | undefined;
}

/** Which Cache pod holds the maps, asked of the platform database now and then. */
export class OwnerFinder {
  readonly #options: OwnerFinderOptions;
  #known: Pod | undefined;
  #knownUntilMs = 0;
  #finding: Promise<Pod> | undefined;

  constructor(options: OwnerFinderOptions) {
    this.#options = options;
  }

  find(): Pod | Promise<Pod> {
    if (this.#known && this.#options.clock.now() < this.#knownUntilMs) return this.#known;
    this.#finding ??= this.#ask().finally(() => {
      this.#finding = undefined;
    });
    return this.#finding;
  }

  /** It did not answer. */
  forget(pod: Pod): void {
    if (this.#known === pod) this.#knownUntilMs = 0;
  }

  async #ask(): Promise<Pod> {
    const { pods, clock, environmentId } = this.#options;
    try {
      this.#known = ownerOf(await pods.live('cache', environmentId));
      this.#knownUntilMs = clock.now() + KEPT_MS;
    } catch (error) {
      // The database being away is no reason to leave a Cache that may well be there.
      if (!this.#known) throw new GridUnavailable({ cause: error });
    }
    if (!this.#known) throw new GridUnavailable({ cause: new Error('no Cache pod is alive') });
    return this.#known;
  }
}
