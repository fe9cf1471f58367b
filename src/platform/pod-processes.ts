/** A process of a pod that has several. */
export interface PodProcess {
  readonly index: number;
  readonly processId: number;
  /** Where on loopback this very one answers. */
  readonly port: number;
}

/** The keeper of a pod of several processes: where each of them is to be found. */
export class PodProcesses {
  readonly #byIndex = new Map<number, PodProcess>();

  /** One that is started anew takes the place of the one that died, and may be given the port of another that died. */
  tell(process: PodProcess): void {
    for (const { index, port } of this.#byIndex.values())
      if (port === process.port) this.#byIndex.delete(index);
    this.#byIndex.set(process.index, process);
  }

  all(): PodProcess[] {
    return [...this.#byIndex.values()].toSorted((a, b) => a.index - b.index);
  }
}
