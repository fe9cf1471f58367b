import type { Clock } from '../kernel/clock.ts';
import type { ReplayTurn, TurnNote } from '../store/unsent/unsent-records.ts';

export interface HeldTurnOptions {
  readonly turn: ReplayTurn;
  /** Who takes it; another one each time. */
  readonly holder: string;
  readonly clock: Clock;
  readonly report: object;
  /** Whether the holder of a turn that has not expired is known to have ended without a word. */
  readonly isGone?: (holder: string) => boolean;
}

const EXPIRY_MS = 15_000;
const RENEWAL_MS = 2_000;

/** The right to replay, kept for as long as somebody works. */
export class HeldTurn {
  /** Aborts when somebody wants the end, or when the turn went to another. */
  readonly signal: AbortSignal;
  readonly #options: HeldTurnOptions;
  readonly #ending = new AbortController();
  readonly #released = new AbortController();
  readonly #renewing: Promise<void>;
  #report: object;

  /** Resolves with the note of who has it when it is not to be had. */
  static async take(options: HeldTurnOptions): Promise<HeldTurn | TurnNote> {
    const { turn, clock, holder, report, isGone } = options;
    const now = clock.now();
    const before = await turn.read();
    const isLeftBehind = before !== undefined && before.expiresAtMs > now && isGone?.(before.holder);
    const note = { ...noteOf(holder, now, report), isEndWanted: false };
    const isTaken = await turn.take(note, now, isLeftBehind ? before.holder : undefined);
    return isTaken ? new HeldTurn(options) : ((await turn.read()) ?? note);
  }

  private constructor(options: HeldTurnOptions) {
    this.#options = options;
    this.#report = options.report;
    this.signal = this.#ending.signal;
    this.#renewing = this.#renew();
  }

  /** What others read of it, a moment later. */
  tell(report: object): void {
    this.#report = report;
  }

  async release(report: object): Promise<void> {
    this.#released.abort();
    await this.#renewing;
    const { turn, holder } = this.#options;
    await turn.keep({ holder, expiresAtMs: 0, report: JSON.stringify(report) });
  }

  async #renew(): Promise<void> {
    const { turn, clock, holder } = this.#options;
    const { signal } = this.#released;
    let lastKeptMs = clock.now();
    for (;;) {
      await clock.sleep(RENEWAL_MS, signal).catch(() => {});
      if (signal.aborted) return;
      try {
        const note = await turn.keep(noteOf(holder, clock.now(), this.#report));
        if (!note || note.isEndWanted) this.#ending.abort();
        lastKeptMs = clock.now();
      } catch {
        // The database is away for a moment; once the turn has expired, another may have it.
        if (clock.now() - lastKeptMs > EXPIRY_MS) this.#ending.abort();
      }
    }
  }
}

function noteOf(holder: string, nowMs: number, report: object): Omit<TurnNote, 'isEndWanted'> {
  return { holder, expiresAtMs: nowMs + EXPIRY_MS, report: JSON.stringify(report) };
}
