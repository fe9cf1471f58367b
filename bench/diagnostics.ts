import { type ChildProcess, fork } from 'node:child_process';
import { on } from 'node:events';
import { availableParallelism, cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { DiagnosedModule } from '../src/diagnostics/diagnostic.ts';
import { TEST_ENVIRONMENT_ID } from '../src/diagnostics/testing/start-diagnosed-module.ts';
import type { FromPod, ToPod } from './load/diagnosed-pod.ts';
import { median, Report } from './report.ts';

/** The diagnostic, and the most that a call may hold up the event loop. */
const bars: ReadonlyArray<readonly [module: DiagnosedModule, name: string, barMs: number]> = [
  ['worker', 'jvm', 10],
  ['worker', 'threads', 10],
  ['worker', 'threaddump', 50],
  ['worker', 'connections', 10],
  ['worker', 'env', 10],
  ['worker', 'health', 10],
  ['worker', 'all', 10],
  ['worker', 'stalls', 10],
  ['cache', 'datagrid', 10],
  ['cache', 'all', 10],
];
const WARM_UP_CALLS = 10;

/** How long a call of the diagnostics holds up the event loop of the pod, beyond what it is held up anyway. */
export async function benchDiagnostics(argv: string[]): Promise<void> {
  const { values } = parseArgs({ args: argv, options: { rounds: { type: 'string', default: '20' } } });
  const rounds = Number(values.rounds);
  const report = new Report('Diagnostics: added event-loop delay');
  report.say(
    `${cpus()[0]?.model ?? 'unknown processor'}, ${availableParallelism()} cores; three worker and three cache pods in processes of their own, each cache with 200,000 counters; longest gap between two turns of the asked pod's loop during a call, and how much of it is more than in the same time without; medians of ${rounds} warm calls.\n`,
  );
  const pods = { worker: await startThree('worker'), cache: await startThree('cache') };
  try {
    report.say('| call | this pod alone | all three pods | bar |');
    report.say('|---|---|---|---|');
    for (const [module, name, barMs] of bars) {
      const pod = pods[module][0]!;
      const alone = await measure(pod, `${name}?internal=true`, rounds);
      const everybody = name === 'stalls' ? undefined : await measure(pod, name, rounds);
      report.say(`| ${module}: ${name} | ${shown(alone)} | ${shown(everybody)} | < ${barMs} ms |`);
      if (Math.max(alone.addedMs, everybody?.addedMs ?? 0) >= barMs) process.exitCode = 1;
    }
  } finally {
    for (const pod of Object.values(pods).flat()) pod.stop();
  }
  report.save();
}

async function startThree(module: DiagnosedModule): Promise<DiagnosedPod[]> {
  const pods = await Promise.all(['a', 'b', 'c'].map((name) => DiagnosedPod.start(name, module)));
  const addresses = Object.fromEntries(pods.map(({ name, url }) => [name, url]));
  for (const pod of pods) pod.tell({ type: 'others', addresses });
  return pods;
}

interface Delay {
  readonly addedMs: number;
  readonly longestMs: number;
}

function shown(delay: Delay | undefined): string {
  return delay ? `+ ${delay.addedMs.toFixed(2)} ms (${delay.longestMs.toFixed(2)} ms)` : '-';
}

async function measure(pod: DiagnosedPod, path: string, rounds: number): Promise<Delay> {
  for (let call = 0; call < WARM_UP_CALLS; call++) await pod.ask(path);
  const added: number[] = [];
  const longest: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const begunAtMs = performance.now();
    const withCall = await pod.longestGapDuring(() => pod.ask(path));
    const tookMs = performance.now() - begunAtMs;
    const without = await pod.longestGapDuring(() => sleep(tookMs));
    added.push(withCall - without);
    longest.push(withCall);
  }
  return { addedMs: median(added), longestMs: median(longest) };
}

class DiagnosedPod {
  readonly name: string;
  readonly url: string;
  readonly #child: ChildProcess;
  readonly #messages: AsyncIterator<[FromPod]>;

  private constructor(name: string, url: string, child: ChildProcess, messages: AsyncIterator<[FromPod]>) {
    this.name = name;
    this.url = url;
    this.#child = child;
    this.#messages = messages;
  }

  static async start(name: string, module: DiagnosedModule): Promise<DiagnosedPod> {
    const child = fork(new URL('./load/diagnosed-pod.ts', import.meta.url), [name, module]);
    const messages = on(child, 'message', { close: ['exit'] }) as AsyncIterator<[FromPod]>;
    const { value } = await messages.next();
    const [ready] = (value ?? []) as [FromPod?];
    if (ready?.type !== 'ready') throw new Error(`pod ${name} ended before it answered`);
    return new DiagnosedPod(name, `http://127.0.0.1:${ready.port}`, child, messages);
  }

  tell(message: ToPod): void {
    this.#child.send(message);
  }

  stop(): void {
    this.#child.kill('SIGKILL');
  }

  async ask(path: string): Promise<void> {
    const answer = await fetch(`${this.url}/gateway/diagnostics/${path}`, {
      headers: { authorization: TEST_ENVIRONMENT_ID },
    });
    await answer.arrayBuffer();
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status}`);
  }

  async longestGapDuring(act: () => Promise<unknown>): Promise<number> {
    await this.#exchange({ type: 'begin' });
    await act();
    const answer = await this.#exchange({ type: 'end' });
    return answer.type === 'longestGap' ? answer.ms : Number.NaN;
  }

  async #exchange(message: ToPod): Promise<FromPod> {
    this.tell(message);
    const { value } = await this.#messages.next();
    return value[0];
  }
}
