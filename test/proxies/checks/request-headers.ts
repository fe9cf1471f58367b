import { type CheckGroup, changed, type ProxyCheck, unchanged } from '../proxy-check.ts';
import { get, HOST } from '../request-bytes.ts';
import { jsonOf, judged, unlessChanged } from '../verdicts.ts';

const TRACE_PARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
const SPOOFED = '203.0.113.7';
const HOP_BY_HOP = ['Connection', 'Keep-Alive', 'Proxy-Connection', 'TE', 'x-canary'];
const MIXED_CASE = ['X-MiXeD-Case', 'x-lower', 'X-UPPER'];

interface Observed {
  readonly version: string;
  readonly forwarding: Record<string, string>;
}

/** A single field whose value must reach the backend byte for byte. */
function fieldCheck(id: string, asks: string, name: string, value: string): ProxyCheck {
  return {
    id,
    asks,
    request: get('/proxy-test/headers/echo', `${name}: ${value}`),
    direct: { status: 200, json: { headers: { [name.toLowerCase()]: [value] } } },
    verdict: ({ answer }) => {
      const { headers } = jsonOf(answer) as { headers: Record<string, string[]> };
      const seen = headers[name.toLowerCase()];
      if (seen === undefined) return changed('lost');
      return seen.length === 1 && seen[0] === value ? unchanged() : changed('other value');
    },
  };
}

