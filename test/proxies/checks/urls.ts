import { type CheckGroup, changed, type ProxyCheck, unchanged } from '../proxy-check.ts';
import { get, HOST } from '../request-bytes.ts';
import { jsonOf, judged } from '../verdicts.ts';

const BASE = '/proxy-test/verdict';

/** Targets that are easily tidied up: id, what is odd, and what follows the base. */
const targets: ReadonlyArray<readonly [id: string, asks: string, rest: string]> = [
  ['double-slash', '`//` in the path', '/a//b'],
  ['dot-segments', '`/../` in the path', '/a/../b'],
  ['single-dot', '`/./` in the path', '/a/./b'],
  ['encoded-dots', '`%2e%2e` as a segment', '/a/%2e%2e/b'],
  ['double-encoded', '`%252e`', '/a%252eb'],
  ['encoded-slash', '`%2F` in a segment', '/a%2Fb'],
  ['encoded-letter', '`%41` instead of `A`', '/a%41b'],
  ['hex-case', '`%c5%9f` in lower-case hex', '/%c5%9f'],
  ['raw-utf8', 'raw bytes of UTF-8', '/\xc5\x9f'],
  ['invalid-utf8', '`%FE`, which is no UTF-8', '/%FE'],
  ['semicolon', '`;a=b` in a segment', '/a;v=1;w/b;x=%3B'],
  ['backslash', 'a raw backslash', '/a\\b'],
  ['unwise', 'raw `|`, `"`, `<`, `>`, `^`', '/a|b"<c>^'],
  ['reserved', "`!$&'()*+,=:@` as they are", "/!$&'()*+,=:@"],
  ['bad-percent', 'a percent sign without hex digits', '/100%'],
  ['encoded-nul', '`%00`', '/a%00b'],
  ['encoded-space', '`%20` and `+`', '/a%20b+c'],
  ['empty-query', 'a question mark without a query', '/a?'],
  ['query-order', 'order and duplicates of parameters', '/a?c=3&a=1&b&c=&&d'],
  ['query-encoding', '`%2f`, `+` and `%20` in the query', '/a?x=%2f&y=+&z=%20'],
  ['query-raw', 'raw UTF-8 and a second `?` in the query', '/a?x=\xc5\x9f&y=?/'],
  ['query-semicolon', '`;` in the query', '/a?x=1;y=2'],
  ['fragment', 'a raw `#`, which no client may send', '/a#part'],
  ['long-6k', 'a target of 6 KB', `/a?${'x'.repeat(6_000)}`],
  ['long-12k', 'a target of 12 KB', `/a?${'x'.repeat(12_000)}`],
  ['long-30k', 'a target of 30 KB', `/a?${'x'.repeat(30_000)}`],
];

const targetCheck = ([id, asks, rest]: (typeof targets)[number]): ProxyCheck => ({
  id: `url.${id}`,
  asks,
  request: rest.length > 1_000 ? get(BASE + rest) : get(BASE + rest, `X-Expect-Target: ${BASE}${rest}`),
  direct: { status: 200, json: { ok: true, observed: { target: BASE + rest } } },
  verdict:
    rest.length > 1_000
      ? ({ answer }) => {
          const { target } = jsonOf(answer).observed as { target: string };
          return target === BASE + rest ? unchanged() : changed('cut off');
        }
      : judged(['target']),
});

export const urlHandling: CheckGroup = {
  name: 'Proxy URL Handling',
  checks: [
    ...targets.map(targetCheck),
    {
      id: 'url.absolute-form',
      asks: 'an absolute-form target',
      request: get(`http://${HOST}${BASE}/a`),
      direct: { status: 200, json: { observed: { target: `http://${HOST}${BASE}/a`, host: HOST } } },
      verdict: ({ answer }) => {
        const { target } = jsonOf(answer).observed as { target: string };
        if (target.startsWith('http')) return unchanged();
        return changed(target === `${BASE}/a` ? 'made origin-form' : 'another target');
      },
    },
    {
      id: 'url.host-mismatch',
      asks: 'an absolute-form target that contradicts Host',
      request: get(`http://${HOST}/proxy-test/headers/host`, 'Host: other.example.test'),
      direct: { status: 200, json: { host: 'other.example.test', authority: HOST } },
      directVerdict: 'the target wins',
      verdict: ({ answer }) => {
        const { authority } = jsonOf(answer) as { authority: string };
        if (authority === HOST) return unchanged('the target wins');
        return changed(authority === 'other.example.test' ? 'Host wins' : 'backend’s address');
      },
    },
  ],
};
