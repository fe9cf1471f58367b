import { Type } from 'typebox';
import { reply } from '../../../kernel/catalogue/answer.ts';
import { json, noBody, rawBody } from '../../../kernel/catalogue/declarations.ts';
import type { Expectation } from '../../../kernel/catalogue/endpoint.ts';
import { cookiePairs } from '../../content/cookies.ts';
import { sha256Hex } from '../../content/integrity.ts';
import { endpoint, type TestbedEndpoint } from '../../endpoint.ts';
import {
  BASE,
  GROUP,
  LANDING,
  REDIRECT_STATUSES,
  redirectResponses,
  status,
} from './redirect-declarations.ts';

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
      cookies: Object.fromEntries(cookiePairs(headers)),
      // Only whether there are credentials: a test service should not print them.
      hasAuthorization: headers.has('authorization'),
      referer: headers.first('referer') ?? null,
    });
  },
});

export const redirectAnswerEndpoints: readonly TestbedEndpoint[] = [
  method,
  chain,
  long,
  ...oddityEndpoints,
  landing,
];
