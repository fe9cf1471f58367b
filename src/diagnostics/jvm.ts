import { getHeapSpaceStatistics, getHeapStatistics } from 'node:v8';
import { Type } from 'typebox';
import { type Diagnostic, everyModule } from './diagnostic.ts';
import type { ProcessProbe } from './process-probe.ts';
import { summed } from './sums.ts';

const Bytes = Type.Integer({ description: 'Bytes.' });
const Milliseconds = Type.Number({ description: 'Milliseconds.' });

/** Memory, garbage collection and the event loop. The name is the specification's; the engine is V8. */
export const jvm: Diagnostic = {
  name: 'jvm',
  key: 'jvm',
  modules: everyModule,
  summary: 'Memory, garbage collection and event loop.',
  content: Type.Object({
    memory: Type.Object({
      heap: Type.Object({ used: Bytes, committed: Bytes, max: Bytes }),
      nonHeap: Type.Object({ used: Bytes }, { description: 'What objects hold outside the heap.' }),
      resident: Bytes,
      spaces: Type.Array(
        Type.Object({ name: Type.String(), used: Bytes, committed: Bytes, available: Bytes }),
      ),
    }),
    gc: Type.Array(
      Type.Object({ name: Type.String(), collectionCount: Type.Integer(), collectionTime: Milliseconds }),
    ),
    eventLoop: Type.Object({
      delay: Type.Object({ mean: Milliseconds, p50: Milliseconds, p99: Milliseconds, max: Milliseconds }),
      utilization: Type.Number({ description: 'From 0, idle, to 1, never idle.' }),
    }),
    uptime: Type.Integer({ description: 'Seconds since the process started.' }),
  }),
  collect: ({ probe }) => jvmContent(probe),
  combine: combined,
};

type JvmContent = ReturnType<typeof jvmContent>;

/** Of the event loops the one that fares worst. */
function combined(contents: readonly JvmContent[]): JvmContent {
  const worst = contents.toSorted((a, b) => b.eventLoop.delay.p99 - a.eventLoop.delay.p99)[0]!;
  return {
    ...summed(contents),
    eventLoop: worst.eventLoop,
    uptime: Math.max(...contents.map(({ uptime }) => uptime)),
  };
}

function jvmContent(probe: ProcessProbe) {
  const heap = getHeapStatistics();
  return {
    memory: {
      heap: { used: heap.used_heap_size, committed: heap.total_heap_size, max: heap.heap_size_limit },
      nonHeap: { used: heap.external_memory + heap.malloced_memory },
      resident: process.memoryUsage.rss(),
      spaces: getHeapSpaceStatistics().map((space) => ({
        name: space.space_name,
        used: space.space_used_size,
        committed: space.space_size,
        available: space.space_available_size,
      })),
    },
    gc: probe.collections(),
    eventLoop: { delay: probe.eventLoopDelay(), utilization: probe.eventLoopUtilization() },
    uptime: Math.floor(process.uptime()),
  };
}
