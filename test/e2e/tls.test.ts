import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { connect } from 'node:tls';
import { rawRequest } from '../../src/kernel/testing/raw-client.ts';
import { GatehouseProcess } from '../support/gatehouse-process.ts';

const data = mkdtempSync(join(tmpdir(), 'gatehouse-tls-'));
const running: GatehouseProcess[] = [];
after(() => {
  for (const { child } of running) child.kill('SIGKILL');
  rmSync(data, { recursive: true, force: true });
});

function start(...flags: string[]): GatehouseProcess {
  const argv = ['testbed', '--port', '0', '--data', data, '--log-level', 'info', ...flags];
  const started = new GatehouseProcess(argv, { GATEHOUSE_NO_TLS: 'false' });
  running.push(started);
  return started;
}

async function tlsReady(started: GatehouseProcess): Promise<string> {
  const { child } = started;
  while (!/^ready testbed-tls .*$/m.test(started.stdout)) {
    if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}: ${started.stderr}`);
    await Promise.race([once(child.stdout!, 'data'), once(child, 'close')]);
  }
  return /^ready testbed-tls (.*)$/m.exec(started.stdout)![1]!;
}

async function get(port: number, path: string): Promise<string> {
  const { body } = await rawRequest(port, `GET ${path} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n`);
  return body.toString();
}

async function versionOf(port: number, ca: string): Promise<string | null> {
  const socket = connect({ host: '127.0.0.1', port, servername: 'localhost', ca });
  await once(socket, 'secureConnect');
  const version = socket.getProtocol();
  socket.destroy();
  return version;
}

test('the plain port answers while the first keys are made, and then the TLS ports serve', async () => {
  const started = start('--tls-base-port', '0');
  const port = await started.ready();
  const early = JSON.parse(await get(port, '/badssl/valid'));
  assert.equal(early.running, false);
  assert.match(await tlsReady(started), /^54 ports \d+-\d+$/);
  assert.match(started.stderr, /"event":"tls\.key\.made"/);
  const late = JSON.parse(await get(port, '/badssl/valid'));
  assert.equal(late.running, true);
  assert.equal(await versionOf(late.port, await get(port, '/certs/ca.pem')), 'TLSv1.3');
  assert.equal(await started.stop(), 0);
});

test('the next start finds the same root, and several processes share the ports', async () => {
  const alone = start('--tls-base-port', '0', '--no-tls-extras');
  const alonePort = await alone.ready();
  assert.match(await tlsReady(alone), /^40 ports /);
  const first = await get(alonePort, '/certs/ca.pem');
  assert.equal(await alone.stop(), 0);
  assert.doesNotMatch(alone.stderr, /tls\.key\.made/);

  const group = start('--tls-base-port', '0', '--processes', '2');
  const port = await group.ready();
  assert.match(await tlsReady(group), /^54 ports /);
  assert.equal(await get(port, '/certs/ca.pem'), first);
  const ports = await Promise.all(
    Array.from({ length: 6 }, async () => JSON.parse(await get(port, '/badssl/valid')).port),
  );
  assert.equal(new Set(ports).size, 1);
  for (let round = 0; round < 4; round++) assert.equal(await versionOf(ports[0], first), 'TLSv1.3');
  assert.equal(await group.stop(), 0);
});

test('a taken TLS port is named with the flag that chooses others', async () => {
  const occupant = createServer().listen(0, '127.0.0.1');
  await once(occupant, 'listening');
  const { port } = occupant.address() as AddressInfo;
  for (const processes of ['1', '2']) {
    const refused = start('--tls-base-port', String(port), '--processes', processes);
    assert.equal(await refused.exitCode(), 2);
    assert.match(
      refused.stderr,
      new RegExp(`^gatehouse: 127\\.0\\.0\\.1:${port} is already in use; .* --tls-base-port$`, 'm'),
    );
    assert.equal(refused.stdout, '');
  }
  const behind = start('--tls-base-port', String(port - 3));
  assert.equal(await behind.exitCode(), 2);
  assert.match(behind.stderr, /^gatehouse: \S+ is already in use; .* --tls-base-port$/m);
  occupant.close();
});
