import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ReverseProxy } from './proxies.ts';

const START_MS = 10_000;
const STOP_MS = 5_000;

/** The version of an installed proxy; undefined when there is none. */
export function installedVersion({ command, version }: ReverseProxy): string | undefined {
  const { error, stdout, stderr } = spawnSync(command, version.argv, {
    encoding: 'utf8',
    env: environment('/'),
  });
  return error ? undefined : version.pattern.exec(stdout + stderr)?.[1];
}

/** A proxy in front of the test service, on a port of its own, with everything it writes in a folder of its own. */
export class ProxyProcess {
  readonly port: number;
  readonly #child: ChildProcess;
  readonly #folder: string;
  #output = '';
  #hasFailed = false;

  static async start(proxy: ReverseProxy, testbedPort: number): Promise<ProxyProcess> {
    const started = new ProxyProcess(proxy, await freePort(), testbedPort);
    try {
      await started.#untilItListens();
      return started;
    } catch (error) {
      await started.stop();
      throw error;
    }
  }

  private constructor(proxy: ReverseProxy, port: number, testbedPort: number) {
    this.port = port;
    this.#folder = mkdtempSync(join(tmpdir(), `gatehouse-${proxy.command}-`));
    const place = { port: String(port), testbedPort: String(testbedPort), folder: this.#folder };
    const configurationPath = join(this.#folder, proxy.configurationFile);
    writeFileSync(configurationPath, proxy.configuration(place));
    this.#child = spawn(proxy.command, proxy.argv({ ...place, configurationPath }), {
      env: environment(this.#folder),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child.on('error', (error) => {
      this.#output += error.message;
      this.#hasFailed = true;
    });
    // A run that is broken off must not leave proxies behind.
    process.once('exit', () => this.#child.kill());
    for (const stream of [this.#child.stdout!, this.#child.stderr!]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.#output += text;
      });
    }
  }

  async #untilItListens(): Promise<void> {
    const deadline = Date.now() + START_MS;
    while (!(await isListening(this.port))) {
      if (this.#hasEnded || Date.now() > deadline)
        throw new Error(`the proxy did not start: ${this.#output}`);
      await delay(20);
    }
  }

  get #hasEnded(): boolean {
    return this.#hasFailed || this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  async stop(): Promise<void> {
    if (!this.#hasEnded) {
      const closed = once(this.#child, 'close');
      this.#child.kill('SIGTERM');
      const force = setTimeout(() => this.#child.kill('SIGKILL'), STOP_MS);
      await closed;
      clearTimeout(force);
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Debian keeps the proxies where the path of an ordinary user does not lead; Caddy writes below its home. */
function environment(home: string): NodeJS.ProcessEnv {
  return { PATH: `${process.env.PATH}:/usr/sbin:/usr/local/sbin`, HOME: home };
}

/**
 * A port below those the system gives out itself (32768 and up on Linux): nobody who asks for any port can take it
 * between this look and the start of the proxy.
 */
async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(24_000, 32_000);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => settle(true)).on('error', () => settle(false));
    function settle(answer: boolean): void {
      socket.destroy();
      resolve(answer);
    }
  });
}
