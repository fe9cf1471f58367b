import assert from 'node:assert/strict';
import type { NetworkInterfaceInfo } from 'node:os';
import { test } from 'node:test';
import { podAddress } from './pod-address.ts';

const interfaceOf = (address: string, family: 'IPv4' | 'IPv6', internal: boolean) =>
  ({ address, family, internal }) as NetworkInterfaceInfo;
const loopback = interfaceOf('127.0.0.1', 'IPv4', true);

const cases: Array<[host: string, addresses: NetworkInterfaceInfo[], expected: string]> = [
  ['127.0.0.1', [], 'http://127.0.0.1:80'],
  ['::1', [], 'http://[::1]:80'],
  [
    '0.0.0.0',
    [loopback, interfaceOf('fd00::1', 'IPv6', false), interfaceOf('10.0.0.7', 'IPv4', false)],
    'http://10.0.0.7:80',
  ],
  ['::', [loopback, interfaceOf('fd00::1', 'IPv6', false)], 'http://[fd00::1]:80'],
  ['0.0.0.0', [loopback], 'http://127.0.0.1:80'],
];
for (const [host, addresses, expected] of cases) {
  test(`a pod on ${host} among ${addresses.length} addresses is reached at ${expected}`, () => {
    assert.equal(podAddress(host, 80, { all: addresses }), expected);
  });
}
