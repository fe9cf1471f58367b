import cluster, { type Worker } from 'node:cluster';
import { Fault, fault } from './faults.ts';
import type { Service } from './life-cycle.ts';
import type { Log } from './log.ts';
import { UsageError } from './options.ts';
import { type Keepers, localState, type SharedState } from './shared-state.ts';

/** Which of the serving processes this one is. The first does what only one may do; its place is taken anew when it dies. */
export interface ProcessPlace {
  readonly index: number;
  readonly count: number;
}

export interface ProcessGroupOptions<All extends Keepers> {
  readonly count: number;
  readonly createKeepers: () => All;
  /** Starts the module's listener on top of the shared state; runs in every serving process. */
  readonly serve: (state: SharedState<All>, place: ProcessPlace) => Promise<Service>;
  readonly log: Log;
}

/** A call of a keeper's method by another process, and its answer. */
interface KeeperCall {
  readonly type: 'keeper-call';
  readonly id: number;
  readonly keeper: string;
  readonly method: string;
  readonly args: unknown[];
}
type KeeperResult = { readonly type: 'keeper-result'; readonly id: number } & Outcome;
type Outcome =
  | { readonly value: unknown }
  | { readonly fault: Pick<Fault, 'key' | 'values' | 'headers'> }
  | { readonly error: string };

type Message =
  | KeeperCall
  | KeeperResult
  | { readonly type: 'serving'; readonly module: string; readonly url: string }
  | { readonly type: 'background'; readonly line: string }
  | {
      readonly type: 'failed';
      readonly message: string;
      readonly code: string | undefined;
      readonly isUsageError: boolean;
    }
  | { readonly type: 'stop' };

/** How a child learns its place. */
const INDEX_VARIABLE = 'GATEHOUSE_PROCESS_INDEX';
const KEEPER_DEADLINE_MS = 10_000;
/** A process that dies again and again is restarted ever more slowly. */
const LONGEST_RESTART_DELAY_MS = 30_000;

/** Serves in this process, or, when more than one is asked for, in that many child processes with this one keeping their state. */
export async function startProcessGroup<All extends Keepers>(
  options: ProcessGroupOptions<All>,
): Promise<Service> {
  if (cluster.isWorker) return serveAsChild(options);
  if (options.count === 1) return options.serve(localState(options.createKeepers()), { index: 0, count: 1 });
  return superviseChildren(options);
}

async function serveAsChild<All extends Keepers>(options: ProcessGroupOptions<All>): Promise<Service> {
  try {
    const place = { index: Number(process.env[INDEX_VARIABLE]), count: options.count };
    const service = await options.serve(remoteState<All>(), place);
    send(process, { type: 'serving', module: service.module, url: service.url });
    service.background?.then(
      (line) => send(process, { type: 'background', line }),
      () => {},
    );
    return service;
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    send(process, { type: 'failed', message, code, isUsageError: error instanceof UsageError });
    // The parent says it, once for all children, and ends them.
    return new Promise(() => {});
  }
}

/** In a child: every keeper's method becomes a message to the parent. */
function remoteState<All extends Keepers>(): SharedState<All> {
  const waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  let lastId = 0;
  process.on('message', (message: Message) => {
    if (message.type !== 'keeper-result') return;
    const caller = waiting.get(message.id);
    waiting.delete(message.id);
    if ('value' in message) caller?.resolve(message.value);
    else if ('fault' in message) {
      caller?.reject(fault(message.fault.key, message.fault.values, message.fault.headers));
    } else caller?.reject(new Error(message.error));
  });
  const call = (keeper: string, method: string, args: unknown[]) =>
    new Promise((resolve, reject) => {
      const id = ++lastId;
      const timer = setTimeout(() => {
        waiting.delete(id);
        reject(new Error(`the shared state did not answer ${keeper}.${method} in time`));
      }, KEEPER_DEADLINE_MS);
      const settle =
        <Value>(act: (value: Value) => void) =>
        (value: Value) => {
          clearTimeout(timer);
          act(value);
        };
      waiting.set(id, { resolve: settle(resolve), reject: settle(reject) });
      send(process, { type: 'keeper-call', id, keeper, method, args });
    });
  const keeperOf = (keeper: string) =>
    new Proxy(
      {},
      {
        get:
          (_, method: string) =>
          (...args: unknown[]) =>
            call(keeper, method, args),
      },
    );
  return new Proxy({} as SharedState<All>, { get: (_, keeper: string) => keeperOf(keeper) });
}

