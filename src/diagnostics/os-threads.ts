import { readdirSync, readFileSync } from 'node:fs';

/** The states of a thread in the words that thread dumps are read in. */
export type ThreadState = 'RUNNABLE' | 'WAITING' | 'TIMED_WAITING';

/** A thread of this process as the system sees it. */
export interface OsThread {
  readonly id: number;
  /** The system keeps the first 15 bytes. */
  readonly name: string;
  readonly state: ThreadState;
  /** The place in the kernel it sleeps at, such as `futex_do_wait`; empty while it runs or where that is not told. */
  readonly waitsIn: string;
}

const FOLDER = '/proc/self/task';

/** Undefined on systems without /proc. */
export function osThreads(): OsThread[] | undefined {
  try {
    return readdirSync(FOLDER).flatMap((id) => readThread(id) ?? []);
  } catch {
    return undefined;
  }
}

export function osThreadIds(): number[] | undefined {
  try {
    return readdirSync(FOLDER).map(Number);
  } catch {
    return undefined;
  }
}

function readThread(id: string): OsThread | undefined {
  const stat = read(id, 'stat');
  // The name may hold anything, brackets too; the state follows its last bracket.
  const nameEnd = stat.lastIndexOf(')');
  const letter = stat[nameEnd + 2];
  if (letter === undefined || letter === 'Z' || letter === 'X') return undefined;
  const name = stat.slice(stat.indexOf('(') + 1, nameEnd);
  const state = stateOf(letter, read(id, 'syscall'));
  const waitsIn = state === 'RUNNABLE' ? '' : read(id, 'wchan').replace(/^0$/, '');
  return { id: Number(id), name, state, waitsIn };
}

/** Empty when the thread has ended meanwhile, or when the system keeps it to itself. */
function read(id: string, file: string): string {
  try {
    return readFileSync(`${FOLDER}/${id}/${file}`, 'utf8').trim();
  } catch {
    return '';
  }
}

/** A thread in the midst of reading a disk (D) counts as running, as in dumps of the JVM. */
export function stateOf(letter: string, systemCall: string): ThreadState {
  if (letter === 'R' || letter === 'D') return 'RUNNABLE';
  return hasTimeout(systemCall) ? 'TIMED_WAITING' : 'WAITING';
}

type TimeoutRule = (args: readonly string[]) => boolean;
const isTimeoutMs =
  (index: number): TimeoutRule =>
  (args) =>
    !/^0xf{8}(f{8})?$/.test(args[index] ?? '0xffffffff');
const isPointerSet =
  (index: number): TimeoutRule =>
  (args) =>
    (args[index] ?? '0x0') !== '0x0';
const always: TimeoutRule = () => true;

/** System calls that wait, by their number on each architecture: whether their arguments name a time. */
const waitingCalls: Readonly<Record<string, Readonly<Record<string, TimeoutRule>>>> = {
  x64: {
    7: isTimeoutMs(2), // poll
    202: isPointerSet(3), // futex
    230: always, // clock_nanosleep
    232: isTimeoutMs(3), // epoll_wait
    271: isPointerSet(2), // ppoll
    281: isTimeoutMs(3), // epoll_pwait
  },
  arm64: {
    22: isTimeoutMs(3), // epoll_pwait
    73: isPointerSet(2), // ppoll
    98: isPointerSet(3), // futex
    115: always, // clock_nanosleep
  },
};

/** `/proc/…/syscall` says number and arguments: `281 0xb 0x7f… 0x400 0xffffffff …`. */
function hasTimeout(systemCall: string): boolean {
  const [number = '', ...args] = systemCall.split(' ');
  return waitingCalls[process.arch]?.[number]?.(args) ?? false;
}
