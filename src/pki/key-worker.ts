import { parentPort } from 'node:worker_threads';
import { generateKeySync, type KeyKind } from './keys.ts';

/** The thread of a key factory: one kind in, one pair of keys out. */
parentPort?.on('message', (kind: KeyKind) => {
  parentPort?.postMessage(generateKeySync(kind));
});
