import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { rawRequest } from '../../kernel/testing/raw-client.ts';
import { startTestbed } from '../testing/start-testbed.ts';
import { type WireFault, wireFaultNames, wireFaults } from './faults.ts';

const get = (path: string, ...fields: string[]) =>
  `GET ${path} HTTP/1.1\r\nHost: test\r\n${fields.map((field) => `${field}\r\n`).join('')}\r\n`;

describe('every wire fault', () => {
  for (const name of wireFaultNames) {
    test(`${name} sends exactly its bytes and ends as it says`, async () => {
      await using testbed = await startTestbed({ settings: { allowsUnsafe: true } });
      const { wire, ended } = await rawRequest(testbed.port, get('/uuid', `X-Test-Fault: ${name}`));
      assert.equal(wire.toString('latin1'), wireFaults[name].bytes);
      assert.equal(ended, wireFaults[name].ends);
      assert.deepEqual(testbed.errors, []);
    });
  }

  test('leaves the service answering, also after many in a row', async () => {
    await using testbed = await startTestbed({ settings: { allowsUnsafe: true } });
    const requests = Array.from({ length: 5 }, () => wireFaultNames).flat();
    await Promise.all(requests.map((name) => rawRequest(testbed.port, get(`/uuid?__fault=${name}`))));
    const { status } = await rawRequest(testbed.port, get('/uuid', 'Connection: close'));
    assert.equal(status, 200);
  });
});

describe('faults that endanger others', () => {
  const risky = wireFaultNames.filter((name) => (wireFaults[name] as WireFault).risk !== undefined);
  const desync = risky.filter((name) => (wireFaults[name] as WireFault).risk === 'desync');

  test('are refused in public mode, even when unsafe answers are allowed', async () => {
    await using testbed = await startTestbed({ settings: { isPublic: true, allowsUnsafe: true } });
    for (const name of risky) {
      const { status } = await rawRequest(
        testbed.port,
        get('/uuid', `X-Test-Fault: ${name}`, 'Connection: close'),
      );
      assert.equal(status, 403, name);
    }
    const { ended } = await rawRequest(testbed.port, get('/uuid', 'X-Test-Fault: reset'));
    assert.equal(ended, 'reset');
  });

  test('two final answers need a setting of their own', async () => {
    assert.deepEqual(desync, ['double-response']);
    const path = '/proxy-test/connection/double-response';
    await using cautious = await startTestbed();
    assert.equal((await rawRequest(cautious.port, get(path, 'Connection: close'))).status, 403);
    await using unsafe = await startTestbed({ settings: { allowsUnsafe: true } });
    const { wire } = await rawRequest(unsafe.port, get(path));
    assert.equal(wire.toString('latin1').match(/HTTP\/1\.1 200 OK/g)?.length, 2);
  });
});

test('a reset in mid-body delivers the bytes before it', async () => {
  await using testbed = await startTestbed();
  const path = '/proxy-test/connection/reset?at=mid-body&bytes=100000';
  const { wire, ended } = await rawRequest(testbed.port, get(path));
  assert.equal(ended, 'reset');
  assert.match(wire.toString('latin1', 0, 200), /Content-Length: 200000\r\n/);
});
