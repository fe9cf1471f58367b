import { Type } from 'typebox';
import { reply } from '../../kernel/catalogue/answer.ts';
import { json, noBody, problem, rawBody, redirect } from '../../kernel/catalogue/declarations.ts';
import type { Example, Expectation } from '../../kernel/catalogue/endpoint.ts';
import { fault } from '../../kernel/faults.ts';
import { sha256Hex } from '../content/integrity.ts';
import { endpoint, type TestbedCall, type TestbedEndpoint } from '../endpoint.ts';

const GROUP = 'Proxy Connection & Redirect';
const BASE = '/proxy-test/redirect';
const LANDING = `${BASE}/landing`;
const REDIRECT_STATUSES = [301, 302, 303, 307, 308] as const;
const redirectResponses = {
  ...Object.fromEntries(REDIRECT_STATUSES.map((code) => [code, redirect()])),
  403: problem('The target is not allowed in public mode.'),
};

const status = Type.Union(
  REDIRECT_STATUSES.map((code) => Type.Literal(code)),
  { default: 302, description: 'Status of the redirect.' },
);

/** The forms a Location may have (RFC 9110 §10.2.2). Names and what a conforming gateway does with them. */
interface LocationForm {
  readonly path: string;
  readonly summary: string;
  readonly location: (call: TestbedCall) => string;
  readonly expected: string | RegExp;
}

const forms: readonly LocationForm[] = [
  {
    path: 'absolute',
    summary: 'Location with scheme and the host the client asked for.',
    location: ({ request }) => `${request.scheme}://${request.authority}${LANDING}`,
    expected: /^http:\/\/[^/]+\/proxy-test\/redirect\/landing$/,
  },
  {
    path: 'relative',
    summary: 'Location relative to the path.',
    location: () => 'landing',
    expected: 'landing',
  },
  {
    path: 'root-relative',
    summary: 'Location with an absolute path only.',
    location: () => LANDING,
    expected: LANDING,
  },
  {
    path: 'protocol-relative',
    summary: 'Location without a scheme.',
    location: ({ request }) => `//${request.authority}${LANDING}`,
    expected: /^\/\/[^/]+\/proxy-test\/redirect\/landing$/,
  },
  {
    path: 'cross-scheme',
    summary: 'Location with the other one of http and https.',
    location: ({ request }) =>
      `${request.scheme === 'http' ? 'https' : 'http'}://${request.authority}${LANDING}`,
    expected: /^https:\/\/[^/]+\/proxy-test\/redirect\/landing$/,
  },
  {
    path: 'backend-host',
    summary: 'Location with the address of the backend itself, which a gateway must rewrite.',
    location: (call) => {
      const { localAddress, localPort } = call.exchange.connection;
      const address = localAddress.replace(/^::ffff:/, '');
      const host = address.includes(':') ? `[${address}]` : address;
      return `${call.request.scheme}://${allowedHost(call, `${host}:${localPort}`)}${LANDING}`;
    },
    expected: /^http:\/\/(127\.0\.0\.1|\[::1\]):\d+\/proxy-test\/redirect\/landing$/,
  },
  {
    path: 'unicode',
    summary: 'Location with raw UTF-8 bytes, as careless backends send it.',
    location: () => Buffer.from(`${LANDING}/çığ`, 'utf8').toString('latin1'),
    expected: Buffer.from(`${LANDING}/çığ`, 'utf8').toString('latin1'),
  },
  {
    path: 'fragment',
    summary: 'Location with a fragment, which belongs to the client alone.',
    location: () => `${LANDING}#section-2`,
    expected: `${LANDING}#section-2`,
  },
  {
    path: 'loop',
    summary: 'Redirects to and fro between two addresses without end.',
    location: () => `${BASE}/loop/back`,
    expected: `${BASE}/loop/back`,
  },
  {
    path: 'loop/back',
    summary: 'The other end of the loop.',
    location: () => `${BASE}/loop`,
    expected: `${BASE}/loop`,
  },
  {
    path: 'self',
    summary: 'Redirects to itself without end.',
    location: ({ request }) => request.target,
    expected: `${BASE}/self`,
  },
  { path: 'empty-location', summary: 'A redirect with an empty Location.', location: () => '', expected: '' },
];

const formEndpoints = forms.map(({ path, summary, location, expected }) =>
  endpoint({
    id: `proxy-redirect-${path.replace('/', '-')}`,
    group: GROUP,
    methods: ['GET'],
    path: `${BASE}/${path}`,
    summary,
    query: Type.Object({ status }),
    responses: redirectResponses,
    examples: [
      { name: 'form of the location', expect: { status: 302, headers: { location: expected } } },
      { name: 'status as asked for', path: `${BASE}/${path}?status=308`, expect: { status: 308 } },
      noRedirect(`${BASE}/${path}`),
    ],
    handle: (call) => reply.redirect(location(call), call.query.status),
  }),
);

