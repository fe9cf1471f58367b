import { randomBytes } from 'node:crypto';
import type { Clock } from '../../kernel/clock.ts';
import type { ByQueryOptions, LogIndexClient } from '../../log-index/client.ts';
import type { ByQueryAnswer, TaskAnswer } from '../../log-index/client-answers.ts';
import { LogIndexFailure } from '../../log-index/log-index-failure.ts';
import { type OperatorConsole, tell } from '../operator/operator-console.ts';
import { OperatorFailure } from '../operator/operator-failure.ts';
import { Progress } from '../operator/progress.ts';
import type { Configuration } from './configuration.ts';
import { isOutcomeUnknown, isPassing } from './failure-text.ts';
import { isConclusive, type Pass, seenPass } from './operation-result.ts';
import type { Plan } from './plan.ts';
import { dealtWith, type RunningTask, runningTasks, seenIn } from './running-task.ts';

export interface OperationOptions {
  readonly client: LogIndexClient;
  readonly configuration: Configuration;
  readonly plan: Plan;
  readonly console: OperatorConsole;
  readonly clock: Clock;
  /** Aborts when the operator interrupts: the run is then cancelled on the index too. */
  readonly signal: AbortSignal;
  readonly pace: Pace;
}

export interface Pace {
  /** Between two looks at how far a run is. */
  readonly pollMs: number;
  /** How long an index that is away may stay away while a run is on it. */
  readonly patienceMs: number;
  /** How long a cancelled run may take to end. */
  readonly cancelMs: number;
  /** How long the answer to a run may take that is not in the list of tasks any more. */
  readonly answerMs: number;
}

export const usualPace: Pace = { pollMs: 1000, patienceMs: 120_000, cancelMs: 30_000, answerMs: 30_000 };

/** Update or delete by query: passes over the documents in scope until no version conflicts are left. */
export class OperationRun {
  /** What was done so far; also when `run` failed. */
  readonly passes: Pass[] = [];
  /** A run was begun, and nobody saw its end. */
  hasUnknownEnd = false;
  readonly #options: OperationOptions;
  readonly #progress: Progress;
  #lastSeen: RunningTask['seen'] | undefined;

  constructor(options: OperationOptions) {
    this.#options = options;
    const label = options.configuration.operation.kind === 'clean' ? 'update' : 'delete';
    this.#progress = new Progress(options.console, options.clock, label);
  }

  /** Follows the run that is going on already, if there is one, before it makes one of its own. */
  async run(going?: RunningTask): Promise<void> {
    const { configuration, signal } = this.#options;
    try {
      if (going)
        this.passes.push(await this.#cancellable(going.opaqueId, (giveUp) => this.#follow(going, giveUp)));
      for (let made = 0; made < configuration.maxPasses && !signal.aborted; made++) {
        const last = this.passes.at(-1);
        if (last && isConclusive(last)) return;
        this.passes.push(await this.#pass());
      }
    } finally {
      this.#progress.clear();
    }
  }

  async #pass(): Promise<Pass> {
    const opaqueId = `${this.#options.plan.mark}-${randomBytes(4).toString('hex')}`;
    return await this.#cancellable(opaqueId, async (giveUp) => {
      try {
        if (this.#options.configuration.isAsync) return await this.#startAndFollow(opaqueId, giveUp);
        return await this.#wait(opaqueId, giveUp);
      } catch (error) {
        if (!isOutcomeUnknown(error)) throw error;
        return await this.#afterLoss(opaqueId, error, giveUp);
      }
    });
  }