export const requestHeaders: CheckGroup = {
  name: 'Proxy Header Passthrough: request',
  checks: [
    {
      id: 'headers.case',
      asks: 'the case of field names',
      request: get(
        '/proxy-test/verdict',
        ...MIXED_CASE.map((name) => `${name}: 1`),
        `X-Expect-Case: ${MIXED_CASE.join(', ')}`,
      ),
      direct: { status: 200, json: { ok: true } },
      verdict: judged(['headers.case'], ({ seen }) => describeCase(seen as string[])),
    },
    {
      id: 'headers.order',
      asks: 'the order of fields',
      request: get(
        '/proxy-test/verdict',
        ...['X-C: 1', 'Accept: */*', 'X-A: 2', 'Cookie: a=1', 'X-B: 3'],
        'X-Expect-Order: X-C, Accept, X-A, Cookie, X-B',
      ),
      direct: { status: 200, json: { ok: true } },
      verdict: judged(['headers.order'], ({ seen }) =>
        (seen as string[]).every((name, index, names) => index === 0 || names[index - 1]! <= name)
          ? 'sorted by name'
          : 'other order',
      ),
    },
    {
      id: 'headers.lines',
      asks: 'a field on three lines',
      request: get(
        '/proxy-test/verdict',
        ...['X-Dup: one', 'X-Dup: two', 'X-Dup: three', 'X-Expect-Lines: X-Dup=3'],
      ),
      direct: { status: 200, json: { ok: true } },
      verdict: judged(['headers.lines'], ({ seen }) =>
        (seen as Record<string, number>)['X-Dup'] === 1 ? 'joined' : 'lines lost',
      ),
    },
    {
      id: 'headers.lost',
      asks: 'end-to-end fields, all kept',
      request: get(
        '/proxy-test/verdict',
        ...['Authorization: Basic dTpw', 'User-Agent: check', 'Accept: */*', 'Accept-Encoding: identity'],
        ...['Referer: http://a.test/', 'X-Custom: 1'],
        'X-Expect-Headers: Authorization, User-Agent, Accept, Accept-Encoding, Referer, X-Custom',
      ),
      direct: { status: 200, json: { ok: true } },
      verdict: judged(['headers.lost'], ({ seen }) => `lost: ${(seen as string[]).join(', ')}`),
    },
    {
      id: 'headers.added',
      asks: 'fields the client did not send, forwarding aside',
      request: get('/proxy-test/verdict', 'X-Custom: 1', 'X-Expect-Headers: X-Custom'),
      direct: { status: 200, json: { ok: true } },
      directVerdict: 'none',
      verdict: (sight) => {
        const verdict = judged(
          ['headers.added'],
          ({ seen }) => `adds ${(seen as string[]).join(', ')}`,
        )(sight);
        return verdict.kind === 'unchanged' ? unchanged('none') : verdict;
      },
    },
    {
      id: 'headers.hop-by-hop',
      asks: 'hop-by-hop fields and those named in Connection (to be removed)',
      request: get(
        '/proxy-test/headers/hop-by-hop',
        ...['Connection: close, X-Canary', 'X-Canary: 1', 'Keep-Alive: timeout=9', 'TE: trailers'],
        ...['Proxy-Connection: keep-alive', 'X-Expect-Removed: X-Canary'],
      ),
      direct: { status: 200, json: { ok: false, leaked: HOP_BY_HOP } },
      directVerdict: 'all arrive',
      verdict: ({ answer }) => {
        const { leaked } = jsonOf(answer) as { leaked: string[] };
        if (leaked.length === HOP_BY_HOP.length) return unchanged('all arrive');
        return changed(leaked.length === 0 ? 'removed' : `passes on ${leaked.join(', ').toLowerCase()}`);
      },
    },
    {
      id: 'headers.forwarding',
      asks: 'forwarding fields',
      request: get('/proxy-test/verdict'),
      direct: { status: 200, json: { ok: true, observed: { forwarding: {} } } },
      directVerdict: 'none',
      verdict: ({ answer }) => {
        const { forwarding } = jsonOf(answer).observed as Observed;
        const names = Object.keys(forwarding).sort();
        return names.length === 0 ? unchanged('none') : changed(`adds ${names.join(', ')}`);
      },
    },
    {
      id: 'headers.spoofed',
      asks: 'X-Forwarded-For invented by the client',
      request: get(
        '/proxy-test/headers/forwarded',
        `X-Forwarded-For: ${SPOOFED}`,
        `X-Spoofed-For: ${SPOOFED}`,
      ),
      direct: { status: 200, json: { spoofed: true, clientAsTold: SPOOFED } },
      directVerdict: 'passed on',
      verdict: ({ answer }) => {
        const { xForwardedFor } = jsonOf(answer) as { xForwardedFor: string[] | null };
        if (xForwardedFor?.[0] !== SPOOFED) return changed('replaced');
        return xForwardedFor.length === 1 ? unchanged('passed on') : changed('appended to');
      },
    },
    {
      id: 'headers.host',
      asks: 'Host',
      request: get('/proxy-test/verdict', `X-Expect-Host: ${HOST}`),
      direct: { status: 200, json: { ok: true, observed: { host: HOST } } },
      verdict: judged(['host'], () => 'backend’s address'),
    },
    {
      id: 'headers.version',
      asks: 'the HTTP version the backend is spoken to in',
      request: get('/proxy-test/verdict'),
      direct: { status: 200, json: { observed: { version: '1.1' } } },
      directVerdict: '1.1',
      verdict: ({ answer }) => {
        const { version } = jsonOf(answer).observed as Observed;
        return version === '1.1' ? unchanged(version) : changed(version);
      },
    },
    fieldCheck('headers.underscore', 'a name with an underscore', 'X_Under_Score', '1'),
    fieldCheck('headers.odd-name', 'a name of unusual token characters', "X!#$%&'*.^`|~", '1'),
    fieldCheck('headers.empty', 'an empty value', 'X-Empty', ''),
    fieldCheck('headers.latin1', 'a value of Latin-1 bytes', 'X-Latin1', 'caf\xe9'),
    fieldCheck('headers.utf8', 'a value of UTF-8 bytes', 'X-Utf8', '\xc5\x9f \xe2\x9c\x93'),
    fieldCheck('headers.tab', 'a tab inside a value', 'X-Tab', 'a\tb'),
    fieldCheck('headers.large-4k', 'a field of 4 KB', 'X-Large', 'x'.repeat(4_000)),
    fieldCheck('headers.large-12k', 'a field of 12 KB', 'X-Large', 'x'.repeat(12_000)),
    fieldCheck('headers.large-40k', 'a field of 40 KB', 'X-Large', 'x'.repeat(40_000)),
    fieldCheck('headers.traceparent', 'traceparent', 'traceparent', TRACE_PARENT),
    {
      id: 'headers.many',
      asks: '90 fields',
      ...manyFields(90),
    },
    {
      id: 'headers.very-many',
      asks: '150 fields',
      ...manyFields(150),
    },
  ],
};

function manyFields(count: number): Pick<ProxyCheck, 'request' | 'direct' | 'verdict'> {
  const names = Array.from({ length: count }, (_, index) => `X-Many-${index}`);
  return {
    request: get('/proxy-test/headers/echo', ...names.map((name) => `${name}: 1`)),
    direct: { status: 200, json: { count: count + 2 } },
    verdict: ({ answer }) => {
      const { headers } = jsonOf(answer) as { headers: Record<string, string[]> };
      const lost = names.filter((name) => headers[name.toLowerCase()]?.[0] !== '1');
      return unlessChanged(lost.length === 0 ? [] : [`${lost.length} lost`]);
    },
  };
}

function describeCase(seen: readonly string[]): string {
  if (seen.every((name) => name === name.toLowerCase())) return 'lower case';
  return seen.every((name) => /^([A-Z][a-z]*-?)+$/.test(name)) ? 'Title-Case' : seen.join(', ');
}
