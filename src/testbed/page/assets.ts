import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** The files the page is made of in the browser, and their types. */
const FILES = {
  'page.css': 'text/css; charset=utf-8',
  'icon.svg': 'image/svg+xml',
  'page.js': 'text/javascript; charset=utf-8',
  'search.js': 'text/javascript; charset=utf-8',
  'endpoint-rows.js': 'text/javascript; charset=utf-8',
  'try-it.js': 'text/javascript; charset=utf-8',
  'request-form.js': 'text/javascript; charset=utf-8',
  'browser-limits.js': 'text/javascript; charset=utf-8',
  'answer-view.js': 'text/javascript; charset=utf-8',
  'curl-line.js': 'text/javascript; charset=utf-8',
};

export const assetNames = Object.keys(FILES);

export interface Asset {
  readonly contentType: string;
  readonly bytes: Buffer;
}

export interface Assets {
  /** Changes with every byte of every file. It is part of their addresses, so that they may be kept for long. */
  readonly revision: string;
  find(name: string): Asset | undefined;
}

/** Reads all files at once; they are small. */
export function readAssets(): Assets {
  const digest = createHash('sha256');
  const assets = new Map<string, Asset>();
  for (const [name, contentType] of Object.entries(FILES)) {
    const bytes = readFileSync(new URL(`browser/${name}`, import.meta.url));
    digest.update(name).update(bytes);
    assets.set(name, { contentType, bytes });
  }
  return { revision: digest.digest('hex').slice(0, 12), find: (name) => assets.get(name) };
}