  /** The call that answers when all is done, with looks at the list of tasks beside it. */
  async #wait(opaqueId: string, giveUp: AbortSignal): Promise<Pass> {
    const { client, configuration, plan } = this.#options;
    const ended = new AbortController();
    const unanswered = new AbortController();
    const options = {
      ...this.#byQueryOptions(opaqueId),
      signal: AbortSignal.any([giveUp, unanswered.signal]),
    };
    const watching = this.#watch(opaqueId, ended.signal, () => unanswered.abort());
    try {
      const answer = plan.script
        ? await client.updateByQuery(configuration.index, plan.script, options)
        : await client.deleteByQuery(configuration.index, options);
      return this.#ended(answer);
    } finally {
      ended.abort();
      await watching;
    }
  }

  async #startAndFollow(opaqueId: string, giveUp: AbortSignal): Promise<Pass> {
    const { client, configuration, plan } = this.#options;
    const options = this.#byQueryOptions(opaqueId);
    const id = plan.script
      ? await client.startUpdateByQuery(configuration.index, plan.script, options)
      : await client.startDeleteByQuery(configuration.index, options);
    return await this.#follow({ id }, giveUp);
  }

  /** The run may go on unseen, may have ended, or may never have begun: the list of tasks tells the first from the others. */
  async #afterLoss(opaqueId: string, error: unknown, giveUp: AbortSignal): Promise<Pass> {
    this.hasUnknownEnd = true;
    this.#progress.clear();
    tell(this.#options.console, 'WARNING', `${(error as Error).message}; looking whether the run goes on`);
    const task = await this.#patiently(() => this.#find(opaqueId));
    return task ? await this.#follow(task, giveUp) : seenPass(this.#lastSeen);
  }

  /** Until the run is over. One that keeps no result leaves what was last seen of it. */
  async #follow({ id }: Pick<RunningTask, 'id'>, giveUp: AbortSignal): Promise<Pass> {
    const { client, clock, pace } = this.#options;
    this.hasUnknownEnd = true;
    while (!giveUp.aborted) {
      const task = await this.#patiently(() => taskIfThere(client, id));
      if (!task) return seenPass(this.#lastSeen);
      this.#see(seenIn([task.task]));
      if (task.completed) return this.#ended(answerOf(task));
      await clock.sleep(pace.pollMs);
    }
    return seenPass(this.#lastSeen);
  }

  #ended(answer: ByQueryAnswer): Pass {
    this.hasUnknownEnd = false;
    return { answer, isSeenOnly: false };
  }

  /** A connection may die without a sign, and its answer with it: a run that was there and is gone is waited for no longer. */
  async #watch(opaqueId: string, ended: AbortSignal, onUnanswered: () => void): Promise<void> {
    const { clock, pace } = this.#options;
    let lastThereMs: number | undefined;
    while (!ended.aborted) {
      await clock.sleep(pace.pollMs, ended).catch(() => {});
      if (ended.aborted) return;
      // The call itself tells what is wrong; this only looks on.
      const task = await this.#find(opaqueId).catch(() => 'unknown' as const);
      if (task) lastThereMs = task === 'unknown' ? lastThereMs : clock.now();
      else if (lastThereMs !== undefined && clock.now() - lastThereMs > pace.answerMs) onUnanswered();
    }
  }

  async #find(opaqueId: string): Promise<RunningTask | undefined> {
    const task = (await runningTasks(this.#options.client)).find((one) => one.opaqueId === opaqueId);
    if (task) this.#see(task.seen);
    return task;
  }

  #see(seen: RunningTask['seen']): void {
    if (seen.total === 0) return;
    this.#lastSeen = seen;
    this.#progress.show(dealtWith(seen), seen.total);
  }

  /** Does the work; when the operator interrupts it, cancels the run on the index and waits for its end. */
  async #cancellable(opaqueId: string, work: (giveUp: AbortSignal) => Promise<Pass>): Promise<Pass> {
    const { signal, clock, pace } = this.#options;
    this.#lastSeen = undefined;
    const giveUp = new AbortController();
    const settled = new AbortController();
    const onAbort = () => {
      this.#cancel(opaqueId, settled.signal).catch((error: Error) =>
        tell(this.#options.console, 'WARNING', `the run could not be cancelled: ${error.message}`),
      );
      clock.sleep(pace.cancelMs, settled.signal).then(
        () => giveUp.abort(),
        () => {},
      );
    };
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      return await work(giveUp.signal);
    } finally {
      settled.abort();
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** The call may be on its way still, so that its task is looked for more than once. */
  async #cancel(opaqueId: string, settled: AbortSignal): Promise<void> {
    const { client, clock, pace } = this.#options;
    this.#progress.clear();
    while (!settled.aborted) {
      const task = await this.#find(opaqueId);
      if (task) {
        this.#progress.clear();
        await client.cancelTask(task.id);
        return;
      }
      await clock.sleep(Math.min(pace.pollMs, 250), settled).catch(() => {});
    }
  }

  /** While a run is on it, an index that is away for a moment is waited for. */
  async #patiently<Value>(call: () => Promise<Value>): Promise<Value> {
    const { clock, pace, signal } = this.#options;
    const untilMs = clock.now() + pace.patienceMs;
    for (;;) {
      try {
        return await call();
      } catch (error) {
        if (!isPassing(error) || clock.now() >= untilMs || signal.aborted) throw error;
      }
      await clock.sleep(pace.pollMs);
    }
  }

  #byQueryOptions(opaqueId: string): ByQueryOptions {
    const { slices, requestsPerSecond, batchSize } = this.#options.configuration;
    return {
      query: this.#options.plan.query,
      opaqueId,
      ...(slices !== undefined && { slices }),
      ...(requestsPerSecond !== undefined && { requestsPerSecond }),
      ...(batchSize !== undefined && { scrollSize: batchSize }),
    };
  }
}

async function taskIfThere(client: LogIndexClient, id: string): Promise<TaskAnswer | undefined> {
  try {
    return await client.task(id);
  } catch (error) {
    if (error instanceof LogIndexFailure && error.kind === 'not-found') return undefined;
    throw error;
  }
}

function answerOf({ response, error }: TaskAnswer): ByQueryAnswer {
  if (!response)
    throw new OperatorFailure(
      `the run failed: ${error?.reason ?? error?.type ?? 'the index does not say why'}`,
    );
  // A result that was kept has members that one which was waited for has not.
  const kept: ByQueryAnswer & Readonly<Record<string, unknown>> = { ...response };
  const { created: _, throttled: __, throttled_until: ___, ...answer } = kept;
  return answer as ByQueryAnswer;
}
