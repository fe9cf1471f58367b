import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from './options.ts';
import { MASTER_KEY_BYTES } from './secret-box.ts';

export interface MasterKeySource {
  /** GATEHOUSE_MASTER_KEY; absent or empty, the key is kept in the data folder. */
  readonly given: string | undefined;
  readonly dataFolder: string;
}

/** The key of the secret box: the given one, or that of a file which the first start makes. */
export function loadMasterKey({ given, dataFolder }: MasterKeySource): Buffer {
  if (given) return parseMasterKey(given, 'GATEHOUSE_MASTER_KEY');
  const path = join(dataFolder, 'master.key');
  try {
    return readKeyFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  makeKeyFile(dataFolder, path);
  return readKeyFile(path);
}

/** Hex or base64, also the URL-safe kind. The text itself is never repeated: it is a secret. */
function parseMasterKey(text: string, source: string): Buffer {
  const trimmed = text.trim();
  if (/^[0-9a-fA-F]{64}$/.test(trimmed)) return Buffer.from(trimmed, 'hex');
  const isBase64 = /^[A-Za-z0-9+/_-]{43}=?$/.test(trimmed);
  const key = isBase64 ? Buffer.from(trimmed, 'base64') : undefined;
  if (key?.length === MASTER_KEY_BYTES) return key;
  throw new UsageError(`${source} must be ${MASTER_KEY_BYTES} bytes in base64 or hex`);
}

function readKeyFile(path: string): Buffer {
  const { mode } = statSync(path);
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
    throw new UsageError(`${path} must be readable by its owner alone (chmod 600)`);
  }
  return parseMasterKey(readFileSync(path, 'utf8'), path);
}

/** Several processes may start on an empty folder at once: the first link wins, and nobody reads half a file. */
function makeKeyFile(folder: string, path: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  writeFileSync(draft, `${randomBytes(MASTER_KEY_BYTES).toString('hex')}\n`, {
    mode: 0o600,
    flag: 'wx',
    flush: true,
  });
  try {
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft);
  }
}
