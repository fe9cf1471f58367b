import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestbed } from '../testing/start-testbed.ts';

const full = {
  id: 9007199254740991,
  name: 'Şükrü <& "Söhne"',
  phone: '+90 (212) 123-45-67',
  email: 's@example.org',
  address1: 'İstiklal Cd. 1',
  address2: '',
  date: '2026-01-02T03:04:05.678+03:00',
  postalCode: -1,
  note: ' kept as it is \n ',
};

test('a contact goes from JSON to XML and back without loss', async () => {
  await using testbed = await startTestbed();
  const base = `http://127.0.0.1:${testbed.port}/openapi/contacts`;
  const xml = { 'content-type': 'application/xml', accept: 'application/xml' };
  const json = { 'content-type': 'application/json', accept: 'application/json' };

  const created = await fetch(base, { method: 'POST', headers: json, body: JSON.stringify(full) });
  assert.equal(created.status, 201);
  const location = new URL(created.headers.get('location')!, base);
  const asXml = await (await fetch(location, { headers: xml })).text();
  assert.equal((await fetch(location, { method: 'DELETE' })).status, 200);
  assert.equal((await fetch(base, { method: 'POST', headers: xml, body: asXml })).status, 201);
  assert.deepEqual(await (await fetch(`${base}?id=${full.id}`, { headers: json })).json(), full);
});

test('a contact that was refused for its Accept was not created', async () => {
  await using testbed = await startTestbed();
  const base = `http://127.0.0.1:${testbed.port}/openapi/contacts`;
  const headers = { 'content-type': 'application/json', accept: 'image/png' };
  assert.equal((await fetch(base, { method: 'POST', headers, body: '{"id":1,"name":"a"}' })).status, 406);
  assert.equal((await fetch(`${base}/1`)).status, 404);
});

test('bad input is 400 for POST and 405 for PUT, whatever is wrong with it', async () => {
  await using testbed = await startTestbed();
  const base = `http://127.0.0.1:${testbed.port}/openapi/contacts`;
  const json = { 'content-type': 'application/json' };
  const xml = { 'content-type': 'application/xml' };
  await fetch(base, { method: 'POST', headers: json, body: '{"id":1,"name":"a"}' });
  const cases: Array<[headers: Record<string, string>, body: string]> = [
    [json, ''],
    [json, '{'],
    [json, '[]'],
    [json, 'null'],
    [json, '{"id":1}'],
    [json, '{"id":1,"name":""}'],
    [json, '{"id":1.5,"name":"a"}'],
    [json, '{"id":9007199254740993,"name":"a"}'],
    [json, '{"id":"1","name":"a"}'],
    [json, `{"id":1,"name":"${'x'.repeat(101)}"}`],
    [json, '{"id":1,"name":"a","date":"yesterday"}'],
    [json, '{"id":1,"name":"a","postalCode":"x"}'],
    [xml, '<Contact>'],
    [xml, '<Person><id>1</id><name>a</name></Person>'],
    [xml, '<Contact><id>one</id><name>a</name></Contact>'],
    [xml, '<Contact><id>1</id><name>&undefined;</name></Contact>'],
  ];
  for (const [headers, body] of cases) {
    const post = await fetch(base, { method: 'POST', headers, body });
    assert.equal(post.status, 400, body);
    assert.match(await post.text(), /^"Invalid input: /);
    const put = await fetch(`${base}/1`, { method: 'PUT', headers, body });
    assert.equal(put.status, 405, body);
    assert.match(await put.text(), /^"Validation exception: /);
  }
  assert.deepEqual(testbed.errors, []);
});
