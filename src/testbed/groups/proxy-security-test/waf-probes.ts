import { BlockList, isIPv4, isIPv6 } from 'node:net';
import { Type } from 'typebox';
import { reply } from '../../../kernel/catalogue/answer.ts';
import { json, rawBody } from '../../../kernel/catalogue/declarations.ts';
import { decodePercent } from '../../../kernel/catalogue/query.ts';
import { fault } from '../../../kernel/faults.ts';
import { endpoint, type TestbedEndpoint } from '../../endpoint.ts';

const GROUP = 'Proxy Security Test';
const BASE = '/proxy-test/security';
const ANY_METHOD = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'ANY'];
const MAX_ECHOED_BYTES = 64 * 1024;

const sqlInjection = endpoint({
  id: 'sqli-echo',
  group: GROUP,
  methods: ANY_METHOD,
  path: `${BASE}/sqli/echo`,
  summary: 'Tells which query and body got through a WAF. Nothing is executed.',
  body: rawBody(),
  responses: { 200: json('The query and body as they arrived.') },
  examples: [
    {
      name: 'a query that got through',
      path: `${BASE}/sqli/echo?id=1%27%20OR%20%271%27=%271&id=2`,
      expect: {
        status: 200,
        json: {
          query: [
            ['id', "1' OR '1'='1"],
            ['id', '2'],
          ],
          body: '',
          isExecuted: false,
        },
      },
    },
    {
      name: 'a body that got through',
      method: 'POST',
      body: "name='; DROP TABLE users; --",
      expect: { status: 200, json: { method: 'POST', body: "name='; DROP TABLE users; --" } },
    },
  ],
  handle: async ({ request, exchange }) => {
    const body = await exchange.body.bytes(MAX_ECHOED_BYTES);
    return reply.json({
      method: request.method,
      rawQuery: request.rawQuery ?? null,
      query: request.queryPairs,
      body: body.toString('utf8'),
      isExecuted: false,
    });
  },
});

const pathTraversal = endpoint({
  id: 'path-traversal',
  group: GROUP,
  methods: ANY_METHOD,
  path: `${BASE}/path-traversal/**`,
  summary: 'Tells how a path that tries to climb arrived. No file is read.',
  responses: { 200: json('The path as it arrived, and how it climbs.') },
  examples: [
    {
      name: 'dots as they are',
      path: `${BASE}/path-traversal/../../etc/passwd`,
      expect: {
        status: 200,
        json: {
          rawPath: `${BASE}/path-traversal/../../etc/passwd`,
          climbs: { plain: true, encoded: false, twiceEncoded: false },
        },
      },
    },
    {
      name: 'encoded twice',
      path: `${BASE}/path-traversal/%252e%252e%252fetc`,
      expect: { status: 200, json: { climbs: { plain: false, encoded: false, twiceEncoded: true } } },
    },
    {
      name: 'a backslash and a NUL',
      path: `${BASE}/path-traversal/..%5c..%5cboot.ini%00.png`,
      expect: {
        status: 200,
        json: { climbs: { plain: false, encoded: true }, hasNul: true, isFileRead: false },
      },
    },
  ],
  handle: ({ request }) => {
    const { rawPath } = request;
    const decodedPath = decodePercent(rawPath);
    const plain = hasDotSegment(rawPath);
    const encoded = !plain && hasDotSegment(decodedPath);
    const twiceEncoded = !plain && !encoded && hasDotSegment(decodePercent(decodedPath));
    return reply.json({
      rawPath,
      decodedPath,
      climbs: { plain, encoded, twiceEncoded },
      hasNul: decodedPath.includes('\0'),
      isFileRead: false,
    });
  },
});

function hasDotSegment(path: string): boolean {
  return path.split(/[/\\]/).some((segment) => segment === '..');
}

/** Fields that backends trust although any client can send them. */
const TRUSTED_BY_MISTAKE = new Set([
  ...['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-forwarded-port', 'x-forwarded-prefix'],
  ...['forwarded', 'x-real-ip', 'x-client-ip', 'true-client-ip', 'x-original-url', 'x-rewrite-url', 'x-host'],
  ...['x-http-method-override', 'x-forwarded-client-cert', 'client-cert', 'x-remote-user'],
]);

const headerInjection = endpoint({
  id: 'header-injection',
  group: GROUP,
  methods: ANY_METHOD,
  path: `${BASE}/header-injection`,
  summary: 'Tells which suspicious header fields got through.',
  description:
    'Fields that backends trust although anyone can send them, and values that carry a line break in disguise.',
  responses: { 200: json('The suspicious fields.') },
  examples: [
    {
      name: 'a forged address and a hidden line break',
      headers: ['X-Forwarded-For', '127.0.0.1', 'X-Note', 'a%0d%0aSet-Cookie: b=c', 'X-Fine', 'fine'],
      expect: {
        status: 200,
        json: {
          suspicious: [
            { name: 'X-Forwarded-For', value: '127.0.0.1', reasons: ['often trusted'] },
            { name: 'X-Note', value: 'a%0d%0aSet-Cookie: b=c', reasons: ['encoded line break'] },
          ],
        },
      },
    },
  ],
  handle: ({ request }) => {
    const fields = [...request.headers.pairs()].map(([name, value]) => ({
      name,
      value,
      reasons: suspicions(name, value),
    }));
    return reply.json({ suspicious: fields.filter(({ reasons }) => reasons.length > 0) });
  },
});

