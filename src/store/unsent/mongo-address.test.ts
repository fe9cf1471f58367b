import assert from 'node:assert/strict';
import { it } from 'node:test';
import { completeMongoUrl, shownMongoUrl } from './mongo-address.ts';

const cases = [
  ['one node without a port', 'mongodb://db1/gate', 'mongodb://db1:25080/gate?directConnection=true'],
  ['one node with its port', 'mongodb://db1:27017/gate', 'mongodb://db1:27017/gate?directConnection=true'],
  ['no path', 'mongodb://db1', 'mongodb://db1:25080/?directConnection=true'],
  [
    'a user, whom admin knows',
    'mongodb://me:p%40ss@db1/gate',
    'mongodb://me:p%40ss@db1:25080/gate?authSource=admin&directConnection=true',
  ],
  [
    'a user whom another database knows',
    'mongodb://me:x@db1/gate?authSource=gate',
    'mongodb://me:x@db1:25080/gate?authSource=gate&directConnection=true',
  ],
  ['several nodes', 'mongodb://a,b:1,c/gate', 'mongodb://a:25080,b:1,c:25080/gate'],
  ['a replica set', 'mongodb://a/gate?replicaSet=rs0', 'mongodb://a:25080/gate?replicaSet=rs0'],
  ['an IPv6 address', 'mongodb://[::1]/gate', 'mongodb://[::1]:25080/gate?directConnection=true'],
  ['names from the DNS', 'mongodb+srv://cluster.example/gate', 'mongodb+srv://cluster.example/gate'],
] as const;

for (const [what, given, complete] of cases)
  it(`the database listens on port 25080 unless its address says otherwise: ${what}`, () => {
    assert.equal(completeMongoUrl(given), complete);
  });

it('an address is shown without user, password and options', () => {
  assert.equal(
    shownMongoUrl('mongodb://me:secret@db1:25080/gate?authSource=admin'),
    'mongodb://db1:25080/gate',
  );
  assert.equal(shownMongoUrl('mongodb://db1:25080/gate'), 'mongodb://db1:25080/gate');
});
