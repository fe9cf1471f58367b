import { type ChildProcess, fork } from 'node:child_process';
import { on } from 'node:events';
import { availableParallelism, cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { TEST_ENVIRONMENT_ID } from '../src/diagnostics/testing/start-diagnosed-module.ts';
import type { FromPod, ToPod } from './load/diagnosed-pod.ts';
import { median, Report } from './report.ts';

/** Name of the diagnostic, and the most that a call may hold up the event loop. */
const bars: ReadonlyArray<readonly [name: string, barMs: number]> = [
  ['jvm', 10],
  ['threads', 10],
  ['threaddump', 50],
  ['connections', 10],
  ['env', 10],
  ['health', 10],
  ['all', 10],
  ['stalls', 10],
];
const WARM_UP_CALLS = 10;

/** How long a call of the diagnostics holds up the event loop of the pod, beyond what it is held up anyway. */
export async function benchDiagnostics(argv: string[]): Promise<void> {
  const { values } = parseArgs({ args: argv, options: { rounds: { type: 'string', default: '20' } } });
  const rounds = Number(values.rounds);
  const report = new Report('Diagnostics: added event-loop delay');
  report.say(
    `${cpus()[0]?.model ?? 'unknown processor'}, ${availableParallelism()} cores; three worker pods in processes of their own; longest gap between two turns of the asked pod's loop during a call, and how much of it is more than in the same time without; medians of ${rounds} warm calls.\n`,
  );
  const pods = await Promise.all(['a', 'b', 'c'].map((name) => DiagnosedPod.start(name)));
  try {
    const addresses = Object.fromEntries(pods.map(({ name, url }) => [name, url]));
    for (const pod of pods) pod.tell({ type: 'others', addresses });
    report.say('| call | this pod alone | all three pods | bar |');
    report.say('|---|---|---|---|');
    for (const [name, barMs] of bars) {
      const alone = await measure(pods[0]!, `${name}?internal=true`, rounds);
      const everybody = name === 'stalls' ? undefined : await measure(pods[0]!, name, rounds);
      const text = (delay: Delay | undefined) =>
        delay ? `+ ${delay.addedMs.toFixed(2)} ms (${delay.longestMs.toFixed(2)} ms)` : '-';
      report.say(`| ${name} | ${text(alone)} | ${text(everybody)} | < ${barMs} ms |`);
    }
  } finally {
    for (const pod of pods) pod.stop();
  }
  report.save();
}

interface Delay {
  readonly addedMs: number;
  readonly longestMs: number;
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

  static async start(name: string): Promise<DiagnosedPod> {
    const child = fork(new URL('./load/diagnosed-pod.ts', import.meta.url), [name]);
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
