import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { extname } from 'node:path';

/** The files the page is made of in the browser. */
const FILES = [
  'page.css',
  'icon.svg',
  'page.js',
  'answer-view.js',
  'arriving-body.js',
  'base-url.js',
  'browser-limits.js',
  'copying.js',
  'curl-line.js',
  'elements.js',
  'endpoint-rows.js',
  'json-block.js',
  'request-form.js',
  'search.js',
  'try-it.js',
];

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
  find(name: string): Asset | undefined;
}

/** Reads all files at once; they are small. */
export function readAssets(): Assets {
  const digest = createHash('sha256');
  const assets = new Map<string, Asset>();
  for (const name of FILES) {
    const bytes = readFileSync(new URL(`browser/${name}`, import.meta.url));
    digest.update(name).update(bytes);
    assets.set(name, { contentType: TYPES[extname(name)]!, bytes });
  }
  return { revision: digest.digest('hex').slice(0, 12), find: (name) => assets.get(name) };
}
