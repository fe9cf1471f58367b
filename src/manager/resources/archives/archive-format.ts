import { createHash } from 'node:crypto';
import { fault } from '../../../kernel/faults.ts';

/** What an archive holds besides what it is about. */
export const MANIFEST = 'manifest.json';

/** The first file of every archive of ours: what it is, and a digest of every other file. */
export interface Manifest {
  readonly format: string;
  readonly formatVersion: number;
  readonly files: ReadonlyArray<{ readonly path: string; readonly size: number; readonly sha256: string }>;
}

/** A kind of archive. */
export interface ArchiveFormat {
  readonly name: string;
  readonly version: number;
  /** Whether such an archive may hold a file of this path. */
  isKnownPath(path: string): boolean;
}

/** Why an archive is refused; stable names, for programs. */
export type ArchiveRefusal =
  | 'malformed'
  | 'encrypted'
  | 'path'
  | 'link'
  | 'nested'
  | 'duplicate'
  | 'unknown-file'
  | 'missing-file'
  | 'too-large'
  | 'too-many-files'
  | 'compression-ratio'
  | 'manifest'
  | 'format-version'
  | 'digest'
  | 'content';

export function refuseArchive(reason: ArchiveRefusal, text: string, options?: ErrorOptions) {
  return fault('archive.refused', { reason, text }, [], options);
}

export function sha256Of(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

/** JSON as archives hold it. */
export function jsonFile(value: unknown): Buffer {
  return Buffer.from(`${JSON.stringify(value, null, 2)}\n`);
}
