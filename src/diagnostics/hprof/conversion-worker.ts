import { once } from 'node:events';
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import type { ConversionSettings, ToConversion } from './conversion.ts';
import { hprofOf } from './convert.ts';
import { readHeapSnapshot } from './snapshot-reader.ts';

/** The thread of a conversion: first it takes the whole snapshot, then it posts the file, a few chunks at a time. */

const { timeMs, arrivals, window } = workerData as ConversionSettings;
const port = parentPort!;

const snapshot = readHeapSnapshot(nextChunk);
let allowed = window;
port.on('message', () => allowed++);
for (const chunk of hprofOf(snapshot, timeMs)) {
  while (allowed === 0) await once(port, 'message');
  allowed--;
  port.postMessage(chunk, [chunk.buffer]);
}
port.close();

/** Waits in place: this thread has nothing else to do, and reading without promises is many times faster. */
function nextChunk(): Uint8Array | undefined {
  for (;;) {
    const seen = Atomics.load(arrivals, 0);
    const received = receiveMessageOnPort(port);
    if (received) return (received.message as Exclude<ToConversion, 'next'>) ?? undefined;
    Atomics.wait(arrivals, 0, seen);
  }
}
