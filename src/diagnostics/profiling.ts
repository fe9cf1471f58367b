import { Session } from 'node:inspector/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** About one sample for so many allocated bytes. */
const BYTES_PER_SAMPLE = 32 * 1024;

/** What the main thread spends its time on, as the bytes of a `.cpuprofile`. Runs in a worker thread. */
export function sampleCpu(durationMs: number, signal: AbortSignal): Promise<Uint8Array> {
  return withMainThread(async (session) => {
    await session.post('Profiler.enable');
    await session.post('Profiler.start');
    await sleep(durationMs, undefined, { signal });
    const { profile } = await session.post('Profiler.stop');
    return profile;
  });
}

/** What the main thread allocates, whether it is still there or not, as the bytes of a `.heapprofile`. Runs in a worker thread. */
export function sampleAllocations(durationMs: number, signal: AbortSignal): Promise<Uint8Array> {
  return withMainThread(async (session) => {
    await session.post('HeapProfiler.startSampling', {
      samplingInterval: BYTES_PER_SAMPLE,
      includeObjectsCollectedByMajorGC: true,
      includeObjectsCollectedByMinorGC: true,
    });
    await sleep(durationMs, undefined, { signal });
    const { profile } = await session.post('HeapProfiler.stopSampling');
    return profile;
  });
}

/** However it ends, the profilers stop with the session. */
async function withMainThread(take: (session: Session) => Promise<object>): Promise<Uint8Array> {
  const session = new Session();
  session.connectToMainThread();
  try {
    return new TextEncoder().encode(JSON.stringify(await take(session)));
  } finally {
    session.disconnect();
  }
}
