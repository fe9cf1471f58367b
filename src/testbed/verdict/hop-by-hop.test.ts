import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RequestHead } from '../../http1/exchange.ts';
import { HeaderList } from '../../http1/header-list.ts';
import { hopByHopFields, isLeaked } from './hop-by-hop.ts';

function leaked(raw: string[], version: RequestHead['version'] = '1.1', removed: string[] = []): string[] {
  const head: RequestHead = {
    method: 'GET',
    target: '/',
    version,
    headers: new HeaderList(raw),
    wireBytes: undefined,
  };
  return hopByHopFields(head, removed)
    .filter(isLeaked)
    .map(({ name }) => name);
}

const cases: ReadonlyArray<[name: string, raw: string[], leaked: string[]]> = [
  ['a proxy may say how long its own connection lives', ['Connection', 'keep-alive'], []],
  ['a proxy may close its own connection', ['Connection', 'close'], []],
  ['a foreign option of Connection was passed on', ['Connection', 'close, X-Foo'], ['Connection']],
  ['a nominated field was passed on', ['Connection', 'x-foo', 'X-Foo', '1'], ['Connection', 'x-foo']],
  ['Keep-Alive was passed on', ['Keep-Alive', 'timeout=5'], ['Keep-Alive']],
  [
    'credentials for the proxy were passed on',
    ['Proxy-Authorization', 'Basic eA=='],
    ['Proxy-Authorization'],
  ],
  ['TE without its nomination is not the own one', ['TE', 'trailers'], ['TE']],
  ['TE of the proxy itself', ['Connection', 'TE', 'TE', 'trailers'], []],
  ['TE with a coding', ['Connection', 'TE', 'TE', 'gzip'], ['TE']],
  ['an upgrade the proxy takes part in', ['Connection', 'upgrade', 'Upgrade', 'websocket'], []],
  ['an upgrade nobody nominated', ['Upgrade', 'websocket'], ['Upgrade']],
  ['plain chunked is the framing of this connection', ['Transfer-Encoding', 'chunked'], []],
  ['a coding beside chunked was passed on', ['Transfer-Encoding', 'gzip, chunked'], ['Transfer-Encoding']],
  ['Trailer travels with its trailers', ['Trailer', 'X-Sum'], []],
];

for (const [name, raw, expected] of cases) {
  test(name, () => assert.deepEqual(leaked(raw), expected));
}

test('HTTP/2 knows no Connection, and TE only for trailers', () => {
  assert.deepEqual(leaked(['te', 'trailers'], '2'), []);
  assert.deepEqual(leaked(['te', 'gzip', 'connection', 'close'], '2'), ['Connection', 'TE']);
});

test('a field the client nominated is judged although Connection itself is gone', () => {
  assert.deepEqual(leaked(['X-Canary', '1'], '1.1', ['X-Canary']), ['X-Canary']);
  assert.deepEqual(leaked([], '1.1', ['X-Canary']), []);
});
