/** A pod with nothing but its diagnostics, which watches how long its own event loop stands still. */
import type { DiagnosedModule } from '../../src/diagnostics/diagnostic.ts';
import { podNamed, startDiagnosedModule } from '../../src/diagnostics/testing/start-diagnosed-module.ts';
import { reportDataGrid } from '../../src/grid/data-grid-report.ts';
import { EngineGrid } from '../../src/grid/engine-grid.ts';
import { MemoryEngine } from '../../src/grid/memory/memory-engine.ts';
import type { Pod } from '../../src/store/pods.ts';

export type ToPod =
  | { readonly type: 'others'; readonly addresses: Readonly<Record<string, string>> }
  | { readonly type: 'begin' }
  | { readonly type: 'end' };
export type FromPod =
  | { readonly type: 'ready'; readonly port: number }
  | { readonly type: 'begun' }
  | { readonly type: 'longestGap'; readonly ms: number };

let others: Pod[] = [];
let isWatching = false;
let lastTurnMs = 0;
let longestGapMs = 0;

/** Turns as often as the loop can: whatever keeps it from turning shows as a gap. */
function turn(): void {
  const now = performance.now();
  longestGapMs = Math.max(longestGapMs, now - lastTurnMs);
  lastTurnMs = now;
  if (isWatching) setImmediate(turn);
}

process.on('message', (message: ToPod) => {
  if (message.type === 'others') {
    others = Object.entries(message.addresses).map(([name, address]) => podNamed(name, address));
    return;
  }
  if (message.type === 'end') {
    isWatching = false;
    tell({ type: 'longestGap', ms: longestGapMs });
    return;
  }
  isWatching = true;
  tell({ type: 'begun' });
  setImmediate(() => {
    lastTurnMs = performance.now();
    longestGapMs = 0;
    turn();
  });
});

const MAPS = 20;
const ENTRIES = 10_000;

/** As many counters as a busy environment has. */
async function filledGrid(): Promise<EngineGrid> {
  const grid = new EngineGrid(new MemoryEngine());
  for (let index = 0; index < MAPS; index++) {
    const map = grid.map<number>(`map-${index}`, { ttlMs: 3_600_000 });
    for (let client = 0; client < ENTRIES; client++) await map.increment(`client-${client}`);
  }
  return grid;
}

const [podName, module] = process.argv.slice(2) as [string, DiagnosedModule];
const grid = module === 'cache' ? await filledGrid() : undefined;
const pod = await startDiagnosedModule({
  module,
  podName,
  others: async () => others,
  ...(grid && { dataGrid: () => reportDataGrid(grid, async () => []) }),
});
tell({ type: 'ready', port: pod.port });

function tell(message: FromPod): void {
  process.send?.(message);
}
