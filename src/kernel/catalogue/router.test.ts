import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { leastMs } from '../testing/least-time.ts';
import { createRouter, type Routable } from './router.ts';

/** Entries from `METHOD,METHOD /path` lines; the path is the id. */
function routing(...lines: string[]) {
  return createRouter(lines.map(entry));
}

function entry(line: string): Routable {
  const [methods = '', path = ''] = line.split(' ');
  return { id: path, path, methods: methods.split(',').filter(Boolean) };
}

function found(router: ReturnType<typeof routing>, path: string, method = 'GET') {
  const match = router.find(method, path);
  return match.kind === 'found' ? [match.entry.path, ...match.values] : match.kind;
}

describe('which entry a path reaches', () => {
  const router = routing(
    'GET /',
    'GET /a',
    'GET /a/{x}',
    'GET /a/b',
    'GET /a/{x}/c',
    'GET /a/b/d',
    'GET /rest/{tail**}',
    'GET /rest/one',
    'GET /bare/**',
    'GET /slashed/',
    'GET /slashed/{id}',
    'GET /tr/şığ',
    'GET /escaped/%2F',
  );
  const cases: Array<[path: string, ...found: string[] | ['not-found']]> = [
    ['/', '/'],
    ['/a', '/a'],
    ['/a/b', '/a/b'],
    ['/a/z', '/a/{x}', 'z'],
    // The static branch /a/b does not lead to /c: the walk turns back to {x}.
    ['/a/b/c', '/a/{x}/c', 'b'],
    ['/a/b/d', '/a/b/d'],
    ['/a/', 'not-found'],
    ['/A', 'not-found'],
    ['/a//', 'not-found'],
    ['//a', 'not-found'],
    ['/x/../a', 'not-found'],
    ['/%61', 'not-found'],
    ['/a;p=1', 'not-found'],
    ['/a/b;p=1', '/a/{x}', 'b;p=1'],
    ['/a/%2F', '/a/{x}', '%2F'],
    ['/a/..', '/a/{x}', '..'],
    ['/rest', 'not-found'],
    ['/rest/', '/rest/{tail**}', ''],
    ['/rest/one', '/rest/one'],
    ['/rest/one/', '/rest/{tail**}', 'one/'],
    ['/rest//../x//', '/rest/{tail**}', '/../x//'],
    ['/bare/', '/bare/**', ''],
    ['/bare/a/b', '/bare/**', 'a/b'],
    ['/slashed/', '/slashed/'],
    ['/slashed', '/slashed/'],
    ['/slashed//', 'not-found'],
    ['/slashed/1', '/slashed/{id}', '1'],
    // Bytes above 0x7f: raw, percent-encoded, and in either case of the hex digits.
    ['/tr/\xc5\x9f\xc4\xb1\xc4\x9f', '/tr/şığ'],
    ['/tr/%C5%9F%C4%B1%C4%9F', '/tr/şığ'],
    ['/tr/%c5%9f\xc4%b1%C4\x9f', '/tr/şığ'],
    // The same letters in ISO-8859-9 are other bytes.
    ['/tr/\xfe\xfd\xf0', 'not-found'],
    ['/escaped/%2F', '/escaped/%2F'],
    ['/escaped/%2f', 'not-found'],
    ['/escaped//', 'not-found'],
    ['*', 'not-found'],
    ['', 'not-found'],
    ['example.com:443', 'not-found'],
  ];
  for (const [path, ...expected] of cases) {
    test(`${JSON.stringify(path)} → ${expected.join(' ')}`, () => {
      const reached = found(router, path);
      assert.deepEqual(reached, expected[0] === 'not-found' ? 'not-found' : expected);
    });
  }
});

