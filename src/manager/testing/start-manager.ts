import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StoredUnsentRecords } from '../../delivery/unsent-records.ts';
import { type Clock, systemClock } from '../../kernel/clock.ts';
import { silentLog } from '../../kernel/log.ts';
import { startModule } from '../../kernel/module/module-service.ts';
import { HttpCaller } from '../../kernel/outbound/http-caller.ts';
import { systemRandom } from '../../kernel/random.ts';
import { SecretBox } from '../../kernel/secret-box.ts';
import { asStoreFault } from '../../platform/store-faults.ts';
import { openStore } from '../../store/open-store.ts';
import { UnsentTransfer } from '../features/unsent/unsent-transfer.ts';
import { firstStart } from '../first-start.ts';
import { createManager, type ManagerOptions } from '../manager.ts';
import type { ManagerServices } from '../services.ts';

export interface ManagerOverrides
  extends Partial<Pick<ManagerOptions, 'deployment' | 'connectionUsageSources' | 'callPod'>> {
  readonly clock?: Clock;
  /** A data folder that stays; otherwise one is made and goes away. */
  readonly dataFolder?: string;
  /** A database server in place of the file in the data folder. */
  readonly databaseUrl?: string;
  readonly masterKey?: Buffer;
  /** Nobody answers there unless given. */
  readonly logIndexUrl?: string;
}

export interface ManagerAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
  readonly json: any;
}

export interface RequestOptions {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The administrator's unless given; none at all when null. */
  readonly token?: string | null;
}

export interface StartedManager extends AsyncDisposable {
  readonly port: number;
  readonly services: ManagerServices;
  readonly dataFolder: string;
  readonly adminToken: string;
  /** What was logged as an error; a test that expects none looks here. */
  readonly errors: readonly object[];
  request(method: string, path: string, options?: RequestOptions): Promise<ManagerAnswer>;
  close(): Promise<void>;
}

export const ADMIN_PASSWORD = 'correct horse battery staple';

/** A Manager of its own: in this process, on a port the system chooses, with an administrator who is signed in. */
export async function startManager(overrides: ManagerOverrides = {}): Promise<StartedManager> {
  const { clock = systemClock, masterKey = randomBytes(32) } = overrides;
  const dataFolder = overrides.dataFolder ?? (await mkdtemp(join(tmpdir(), 'manager-')));
  const errors: object[] = [];
  const log = { ...silentLog, error: (fields: object) => void errors.push(fields) } as typeof silentLog;
  const { databaseUrl: url } = overrides;
  const store = await openStore({ ...(url !== undefined && { url }), dataFolder, clock });
  const { deployment, connectionUsageSources } = overrides;
  const caller = new HttpCaller();
  const unsentRecords = new StoredUnsentRecords({ url, dataFolder });
  const index = { url: overrides.logIndexUrl ?? 'http://127.0.0.1:1' };
  const unsentTransfer = new UnsentTransfer({ dataFolder, index, clock, log });
  const manager = createManager({
    ...(deployment && { deployment }),
    ...(connectionUsageSources && { connectionUsageSources }),
    store,
    clock,
    random: systemRandom,
    log,
    secretBox: new SecretBox(masterKey),
    unsentRecords,
    unsentTransfer,
    callPod: overrides.callPod ?? ((call) => caller.call(call)),
  });
  const { services } = manager;
  await firstStart(services, { adminPassword: ADMIN_PASSWORD, announce: () => {} });
  const administrator = (await services.users.find('admin'))!;
  const { value: adminToken } = await services.tokens.issueAtSignIn(administrator.id, undefined);
  const running = await startModule({
    ...manager,
    module: 'manager',
    host: '127.0.0.1',
    port: 0,
    checks: [],
    translate: asStoreFault,
    shutdownTimeoutMs: 0,
    log,
  });
  const close = async () => {
    await running.stop();
    await unsentTransfer.stop();
    await services.logDelivery.stop(0);
    await unsentRecords.close();
    await caller[Symbol.asyncDispose]();
    await store.close();
    if (!overrides.dataFolder) await rm(dataFolder, { recursive: true, force: true });
  };
  return {
    port: running.port,
    services,
    dataFolder,
    adminToken,
    errors,
    request: (method, path, options) =>
      send(`${running.url}${path}`, method, { token: adminToken, ...options }),
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function send(
  url: string,
  method: string,
  { body, headers, token }: RequestOptions,
): Promise<ManagerAnswer> {
  const isRaw = typeof body === 'string' || body === undefined;
  const response = await fetch(url, {
    method,
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    body: isRaw ? (body ?? null) : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: parsed(text) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
