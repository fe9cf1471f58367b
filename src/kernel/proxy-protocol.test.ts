import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readProxyHeader } from './proxy-protocol.ts';

const v2 = (commandAndVersion: number, family: number, addresses: string) => {
  const payload = Buffer.from(addresses, 'hex');
  const head = Buffer.from('0d0a0d0a000d0a515549540a00000000', 'hex');
  head[12] = commandAndVersion;
  head[13] = family;
  head.writeUInt16BE(payload.length, 14);
  return Buffer.concat([head, payload]);
};

test('a version 1 line gives both addresses and its own length', () => {
  const line = 'PROXY TCP4 192.0.2.1 198.51.100.7 56324 443\r\n';
  assert.deepEqual(readProxyHeader(Buffer.from(`${line}GET / HTTP/1.1\r\n`)), {
    outcome: 'read',
    length: line.length,
    header: {
      version: 1,
      command: 'PROXY',
      sourceAddress: '192.0.2.1',
      sourcePort: 56324,
      destinationAddress: '198.51.100.7',
      destinationPort: 443,
    },
  });
});

test('a version 2 header gives IPv4 and IPv6 addresses and skips TLVs', () => {
  const ipv4 = readProxyHeader(v2(0x21, 0x11, `c0000201c6336407dc0401bb${'0300040000abcd'}`));
  assert.ok(ipv4.outcome === 'read');
  assert.equal(ipv4.header.sourceAddress, '192.0.2.1');
  assert.equal(ipv4.header.destinationPort, 443);
  assert.equal(ipv4.length, 16 + 12 + 7);

  const ipv6 = readProxyHeader(
    v2(0x21, 0x21, `20010db8${'0'.repeat(23)}1${'20010db8'}${'0'.repeat(23)}2${'dc0401bb'}`),
  );
  assert.ok(ipv6.outcome === 'read');
  assert.equal(ipv6.header.sourceAddress, '2001:db8::1');
  assert.equal(ipv6.header.sourcePort, 56324);
});

test('LOCAL and UNKNOWN stand for the proxy itself', () => {
  for (const bytes of [v2(0x20, 0x00, ''), Buffer.from('PROXY UNKNOWN\r\n')]) {
    const reading = readProxyHeader(bytes);
    assert.ok(reading.outcome === 'read');
    assert.equal(reading.header.command, 'LOCAL');
    assert.equal(reading.length, bytes.length);
  }
});

test('every true prefix of a header is incomplete', () => {
  for (const whole of [
    Buffer.from('PROXY TCP6 ::1 ::2 1 2\r\n'),
    v2(0x21, 0x11, 'c0000201c6336407dc0401bb'),
  ]) {
    for (let length = 0; length < whole.length; length++) {
      assert.equal(readProxyHeader(whole.subarray(0, length)).outcome, 'incomplete', `${length} bytes`);
    }
  }
});

test('anything else is refused', () => {
  const cases: Record<string, Buffer> = {
    'no header': Buffer.from('GET / HTTP/1.1\r\n'),
    'unknown family': Buffer.from('PROXY UDP4 1.1.1.1 2.2.2.2 1 2\r\n'),
    'port out of range': Buffer.from('PROXY TCP4 1.1.1.1 2.2.2.2 1 70000\r\n'),
    'line without end': Buffer.from(`PROXY TCP4 ${'1'.repeat(120)}`),
    'wrong version': v2(0x31, 0x11, 'c0000201c6336407dc0401bb'),
    'unknown command': v2(0x2f, 0x11, 'c0000201c6336407dc0401bb'),
    'addresses cut short': v2(0x21, 0x21, 'c0000201'),
    'absurd length': v2(0x21, 0x11, '00'.repeat(5000)),
  };
  for (const [name, bytes] of Object.entries(cases)) {
    assert.equal(readProxyHeader(bytes).outcome, 'invalid', name);
  }
});