describe('methods', () => {
  const router = routing(
    'GET /g',
    'POST /g',
    'GET,PUT /s/{codes}',
    'GET /s/304',
    'GET,OPTIONS /o',
    'GET,ANY /any',
    'HEAD /h',
  );
  const cases: Array<[method: string, path: string, expected: string]> = [
    ['GET', '/g', 'found /g'],
    ['HEAD', '/g', 'found /g'],
    ['get', '/g', 'method-not-allowed GET, HEAD, POST, OPTIONS'],
    ['PUT', '/g', 'method-not-allowed GET, HEAD, POST, OPTIONS'],
    ['OPTIONS', '/g', 'options GET, HEAD, POST, OPTIONS'],
    // The best match does not answer PUT, the next best does.
    ['PUT', '/s/304', 'found /s/{codes}'],
    ['GET', '/s/304', 'found /s/304'],
    ['HEAD', '/s/304', 'found /s/304'],
    ['PATCH', '/s/304', 'method-not-allowed GET, HEAD, PUT, OPTIONS'],
    ['OPTIONS', '/s/304', 'options GET, HEAD, PUT, OPTIONS'],
    ['OPTIONS', '/o', 'found /o'],
    ['BREW', '/any', 'found /any'],
    ['HEAD', '/any', 'found /any'],
    ['OPTIONS', '/any', 'options GET, HEAD, POST, PUT, PATCH, DELETE, TRACE, OPTIONS'],
    ['HEAD', '/h', 'found /h'],
    ['GET', '/h', 'method-not-allowed HEAD, OPTIONS'],
  ];
  for (const [method, path, expected] of cases) {
    test(`${method} ${path} → ${expected}`, () => {
      const match = router.find(method, path);
      const described =
        match.kind === 'found' ? match.entry.path : match.kind === 'not-found' ? '' : match.allow;
      assert.equal(`${match.kind} ${described}`, expected);
    });
  }

  test('a refusal still names the entry that matched the path best', () => {
    const match = router.find('PATCH', '/s/304');
    assert.equal(match.kind === 'method-not-allowed' && match.entry.id, '/s/304');
  });
});

describe('aliases', () => {
  const router = createRouter([
    { id: 'a', methods: ['GET'], path: '/a/{n}', aliases: ['/old/{n}/', '/b', '/b/'] },
  ]);
  for (const path of ['/a/1', '/old/1', '/old/1/', '/b', '/b/']) {
    test(`${path} reaches the entry`, () => assert.equal(router.find('GET', path).kind, 'found'));
  }
});

describe('a catalogue that cannot work fails at start', () => {
  const cases: Array<[name: string, lines: string[], message: RegExp]> = [
    ['the same path twice', ['GET /a', 'GET,PUT /a'], /endpoints \/a and \/a both answer GET \/a/],
    [
      'the same shape under other names',
      ['GET /a/{x}', 'GET /a/{y}'],
      /\/a\/\{x\} and \/a\/\{y\} both answer GET/,
    ],
    ['two rests', ['GET /a/**', 'GET /a/{y**}'], /\/a\/\*\* and \/a\/\{y\*\*\}/],
    ['a trailing slash that is served already', ['GET /a', 'GET /a/'], /\/a and \/a\/ both answer GET \/a/],
    ['two spellings of the same bytes', ['GET /ş', 'GET /%c5%9f'], /both answer/],
    ['no method', [' /a'], /names no method/],
    ['no leading slash', ['GET a'], /must begin with a slash/],
    ['something after the rest', ['GET /a/**/b'], /nothing may follow \*\*/],
    ['a query in the path', ['GET /a?b'], /can never be matched/],
    ['a placeholder within a segment', ['GET /a/b{x}'], /can never be matched/],
    ['a name used twice', ['GET /{x}/{x}'], /names \{x\} twice/],
  ];
  for (const [name, lines, message] of cases) {
    test(name, () => assert.throws(() => routing(...lines), { message }));
  }
});

test('a router of 300 entries is built in well under 100 ms', async () => {
  const entries = Array.from({ length: 300 }, (_, index) =>
    entry(`GET,PUT,POST /group-${index % 36}/part-${index}/{id}/x`),
  );
  const tookMs = await leastMs(() => createRouter(entries));
  assert.ok(tookMs < 50, `it took ${tookMs.toFixed(1)} ms`);
});
