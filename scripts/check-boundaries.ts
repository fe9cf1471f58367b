/**
 * Imports go downwards only. This check reads every import of every source file and refuses one that goes up,
 * sideways between modules, or into the HTTP/1.1 engine's forbidden ground (node:http).
 */
import { globSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** From the top down. Folders of one row may not import each other unless the row says so. */
const layers: ReadonlyArray<{ readonly folders: readonly string[]; readonly mayImportEachOther?: boolean }> =
  [
    { folders: ['cli'] },
    { folders: ['testbed', 'manager', 'worker', 'cache', 'integration', 'portal', 'maintenance'] },
    {
      folders: ['delivery', 'diagnostics', 'platform', 'store', 'grid', 'log-index', 'unsent', 'pki'],
      mayImportEachOther: true,
    },
    { folders: ['model'] },
    { folders: ['kernel'] },
    { folders: ['http1'] },
  ];

/** All that the engine may stand on. */
const engineModules = new Set(['net', 'tls', 'buffer', 'stream', 'events', 'timers', 'async_hooks']);

/** A suite is run by several test files. */
const testFile = /\.(test|suite)\.ts$/;

const importPattern =
  /(?:^|\n)\s*(?:import|export)\s[^'"]*?from\s+'([^']+)'|import\(\s*'([^']+)'\s*\)|(?:^|\n)import\s+'([^']+)'/g;

const findings: string[] = [];
let checked = 0;
for (const path of globSync('src/**/*.ts', { cwd: root })) {
  const source = readFileSync(join(root, path), 'utf8');
  for (const match of source.matchAll(importPattern)) {
    const target = match[1] ?? match[2] ?? match[3]!;
    checked++;
    const finding = check(path, target);
    if (finding) findings.push(`${path} imports ${target}: ${finding}`);
  }
}
if (findings.length > 0) {
  console.error(findings.join('\n'));
  process.exitCode = 1;
} else console.log(`boundaries: ${checked} imports, all downwards`);

function check(path: string, target: string): string | undefined {
  const from = folderOf(path);
  const isTest = testFile.test(path) || path.includes('/testing/');
  if (!target.startsWith('.')) return isTest ? undefined : checkEngine(from, target);
  const resolved = relative(root, join(root, dirname(path), target));
  if (!resolved.startsWith('src/')) return 'src must not reach outside itself';
  if (!isTest && (resolved.includes('/testing/') || testFile.test(resolved)))
    return 'only tests may import test code';
  const to = folderOf(resolved);
  if (from === to) return undefined;
  const [fromLayer, toLayer] = [layerOf(from), layerOf(to)];
  if (fromLayer < 0 || toLayer < 0) return `folder '${fromLayer < 0 ? from : to}' stands in no layer`;
  if (toLayer < fromLayer) return `${from} must not look up to ${to}`;
  if (toLayer === fromLayer && !layers[toLayer]!.mayImportEachOther)
    return `${from} and ${to} are neighbours`;
  return undefined;
}

function checkEngine(from: string, target: string): string | undefined {
  if (from !== 'http1') return undefined;
  const name = target.replace(/^node:/, '').split('/')[0]!;
  return builtinModules.includes(name) && engineModules.has(name)
    ? undefined
    : 'the HTTP/1.1 engine stands on sockets and streams alone';
}

function folderOf(path: string): string {
  return path.split('/')[1]!;
}

function layerOf(folder: string): number {
  return layers.findIndex(({ folders }) => folders.includes(folder));
}
