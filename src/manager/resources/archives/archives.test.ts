import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { ZipFile } from 'yazl';
import { type ArchiveFormat, jsonFile, MANIFEST, sha256Of } from './archive-format.ts';
import { MAX_ARCHIVE_BYTES, readArchive } from './read-archive.ts';
import { writeArchive } from './write-archive.ts';

const format: ArchiveFormat = {
  name: 'test-archive',
  version: 3,
  isKnownPath: (path) => /^(a|b|parts\/[a-z0-9]+)\.json$/.test(path),
};

const a = Buffer.from('{"a":1}');
const b = Buffer.from('{"b":"grün"}');
const files = new Map([
  ['b.json', b],
  ['a.json', a],
]);

describe('an archive', () => {
  test('comes back as it was written, in whatever order', async () => {
    const read = await readArchive(await writeArchive(format, files), format);
    assert.deepEqual(Object.fromEntries(read), { 'a.json': a, 'b.json': b });
  });

  test('of the same files has the same bytes, whenever and wherever it is written', async () => {
    const first = await writeArchive(format, files);
    const zone = process.env.TZ;
    process.env.TZ = 'Pacific/Auckland';
    const second = await writeArchive(format, new Map([...files].reverse()));
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
    assert.deepEqual(second, first);
  });

  test('may be compressed', async () => {
    const zip = await zipOf({
      manifest: manifestOf({ 'a.json': a }),
      files: { 'a.json': a },
      compress: true,
    });
    assert.deepEqual(Object.fromEntries(await readArchive(zip, format)), { 'a.json': a });
  });
});

interface Recipe {
  readonly manifest?: unknown;
  readonly files: Readonly<Record<string, Buffer>>;
  readonly compress?: boolean;
  readonly mode?: number;
}

function manifestOf(listed: Readonly<Record<string, Buffer>>, members: object = {}): object {
  const rows = Object.entries(listed).map(([path, file]) => ({
    path,
    size: file.length,
    sha256: sha256Of(file),
  }));
  return { format: 'test-archive', formatVersion: 3, files: rows, ...members };
}

/** A ZIP file with whatever in it. */
function zipOf({ manifest, files: content, compress = false, mode = 0o100644 }: Recipe): Promise<Buffer> {
  const zip = new ZipFile();
  if (manifest !== undefined) zip.addBuffer(jsonFile(manifest), MANIFEST);
  for (const [path, file] of Object.entries(content)) zip.addBuffer(file, path, { compress, mode });
  zip.end();
  return buffer(zip.outputStream);
}

const good = () => zipOf({ manifest: manifestOf({ 'a.json': a }), files: { 'a.json': a }, compress: true });

/** The bytes with every occurrence of a name replaced by another of the same length: yazl refuses to write such names. */
async function renamed(from: string, to: string): Promise<Buffer> {
  assert.equal(from.length, to.length);
  const zip = await zipOf({ manifest: manifestOf({ [from]: a }), files: { [from]: a } });
  return Buffer.from(zip.toString('latin1').replaceAll(from, to), 'latin1');
}

const CENTRAL = Buffer.from('PK\x01\x02');
/** The bytes with something written into the last entry of the central directory. */
async function patched(offset: number, bytes: readonly number[]): Promise<Buffer> {
  const zip = await good();
  const at = zip.lastIndexOf(CENTRAL);
  zip.set(bytes, at + offset);
  return zip;
}

type Hostile = [what: string, reason: string, make: () => Promise<Buffer> | Buffer];

