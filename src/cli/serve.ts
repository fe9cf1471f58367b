import cluster from 'node:cluster';
import { type Service, untilSignalled } from '../kernel/life-cycle.ts';
import { untilParentStops } from '../kernel/process-group.ts';

/** Says of each service that it answers, waits for the signal to stop, and stops them, the last one first. */
export async function serveUntilStopped(...services: readonly Service[]): Promise<number> {
  if (cluster.isWorker) await untilParentStops();
  else {
    // Whoever reads the line may send the signal at once.
    const signalled = untilSignalled();
    for (const service of services) announce(service);
    await signalled;
  }
  await stopInReverse(services);
  if (cluster.isWorker) cluster.worker?.disconnect();
  return 0;
}

/** Starts one after the other. When one cannot start, those before it are stopped again. */
export async function startInTurn(starts: ReadonlyArray<() => Promise<Service>>): Promise<Service[]> {
  const services: Service[] = [];
  try {
    for (const start of starts) services.push(await start());
  } catch (error) {
    await stopInReverse(services);
    throw error;
  }
  return services;
}

async function stopInReverse(services: readonly Service[]): Promise<void> {
  for (const service of services.toReversed()) await service.stop();
}

function announce({ module, url, background }: Service): void {
  process.stdout.write(`ready ${module} ${url}\n`);
  // The service logs by itself why its background failed, and goes on without.
  background?.then(
    (line) => process.stdout.write(`ready ${line}\n`),
    () => {},
  );
}
