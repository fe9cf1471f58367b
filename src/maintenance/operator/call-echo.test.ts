import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ReportedCall } from '../../log-index/log-index-caller.ts';
import { callText } from './call-echo.ts';

const base: ReportedCall = {
  method: 'GET',
  url: 'http://es:9200/logs/_count',
  user: undefined,
  headers: ['Accept', 'application/json'],
  body: undefined,
  isInsecure: false,
};

describe('the echo of a call', () => {
  const calls: Array<[what: string, call: Partial<ReportedCall>, text: string]> = [
    ['without anything', {}, 'curl -X GET http://es:9200/logs/_count'],
    [
      'with a user: the password is masked',
      { user: 'ada' },
      'curl -X GET -u ada:**** http://es:9200/logs/_count',
    ],
    [
      'with a body that a shell takes',
      { body: `{"a":"it's"}` },
      `curl -X GET -d '{"a":"it'\\''s"}' http://es:9200/logs/_count`,
    ],
    ['with a query', { url: 'http://es:9200/?a=b&c=d' }, `curl -X GET 'http://es:9200/?a=b&c=d'`],
    [
      'with a header',
      { headers: ['X-Opaque-Id', 'a b'] },
      `curl -X GET -H 'X-Opaque-Id: a b' http://es:9200/logs/_count`,
    ],
    [
      'over https that is not verified',
      { url: 'https://es:9200/', isInsecure: true },
      'curl -X GET --insecure https://es:9200/',
    ],
  ];
  for (const [what, call, text] of calls) {
    it(what, () => assert.equal(callText({ ...base, ...call }), text));
  }
});
