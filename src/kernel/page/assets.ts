import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';

/** What the browser is given: everything in this folder that has one of these types. */
const folder = new URL('browser/', import.meta.url);
const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

export interface Asset {
  readonly contentType: string;
  readonly bytes: Buffer;
}

export interface Assets {
  /** Changes with every byte of every file. It is part of their addresses, so that they may be kept for long. */
  readonly revision: string;
  /** The names of all scripts, so that the browser can ask for them at once. */
  readonly scripts: readonly string[];
  find(name: string): Asset | undefined;
}

/** Reads all files at once; they are small. */
export function readAssets(): Assets {
  const digest = createHash('sha256');
  const assets = new Map<string, Asset>();
  for (const name of readdirSync(folder).sort()) {
    const contentType = TYPES[extname(name)];
    if (contentType === undefined) continue;
    const bytes = readFileSync(new URL(name, folder));
    digest.update(name).update(bytes);
    assets.set(name, { contentType, bytes });
  }
  return {
    revision: digest.digest('hex').slice(0, 12),
    scripts: [...assets.keys()].filter((name) => name.endsWith('.js')),
    find: (name) => assets.get(name),
  };
}
