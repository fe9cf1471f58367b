import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { systemClock } from '../../src/kernel/clock.ts';
import { rawRequest } from '../../src/kernel/testing/raw-client.ts';
import { version } from '../../src/kernel/version.ts';
import { findEnvironment } from '../../src/platform/find-environment.ts';
import { openStore } from '../../src/store/open-store.ts';
import { PodRegistry } from '../../src/store/pods.ts';
import { openUnsentSource } from '../../src/store/unsent/open-unsent-source.ts';
import { GatehouseProcess } from '../support/gatehouse-process.ts';
import { parsePrometheusText } from '../support/prometheus-text.ts';

const modules = ['manager', 'worker', 'cache', 'integration', 'portal'];
const everyPort = ['testbed', 'log-index', ...modules].flatMap((module) => [`--${module}-port`, '0']);

const running: GatehouseProcess[] = [];
const folders: string[] = [];
const gatehouse = (argv: string[], environment?: Record<string, string>) => {
  const started = new GatehouseProcess(argv, { GATEHOUSE_LOG_LEVEL: 'error', ...environment });
  running.push(started);
  return started;
};
const dataFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-modules-'));
  folders.push(folder);
  return folder;
};
after(() => {
  for (const { child } of running) child.kill('SIGKILL');
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const get = async (port: number, path: string, ...fields: string[]) => {
  const head = [`GET ${path} HTTP/1.1`, 'Host: test', 'Connection: close', ...fields];
  const { status, body } = await rawRequest(port, `${head.join('\r\n')}\r\n\r\n`);
  return { status, text: body.toString() };
};

/** Health, version and metrics of a module, as spec 2 §4.2 asks for and beyond. */
async function assertAnswers(module: string, port: number): Promise<void> {
  const health = await get(port, '/gateway/management/health');
  assert.equal(health.status, 200, module);
  const { uptime, ...report } = JSON.parse(health.text);
  assert.equal(typeof uptime, 'number');
  assert.deepEqual([report.status, report.module, report.checks.database], ['UP', module, { status: 'UP' }]);
  assert.equal((await get(port, '/gateway/management/health', 'Accept: text/plain')).text, 'OK');

  const about = JSON.parse((await get(port, '/gateway/management/version')).text);
  assert.deepEqual(
    [about.module, about.version, about.nodeVersion],
    [module, version, process.versions.node],
  );

  const samples = parsePrometheusText((await get(port, '/metrics')).text);
  assert.ok(samples.every(({ labels }) => labels.module === module));
  const probes = samples.find(
    ({ name, labels }) =>
      name === 'gatehouse_http_request_duration_seconds_count' && labels.endpoint === 'module-health',
  );
  assert.deepEqual([probes?.value, probes?.labels.status], [2, '2xx']);
}

async function untilLogged(process: GatehouseProcess, event: string): Promise<void> {
  while (!process.stderr.includes(`"event":"${event}"`)) {
    assert.equal(process.child.exitCode, null, process.stderr);
    await Promise.race([once(process.child.stderr!, 'data'), once(process.child, 'close')]);
  }
}

async function untilHealth(port: number, status: number): Promise<string> {
  const deadlineMs = Date.now() + 20_000;
  for (;;) {
    const health = await get(port, '/gateway/management/health');
    if (health.status === status) return health.text;
    assert.ok(Date.now() < deadlineMs, `health stays ${health.status}: ${health.text}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

describe('the modules', () => {
  test('run as processes of their own on one data folder, and each stops with 0', async () => {
    const data = dataFolder();
    const started: GatehouseProcess[] = [];
    for (const module of modules) {
      const process = gatehouse([module, '--port', '0', '--data', data]);
      started.push(process);
      // The first start of the Manager makes the environments that the others belong to.
      await assertAnswers(module, await process.readyPort(module));
    }
    const store = await openStore({ dataFolder: data });
    after(() => store.close());
    const pods = new PodRegistry(store, systemClock);
    const { id: development } = await findEnvironment(store, 'Development');
    for (const [index, module] of modules.entries()) {
      const [pod, ...others] = await pods.live(module);
      assert.deepEqual(others, []);
      assert.equal(pod?.address, `http://127.0.0.1:${await started[index]!.ready()}`);
      assert.equal(pod?.processId, started[index]!.child.pid);
      assert.equal(pod?.environmentId, ['worker', 'cache'].includes(module) ? development : undefined);
    }
    for (const process of started.toReversed()) assert.equal(await process.stop(), 0, process.stderr);
    for (const module of modules) assert.deepEqual(await pods.live(module), []);
  });

  test('may start before the Manager of a new installation does', async () => {
    const data = dataFolder();
    const early = ['worker', 'cache'].map((module) => {
      const process = gatehouse([module, '--port', '0', '--data', data, '--environment', 'Production'], {
        GATEHOUSE_LOG_LEVEL: 'warn',
      });
      return { module, process };
    });
    for (const { process } of early) await untilLogged(process, 'environment.awaited');
    const manager = gatehouse(['manager', '--port', '0', '--data', data]);
    await manager.readyPort('manager');
    for (const { module, process } of early) await assertAnswers(module, await process.readyPort(module));
    for (const { process } of early) assert.equal(await process.stop(), 0, process.stderr);
    assert.equal(await manager.stop(), 0, manager.stderr);
  });

  test('run all in one process, which says of each where it answers', async () => {
    const started = gatehouse(['start', ...everyPort]);
    for (const module of modules) await assertAnswers(module, await started.readyPort(module));
    const announced = [...started.stdout.matchAll(/^ready (\S+) http/gm)].map(([, module]) => module);
    assert.deepEqual(announced, ['testbed', 'log-index', ...modules]);
    const testbed = await get(await started.readyPort('testbed'), '/get');
    assert.equal(testbed.status, 200);
    const logIndex = await get(await started.readyPort('log-index'), '/');
    assert.equal(JSON.parse(logIndex.text).version.distribution, 'gatehouse');
    assert.equal(await started.stop(), 0, started.stderr);
  });

  test('replay unsent records into the fresh log index of a new installation, into new environments too', async () => {
    const data = dataFolder();
    const started = gatehouse(['start', ...everyPort], {
      GATEHOUSE_DATA: data,
      GATEHOUSE_ADMIN_PASSWORD: 'correct horse battery staple',
    });
    const manager = `http://127.0.0.1:${await started.readyPort('manager')}`;
    const logIndex = `http://127.0.0.1:${await started.readyPort('log-index')}`;
    const signedIn = await fetch(`${manager}/apiops/auth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: 'admin',
        client_secret: 'correct horse battery staple',
      }),
    });
    const { access_token: token } = (await signedIn.json()) as { access_token: string };
    const made = await fetch(`${manager}/apiops/environments/`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: 'Customer Trial' }),
    });
    assert.equal(made.status, 200, await made.text());
    await using source = (await openUnsentSource({ dataFolder: data }))!;
    const records = source.records('UnsentMessage');
    for (const environment of ['production', 'customer-trial']) {
      const content = JSON.stringify({ '@timestamp': '2026-01-01T00:00:00.000Z', aci: environment });
      await records.append([{ log_timestamp: '2026-01-01T00:00:00.000Z', connector_id: 'c', content }]);
      const stream = `gateway-log-apiproxy-${environment}`;
      const flags = ['--stream', stream, '--backup-done', '--data', data, '--log-index-url', logIndex];
      const replay = gatehouse(['replay-unsent', ...flags, '--work-folder', join(data, 'replay')]);
      assert.equal(await replay.exitCode(), 0, replay.stderr);
      assert.match(replay.stdout, /^done: 1 delivered, /m);
      assert.equal(await records.count(), 0);
    }
    assert.equal(await started.stop(), 0, started.stderr);
  });

  test('have the ports of the specification', async () => {
    const expected: Array<[command: string, flag: string, port: number]> = [
      ['manager', '--port', 8080],
      ['worker', '--port', 8091],
      ['cache', '--port', 8090],
      ['integration', '--port', 8092],
      ['portal', '--port', 8080],
      ['start', '--manager-port', 8080],
      ['start', '--worker-port', 8091],
      ['start', '--cache-port', 8090],
      ['start', '--integration-port', 8092],
      ['start', '--portal-port', 32090],
      ['start', '--log-index-port', 9200],
    ];
    const helpOf = new Map<string, string>();
    for (const command of ['start', ...modules]) {
      const help = gatehouse([command, '--help']);
      assert.equal(await help.exitCode(), 0);
      helpOf.set(command, help.stdout);
    }
    for (const [command, flag, port] of expected) {
      assert.match(helpOf.get(command)!, new RegExp(`^ +${flag} <port> .*\\(default ${port}\\)`, 'm'));
    }
  });
});

describe('a module whose database goes away', () => {
  test('is DOWN until it returns', async () => {
    const data = dataFolder();
    const integration = gatehouse(['integration', '--port', '0', '--data', data]);
    const port = await integration.readyPort('integration');
    await untilHealth(port, 200);
    const file = join(data, 'platform.db');
    assert.ok(existsSync(file));
    renameSync(file, `${file}.away`);
    assert.equal(JSON.parse(await untilHealth(port, 503)).checks.database.status, 'DOWN');
    const plain = await get(port, '/gateway/management/health', 'Accept: text/plain');
    assert.deepEqual([plain.status, plain.text], [503, 'DOWN']);
    renameSync(`${file}.away`, file);
    assert.equal(JSON.parse(await untilHealth(port, 200)).status, 'UP');
    assert.equal(await integration.stop(), 0);
  });
});

describe('a module that cannot start', () => {
  const refusals: Array<[name: string, argv: string[], exitCode: number, line: RegExp]> = [
    [
      'an environment that is not known',
      ['worker', '--environment', 'Nowhere', '--environment-wait', '0'],
      2,
      /^gatehouse: environment 'Nowhere' is not known; /,
    ],
    [
      'a database of another kind, whose address is not repeated',
      ['portal', '--database-url', 'postgres://ada:secret@localhost'],
      2,
      /^gatehouse: the database URL must begin with mongodb:\/\/ or mongodb\+srv:\/\/\n$/,
    ],
    [
      'a log index of another kind, whose address is not repeated',
      ['start', '--log-index-url', 'ftp://ada:secret@localhost'],
      2,
      /^gatehouse: the log-index URL must be http:\/\/\S+ or https:\/\/…\n$/,
    ],
    [
      'a database that does not answer',
      ['portal', '--database-url', 'mongodb://ada:secret@127.0.0.1:9/gatehouse'],
      1,
      /^gatehouse: the platform database does not answer\n$/,
    ],
  ];
  for (const [name, argv, exitCode, line] of refusals) {
    test(`says so in one line: ${name}`, async () => {
      const refused = gatehouse(argv[0] === 'start' ? [...argv, ...everyPort] : [...argv, '--port', '0']);
      assert.equal(await refused.exitCode(), exitCode, refused.stderr);
      assert.match(refused.stderr, line);
      assert.equal(refused.stderr.trim().split('\n').length, 1);
      assert.equal(refused.stdout, '');
    });
  }

  test('start names a taken port and the flag that chooses another', async () => {
    // A test that fails must not wait for it.
    const occupant = createServer().listen(0, '127.0.0.1').unref();
    await once(occupant, 'listening');
    const { port } = occupant.address() as AddressInfo;
    const ports = everyPort.with(everyPort.indexOf('--portal-port') + 1, String(port));
    const refused = gatehouse(['start', ...ports]);
    assert.equal(await refused.exitCode(), 2);
    assert.match(
      refused.stderr,
      new RegExp(`^gatehouse: 127\\.0\\.0\\.1:${port} is already in use; .*--portal-port$`, 'm'),
    );
    assert.doesNotMatch(refused.stdout, /^ready/m);
    occupant.close();
  });
});
