import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** What Linux tells of a running process; on other systems these tests have nothing to look at. */
export const canSeeUsage = process.platform === 'linux';

export function residentBytes(pid: number): number {
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))![1]!;
  return Number(kibibytes) * 1024;
}

/** Connections and listeners the process holds open. */
export function openSocketCount(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).filter((fd) => isSocket(`/proc/${pid}/fd/${fd}`)).length;
}

function isSocket(path: string): boolean {
  try {
    return readlinkSync(path).startsWith('socket:');
  } catch {
    // Closed since the folder was read.
    return false;
  }
}

/** Waits until a condition holds, and says which did not. */
export async function until(
  what: string,
  isSo: () => boolean | Promise<boolean>,
  waitMs = 5_000,
): Promise<void> {
  const giveUpAtMs = performance.now() + waitMs;
  while (!(await isSo())) {
    if (performance.now() > giveUpAtMs) throw new Error(`not within ${waitMs} ms: ${what}`);
    await sleep(20);
  }
}
