import type { Match } from './index-file.ts';
import type { LogIndex } from './log-index.ts';

/** A document that a query found, as it was then. */
export interface Candidate {
  readonly index: LogIndex;
  readonly number: number;
  readonly seqNo: number;
}

/** The documents that a run by query is going to act on. There may be millions, so each takes 16 bytes until its turn. */
export class Candidates {
  readonly #portions: Array<{ readonly index: LogIndex; readonly numbers: Float64Array }> = [];
  #count = 0;

  get count(): number {
    return this.#count;
  }

  add(index: LogIndex, matches: readonly Match[]): void {
    const numbers = new Float64Array(matches.length * 2);
    for (const [at, { number, seqNo }] of matches.entries()) numbers.set([number, seqNo], at * 2);
    this.#portions.push({ index, numbers });
    this.#count += matches.length;
  }

  /** In their order, so many at a time. */
  *batches(size: number): Generator<Candidate[]> {
    let batch: Candidate[] = [];
    for (const { index, numbers } of this.#portions) {
      for (let at = 0; at < numbers.length; at += 2) {
        batch.push({ index, number: numbers[at]!, seqNo: numbers[at + 1]! });
        if (batch.length < size) continue;
        yield batch;
        batch = [];
      }
    }
    if (batch.length > 0) yield batch;
  }
}
