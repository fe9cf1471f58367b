import type { Clock } from '../../kernel/clock.ts';
import type { ByQueryRun } from './by-query-run.ts';
import { EngineError } from './engine-error.ts';

export interface TaskOptions {
  readonly action: string;
  readonly description: string;
  /** What the caller named it by. */
  readonly opaqueId: string | undefined;
  readonly run: ByQueryRun;
}

interface Task extends TaskOptions {
  readonly number: number;
  readonly beganAtMs: number;
  cancelledAtMs?: number;
  finishedAtMs?: number;
  failure?: EngineError;
}

/** Results that nobody asked for yet; the oldest go first. They do not outlive the process, as the runs do not. */
const MOST_RESULTS_KEPT = 100;

/** The runs that are going on, and the results of those that nobody waited for. */
export class Tasks {
  readonly #nodeId: string;
  readonly #clock: Clock;
  readonly #running = new Map<number, Task>();
  readonly #finished = new Map<number, Task>();
  readonly #unfinished = new Set<Promise<void>>();
  #lastNumber = 0;

  constructor(nodeId: string, clock: Clock) {
    this.#nodeId = nodeId;
    this.#clock = clock;
  }

  /** Starts a run; resolves when it is over, and rejects when it cannot go on. */
  start(options: TaskOptions, keepsResult: boolean): { id: string; done: Promise<void> } {
    const task: Task = { ...options, number: ++this.#lastNumber, beganAtMs: this.#clock.now() };
    this.#running.set(task.number, task);
    const done = this.#run(task, keepsResult);
    const settled = done.then(
      () => {},
      () => {},
    );
    this.#unfinished.add(settled);
    settled.then(() => this.#unfinished.delete(settled));
    return { id: this.#idOf(task), done };
  }

  async #run(task: Task, keepsResult: boolean): Promise<void> {
    try {
      await task.run.run();
    } catch (error) {
      task.failure =
        error instanceof EngineError
          ? error
          : new EngineError(500, 'engine_exception', (error as Error).message);
      throw task.failure;
    } finally {
      task.finishedAtMs = this.#clock.now();
      this.#running.delete(task.number);
      if (keepsResult) this.#keep(task);
    }
  }

  #keep(task: Task): void {
    this.#finished.set(task.number, task);
    const [oldest] = this.#finished.keys();
    if (this.#finished.size > MOST_RESULTS_KEPT && oldest !== undefined) this.#finished.delete(oldest);
  }

  /** Running tasks whose action matches. */
  list(matches: (action: string) => boolean, isDetailed: boolean): object {
    return this.#told(
      [...this.#running.values()].filter(({ action }) => matches(action)),
      isDetailed,
    );
  }

  /** A running task, or the result of one that is over. */
  get(id: string): object {
    const number = this.#numberOf(id);
    const running = this.#running.get(number);
    if (running) return { completed: false, task: this.#toldTask(running, true) };
    const finished = this.#finished.get(number);
    if (!finished)
      throw new EngineError(
        404,
        'resource_not_found_exception',
        `task [${id}] isn't running and hasn't stored its results`,
      );
    const { failure, run } = finished;
    const outcome = failure
      ? { error: { type: failure.type, reason: failure.message } }
      : { response: run.response() };
    return { completed: true, task: this.#toldTask(finished, true), ...outcome };
  }

  cancel(id: string): object {
    return this.#change(id, false, (task) => {
      task.cancelledAtMs = this.#clock.now();
      task.run.cancel('by user request');
    });
  }

  rethrottle(id: string, perSecond: number): object {
    return this.#change(id, true, ({ run }) => run.rethrottle(perSecond));
  }

  /** Cancels what runs and waits for it. */
  async stop(): Promise<void> {
    for (const { run } of this.#running.values()) run.cancel('the log index stops');
    await Promise.all(this.#unfinished);
  }

  /** A task that is not there is told in a list of failures, as a real engine does; the status stays 200. */
  #change(id: string, isDetailed: boolean, change: (task: Task) => void): object {
    const task = this.#running.get(this.#numberOf(id));
    if (!task) {
      const [node] = id.split(':');
      const caused_by = { type: 'resource_not_found_exception', reason: `task [${id}] is not found` };
      const failure = {
        type: 'failed_node_exception',
        reason: `Failed node [${node}]`,
        node_id: node,
        caused_by,
      };
      return { node_failures: [failure], nodes: {} };
    }
    change(task);
    return this.#told([task], isDetailed);
  }

  #numberOf(id: string): number {
    const match = /^([^:]+):(\d{1,15})$/.exec(id);
    if (!match) throw new EngineError(400, 'illegal_argument_exception', `malformed task id ${id}`);
    return match[1] === this.#nodeId ? Number(match[2]) : -1;
  }

  #idOf({ number }: Task): string {
    return `${this.#nodeId}:${number}`;
  }

  #told(tasks: readonly Task[], isDetailed: boolean): object {
    if (tasks.length === 0) return { nodes: {} };
    const told = tasks.map((task) => [this.#idOf(task), this.#toldTask(task, isDetailed)]);
    return {
      nodes: { [this.#nodeId]: { name: 'gatehouse', roles: ['data'], tasks: Object.fromEntries(told) } },
    };
  }

  #toldTask(task: Task, isDetailed: boolean): object {
    const { number, action, description, opaqueId, beganAtMs, finishedAtMs, cancelledAtMs, run } = task;
    return {
      node: this.#nodeId,
      id: number,
      type: 'transport',
      action,
      ...(isDetailed && { status: run.status(), description }),
      start_time_in_millis: beganAtMs,
      running_time_in_nanos: Math.round(((finishedAtMs ?? this.#clock.now()) - beganAtMs) * 1e6),
      cancellable: true,
      cancelled: cancelledAtMs !== undefined,
      headers: opaqueId === undefined ? {} : { 'X-Opaque-Id': opaqueId },
    };
  }
}
