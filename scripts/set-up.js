// Runs before npm start, npm test and npm run check, on whatever Node is installed (20 or newer):
// installs the locked dependencies, among them the Node release the code runs on, when they are missing or stale.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const marker = join(root, 'node_modules', '.installed-lock');
const lock = createHash('sha256')
  .update(readFileSync(join(root, 'package-lock.json')))
  .digest('hex');

if (!existsSync(marker) || readFileSync(marker, 'utf8') !== lock) {
  console.error('Installing the locked dependencies (once) …');
  // A registry that lacks the packages of other platforms makes npm doubt the lock; npm install still keeps to it.
  if (npm('ci') !== 0 && npm('install', '--no-save') !== 0) process.exit(1);
  writeFileSync(marker, lock);
}

function npm(...command) {
  const isWindows = process.platform === 'win32';
  const { status } = spawnSync(
    isWindows ? 'npm.cmd' : 'npm',
    [...command, '--no-audit', '--no-fund', '--loglevel=error'],
    {
      cwd: root,
      stdio: ['ignore', 2, 2],
      shell: isWindows,
    },
  );
  return status;
}
