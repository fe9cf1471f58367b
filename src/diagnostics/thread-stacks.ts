import { Session } from 'node:inspector/promises';

/** A thread that runs JavaScript, and where in it. */
export interface JsThread {
  /** Node's number of the thread; 0 is the main thread. */
  readonly workerId: number;
  readonly name: string;
  /** Empty when it waits for events; undefined when it did not answer, which only native code can be the reason for. */
  readonly stackTrace: readonly string[] | undefined;
}

const SOURCE = 'gatehouse-thread-dump';
/**
 * Evaluated in the thread itself. The inspector lets it in through an interrupt, so a busy thread answers as well: the stack
 * below the new error is the one of whatever was interrupted. No debugger is switched on, nothing pauses, no variable is
 * looked at, and nothing is left changed.
 */
const EXPRESSION = `(() => {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 100;
  const stack = new Error().stack;
  Error.stackTraceLimit = limit;
  return stack;
})()
//# sourceURL=${SOURCE}`;
const EVALUATION = { expression: EXPRESSION, returnByValue: true };

/** Stacks of the main thread and of every worker thread but the one that asks. Runs in a worker thread. */
export async function stacksOfThreads(ownId: number, deadlineMs: number): Promise<JsThread[]> {
  const session = new Session();
  session.connectToMainThread();
  try {
    const main = within(deadlineMs, stackOfMain(session));
    const workers = workerStacks(session, ownId, deadlineMs);
    return [{ workerId: 0, name: 'main', stackTrace: await main }, ...(await workers)];
  } finally {
    session.disconnect();
  }
}

/** The stack of the main thread alone; undefined when native code keeps it from answering. */
export async function mainStack(deadlineMs: number): Promise<readonly string[] | undefined> {
  const session = new Session();
  session.connectToMainThread();
  try {
    return await within(deadlineMs, stackOfMain(session));
  } finally {
    session.disconnect();
  }
}

async function stackOfMain(session: Session): Promise<string[]> {
  const answer: unknown = await session.post('Runtime.evaluate', EVALUATION);
  return framesOf(answer as Evaluated);
}

interface AttachedWorker {
  readonly sessionId: string;
  readonly title: string;
}

/** The main thread passes the question on to its workers, also while it is busy itself. */
async function workerStacks(session: Session, ownId: number, deadlineMs: number): Promise<JsThread[]> {
  const attached: AttachedWorker[] = [];
  const answers = new Map<string, (stackTrace: string[]) => void>();
  session.on('NodeWorker.attachedToWorker', ({ params: { sessionId, workerInfo } }) => {
    attached.push({ sessionId, title: workerInfo.title });
  });
  session.on('NodeWorker.receivedMessageFromWorker', ({ params: { sessionId, message } }) => {
    answers.get(sessionId)?.(framesOf(JSON.parse(message).result));
  });
  await within(deadlineMs, session.post('NodeWorker.enable', { waitForDebuggerOnStart: false }));
  const message = JSON.stringify({ id: 1, method: 'Runtime.evaluate', params: EVALUATION });
  const threads = attached.map(async ({ sessionId, title }): Promise<JsThread | undefined> => {
    const [, id = '-1', name = title] = /^\[worker (\d+)\] ?(.*)$/.exec(title) ?? [];
    if (Number(id) === ownId) return undefined;
    const { promise, resolve } = Promise.withResolvers<string[]>();
    answers.set(sessionId, resolve);
    // A worker that ended meanwhile is not told apart from one that does not answer.
    session.post('NodeWorker.sendMessageToWorker', { sessionId, message }).catch(() => undefined);
    return { workerId: Number(id), name, stackTrace: await within(deadlineMs, promise) };
  });
  const known = (await Promise.all(threads)).filter((thread) => thread !== undefined);
  await within(deadlineMs, session.post('NodeWorker.disable'));
  return known;
}

/** What `Runtime.evaluate` answers; without a result when the evaluation itself failed. */
interface Evaluated {
  readonly result?: { readonly value?: unknown };
}

/** The lines `at …` without our own. */
function framesOf(evaluated: Evaluated | undefined): string[] {
  const value = evaluated?.result?.value;
  const lines = typeof value === 'string' ? value.split('\n') : [];
  return lines.map((line) => line.trim()).filter((line) => line.startsWith('at ') && !line.includes(SOURCE));
}

/** Undefined when it takes longer, or fails because the session has ended. */
async function within<Value>(deadlineMs: number, promise: Promise<Value>): Promise<Value | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), deadlineMs);
  try {
    return await Promise.race([promise.catch(() => undefined), late]);
  } finally {
    clearTimeout(timer);
  }
}
