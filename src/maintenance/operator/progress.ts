import type { Clock } from '../../kernel/clock.ts';
import { countText, durationText } from './figures.ts';
import type { OperatorConsole } from './operator-console.ts';

const BAR_WIDTH = 30;
/** Where lines are kept, such as in a file, one now and then is enough. */
const LINE_EVERY_MS = 5000;

/** How far a run is: a bar that is drawn again on a terminal, a line now and then elsewhere. */
export class Progress {
  readonly #console: OperatorConsole;
  readonly #clock: Clock;
  readonly #label: string;
  readonly #beganAtMs: number;
  #doneAtBegin: number | undefined;
  #lineAtMs = Number.NEGATIVE_INFINITY;
  #isDrawn = false;

  constructor(console: OperatorConsole, clock: Clock, label: string) {
    this.#console = console;
    this.#clock = clock;
    this.#label = label;
    this.#beganAtMs = clock.now();
  }

  show(done: number, total: number): void {
    // What was done before it was watched says nothing about the rate.
    this.#doneAtBegin ??= done;
    const nowMs = this.#clock.now();
    const text = this.#text(done, total, nowMs - this.#beganAtMs);
    if (this.#console.isTerminal) {
      this.#console.err(`\r\u001b[K${barText(done, total)} ${text}`);
      this.#isDrawn = true;
    } else if (nowMs - this.#lineAtMs >= LINE_EVERY_MS) {
      this.#lineAtMs = nowMs;
      this.#console.err(`${this.#label}: ${text}\n`);
    }
  }

  /** Takes the bar away, so that a line may follow. */
  clear(): void {
    if (this.#isDrawn) this.#console.err('\r\u001b[K');
    this.#isDrawn = false;
  }

  #text(done: number, total: number, elapsedMs: number): string {
    const percent = total > 0 ? Math.min(100, Math.floor((done / total) * 100)) : 0;
    const perSecond = elapsedMs > 0 ? ((done - (this.#doneAtBegin ?? 0)) / elapsedMs) * 1000 : 0;
    const parts = [`${countText(done)} of ${countText(total)} (${percent} %)`];
    if (perSecond > 0) {
      parts.push(`${countText(perSecond)}/s`);
      parts.push(`${durationText((Math.max(0, total - done) / perSecond) * 1000)} left`);
    }
    return parts.join(', ');
  }
}

function barText(done: number, total: number): string {
  const filled = total > 0 ? Math.min(BAR_WIDTH, Math.floor((done / total) * BAR_WIDTH)) : 0;
  return `[${'#'.repeat(filled)}${'-'.repeat(BAR_WIDTH - filled)}]`;
}
