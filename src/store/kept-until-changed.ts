/** Results of reads, each right until somebody commits; then all of them are forgotten. */
export class KeptUntilChanged<Result> {
  readonly #maxKept: number;
  readonly #kept = new Map<string, Result>();
  #version = -1;

  constructor(maxKept: number) {
    this.#maxKept = maxKept;
  }

  /** What is kept under the key, if the version of the data is still the one it was read at. */
  find(key: string, version: number): Result | undefined {
    if (version === this.#version) return this.#kept.get(key);
    this.#kept.clear();
    this.#version = version;
    return undefined;
  }

  /** The version is that from before the read: the result is just as old or newer, never older. */
  keep(key: string, version: number, result: Result): void {
    if (version !== this.#version) return;
    if (this.#kept.size >= this.#maxKept) this.#kept.clear();
    this.#kept.set(key, result);
  }
}
