/** A pod whose main thread is busy nearly all the time, beside a worker thread that is busy all the time. */
import { Worker } from 'node:worker_threads';
import { startDiagnosedModule } from '../../src/diagnostics/testing/start-diagnosed-module.ts';

const BUSY_MS = 300;

function crunchInMainThread(): void {
  const end = performance.now() + BUSY_MS;
  while (performance.now() < end) Math.random();
}

/** Between two rounds the loop turns, so that requests come in. */
function crunchOnAndOn(): void {
  crunchInMainThread();
  setTimeout(crunchOnAndOn, 1);
}

new Worker('function crunchInWorkerThread() { for (;;) Math.random(); } crunchInWorkerThread();', {
  eval: true,
  name: 'cruncher',
});
const { port } = await startDiagnosedModule({ podName: 'busy' });
process.send?.(port);
crunchOnAndOn();
