import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { membersOfNodes, membersOfRole } from './redis-cluster-report.ts';

const primary = (address: string) => ({ address, role: 'primary', local: false });
const replica = (address: string) => ({ address, role: 'replica', local: false });

describe('the members of a Redis', () => {
  it('are a primary with its replicas', () => {
    assert.deepEqual(membersOfRole('a:1', ['master', 0, []]), [primary('a:1')]);
    const replicas = [
      ['10.0.0.2', '6379', '14'],
      ['10.0.0.3', '6380', '14'],
    ];
    assert.deepEqual(membersOfRole('a:1', ['master', 14, replicas]), [
      primary('a:1'),
      replica('10.0.0.2:6379'),
      replica('10.0.0.3:6380'),
    ]);
  });

  it('are a replica with its primary', () => {
    assert.deepEqual(membersOfRole('a:1', ['slave', '10.0.0.1', 6379, 'connected', 14]), [
      replica('a:1'),
      primary('10.0.0.1:6379'),
    ]);
  });
});

describe('the members of a Redis cluster', () => {
  const lines = [
    '07c37d 10.0.0.4:6379@16379,hostname4 slave e7d1ee 0 1426238317239 4 connected',
    'e7d1ee 10.0.0.1:6379@16379 myself,master - 0 0 1 connected 0-5460',
    '67ed2d [fd00::2]:6379@16379 master - 0 1426238316232 2 connected 5461-10922',
    'lost00 :0@0 master,noaddr - 0 0 0 disconnected',
  ];

  it('are read from its own list of nodes, whatever else stands there', () => {
    assert.deepEqual(membersOfNodes(`${lines.join('\n')}\n`), {
      hasFailed: false,
      members: [primary('10.0.0.1:6379'), replica('10.0.0.4:6379'), primary('[fd00::2]:6379')],
    });
    // Before version 4 there was no port of the bus.
    assert.deepEqual(membersOfNodes('x 10.0.0.1:6379 master - 0 0 1 connected').members, [
      primary('10.0.0.1:6379'),
    ]);
  });

  for (const flag of ['fail', 'fail?']) {
    it(`are not all well when one is marked ${flag}`, () => {
      const { hasFailed, members } = membersOfNodes(`x 10.0.0.1:6379@16379 master,${flag} - 0 0 1 connected`);
      assert.deepEqual([hasFailed, members.length], [true, 1]);
    });
  }
});
