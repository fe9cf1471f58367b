import { execFileSync } from 'node:child_process';

/** Whether the command is there; a missing one is installed from the distribution where we may. */
export function isInstalled(command: string, debianPackage = command): boolean {
  if (isThere(command)) return true;
  if (process.getuid?.() !== 0 || !isThere('apt-get')) return false;
  try {
    execFileSync('apt-get', ['update', '-qq'], { stdio: 'ignore' });
    const flags = ['-y', '-qq', '--no-install-recommends'];
    execFileSync('apt-get', ['install', ...flags, debianPackage], {
      stdio: 'ignore',
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    });
  } catch {
    return false;
  }
  return isThere(command);
}

function isThere(command: string): boolean {
  try {
    execFileSync('which', [command], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
