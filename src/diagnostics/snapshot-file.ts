import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, openSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeHeapSnapshot } from 'node:v8';

const namePattern = /^gatehouse-heap-(\d+)-[\da-f-]+\.heapsnapshot$/;
/** Names of files that are open but have no other name any more. Linux has them. */
const OPEN_FILES = '/proc/self/fd';

/**
 * V8's snapshot of this process in a file that only its owner may read and that has no name: whatever happens, it is gone
 * with the process. The event loop stands still meanwhile. Whoever gets the file closes it.
 */
export function writeSnapshotFile(folder: string): number {
  removeStaleSnapshots(folder);
  const path = join(folder, `gatehouse-heap-${process.pid}-${randomUUID()}.heapsnapshot`);
  const fd = openSync(path, 'wx+', 0o600);
  try {
    const isNameless = existsSync(`${OPEN_FILES}/${fd}`);
    if (isNameless) rmSync(path);
    writeHeapSnapshot(isNameless ? `${OPEN_FILES}/${fd}` : path, { exposeNumericValues: true });
    return fd;
  } catch (error) {
    closeSync(fd);
    throw error;
  } finally {
    rmSync(path, { force: true });
  }
}

/** Where files cannot be without a name, a process that was killed leaves one behind. */
export function removeStaleSnapshots(folder: string): void {
  for (const name of namesIn(folder)) {
    const [, pid] = namePattern.exec(name) ?? [];
    if (pid !== undefined && !isAlive(Number(pid))) rmSync(join(folder, name), { force: true });
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // A folder that cannot be read is told about by whoever writes to it.
    return [];
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
