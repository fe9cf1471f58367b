import assert from 'node:assert/strict';
import type { LookupFunction } from 'node:net';
import { describe, it } from 'node:test';
import { ClientFailure } from '../../http1/client/client-failure.ts';
import { startScriptedServer } from '../testing/scripted-server.ts';
import { HttpCaller } from './http-caller.ts';
import { outboundGuard } from './outbound-guard.ts';

/** Never called, whatever is set. */
const neverCalled: readonly [name: string, ...addresses: string[]][] = [
  ['link-local', '169.254.0.0', '169.254.1.1', '169.254.169.254', '169.254.170.2', '169.254.255.255'],
  ['link-local in IPv6', 'fe80::', 'fe80::1', 'fe80::1%eth0', 'febf:ffff::1', 'FE80::A'],
  ['metadata of clouds', 'fd00:ec2::254', 'fd00:0ec2:0:0:0:0:0:254', 'fd20:ce::254', '100.100.100.200'],
  ['the platform of a cloud', '168.63.129.16', '192.0.0.192'],
  ['IPv4-mapped', '::ffff:169.254.169.254', '::ffff:a9fe:a9fe', '0:0:0:0:0:ffff:a9fe:a9fe'],
  ['IPv4-compatible', '::169.254.169.254', '::a9fe:a9fe'],
  ['IPv4-translated', '::ffff:0:169.254.169.254'],
  ['NAT64', '64:ff9b::169.254.169.254', '64:ff9b::a9fe:a9fe'],
  ['local NAT64', '64:ff9b:1::169.254.169.254', '64:ff9b:1:a9fe:a9:fe00::', '64:ff9b:1:ffff::a9fe:a9fe'],
  ['6to4', '2002:a9fe:a9fe::', '2002:a9fe:a9fe::1', '2002:a9fe:a9fe:1:2:3:4:5'],
  ['Teredo, the client', '2001:0:808:808::5601:5601', '2001::5601:5601'],
  ['Teredo, the server', '2001:0:a9fe:a9fe::f7f7:f7f7'],
  ['ISATAP', '2a00::5efe:169.254.169.254', '2a00::200:5efe:a9fe:a9fe', 'fd00::5efe:a9fe:a9fe'],
  ['multicast and broadcast', '224.0.0.1', '239.255.255.255', '255.255.255.255', '240.0.0.1', 'ff02::1'],
  ['mapped multicast', '::ffff:224.0.0.1'],
  [
    'what is no address',
    '',
    'localhost',
    '1.2.3',
    '1.2.3.4.5',
    '0x7f.1',
    '2130706433',
    '1.2.3.256',
    ':::',
    'g::1',
  ],
];

/** Called unless private addresses are forbidden. */
const privateOnes: readonly [name: string, ...addresses: string[]][] = [
  ['loopback', '127.0.0.1', '127.255.255.255', '::1', '0:0:0:0:0:0:0:1'],
  ['this host', '0.0.0.0', '0.1.2.3', '::'],
  ['private networks', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.0.1'],
  ['carrier-grade NAT', '100.64.0.1', '100.127.255.255'],
  ['unique local', 'fc00::1', 'fd12:3456::1'],
  ['site-local', 'fec0::1'],
  ['benchmarking and documentation', '198.18.0.1', '192.0.2.1', '203.0.113.9', '2001:db8::1', '3fff::1'],
  ['IPv4-mapped', '::ffff:127.0.0.1', '::ffff:10.0.0.1'],
  ['NAT64', '64:ff9b::10.0.0.1'],
  ['6to4', '2002:7f00:1::', '2002:c0a8:1::1'],
];

const publicOnes = [
  '8.8.8.8',
  '1.1.1.1',
  '172.15.255.255',
  '172.32.0.0',
  '169.253.255.255',
  '169.255.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.0',
  '192.167.255.255',
  '198.20.0.0',
  '223.255.255.255',
  '2606:4700::1111',
  '2a00:1450::1',
  '::ffff:8.8.8.8',
  '64:ff9b::8.8.8.8',
  '2002:808:808::1',
  '2001:0:808:808::f7f7:f7f7',
  '2a00::5efe:8.8.8.8',
];

const allowing = outboundGuard();
const forbidding = outboundGuard({ allowsPrivate: false });

describe('the outbound guard', () => {
  for (const [name, ...addresses] of neverCalled) {
    for (const address of addresses) {
      it(`never calls ${name}: ${JSON.stringify(address)}`, () => {
        assert.equal(allowing.refuses(address), true);
        assert.equal(forbidding.refuses(address), true);
      });
    }
  }

  for (const [name, ...addresses] of privateOnes) {
    for (const address of addresses) {
      it(`calls ${name} only where private addresses are allowed: ${address}`, () => {
        assert.equal(allowing.refuses(address), false);
        assert.equal(forbidding.refuses(address), true);
      });
    }
  }

  for (const address of publicOnes) {
    it(`calls the Internet: ${address}`, () => {
      assert.equal(allowing.refuses(address), false);
      assert.equal(forbidding.refuses(address), false);
    });
  }

  const hosts: readonly [name: string, host: string, resolved: string[]][] = [
    ['a literal', '127.0.0.1', []],
    ['a literal in IPv6', '[::ffff:127.0.0.1]', []],
    ['a literal in another notation', '0x7f.1', []],
    ['a literal as one number', '2130706433', []],
    ['a name', 'rebound.test', ['127.0.0.1']],
    ['a name with a public address beside it', 'rebound.test', ['8.8.8.8', '127.0.0.1']],
  ];
  for (const [name, host, resolved] of hosts) {
    it(`stands before every connection: ${name}`, async () => {
      await using server = await startScriptedServer((socket) => socket.end('HTTP/1.1 204 \r\n\r\n'));
      const lookup: LookupFunction = (_name, _options, callback) =>
        callback(
          null,
          resolved.map((address) => ({ address, family: 4 })),
        );
      await using caller = new HttpCaller({ addresses: outboundGuard({ allowsPrivate: false, lookup }) });
      const call = caller.call({ url: `http://${host}:${server.port}/`, deadlineMs: 5_000 });
      await assert.rejects(
        call,
        (error) =>
          error instanceof ClientFailure && error.reason === 'address-refused' && !error.isRequestSent,
      );
      assert.deepEqual(server.received, []);
    });
  }
});
