import { once } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import type { ConversionSettings } from './conversion.ts';
import { hprofOf } from './convert.ts';
import { readHeapSnapshot } from './snapshot-reader.ts';

/** The thread of a conversion: it posts the chunks of the file, never more than the window allows before they are asked for. */

const { fd, timeMs, window } = workerData as ConversionSettings;
const port = parentPort!;
let allowed = window;
port.on('message', () => allowed++);
for (const chunk of hprofOf(readHeapSnapshot(fd), timeMs)) {
  while (allowed === 0) await once(port, 'message');
  allowed--;
  port.postMessage(chunk, [chunk.buffer]);
}
port.close();
