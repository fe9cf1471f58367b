import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];
const ARGUMENTS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

const executablePath = findExecutable(NAMES);

/** For the `skip` of a test that needs a browser: why there is none, or false. Where skipping is forbidden the test runs and fails. */
export const lacksBrowser =
  executablePath === undefined && process.env.GATEHOUSE_TEST_FORBID_SKIP !== '1'
    ? `no browser: none of ${NAMES.join(', ')} is on the PATH`
    : false;

export async function launchBrowser(): Promise<Browser> {
  if (executablePath === undefined) throw new Error(`none of ${NAMES.join(', ')} is on the PATH`);
  return chromium.launch({ executablePath, args: ARGUMENTS });
}

/** The first of these commands that is on the PATH. */
export function findExecutable(names: readonly string[]): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
