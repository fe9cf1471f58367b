/**
 * A worker pod with a heap of small objects, for one heap dump: by V8 alone into a file, or by the endpoint. It says how long
 * its event loop stood still and how much memory it took at most.
 */
import { writeHeapSnapshot } from 'node:v8';
import { startDiagnosedModule } from '../../src/diagnostics/testing/start-diagnosed-module.ts';

export type ToDumpedPod =
  | { readonly type: 'write-snapshot'; readonly file: string; readonly hasNumbers: boolean }
  | { readonly type: 'begin' }
  | { readonly type: 'end' };
export type FromDumpedPod =
  | { readonly type: 'ready'; readonly port: number; readonly heapBytes: number }
  | { readonly type: 'done' }
  | {
      readonly type: 'measured';
      readonly pauseMs: number;
      readonly pausesMs: number;
      readonly peakBytes: number;
    };

class Order {
  readonly number: number;
  readonly customer: string;
  readonly lines: Array<{ readonly article: string; readonly price: number }>;

  constructor(number: number) {
    this.number = number;
    this.customer = `customer ${number % 10_000} of somewhere`;
    this.lines = [
      { article: `article ${number}`, price: number / 7 },
      { article: `another ${number % 100}`, price: number },
    ];
  }
}

const objectCount = Number(process.argv[2]);
Object.assign(globalThis, {
  orders: Array.from({ length: objectCount / 4 }, (_, number) => new Order(number)),
});

const NOTICED_MS = 100;
let lastTurnMs = 0;
let longestGapMs = 0;
/** All that are long enough for a client to notice, added up. */
let noticedGapsMs = 0;
function turn(): void {
  const now = performance.now();
  const gapMs = now - lastTurnMs;
  longestGapMs = Math.max(longestGapMs, gapMs);
  if (gapMs > NOTICED_MS) noticedGapsMs += gapMs;
  lastTurnMs = now;
  setTimeout(turn, 1);
}

process.on('message', (message: ToDumpedPod) => {
  switch (message.type) {
    case 'begin':
      lastTurnMs = performance.now();
      longestGapMs = 0;
      noticedGapsMs = 0;
      return tell({ type: 'done' });
    case 'write-snapshot':
      writeHeapSnapshot(message.file, { exposeNumericValues: message.hasNumbers });
      return tell({ type: 'done' });
    case 'end':
      // The gap is over only when the loop has turned once more.
      setTimeout(
        () =>
          tell({
            type: 'measured',
            pauseMs: longestGapMs,
            pausesMs: noticedGapsMs,
            peakBytes: process.resourceUsage().maxRSS * 1024,
          }),
        20,
      );
  }
});

const pod = await startDiagnosedModule();
turn();
tell({ type: 'ready', port: pod.port, heapBytes: process.memoryUsage().heapUsed });

function tell(message: FromDumpedPod): void {
  process.send?.(message);
}