const otherPort = endpoint({
  id: 'proxy-redirect-same-host-other-port',
  group: GROUP,
  methods: ['GET'],
  path: `${BASE}/same-host-other-port`,
  summary: 'Location with the same host and another port.',
  query: Type.Object({ status, port: Type.Integer({ minimum: 1, maximum: 65_535, default: 8443 }) }),
  responses: redirectResponses,
  examples: [
    {
      name: 'another port',
      path: `${BASE}/same-host-other-port?port=9999`,
      headers: ['Host', 'gateway.test:80'],
      expect: { status: 302, headers: { location: `http://gateway.test:9999${LANDING}` } },
    },
    {
      name: 'no port',
      path: `${BASE}/same-host-other-port?port=0`,
      expect: { status: 400, json: { detail: /port must be at least 1/ } },
    },
  ],
  handle: ({ query, request }) => {
    const host = request.authority.replace(/:\d+$/, '');
    return reply.redirect(`${request.scheme}://${host}:${query.port}${LANDING}`, query.status);
  },
});

const external = endpoint({
  id: 'proxy-redirect-external',
  group: GROUP,
  methods: ['GET'],
  path: `${BASE}/external`,
  summary: 'Location on another host, which a gateway must leave alone.',
  query: Type.Object({
    status,
    host: Type.String({ pattern: '^[A-Za-z0-9.-]{1,253}(:[0-9]{1,5})?$', default: 'example.com' }),
  }),
  responses: redirectResponses,
  examples: [
    { name: 'leaves', expect: { status: 302, headers: { location: 'https://example.com/' } } },
    {
      name: 'a host that is none',
      path: `${BASE}/external?host=a/b`,
      expect: { status: 400, json: { detail: /host must match/ } },
    },
  ],
  handle: (call) => reply.redirect(`https://${allowedHost(call, call.query.host)}/`, call.query.status),
});

/** In public mode redirects leave only to hosts that the settings name. */
function allowedHost({ services }: TestbedCall, host: string): string {
  const { isPublic, allowedRedirectHosts } = services.settings;
  const isAllowed = [host, host.replace(/:\d+$/, '')].some((name) => allowedRedirectHosts.includes(name));
  if (isPublic && !isAllowed) {
    throw fault('feature.disabled', { feature: `A redirect to ${host}`, reason: 'this service is public' });
  }
  return host;
}

const method = endpoint({
  id: 'proxy-redirect-method',
  group: GROUP,
  methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'ANY'],
  path: `${BASE}/method/{status}`,
  summary: 'Redirects any method to the landing page, which tells what arrived.',
  description: '301, 302 and 303 may turn POST into GET; 307 and 308 keep method and body (RFC 9110 §15.4).',
  params: Type.Object({ status: Type.Union(REDIRECT_STATUSES.map((code) => Type.Literal(code))) }),
  responses: redirectResponses,
  examples: [
    {
      name: 'POST and 307',
      method: 'POST',
      path: `${BASE}/method/307`,
      body: 'kept',
      expect: { status: 307, headers: { location: LANDING } },
    },
    {
      name: 'a status that is no redirect',
      path: `${BASE}/method/304`,
      expect: { status: 400, json: { detail: /status must be one of 301, 302, 303, 307, 308/ } },
    },
  ],
  handle: ({ params }) => reply.redirect(LANDING, params.status),
});

const chain = endpoint({
  id: 'proxy-redirect-chain',
  group: GROUP,
  methods: ['GET'],
  path: `${BASE}/chain/{n}`,
  summary: 'n redirects in a row, then the landing page.',
  params: Type.Object({ n: Type.Integer({ minimum: 1, maximum: 100 }) }),
  query: Type.Object({ status }),
  responses: redirectResponses,
  examples: [
    {
      name: 'one less',
      path: `${BASE}/chain/3`,
      expect: { status: 302, headers: { location: `${BASE}/chain/2` } },
    },
    { name: 'the last', path: `${BASE}/chain/1`, expect: { status: 302, headers: { location: LANDING } } },
    {
      name: 'too many',
      path: `${BASE}/chain/101`,
      expect: { status: 400, json: { detail: /n must be at most 100/ } },
    },
  ],
  handle: ({ params: { n }, query, request }) => {
    const search = request.rawQuery === undefined ? '' : `?${request.rawQuery}`;
    return reply.redirect(n === 1 ? LANDING : `${BASE}/chain/${n - 1}${search}`, query.status);
  },
});

const long = endpoint({
  id: 'proxy-redirect-long',
  group: GROUP,
  methods: ['GET'],
  path: `${BASE}/long`,
  summary: 'A Location of the given length.',
  query: Type.Object({
    status,
    size: Type.Integer({
      minimum: 40,
      maximum: 65_536,
      default: 8192,
      description: 'Bytes of the Location.',
    }),
  }),
  responses: redirectResponses,
  examples: [
    {
      name: 'exactly as long as asked for',
      path: `${BASE}/long?size=50`,
      expect: { status: 302, headers: { location: /^\/proxy-test\/redirect\/landing\?pad=x{17}$/ } },
    },
    {
      name: 'shorter than the address itself',
      path: `${BASE}/long?size=39`,
      expect: { status: 400, json: { detail: /size must be at least 40/ } },
    },
  ],
  handle: ({ query }) => reply.redirect(`${LANDING}?pad=`.padEnd(query.size, 'x'), query.status),
});

