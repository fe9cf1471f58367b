import { buffer } from 'node:stream/consumers';
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl';
import { Fault } from '../../../kernel/faults.ts';
import { type ArchiveFormat, MANIFEST, type Manifest, refuseArchive, sha256Of } from './archive-format.ts';

/** Of the ZIP file itself. */
export const MAX_ARCHIVE_BYTES = 8 * 1024 * 1024;
/** Of all that is in it, and of how many files. */
const MAX_CONTENT_BYTES = 32 * 1024 * 1024;
const MAX_FILES = 1000;
/** Beyond this size text does not compress better than so. */
const RATIO_COUNTS_FROM_BYTES = 64 * 1024;
const MAX_RATIO = 200;

const STORED = 0;
const DEFLATED = 8;
const FILE_TYPE = 0o170000;
const REGULAR_FILE = 0o100000;
const SYMBOLIC_LINK = 0o120000;
const ENCRYPTED = 1;

/**
 * The files of an archive that came from outside, by path. Everything about it is judged before anything is unpacked,
 * and nothing of it ever touches the disk. Rejects with `archive.refused`.
 */
export async function readArchive(
  bytes: Buffer,
  format: ArchiveFormat,
): Promise<ReadonlyMap<string, Buffer>> {
  if (bytes.length > MAX_ARCHIVE_BYTES)
    throw refuseArchive('too-large', `it is larger than ${MAX_ARCHIVE_BYTES} bytes`);
  try {
    const zip = await fromBufferPromise(bytes, { lazyEntries: true, decodeStrings: false });
    const entries = await judgedEntries(zip, format);
    const files = new Map<string, Buffer>();
    for (const [path, entry] of entries) files.set(path, await contentOf(zip, entry, path));
    checkManifest(files, format);
    files.delete(MANIFEST);
    return files;
  } catch (error) {
    if (error instanceof Fault) throw error;
    const { message } = error as Error;
    if (/encrypt/i.test(message)) throw refuseArchive('encrypted', 'it is encrypted', { cause: error });
    throw refuseArchive('malformed', `it can not be read as a ZIP file (${message})`, { cause: error });
  }
}

async function judgedEntries(zip: ZipFile, format: ArchiveFormat): Promise<Map<string, Entry>> {
  if (zip.entryCount > MAX_FILES)
    throw refuseArchive('too-many-files', `it holds more than ${MAX_FILES} files`);
  const entries = new Map<string, Entry>();
  let contentBytes = 0;
  for await (const entry of zip.eachEntry()) {
    const path = pathOf(entry);
    refuseKind(entry, path);
    if (entries.has(path)) throw refuseArchive('duplicate', `${path} is in it twice`);
    contentBytes += entry.uncompressedSize;
    if (contentBytes > MAX_CONTENT_BYTES)
      throw refuseArchive('too-large', `unpacked it is larger than ${MAX_CONTENT_BYTES} bytes`);
    const isBig = entry.uncompressedSize > RATIO_COUNTS_FROM_BYTES;
    if (isBig && entry.uncompressedSize > entry.compressedSize * MAX_RATIO)
      throw refuseArchive('compression-ratio', `${path} unpacks to more than ${MAX_RATIO} times its size`);
    if (path !== MANIFEST && !format.isKnownPath(path))
      throw refuseArchive('unknown-file', `${path} does not belong into it`);
    entries.set(path, entry);
  }
  return entries;
}

/** The path, when it stays within the archive and means the same everywhere. */
function pathOf({ fileNameRaw }: Entry): string {
  let path: string;
  try {
    path = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(fileNameRaw);
  } catch (cause) {
    throw refuseArchive('path', 'the name of a file is not UTF-8', { cause });
  }
  const shown = JSON.stringify(path.slice(0, 200));
  if (/^[/\\]|^[A-Za-z]:/.test(path)) throw refuseArchive('path', `the path ${shown} is absolute`);
  if (path.split(/[/\\]/).some((step) => step === '..' || step === '.'))
    throw refuseArchive('path', `the path ${shown} leads out of the archive`);
  if (/[\\\p{Cc}]/u.test(path) || path === '' || path.includes('//'))
    throw refuseArchive('path', `the path ${shown} is not plain`);
  return path;
}

/** Plain files alone, readable as they are. */
function refuseKind(entry: Entry, path: string): void {
  const type = (entry.externalFileAttributes >>> 16) & FILE_TYPE;
  if (type === SYMBOLIC_LINK) throw refuseArchive('link', `${path} is a symbolic link`);
  if ((type !== 0 && type !== REGULAR_FILE) || path.endsWith('/'))
    throw refuseArchive('unknown-file', `${path} is no plain file`);
  if (entry.generalPurposeBitFlag & ENCRYPTED) throw refuseArchive('encrypted', `${path} is encrypted`);
  if (entry.compressionMethod !== STORED && entry.compressionMethod !== DEFLATED)
    throw refuseArchive('malformed', `${path} is compressed by an unknown method`);
  if (/\.(zip|jar|7z|rar|tar|t?gz)$/i.test(path))
    throw refuseArchive('nested', `${path} is an archive itself`);
}

/** The stream breaks off when there is more, or less, than the entry says. */
async function contentOf(zip: ZipFile, entry: Entry, path: string): Promise<Buffer> {
  const content = await buffer(await zip.openReadStreamPromise(entry));
  if (content.subarray(0, 4).toString('latin1') === 'PK\x03\x04')
    throw refuseArchive('nested', `${path} is an archive itself`);
  return content;
}

/** Every file is named by the manifest, and is what the manifest says. */
function checkManifest(files: ReadonlyMap<string, Buffer>, format: ArchiveFormat): void {
  const content = files.get(MANIFEST);
  if (!content) throw refuseArchive('manifest', `it has no ${MANIFEST}`);
  const { formatVersion, files: listed } = parsedManifest(content, format.name);
  if (formatVersion !== format.version)
    throw refuseArchive(
      'format-version',
      `its format version is ${formatVersion}, this release reads ${format.version}`,
    );
  const digests = new Map(listed.map(({ path, sha256 }) => [path, sha256]));
  if (digests.size !== listed.length) throw refuseArchive('manifest', `${MANIFEST} names a file twice`);
  for (const [path, file] of files) {
    if (path === MANIFEST) continue;
    const digest = digests.get(path);
    if (digest === undefined) throw refuseArchive('unknown-file', `${MANIFEST} does not name ${path}`);
    if (digest !== sha256Of(file)) throw refuseArchive('digest', `${path} is not what ${MANIFEST} says`);
    digests.delete(path);
  }
  for (const path of digests.keys()) throw refuseArchive('missing-file', `${path} is not in it`);
}

function parsedManifest(content: Buffer, format: string): Manifest {
  const manifest = parsedJson(content, MANIFEST) as Partial<Manifest> | null;
  if (manifest?.format !== format) throw refuseArchive('manifest', `it is no ${format}`);
  const { formatVersion, files } = manifest;
  const isListed = Array.isArray(files) && files.every((file) => typeof file?.path === 'string');
  if (!Number.isInteger(formatVersion) || !isListed)
    throw refuseArchive('manifest', `${MANIFEST} has no formatVersion or no files`);
  return manifest as Manifest;
}

/** What a file of the archive says. */
export function parsedJson(content: Buffer, path: string): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(content));
  } catch (cause) {
    throw refuseArchive('content', `${path} is no JSON in UTF-8`, { cause });
  }
}