/** In the parent: starts the children, answers their calls, and starts anew what dies. */
async function superviseChildren<All extends Keepers>(options: ProcessGroupOptions<All>): Promise<Service> {
  const { log } = options;
  const keepers = options.createKeepers();
  const serving = new Set<Worker>();
  const background = Promise.withResolvers<string>();
  let withBackground = 0;
  let isStopping = false;
  let deaths = 0;
  cluster.setupPrimary({ serialization: 'advanced' });

  const startChild = (index: number) =>
    new Promise<{ module: string; url: string }>((resolve, reject) => {
      const child = cluster.fork({ [INDEX_VARIABLE]: String(index) });
      child.on('message', (message: Message) => {
        if (message.type === 'keeper-call') answerCall(keepers, child, message);
        if (message.type === 'serving') {
          serving.add(child);
          resolve(message);
        }
        if (message.type === 'background' && ++withBackground === options.count)
          background.resolve(message.line);
        if (message.type === 'failed')
          reject(
            message.isUsageError
              ? new UsageError(message.message)
              : Object.assign(new Error(message.message), { code: message.code }),
          );
      });
      child.once('exit', (code, signal) => {
        serving.delete(child);
        if (isStopping) return;
        reject(new Error('a process ended before it served'));
        log.error({ event: 'process.died', pid: child.process.pid, code, signal });
        const delayMs = Math.min(100 * 2 ** deaths++, LONGEST_RESTART_DELAY_MS);
        setTimeout(() => restart(index), delayMs).unref();
      });
    });
  const restart = (index: number) => {
    if (isStopping) return;
    startChild(index).then(
      () => log.info({ event: 'process.restarted' }),
      (err) => log.error({ event: 'process.restart.failed', err }),
    );
  };
  const stop = async () => {
    isStopping = true;
    const children = Object.values(cluster.workers ?? {}).filter((child) => child !== undefined);
    await Promise.all(
      children.map((child) => {
        const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
        // A child that does not serve yet has nothing to finish and does not listen for the word.
        if (serving.has(child)) send(child, { type: 'stop' });
        else child.process.kill('SIGKILL');
        return ended;
      }),
    );
  };
  try {
    const [first] = await Promise.all(Array.from({ length: options.count }, (_, index) => startChild(index)));
    return { module: first!.module, url: first!.url, background: background.promise, stop };
  } catch (error) {
    isStopping = true;
    for (const child of Object.values(cluster.workers ?? {})) child?.process.kill('SIGKILL');
    throw error;
  }
}

async function answerCall(
  keepers: Keepers,
  child: Worker,
  { id, keeper, method, args }: KeeperCall,
): Promise<void> {
  const outcome = await callKeeper(keepers[keeper], method, args);
  if (child.isConnected()) send(child, { type: 'keeper-result', id, ...outcome });
}

async function callKeeper(keeper: object | undefined, method: string, args: unknown[]): Promise<Outcome> {
  try {
    const act: unknown = keeper && Reflect.get(keeper, method);
    if (typeof act !== 'function') throw new Error(`there is no shared method ${method}`);
    return { value: await act.apply(keeper, args) };
  } catch (error) {
    if (error instanceof Fault)
      return { fault: { key: error.key, values: error.values, headers: error.headers } };
    return { error: (error as Error).message };
  }
}

/** Resolves when the parent asks this child to stop. Signals from the terminal reach the parent too, which passes them on. */
export function untilParentStops(): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});
  return new Promise((resolve) => {
    process.on('message', (message: Message) => {
      if (message.type === 'stop') resolve();
    });
    process.on('disconnect', () => resolve());
  });
}

function send(target: NodeJS.Process | Worker, message: Message): void {
  // A peer that is gone has nobody waiting for the message.
  target.send?.(message, undefined, undefined, () => {});
}