/** Answers that are odd or no redirects at all, though they name an address. */
interface Oddity {
  readonly path: string;
  readonly summary: string;
  readonly status: number;
  readonly headers: readonly string[];
  readonly expect: Expectation;
}

const oddities: readonly Oddity[] = [
  {
    path: 'no-location',
    summary: 'A redirect without Location: a client must not follow, a proxy must not invent one.',
    status: 302,
    headers: [],
    expect: { status: 302, headers: { location: null } },
  },
  {
    path: 'multiple-location',
    summary: 'A redirect with two Location fields.',
    status: 302,
    headers: ['Location', LANDING, 'Location', `${BASE}/self`],
    expect: { status: 302, headers: { location: `${LANDING}, ${BASE}/self` } },
  },
  {
    path: 'refresh',
    summary: 'A Refresh header instead of a redirect.',
    status: 200,
    headers: ['Refresh', `0; url=${LANDING}`],
    expect: { status: 200, headers: { refresh: `0; url=${LANDING}`, location: null } },
  },
  {
    path: 'content-location',
    summary: 'Content-Location, which is no redirect.',
    status: 200,
    headers: ['Content-Location', LANDING],
    expect: { status: 200, headers: { 'content-location': LANDING, location: null } },
  },
  {
    path: 'link',
    summary: 'A Link header, whose address a gateway may have to rewrite as well.',
    status: 200,
    headers: ['Link', `<${LANDING}>; rel="next"`],
    expect: { status: 200, headers: { link: `<${LANDING}>; rel="next"` } },
  },
  {
    path: 'cookie',
    summary: 'A redirect that sets a cookie, which the landing page must see.',
    status: 302,
    headers: ['Location', LANDING, 'Set-Cookie', `redirected=yes; Path=${BASE}; HttpOnly`],
    expect: {
      status: 302,
      headers: { location: LANDING, 'set-cookie': `redirected=yes; Path=${BASE}; HttpOnly` },
    },
  },
];

const oddityEndpoints = oddities.map(({ path, summary, status: code, headers, expect }) =>
  endpoint({
    id: `proxy-redirect-${path}`,
    group: GROUP,
    methods: ['GET'],
    path: `${BASE}/${path}`,
    summary,
    responses: { [code]: noBody(summary) },
    examples: [{ name: 'its header fields', expect }],
    handle: () => reply.text(`${summary}\n`, { status: code, headers }),
  }),
);

const landing = endpoint({
  id: 'proxy-redirect-landing',
  group: GROUP,
  methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'ANY'],
  path: LANDING,
  aliases: [`${LANDING}/**`],
  summary: 'Where the redirects lead: tells what arrived.',
  description:
    'Compare with what was sent: method, body, cookies, and whether credentials went along to the new address.',
  body: rawBody(),
  responses: { 200: json('What arrived.') },
  examples: [
    {
      name: 'method, body, cookies and credentials',
      method: 'POST',
      path: `${LANDING}?a=1`,
      headers: [
        'Cookie',
        'redirected=yes; b=2',
        'Authorization',
        'Bearer secret',
        'Referer',
        'http://before.test/',
      ],
      body: 'kept',
      expect: {
        status: 200,
        json: {
          method: 'POST',
          rawPath: LANDING,
          rawQuery: 'a=1',
          body: { length: 4, sha256: '79f076abdd19a752db7267bfff2f9022161d120dea919fdaca2ffdfc24ca8c96' },
          cookies: { redirected: 'yes', b: '2' },
          hasAuthorization: true,
          referer: 'http://before.test/',
        },
      },
    },
  ],
  handle: async ({ request, exchange, services }) => {
    const body = await exchange.body.bytes(services.settings.limits.maxBodyBytes);
    const { headers } = request;
    return reply.json({
      method: request.method,
      host: request.authority,
      rawPath: request.rawPath,
      rawQuery: request.rawQuery ?? null,
      body: {
        length: body.length,
        sha256: sha256Hex(body),
        contentType: headers.first('content-type') ?? null,
      },
      cookies: cookiesOf(headers.get('cookie') ?? ''),
      // Only whether there are credentials: a test service should not print them.
      hasAuthorization: headers.has('authorization'),
      referer: headers.first('referer') ?? null,
    });
  },
});

function cookiesOf(field: string): Record<string, string> {
  const pairs = field
    .split(';')
    .map((piece) => piece.trim())
    .filter((piece) => piece.includes('='));
  return Object.fromEntries(
    pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
  );
}

export const proxyRedirect: readonly TestbedEndpoint[] = [
  ...formEndpoints,
  otherPort,
  external,
  method,
  chain,
  long,
  ...oddityEndpoints,
  landing,
];

function noRedirect(path: string): Example {
  return {
    name: 'a status that is no redirect',
    path: `${path}?status=200`,
    expect: { status: 400, json: { detail: /status must be one of 301, 302, 303, 307, 308/ } },
  };
}
