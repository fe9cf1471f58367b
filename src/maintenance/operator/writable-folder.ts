import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { UsageError } from '../../kernel/options.ts';

/** Before anything is done: the files of a run must find their place. A folder that is not there yet is made in another one. */
export function refuseUnlessWritable(folder: string): void {
  let place = resolve(folder);
  while (!existsSync(place)) place = dirname(place);
  if (isWritableFolder(place)) return;
  throw new UsageError(
    `the working directory ${folder} cannot be written to; the files of the run belong there`,
  );
}

function isWritableFolder(place: string): boolean {
  try {
    accessSync(place, constants.W_OK);
    return statSync(place).isDirectory();
  } catch {
    return false;
  }
}