function suspicions(name: string, value: string): string[] {
  const reasons: string[] = [];
  if (TRUSTED_BY_MISTAKE.has(name.toLowerCase())) reasons.push('often trusted');
  if (/%0[ad]|\\[rn]|\xe5\x98[\x8a\x8d]/i.test(value)) reasons.push('encoded line break');
  if (name.includes('_')) reasons.push('underscore, which CGI confuses with a dash');
  return reasons;
}

const ssrfCheck = endpoint({
  id: 'ssrf-check',
  group: GROUP,
  methods: ['GET'],
  path: `${BASE}/ssrf-check`,
  summary: 'Tells where an address that got through a WAF would lead. Nothing is fetched.',
  query: Type.Object({ url: Type.String({ minLength: 1, maxLength: 4096 }) }),
  responses: { 200: json('What kind of place the address names.') },
  examples: [
    {
      name: 'the metadata service of clouds',
      path: `${BASE}/ssrf-check?url=http://169.254.169.254/latest/meta-data/`,
      expect: { status: 200, json: { host: '169.254.169.254', kind: 'link-local', isFetched: false } },
    },
    {
      name: 'loopback in disguise',
      path: `${BASE}/ssrf-check?url=http://0x7f.1/`,
      expect: { status: 200, json: { host: '127.0.0.1', kind: 'loopback' } },
    },
    {
      name: 'no address',
      path: `${BASE}/ssrf-check?url=nowhere`,
      expect: { status: 400, json: { detail: /url must be an absolute URL/ } },
    },
    { name: 'without an address', expect: { status: 400, json: { detail: /url is required/ } } },
  ],
  handle: ({ query }) => {
    const url = URL.parse(query.url);
    if (!url) throw fault('parameter.invalid', { in: 'query', name: 'url', rule: 'must be an absolute URL' });
    const { hostname: host, protocol } = url;
    return reply.json({
      ...{ url: query.url, scheme: protocol.slice(0, -1), host, kind: placeOf(protocol, host) },
      hasCredentials: url.username !== '',
      isFetched: false,
    });
  },
});

const places: ReadonlyArray<readonly [kind: string, networks: BlockList]> = [
  ['loopback', networks('127.0.0.0/8', '::1/128')],
  ['link-local', networks('169.254.0.0/16', 'fe80::/10')],
  ['private', networks('10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', 'fc00::/7')],
  ['unspecified', networks('0.0.0.0/8', '::/128')],
  ['multicast', networks('224.0.0.0/4', 'ff00::/8')],
];

function networks(...ranges: string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', bits] = range.split('/');
    list.addSubnet(address, Number(bits), isIPv4(address) ? 'ipv4' : 'ipv6');
  }
  return list;
}

function placeOf(protocol: string, host: string): string {
  if (!['http:', 'https:'].includes(protocol)) return 'not-http';
  if (host === 'localhost' || host.endsWith('.localhost')) return 'loopback';
  const address = host.replace(/^\[|\]$/g, '');
  if (!isIPv4(address) && !isIPv6(address)) return 'name';
  const family = isIPv4(address) ? 'ipv4' : 'ipv6';
  return places.find(([, list]) => list.check(address, family))?.[0] ?? 'public';
}

const OVERRIDE_FIELDS = ['x-http-method-override', 'x-http-method', 'x-method-override'];

const methodOverride = endpoint({
  id: 'method-override',
  group: GROUP,
  methods: ANY_METHOD,
  path: `${BASE}/method-override`,
  summary: 'Tells the true method, and which others the request pretends to have.',
  responses: { 200: json('The method and the overrides that were asked for; none is obeyed.') },
  examples: [
    {
      name: 'a POST that wants to be a DELETE',
      method: 'POST',
      path: `${BASE}/method-override?_method=PUT`,
      headers: ['X-HTTP-Method-Override', 'DELETE'],
      expect: {
        status: 200,
        json: {
          method: 'POST',
          overrides: [
            { source: 'x-http-method-override', value: 'DELETE' },
            { source: '_method', value: 'PUT' },
          ],
          isObeyed: false,
        },
      },
    },
  ],
  handle: ({ request }) => {
    const fromHeaders = OVERRIDE_FIELDS.flatMap((source) =>
      request.headers.all(source).map((value) => ({ source, value })),
    );
    const fromQuery = request.queryPairs
      .filter(([name]) => name === '_method')
      .map(([source, value]) => ({ source, value }));
    return reply.json({ method: request.method, overrides: [...fromHeaders, ...fromQuery], isObeyed: false });
  },
});

export const wafProbeEndpoints: readonly TestbedEndpoint[] = [
  sqlInjection,
  pathTraversal,
  headerInjection,
  ssrfCheck,
  methodOverride,
];
