import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HeaderList } from '../../http1/header-list.ts';
import { firstHopAddress, parseForwarded, parseVia, readForwarding } from './forwarding.ts';

const forwardedCases: ReadonlyArray<[field: string, elements: unknown]> = [
  // The examples of RFC 7239 §4.
  ['for="_gazonk"', [{ for: '_gazonk' }]],
  ['For="[2001:db8:cafe::17]:4711"', [{ for: '[2001:db8:cafe::17]:4711' }]],
  ['for=192.0.2.60;proto=http;by=203.0.113.43', [{ for: '192.0.2.60', proto: 'http', by: '203.0.113.43' }]],
  ['for=192.0.2.43, for=198.51.100.17', [{ for: '192.0.2.43' }, { for: '198.51.100.17' }]],
  ['for="a\\"b"', [{ for: 'a"b' }]],
  ['for=a;for=b', undefined],
  ['for=a b', undefined],
  ['for', undefined],
  ['for=a,', undefined],
  ['for=a;', undefined],
  ['', undefined],
];

for (const [field, elements] of forwardedCases) {
  test(`Forwarded: ${field}`, () => assert.deepEqual(parseForwarded(field), elements));
}

test('Via members have a protocol, a name and perhaps a comment', () => {
  assert.deepEqual(parseVia('1.0 fred, HTTP/1.1 p.example.net:8080 (Apache 1.1)'), [
    { protocol: '1.0', receivedBy: 'fred', comment: null },
    { protocol: 'HTTP/1.1', receivedBy: 'p.example.net:8080', comment: 'Apache 1.1' },
  ]);
  assert.equal(parseVia('fred'), undefined);
});

const firstHops: ReadonlyArray<[headers: string[], address: string | undefined]> = [
  [['X-Forwarded-For', '203.0.113.7, 10.0.0.1'], '203.0.113.7'],
  [['X-Forwarded-For', '203.0.113.7:4711'], '203.0.113.7'],
  [['X-Forwarded-For', '2001:db8::1'], '2001:db8::1'],
  [['X-Forwarded-For', '10.0.0.1', 'Forwarded', 'for="[2001:db8::1]:1"'], '2001:db8::1'],
  [[], undefined],
];

for (const [headers, address] of firstHops) {
  test(`the first hop of ${JSON.stringify(headers)} is ${address}`, () => {
    assert.equal(firstHopAddress(readForwarding(new HeaderList(headers))), address);
  });
}

test('hops are listed from the client inwards and malformed fields are named', () => {
  const forwarding = readForwarding(
    new HeaderList(['Via', 'nonsense', 'X-Forwarded-For', 'a', 'x-forwarded-for', 'b']),
  );
  assert.deepEqual(forwarding.malformed, ['Via']);
  assert.deepEqual(forwarding.hops, [
    { from: 'X-Forwarded-For', node: 'a' },
    { from: 'X-Forwarded-For', node: 'b' },
  ]);
});
