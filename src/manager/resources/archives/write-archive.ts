import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';
import { type ArchiveFormat, jsonFile, MANIFEST, type Manifest, sha256Of } from './archive-format.ts';

/**
 * A ZIP file of the given files and their manifest. The same files make the same bytes, at any time and on any machine:
 * they stand in order, carry one date, and are stored as they are, because compression differs
 * from one release of zlib to the next.
 */
export function writeArchive(format: ArchiveFormat, files: ReadonlyMap<string, Buffer>): Promise<Buffer> {
  const paths = [...files.keys()].sort();
  const manifest: Manifest = {
    format: format.name,
    formatVersion: format.version,
    files: paths.map((path) => {
      const content = files.get(path)!;
      return { path, size: content.length, sha256: sha256Of(content) };
    }),
  };
  const zip = new ZipFile();
  add(zip, MANIFEST, jsonFile(manifest));
  for (const path of paths) add(zip, path, files.get(path)!);
  zip.end();
  return buffer(zip.outputStream);
}

function add(zip: ZipFile, path: string, content: Buffer): void {
  // ZIP keeps local time: this is the same local time everywhere, a month after the first that it can keep.
  const mtime = new Date(1980, 1, 1);
  zip.addBuffer(content, path, { mtime, forceDosTimestamp: true, mode: 0o100644, compress: false });
}
