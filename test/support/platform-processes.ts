import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GatehouseProcess } from './gatehouse-process.ts';

const PASSWORD = 'correct horse battery staple';

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
type Json = any;

/** A Manager and Workers as processes of their own on one data folder. Workers come and go. */
export class PlatformProcesses {
  readonly data = mkdtempSync(join(tmpdir(), 'gatehouse-platform-'));
  readonly #workers = new Map<string, GatehouseProcess>();
  readonly #podExpiryMs: number;
  readonly #manager: GatehouseProcess;
  #managerUrl = '';
  #token = '';

  private constructor(podExpiryMs: number) {
    this.#podExpiryMs = podExpiryMs;
    this.#manager = new GatehouseProcess([...this.#argv('manager'), '--pod-name', 'm-1'], {
      GATEHOUSE_ADMIN_PASSWORD: PASSWORD,
      GATEHOUSE_LOG_LEVEL: 'silent',
    });
  }

  static async start({ workers, podExpiryMs = 2000 }: { workers: readonly string[]; podExpiryMs?: number }) {
    const platform = new PlatformProcesses(podExpiryMs);
    platform.#managerUrl = `http://127.0.0.1:${await platform.#manager.readyPort('manager')}`;
    platform.#token = (await platform.signIn(PASSWORD)).access_token;
    await Promise.all(workers.map((podName) => platform.startWorker(podName)));
    return platform;
  }

  #argv(module: string): string[] {
    const expiry = `${this.#podExpiryMs}ms`;
    return [
      ...[module, '--port', '0', '--data', this.data],
      ...['--pod-expiry', expiry, '--shutdown-timeout', '6s'],
    ];
  }

  async startWorker(podName: string): Promise<void> {
    const worker = new GatehouseProcess([...this.#argv('worker'), '--pod-name', podName], {
      GATEHOUSE_LOG_LEVEL: 'silent',
    });
    this.#workers.set(podName, worker);
    await worker.readyPort('worker');
  }

  /** As an operator does, so that it has time to end well. */
  async stopWorker(podName: string): Promise<void> {
    const worker = this.#workers.get(podName)!;
    assert.equal(await worker.stop(), 0, worker.stderr);
  }

  async killWorker(podName: string): Promise<void> {
    const { child } = this.#workers.get(podName)!;
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }

  /** As the administrator, with the right password or another one. */
  async signIn(password = PASSWORD): Promise<Json> {
    const form = { grant_type: 'client_credentials', client_id: 'admin', client_secret: password };
    const response = await fetch(`${this.#managerUrl}/apiops/auth/token`, {
      method: 'POST',
      body: new URLSearchParams(form),
    });
    return response.json();
  }

  async send(method: string, path: string, body?: object): Promise<{ status: number; json: Json }> {
    const response = await fetch(`${this.#managerUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${this.#token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, json: await response.json() };
  }

  /** The answer, which must be a success. */
  async ok(method: string, path: string, body?: object): Promise<Json> {
    const { status, json } = await this.send(method, path, body);
    assert.equal(status, 200, JSON.stringify(json));
    return json;
  }

  /** The metrics of a pod; of the Manager unless a worker is named. */
  async metrics(podName?: string): Promise<string> {
    const port = podName && (await this.#workers.get(podName)!.readyPort('worker'));
    const url = port ? `http://127.0.0.1:${port}` : this.#managerUrl;
    return (await fetch(`${url}/metrics`)).text();
  }

  async stop(): Promise<void> {
    for (const { child } of this.#workers.values()) child.kill('SIGKILL');
    assert.equal(await this.#manager.stop(), 0, this.#manager.stderr);
    rmSync(this.data, { recursive: true, force: true });
  }
}

/** Waits for something that other processes bring about. */
export async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const deadlineMs = Date.now() + 30_000;
  while (!(await isSo())) {
    assert.ok(Date.now() < deadlineMs, `${what} does not come true`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