const hostile: readonly Hostile[] = [
  ['nothing', 'malformed', () => Buffer.alloc(0)],
  ['what is no ZIP file', 'malformed', () => Buffer.from('just text')],
  ['half a ZIP file', 'malformed', async () => (await good()).subarray(0, 120)],
  ['a file beyond its bound', 'too-large', () => Buffer.alloc(MAX_ARCHIVE_BYTES + 1)],
  ['a path that leads out', 'path', () => renamed('parts/xxxxx.json', '../../etc/a.json')],
  ['a path that leads out in the middle', 'path', () => renamed('parts/xx/a.json', 'parts/../a.json')],
  ['a step that goes nowhere', 'path', () => renamed('parts/x/a.json', 'parts/./a.json')],
  ['a backslash path that leads out', 'path', () => renamed('parts/xx/a.json', 'parts\\..\\a.json')],
  ['an absolute path', 'path', () => renamed('parts/a.json', '/arts/a.json')],
  ['a path with a drive', 'path', () => renamed('xx/a.json', 'C:/a.json')],
  ['a path with a control character', 'path', () => renamed('xa.json', '\x01a.json')],
  ['a path that is not UTF-8', 'path', () => renamed('xa.json', '\xffa.json')],
  [
    'a symbolic link',
    'link',
    () => zipOf({ manifest: manifestOf({ 'a.json': a }), files: { 'a.json': a }, mode: 0o120777 }),
  ],
  [
    'a device',
    'unknown-file',
    () => zipOf({ manifest: manifestOf({ 'a.json': a }), files: { 'a.json': a }, mode: 0o020644 }),
  ],
  ['an encrypted file', 'encrypted', () => patched(8, [0x01])],
  ['a strongly encrypted file', 'encrypted', () => patched(8, [0x41])],
  ['an unknown compression', 'malformed', () => patched(10, [99])],
  [
    'a file that is there twice',
    'duplicate',
    async () => {
      const zip = await zipOf({
        manifest: manifestOf({ 'a.json': a, 'b.json': a }),
        files: { 'a.json': a, 'b.json': a },
      });
      return Buffer.from(zip.toString('latin1').replaceAll('b.json', 'a.json'), 'latin1');
    },
  ],
  [
    'a file that does not belong',
    'unknown-file',
    () => zipOf({ manifest: manifestOf({}), files: { 'evil.sh': a } }),
  ],
  ['a folder', 'unknown-file', () => renamed('parts/aaaa.json', 'parts/aaaajson/')],
  [
    'an archive in it by name',
    'nested',
    () => zipOf({ manifest: manifestOf({}), files: { 'inner.zip': a } }),
  ],
  [
    'an archive in it by content',
    'nested',
    async () => {
      const inner = await good();
      return zipOf({ manifest: manifestOf({ 'a.json': inner }), files: { 'a.json': inner } });
    },
  ],
  [
    'a bomb of one file',
    'compression-ratio',
    () => {
      const zeros = Buffer.alloc(10 * 1024 * 1024);
      return zipOf({ manifest: manifestOf({ 'a.json': zeros }), files: { 'a.json': zeros }, compress: true });
    },
  ],
  [
    'a bomb that lies about its size',
    'malformed',
    async () => {
      const zeros = Buffer.alloc(1024 * 1024);
      const zip = await zipOf({
        manifest: manifestOf({ 'a.json': zeros }),
        files: { 'a.json': zeros },
        compress: true,
      });
      zip.writeUInt32LE(5000, zip.lastIndexOf(CENTRAL) + 24);
      return zip;
    },
  ],
  [
    'files that are too large together',
    'too-large',
    async () => {
      // Each claims 20 MB and would compress well enough to pass alone.
      const zip = await zipOf({
        manifest: manifestOf({}),
        files: { 'a.json': Buffer.alloc(200_000, 'x'), 'b.json': Buffer.alloc(200_000, 'x') },
        compress: true,
      });
      for (let at = zip.indexOf(CENTRAL); at >= 0; at = zip.indexOf(CENTRAL, at + 1)) {
        zip.writeUInt32LE(150_000, at + 20);
        zip.writeUInt32LE(20_000_000, at + 24);
      }
      return zip;
    },
  ],
  [
    'too many files',
    'too-many-files',
    () => {
      const many = Object.fromEntries(Array.from({ length: 1001 }, (_, index) => [`parts/${index}.json`, a]));
      return zipOf({ manifest: manifestOf(many), files: many });
    },
  ],
  ['no manifest', 'manifest', () => zipOf({ files: { 'a.json': a } })],
  [
    'a manifest of something else',
    'manifest',
    () => zipOf({ manifest: manifestOf({ 'a.json': a }, { format: 'other' }), files: { 'a.json': a } }),
  ],
  ['a manifest that is null', 'manifest', () => zipOf({ manifest: null, files: { 'a.json': a } })],
  [
    'a manifest without files',
    'manifest',
    () => zipOf({ manifest: manifestOf({}, { files: 7 }), files: { 'a.json': a } }),
  ],
  [
    'a manifest that is no JSON',
    'content',
    () => zipOf({ files: { [MANIFEST]: Buffer.from('{'), 'a.json': a } }),
  ],
  [
    'a newer format',
    'format-version',
    () => zipOf({ manifest: manifestOf({ 'a.json': a }, { formatVersion: 4 }), files: { 'a.json': a } }),
  ],
  [
    'a file with another digest',
    'digest',
    () => zipOf({ manifest: manifestOf({ 'a.json': b }), files: { 'a.json': a } }),
  ],
  [
    'a file that the manifest does not name',
    'unknown-file',
    () => zipOf({ manifest: manifestOf({ 'a.json': a }), files: { 'a.json': a, 'b.json': b } }),
  ],
  [
    'a file that is missing',
    'missing-file',
    () => zipOf({ manifest: manifestOf({ 'a.json': a, 'b.json': b }), files: { 'a.json': a } }),
  ],
  [
    'a manifest that names a file twice',
    'manifest',
    () => {
      const row = { path: 'a.json', size: a.length, sha256: sha256Of(a) };
      return zipOf({ manifest: manifestOf({}, { files: [row, row] }), files: { 'a.json': a } });
    },
  ],
];

describe('a hostile ZIP file is refused by name:', () => {
  for (const [what, reason, make] of hostile) {
    test(what, async () => {
      const bytes = await make();
      await assert.rejects(
        readArchive(bytes, format),
        (error: { key?: string; values?: { reason?: string } }) => {
          assert.deepEqual([error.key, error.values?.reason], ['archive.refused', reason], String(error));
          return true;
        },
      );
    });
  }
});
