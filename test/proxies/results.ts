import type { Verdict } from './proxy-check.ts';

/** A column of the table: the test service alone, or one proxy in front of it. */
export interface Column {
  readonly name: string;
  readonly version: string | undefined;
}

/** The verdicts so far, by column and check. */
export class Results {
  readonly #verdicts = new Map<string, Map<string, Verdict>>();

  record(column: string, checkId: string, verdict: Verdict): void {
    const verdicts = this.#verdicts.get(column) ?? new Map<string, Verdict>();
    this.#verdicts.set(column, verdicts.set(checkId, verdict));
  }

  of(column: string, checkId: string): Verdict | undefined {
    return this.#verdicts.get(column)?.get(checkId);
  }

  /** How many checks of a column ended in each kind of verdict. */
  count(column: string, kind: Verdict['kind']): number {
    return [...(this.#verdicts.get(column)?.values() ?? [])].filter((verdict) => verdict.kind === kind)
      .length;
  }
}
