#!/usr/bin/env node
// Starts the command line on the Node release that ships as a dependency, whatever Node runs this file.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const compiled = join(root, 'dist', 'cli', 'main.js');
const entry = existsSync(compiled) ? compiled : join(root, 'src', 'cli', 'main.ts');
const packaged = join(dirname(createRequire(import.meta.url).resolve('node/package.json')), 'bin', 'node');

const child = spawn(existsSync(packaged) ? packaged : process.execPath, [entry, ...process.argv.slice(2)], {
  stdio: 'inherit',
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
child.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)));
