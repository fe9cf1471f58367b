import type { ChangeWatch } from './change-watch.ts';

/** Results of reads, each right until somebody commits; then all of them are forgotten. */
export class KeptUntilChanged<Result> {
  readonly #changes: ChangeWatch;
  readonly #maxKept: number;
  readonly #kept = new Map<string, Result>();
  #version = -1;

  constructor(changes: ChangeWatch, maxKept: number) {
    this.#changes = changes;
    this.#maxKept = maxKept;
  }

  /** What is kept under the key, or else what `read` finds. That nothing was found is not kept. */
  get<Read extends Result | undefined>(key: string, read: () => Read): Read {
    const { version } = this.#changes;
    if (version !== this.#version) this.#kept.clear();
    this.#version = version;
    const known = this.#kept.get(key);
    if (known !== undefined) return known as Read;
    const found = read();
    if (found === undefined) return found;
    if (this.#kept.size >= this.#maxKept) this.#kept.clear();
    this.#kept.set(key, found);
    return found;
  }
}
