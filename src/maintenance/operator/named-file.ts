import { readFileSync } from 'node:fs';
import { UsageError } from '../../kernel/options.ts';

/** The text of a file that a flag names. */
export function readNamedFile(path: string, flag: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new UsageError(`${flag} cannot be read: ${(error as Error).message}`);
  }
}
