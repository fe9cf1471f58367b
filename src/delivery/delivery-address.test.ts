import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AddressBook, isAddress, resolveAddress } from './delivery-address.ts';
import { ackTarget, eventPath } from './event-collector/collector-path.ts';

const cases: ReadonlyArray<{
  readonly url: string;
  readonly values?: Record<string, string>;
  /** `host port target`, or the reason. */
  readonly gives: string;
}> = [
  { url: 'http://a.test', gives: 'http: a.test 80 /' },
  { url: 'https://a.test/x?y=1', gives: 'https: a.test 443 /x?y=1' },
  { url: 'HTTPS://A.test:8443/', gives: 'https: a.test 8443 /' },
  { url: 'http://[::1]:81/x', gives: 'http: ::1 81 /x' },
  { url: 'http://a.test/ü', gives: 'http: a.test 80 /%C3%BC' },
  { url: `http://\${h}/x`, values: { h: 'b.test' }, gives: 'http: b.test 80 /x' },
  { url: `http://\${h}/x`, values: { h: 'b.test:90' }, gives: 'http: b.test 90 /x' },
  { url: `http://a.\${d}.test:\${p}/`, values: { d: 'eu', p: '91' }, gives: 'http: a.eu.test 91 /' },
  { url: `http://a.test/\${v}/e`, values: { v: 'a/b?c#d' }, gives: 'http: a.test 80 /a%2Fb%3Fc%23d/e' },
  { url: `http://a.test/?q=\${v}&r=1`, values: { v: 'x&y=z' }, gives: 'http: a.test 80 /?q=x%26y%3Dz&r=1' },
  { url: `http://a.test/\${v}`, values: { v: '' }, gives: 'http: a.test 80 /' },
  { url: `http://a.test/\${v}`, gives: 'unresolved-placeholder' },
  { url: `http://a.test/\${toString}`, gives: 'unresolved-placeholder' },
  { url: `http://\${h}/x`, values: { h: '' }, gives: 'invalid-address' },
  { url: `http://\${h}/x`, values: { h: 'good.test@evil.test' }, gives: 'invalid-address' },
  { url: `http://\${h}/x`, values: { h: 'evil.test/y?' }, gives: 'invalid-address' },
  { url: `http://\${h}.test/x`, values: { h: 'evil.test#' }, gives: 'invalid-address' },
  { url: `http://\${h}.test/x`, values: { h: 'a\r\nb' }, gives: 'invalid-address' },
  { url: `http://a.test/in/\${v}/x`, values: { v: '..' }, gives: 'invalid-address' },
  { url: `http://a.test/in/\${v}\${v}/x`, values: { v: '.' }, gives: 'invalid-address' },
  { url: `http://a.test:\${p}/`, values: { p: '70000' }, gives: 'invalid-address' },
  { url: 'ftp://a.test/', gives: 'invalid-address' },
];
for (const { url, values = {}, gives } of cases) {
  test(`${url} with ${JSON.stringify(values)} gives ${gives}`, () => {
    const address = resolveAddress(url, values);
    const told = isAddress(address)
      ? `${address.origin.protocol} ${address.origin.host} ${address.origin.port} ${address.target}`
      : address.reason;
    assert.equal(told, gives);
  });
}

test('variables of the environment are fixed, the rest comes from each record, which cannot replace them', () => {
  const book = new AddressBook(`http://\${h}.test/\${tenant}`, { h: 'real' }, (path) => path);
  assert.equal(book.isFixed, false);
  const one = book.addressFor({ tenant: 'a', h: 'evil' });
  assert.ok(isAddress(one));
  assert.equal(one.origin.host, 'real.test');
  assert.equal(one.target, '/a');
  assert.equal(book.addressFor({ tenant: 'a' }), one, 'the same place is the same object');
  assert.notEqual(book.addressFor({ tenant: 'b' }), one);
  const missing = book.addressFor(undefined);
  assert.deepEqual(missing, { reason: 'unresolved-placeholder', detail: 'no value for tenant' });
});

for (const [path, expected] of [
  ['/', '/services/collector/event'],
  ['/base/', '/base/services/collector/event'],
  ['/services/collector', '/services/collector/event'],
  ['/services/collector/event', '/services/collector/event'],
  ['/services/collector/event/', '/services/collector/event'],
  ['/x/services/collector/event/1.0', '/x/services/collector/event/1.0'],
] as const) {
  test(`events for a collector at ${path} go to ${expected}`, () => {
    assert.equal(eventPath(path), expected);
  });
}

test('acknowledgements are asked for beside the events, with the same query', () => {
  assert.equal(ackTarget('/base/services/collector/event?a=1'), '/base/services/collector/ack?a=1');
  assert.equal(ackTarget('/services/collector/event/1.0'), '/services/collector/ack');
});
