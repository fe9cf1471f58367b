import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const RESULTS = join(dirname(fileURLToPath(import.meta.url)), 'RESULTS.md');

/** The lines of one bench, shown as they come and kept as its chapter of bench/RESULTS.md. */
export class Report {
  readonly #title: string;
  readonly #lines: string[] = [];

  constructor(title: string) {
    this.#title = title;
    console.log(`# ${title}\n`);
  }

  readonly say = (line = ''): void => {
    console.log(line);
    this.#lines.push(line);
  };

  /** Puts the chapter in place of the one with the same title; the others stay. */
  save(): void {
    const chapters = existsSync(RESULTS) ? readFileSync(RESULTS, 'utf8').split(/^(?=# )/m) : [];
    const others = chapters.filter((chapter) => !chapter.startsWith(`# ${this.#title}\n`));
    const mine = `# ${this.#title}\n\n${this.#lines.join('\n')}\n`;
    writeFileSync(RESULTS, `${[...others.map((one) => one.trimEnd()), mine.trimEnd()].join('\n\n')}\n`);
  }
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

export function times(ratio: number): string {
  return `${ratio.toFixed(2)} ×`;
}
