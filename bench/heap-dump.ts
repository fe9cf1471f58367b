import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { TEST_ENVIRONMENT_ID } from '../src/diagnostics/testing/start-diagnosed-module.ts';
import type { FromDumpedPod, ToDumpedPod } from './load/dumped-pod.ts';
import { median, Report, times } from './report.ts';

interface Measured {
  readonly pauseMs: number;
  readonly pausesMs: number;
  readonly totalMs: number;
  readonly peakBytes: number;
}

/**
 * An HPROF dump over HTTP beside V8's own `writeHeapSnapshot` of the same heap, each in a fresh process. The peer writes
 * numbers down, too: a dump whose objects lack every small integer would be another dump. Without them it is a row apart.
 */
export async function benchHeapDump(argv: string[]): Promise<void> {
  const { values } = parseArgs({
    args: argv,
    options: { rounds: { type: 'string', default: '5' }, objects: { type: 'string', default: '800000' } },
  });
  const rounds = Number(values.rounds);
  const own: Measured[] = [];
  const peer: Measured[] = [];
  const withoutNumbers: Measured[] = [];
  let heapBytes = 0;
  for (let round = 0; round < rounds; round++) {
    peer.push(await inFreshPod(values.objects, (pod) => pod.writeSnapshot(true)));
    withoutNumbers.push(await inFreshPod(values.objects, (pod) => pod.writeSnapshot(false)));
    own.push(
      await inFreshPod(values.objects, (pod) => {
        heapBytes = pod.heapBytes;
        return pod.fetchDump();
      }),
    );
  }
  const report = new Report('Heap dump');
  report.say(
    `${cpus()[0]?.model ?? 'unknown processor'}, ${availableParallelism()} cores; a heap of ${megabytes(heapBytes)} in small objects, a fresh process for each dump; medians of ${rounds}.\n`,
  );
  report.say('| | writeHeapSnapshot | HPROF over HTTP | ratio | bar |');
  report.say('|---|---|---|---|---|');
  const row = (
    what: string,
    of: (one: Measured) => number,
    shown: (value: number) => string,
    bar: number,
  ) => {
    const [theirs, ours] = [median(peer.map(of)), median(own.map(of))];
    report.say(`| ${what} | ${shown(theirs)} | ${shown(ours)} | ${times(ours / theirs)} | ≤ ${times(bar)} |`);
    if (ours / theirs > bar) process.exitCode = 1;
  };
  const milliseconds = (value: number) => `${value.toFixed(0)} ms`;
  row('longest pause of the event loop', ({ pauseMs }) => pauseMs, milliseconds, 1.1);
  row('all pauses over 100 ms together', ({ pausesMs }) => pausesMs, milliseconds, 1.1);
  row('total time', ({ totalMs }) => totalMs, milliseconds, 2.5);
  row('peak memory of the process', ({ peakBytes }) => peakBytes, megabytes, 1.5);
  const leaner = median(withoutNumbers.map(({ pausesMs }) => pausesMs));
  report.say(
    `\n\`writeHeapSnapshot\` with numbers, as in the dump. Without them it stops the loop for ${milliseconds(leaner)}: ` +
      `all pauses of the dump together are ${times(median(own.map(({ pausesMs }) => pausesMs)) / leaner)} of that.`,
  );
  report.save();
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`;
}

async function inFreshPod(objects: string, dump: (pod: DumpedPod) => Promise<void>): Promise<Measured> {
  const pod = await DumpedPod.start(objects);
  try {
    await pod.exchange({ type: 'begin' });
    const begunAtMs = performance.now();
    await dump(pod);
    const totalMs = performance.now() - begunAtMs;
    const answer = await pod.exchange({ type: 'end' });
    if (answer.type !== 'measured') throw new Error(`the pod said ${answer.type}`);
    return { ...answer, totalMs };
  } finally {
    pod.stop();
  }
}

class DumpedPod {
  readonly heapBytes: number;
  readonly #port: number;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, port: number, heapBytes: number) {
    this.#child = child;
    this.#port = port;
    this.heapBytes = heapBytes;
  }

  static async start(objects: string): Promise<DumpedPod> {
    const child = fork(new URL('./load/dumped-pod.ts', import.meta.url), [objects]);
    const [ready] = (await once(child, 'message')) as [FromDumpedPod];
    if (ready.type !== 'ready') throw new Error('the pod did not start');
    return new DumpedPod(child, ready.port, ready.heapBytes);
  }

  async writeSnapshot(hasNumbers: boolean): Promise<void> {
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-bench-'));
    try {
      await this.exchange({ type: 'write-snapshot', file: join(folder, 'peer.heapsnapshot'), hasNumbers });
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  async fetchDump(): Promise<void> {
    const answer = await fetch(`http://127.0.0.1:${this.#port}/gateway/diagnostics/heapdump`, {
      headers: { authorization: TEST_ENVIRONMENT_ID },
    });
    if (answer.status !== 200) throw new Error(`${answer.status}: ${await answer.text()}`);
    let bytes = 0;
    for await (const chunk of answer.body!) bytes += chunk.length;
    if (bytes < 1e6) throw new Error(`a dump of ${bytes} bytes`);
  }

  async exchange(message: ToDumpedPod): Promise<FromDumpedPod> {
    const answered = once(this.#child, 'message');
    this.#child.send(message);
    const [answer] = (await answered) as [FromDumpedPod];
    return answer;
  }

  stop(): void {
    this.#child.kill('SIGKILL');
  }
}
