import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { rawRequest } from '../../kernel/testing/raw-client.ts';
import { type StartedTestbed, startTestbed } from '../testing/start-testbed.ts';

describe('redirect-to in public mode', () => {
  let testbed: StartedTestbed;
  before(async () => {
    testbed = await startTestbed({ settings: { isPublic: true, allowedRedirectHosts: ['friend.example'] } });
  });
  after(() => testbed.close());

  const allowed = [
    '/get',
    'get',
    '?a=1',
    '',
    '#x',
    'https://friend.example/x',
    'http://friend.example:8080/',
  ];
  const refused = [
    'http://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    'https:evil.example',
    'javascript:alert(1)',
    'data:text/html,x',
    'ftp://friend.example/',
    'http://friend.example@evil.example/',
    'http://friend.example.evil.example/',
    ' //evil.example',
  ];

  for (const [urls, status] of [
    [allowed, 302],
    [refused, 403],
  ] as const) {
    for (const url of urls) {
      test(`${JSON.stringify(url)} is answered with ${status}`, async () => {
        const target = `/redirect-to?url=${encodeURIComponent(url)}`;
        const answer = await rawRequest(
          testbed.port,
          `GET ${target} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n`,
        );
        assert.equal(answer.status, status);
        assert.equal(answer.header('location'), status === 302 ? url : undefined);
      });
    }
  }
});
