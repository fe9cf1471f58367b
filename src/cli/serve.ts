import cluster from 'node:cluster';
import { type Service, untilSignalled } from '../kernel/life-cycle.ts';
import { untilParentStops } from '../kernel/process-group.ts';

/** Says that the service answers, waits for the signal to stop, and stops it. */
export async function serveUntilStopped(service: Service): Promise<number> {
  if (cluster.isWorker) await untilParentStops();
  else {
    // Whoever reads the line may send the signal at once.
    const signalled = untilSignalled();
    process.stdout.write(`ready ${service.module} ${service.url}\n`);
    // The service logs by itself why its background failed, and goes on without.
    service.background?.then(
      (line) => process.stdout.write(`ready ${line}\n`),
      () => {},
    );
    await signalled;
  }
  await service.stop();
  if (cluster.isWorker) cluster.worker?.disconnect();
  return 0;
}
