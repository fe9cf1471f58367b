import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { UsageError } from '../../kernel/options.ts';
import { parseRedisAddress } from './redis-address.ts';

const plain = { isCluster: false, isTls: false, username: undefined, password: undefined, database: 0 };
const local = [{ host: '127.0.0.1', port: 6379 }];

describe('the address of a Redis', () => {
  const good: Array<[url: string, expected: object]> = [
    ['redis://127.0.0.1', { ...plain, nodes: local }],
    ['redis://127.0.0.1:6379/', { ...plain, nodes: local }],
    ['redis://grid:7000/3', { ...plain, nodes: [{ host: 'grid', port: 7000 }], database: 3 }],
    ['rediss://[::1]:7000', { ...plain, isTls: true, nodes: [{ host: '::1', port: 7000 }] }],
    ['redis://:p%40ss%3A@127.0.0.1', { ...plain, nodes: local, password: 'p@ss:' }],
    ['redis://ada:a:b@127.0.0.1', { ...plain, nodes: local, username: 'ada', password: 'a:b' }],
    [
      'rediss-cluster://ada:x@a:1,b:2,[::1]',
      {
        isCluster: true,
        isTls: true,
        username: 'ada',
        password: 'x',
        database: 0,
        nodes: [
          { host: 'a', port: 1 },
          { host: 'b', port: 2 },
          { host: '::1', port: 6379 },
        ],
      },
    ],
  ];
  for (const [url, expected] of good)
    it(`${url} is understood`, () => assert.deepEqual(parseRedisAddress(url), expected));

  const bad = [
    '',
    'secret',
    'http://secret:80',
    'redis://',
    'redis://:secret@',
    'redis://secret:0',
    'redis://secret:70000',
    'redis://secret:port',
    'redis://a,secret',
    'redis-cluster://a:1,secret:x',
    'redis-cluster://secret/1',
    'redis://secret/x',
    'redis://secret?x=1',
    'redis://%secret@127.0.0.1',
  ];
  for (const url of bad)
    it(`${url || 'nothing'} is refused, and not repeated`, () =>
      assert.throws(
        () => parseRedisAddress(url),
        (error) => {
          assert.ok(error instanceof UsageError);
          assert.match(error.message, /^the data grid URL /);
          assert.doesNotMatch(error.message, /secret/);
          return true;
        },
      ));
});
