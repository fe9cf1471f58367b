import { randomUUID } from 'node:crypto';
import { chmod, mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { MATERIAL_FORMAT, type MakingOptions, type MaterialData, makeMaterial } from './material.ts';

const FILE = 'material.json';
const LOCK = 'lock';
const LOCK_POLL_MS = 100;
/** Nobody makes keys for so long: whoever left such a lock behind has died. */
const STALE_LOCK_MS = 120_000;

/** What is kept in the folder; undefined when there is nothing that could be used. */
export async function readMaterial(folder: string): Promise<MaterialData | undefined> {
  const text = await readFile(join(folder, FILE), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    const data = JSON.parse(text) as MaterialData;
    return data.format === MATERIAL_FORMAT ? data : undefined;
  } catch {
    // A file that somebody else damaged is as good as none: it is made anew.
    return undefined;
  }
}

/** Completes what the folder keeps. Several processes may call it at once: one makes, the others find it made. */
export async function completeMaterial(folder: string, options: MakingOptions): Promise<MaterialData> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
  const release = await lock(join(folder, LOCK));
  try {
    const kept = await readMaterial(folder);
    const made = await makeMaterial(kept, options);
    if (made !== kept) await write(join(folder, FILE), JSON.stringify(made));
    return made;
  } finally {
    await release();
  }
}

/** Whoever reads the file sees the old one or the new one, never half of one. */
async function write(path: string, text: string): Promise<void> {
  const temporary = `${path}.${randomUUID()}`;
  try {
    await writeFile(temporary, text, { mode: 0o600, flush: true });
    await rename(temporary, path);
  } finally {
    await rm(temporary, { force: true });
  }
}

async function lock(path: string): Promise<() => Promise<void>> {
  for (;;) {
    try {
      const file = await open(path, 'wx', 0o600);
      await file.writeFile(String(process.pid));
      await file.close();
      return () => rm(path, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    if (await isStale(path)) await rm(path, { force: true });
    else await sleep(LOCK_POLL_MS);
  }
}

async function isStale(path: string): Promise<boolean> {
  try {
    const [{ mtimeMs }, holder] = await Promise.all([stat(path), readFile(path, 'utf8')]);
    if (Date.now() - mtimeMs > STALE_LOCK_MS) return true;
    // An empty file is one whose holder has not written its number yet.
    return holder !== '' && !isAlive(Number(holder));
  } catch {
    return false;
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
