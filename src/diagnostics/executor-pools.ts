/** A queue with workers behind it, in the words that operators know from other platforms. */
export interface ExecutorPool {
  readonly poolSize: number;
  readonly activeCount: number;
  readonly queueSize: number;
  readonly rejectedTaskCount: number;
}

/** Asked whenever somebody wants to know; which pools there are may change between two questions. */
export type ExecutorPoolSource = () => Readonly<Record<string, ExecutorPool>>;

/** The executors and queues of this process; each part that has some registers them. */
export class ExecutorPools {
  readonly #sources = new Set<ExecutorPoolSource>();

  /** Returns what takes the source out again. */
  register(source: ExecutorPoolSource): () => void {
    this.#sources.add(source);
    return () => this.#sources.delete(source);
  }

  all(): Record<string, ExecutorPool> {
    return Object.assign({}, ...[...this.#sources].map((source) => source()));
  }
}
