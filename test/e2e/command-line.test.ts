import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { rawRequest } from '../../src/kernel/testing/raw-client.ts';
import { GatehouseProcess } from '../support/gatehouse-process.ts';

const running: GatehouseProcess[] = [];
const gatehouse = (argv: string[], environment?: Record<string, string>) => {
  const started = new GatehouseProcess(argv, environment);
  running.push(started);
  return started;
};
after(() => {
  for (const { child } of running) child.kill('SIGKILL');
});

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n`;

test('--help lists the commands, and each command lists its flags', async () => {
  const overview = gatehouse(['--help']);
  assert.equal(await overview.exitCode(), 0);
  assert.match(overview.stdout, /^ {2}start +Runs every module/m);
  assert.match(overview.stdout, /^ {2}testbed +Runs the HTTP test service alone/m);
  for (const name of ['start', 'testbed']) {
    const help = gatehouse([name, '--help']);
    assert.equal(await help.exitCode(), 0);
    assert.match(help.stdout, new RegExp(`Usage: gatehouse ${name} \\[flags\\]`));
    assert.match(help.stdout, /--limit-max-body <bytes> .*\[GATEHOUSE_LIMIT_MAX_BODY\]/);
    for (const argv of [
      [name, '-h'],
      ['help', name],
    ]) {
      const same = gatehouse(argv);
      assert.equal(await same.exitCode(), 0);
      assert.equal(same.stdout, help.stdout, argv.join(' '));
    }
  }
});

test('without a command the list of them goes to standard error, with exit code 2', async () => {
  const empty = gatehouse([]);
  assert.equal(await empty.exitCode(), 2);
  assert.equal(empty.stdout, '');
  assert.match(empty.stderr, /^Usage: gatehouse <command> \[flags\]$/m);
});

test('a mistake is one clear line on standard error and exit code 2', async () => {
  const cases: Array<[argv: string[], line: RegExp]> = [
    [['strat'], /^gatehouse: unknown command 'strat'; see gatehouse --help\n$/],
    [['start', '--colour'], /^gatehouse: unknown flag '--colour'\n$/],
    [
      ['testbed', '--port', 'many'],
      /^gatehouse: --port must be a whole number from 0 to 65535, not 'many'\n$/,
    ],
    [['testbed', '--host', '203.0.113.1', '--port', '0'], /^gatehouse: \S+ is no address of this machine\n$/],
    [['testbed', '--host', 'host.invalid', '--port', '0'], /^gatehouse: host\.invalid is no known host.*\n$/],
    [['help', 'strat'], /^gatehouse: unknown command 'strat'; see gatehouse --help\n$/],
    [
      ['testbed', '--port', '0', '--data', fileURLToPath(import.meta.url)],
      /^gatehouse: --data: \S+command-line\.test\.ts is no folder\n$/,
    ],
  ];
  for (const [argv, line] of cases) {
    const refused = gatehouse(argv);
    assert.equal(await refused.exitCode(), 2, argv.join(' '));
    assert.match(refused.stderr, line);
    assert.equal(refused.stdout, '');
  }
});

test('a taken port is named with the flag that chooses another, with one process and with several', async () => {
  const occupant = createServer().listen(0, '127.0.0.1');
  await once(occupant, 'listening');
  const { port } = occupant.address() as AddressInfo;
  for (const processes of ['1', '2']) {
    const refused = gatehouse(['testbed', '--port', String(port), '--processes', processes]);
    assert.equal(await refused.exitCode(), 2);
    assert.equal(
      refused.stderr,
      `gatehouse: 127.0.0.1:${port} is already in use; choose another port with --port\n`,
    );
  }
  const lenient = gatehouse(['testbed', '--port', '0', '--lenient-port', String(port)]);
  assert.equal(await lenient.exitCode(), 2);
  assert.match(lenient.stderr, /choose another port with --lenient-port\n$/);
  occupant.close();
});

test('the test service listens on port 10090 unless told otherwise', async () => {
  for (const [name, flag] of [
    ['start', '--testbed-port'],
    ['testbed', '--port'],
  ] as const) {
    const help = gatehouse([name, '--help']);
    await help.exitCode();
    assert.match(help.stdout, new RegExp(`${flag} <port> .*\\(default 10090\\)`));
  }
});

test('start serves the test service and says so', async () => {
  const modules = ['testbed', 'log-index', 'manager', 'worker', 'cache', 'integration', 'portal'];
  const started = gatehouse(['start', ...modules.flatMap((module) => [`--${module}-port`, '0'])]);
  const port = await started.ready();
  assert.match(started.stdout, /^ready testbed http:\/\/127\.0\.0\.1:\d+$/m);
  const { status, body } = await rawRequest(port, get('/get?a=1'));
  assert.equal(status, 200);
  assert.deepEqual(JSON.parse(body.toString()).args, { a: '1' });
  assert.equal(await started.stop(), 0);
});

for (const [signal, processes] of [
  ['SIGTERM', '1'],
  ['SIGINT', '1'],
  ['SIGTERM', '2'],
] as const) {
  test(`${signal} lets the running exchange finish and exits 0 (${processes} processes)`, async () => {
    const started = gatehouse(['testbed', '--port', '0', '--processes', processes]);
    const port = await started.ready();
    const running = rawRequest(port, get('/proxy-test/timeout/slow-body?chunkDelay=100&chunks=5'));
    await rawRequest(port, get('/get'));
    started.child.kill(signal);
    const { status, trailers, body } = await running;
    assert.equal(status, 200);
    assert.ok(body.length > 0 && trailers !== undefined);
    assert.equal(await started.exitCode(), 0);
    await assert.rejects(rawRequest(port, get('/get')), { code: 'ECONNREFUSED' });
  });
}

test('an exchange that outlives the deadline is cut off', async () => {
  const started = gatehouse(['testbed', '--port', '0', '--shutdown-timeout', '200ms']);
  const port = await started.ready();
  const endless = rawRequest(port, get('/proxy-test/timeout/slow-first-byte?delay=60000')).catch(
    () => undefined,
  );
  await rawRequest(port, get('/get'));
  const askedAtMs = Date.now();
  assert.equal(await started.stop(), 0);
  assert.ok(Date.now() - askedAtMs < 5000);
  await endless;
});
