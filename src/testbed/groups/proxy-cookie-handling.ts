import { Type } from 'typebox';
import { type PlainAnswer, reply } from '../../kernel/catalogue/answer.ts';
import { int32, json, jsonBody, problem } from '../../kernel/catalogue/declarations.ts';
import { cookieListSchema, cookiePairs, expiredCookieField, setCookieField } from '../content/cookies.ts';
import { endpoint, type TestbedEndpoint } from '../endpoint.ts';

const group = 'Proxy Cookie Handling';
const sentCookies = json(
  '`count` and the fields `sent`, so that a proxy that merges or rewrites them is found out.',
  Type.Object({ count: Type.Integer(), sent: Type.Array(Type.String()) }),
);

const multiple = endpoint({
  id: 'proxy-cookie-multiple',
  group,
  methods: ['GET'],
  path: '/proxy-test/cookie/multiple',
  summary: 'Sets several cookies, each on a line of its own.',
  query: Type.Object({ count: int32({ default: 5, minimum: 0, maximum: 100 }) }),
  responses: { 200: sentCookies, 400: problem('The count is out of bounds.') },
  examples: [
    {
      name: 'two lines, never joined by a comma',
      path: '/proxy-test/cookie/multiple?count=2',
      expect: {
        status: 200,
        json: { count: 2, sent: ['cookie1=value1; Path=/', 'cookie2=value2; Path=/'] },
        wire: /\r\nSet-Cookie: cookie1=value1; Path=\/\r\nSet-Cookie: cookie2=value2; Path=\/\r\n/,
      },
    },
    { name: 'five unless told', expect: { status: 200, json: { count: 5 } } },
    {
      name: 'too many',
      path: '/proxy-test/cookie/multiple?count=101',
      expect: { status: 400, json: { detail: /count must be at most 100/ } },
    },
  ],
  handle({ query }) {
    const names = Array.from({ length: query.count }, (_, index) => index + 1);
    return answerCookies(
      names.map((number) => setCookieField({ name: `cookie${number}`, value: `value${number}` })),
    );
  },
});

const pathDomain = endpoint({
  id: 'proxy-cookie-path-domain',
  group,
  methods: ['GET'],
  path: '/proxy-test/cookie/path-domain',
  summary: 'Sets cookies with a Path, with a Domain, and with both, for tests of cookie rewriting.',
  query: Type.Object({
    path: Type.String({ default: '/a', maxLength: 1024 }),
    domain: Type.String({ default: 'example.test', maxLength: 255 }),
  }),
  responses: { 200: sentCookies, 400: problem('Path or domain cannot stand in a cookie.') },
  examples: [
    {
      name: 'three cookies',
      expect: {
        status: 200,
        json: {
          sent: [
            'withPath=1; Path=/a',
            'withDomain=1; Domain=example.test; Path=/',
            'withBoth=1; Domain=example.test; Path=/a',
          ],
        },
      },
    },
    {
      name: 'no further attribute can be smuggled in',
      path: '/proxy-test/cookie/path-domain?path=/a%3B%20Domain=evil.test',
      expect: { status: 400, headers: { 'set-cookie': null } },
    },
  ],
  handle: ({ query: { path, domain } }) =>
    answerCookies([
      setCookieField({ name: 'withPath', value: '1', path }),
      setCookieField({ name: 'withDomain', value: '1', domain }),
      setCookieField({ name: 'withBoth', value: '1', path, domain }),
    ]),
});

const FAR_DATE = 'Wed, 21 Oct 2037 07:28:00 GMT';

const attributeCookies = [
  setCookieField({ name: 'secure', value: '1', secure: true }),
  setCookieField({ name: 'httponly', value: '1', httpOnly: true }),
  setCookieField({ name: 'strict', value: '1', sameSite: 'Strict' }),
  setCookieField({ name: 'lax', value: '1', sameSite: 'Lax' }),
  setCookieField({ name: 'none', value: '1', sameSite: 'None', secure: true }),
  setCookieField({ name: 'lasting', value: '1', maxAge: 3600, expires: FAR_DATE }),
  setCookieField({ name: 'partitioned', value: '1', sameSite: 'None', secure: true, partitioned: true }),
];

const attributes = endpoint({
  id: 'proxy-cookie-attributes',
  group,
  methods: ['GET'],
  path: '/proxy-test/cookie/attributes',
  summary: 'Sets cookies that have between them every attribute there is.',
  responses: { 200: sentCookies },
  examples: [
    {
      name: 'every attribute is on the wire',
      expect: {
        status: 200,
        json: { count: 7 },
        wire: /Set-Cookie: none=1; Secure; Path=\/; SameSite=None\r\nSet-Cookie: lasting=1; Expires=Wed, 21 Oct 2037 07:28:00 GMT; Max-Age=3600; Path=\/\r\nSet-Cookie: partitioned=1; Secure; Path=\/; SameSite=None; Partitioned\r\n/,
      },
    },
  ],
  handle: () => answerCookies(attributeCookies),
});

const secure = endpoint({
  id: 'proxy-cookie-secure',
  group,
  methods: ['GET'],
  path: '/proxy-test/cookie/secure',
  summary: 'Sets one Secure cookie.',
  responses: { 200: sentCookies },
  examples: [
    { name: 'Secure', expect: { status: 200, headers: { 'set-cookie': 'secure=1; Secure; Path=/' } } },
  ],
  handle: () => answerCookies([setCookieField({ name: 'secure', value: '1', secure: true })]),
});

const httpOnly = endpoint({
  id: 'proxy-cookie-httponly',
  group,
  methods: ['GET'],
  path: '/proxy-test/cookie/httponly',
  summary: 'Sets one HttpOnly cookie.',
  responses: { 200: sentCookies },
  examples: [
    { name: 'HttpOnly', expect: { status: 200, headers: { 'set-cookie': 'httponly=1; HttpOnly; Path=/' } } },
  ],
  handle: () => answerCookies([setCookieField({ name: 'httponly', value: '1', httpOnly: true })]),
});

const sameSiteSpelling: Readonly<Record<string, string>> = { strict: 'Strict', lax: 'Lax', none: 'None' };

const sameSite = endpoint({
  id: 'proxy-cookie-samesite',
  group,
  methods: ['GET'],
  path: '/proxy-test/cookie/samesite/{mode}',
  summary: 'Sets one cookie with SameSite; `None` comes with Secure, as browsers want it.',
  params: Type.Object({ mode: Type.Union(Object.keys(sameSiteSpelling).map((mode) => Type.Literal(mode))) }),
  responses: { 200: sentCookies, 400: problem('There is no such mode.') },
  examples: [
    {
      name: 'Strict',
      path: '/proxy-test/cookie/samesite/strict',
      expect: { status: 200, headers: { 'set-cookie': 'samesite=1; Path=/; SameSite=Strict' } },
    },
    {
      name: 'None is Secure',
      path: '/proxy-test/cookie/samesite/none',
      expect: { status: 200, headers: { 'set-cookie': 'samesite=1; Secure; Path=/; SameSite=None' } },
    },
    {
      name: 'no such mode',
      path: '/proxy-test/cookie/samesite/loose',
      expect: { status: 400, json: { detail: /mode/ } },
    },
  ],
  handle({ params: { mode } }) {
    const cookie = { name: 'samesite', value: '1', secure: mode === 'none' };
    return answerCookies([setCookieField({ ...cookie, sameSite: sameSiteSpelling[mode]! })]);
  },
});

const echo = endpoint({
  id: 'proxy-cookie-echo',
  group,
  methods: ['GET'],
  path: '/proxy-test/cookie/echo',
  summary: 'Echoes the Cookie fields: lines as they came, pairs, count and bytes.',
  responses: { 200: json('`lines`, `pairs`, `count` and `bytes`.') },
  examples: [
    {
      name: 'two lines, a pair twice, values untouched',
      headers: ['Cookie', 'a=1; b="x y"', 'Cookie', 'a=2'],
      expect: {
        status: 200,
        json: {
          lines: ['a=1; b="x y"', 'a=2'],
          pairs: [
            ['a', '1'],
            ['b', '"x y"'],
            ['a', '2'],
          ],
          count: 3,
          bytes: 15,
        },
      },
    },
    { name: 'none', expect: { status: 200, json: { lines: [], pairs: [], count: 0, bytes: 0 } } },
  ],
  handle({ request }) {
    const lines = request.headers.all('cookie');
    const pairs = cookiePairs(request.headers);
    const bytes = lines.reduce((sum, line) => sum + line.length, 0);
    return reply.json({ lines, pairs, count: pairs.length, bytes });
  },
});

const large = endpoint({
  id: 'proxy-cookie-large',
  group,
  methods: ['GET'],
  path: '/proxy-test/cookie/large',
  summary: 'Sets one cookie whose name and value are together of the given size.',
  description: 'Browsers take 4096 bytes of name and value (RFC 6265bis), proxies often less.',
  query: Type.Object({ size: int32({ default: 4096, minimum: 6, maximum: 16384 }) }),
  responses: { 200: sentCookies, 400: problem('The size is out of bounds.') },
  examples: [
    {
      name: '4096 bytes unless told',
      expect: { status: 200, headers: { 'set-cookie': /^large=x{4091}; Path=\/$/ } },
    },
    {
      name: 'too large',
      path: '/proxy-test/cookie/large?size=16385',
      expect: { status: 400, json: { detail: /size must be at most 16384/ } },
    },
  ],
  handle: ({ query }) =>
    answerCookies([setCookieField({ name: 'large', value: 'x'.repeat(query.size - 'large'.length) })]),
});

/** Written out, because what is special about them is how they are written. */
const specialCookies = [
  'quoted="a b"; Path=/',
  'spaces=a b  c; Path=/',
  'equals=a=b==; Path=/',
  'comma=a,b; Path=/',
  `utf8=${Buffer.from('şğ').toString('latin1')}; Path=/`,
  'empty=; Path=/',
  '__Host-id=1; Secure; Path=/',
  '__Secure-id=1; Secure; Path=/; Domain=example.test',
];

const special = endpoint({
  id: 'proxy-cookie-special',
  group,
  methods: ['GET'],
  path: '/proxy-test/cookie/special',
  summary: 'Sets cookies whose values are easily damaged: quotes, spaces, =, comma, UTF-8, empty, prefixes.',
  description: 'In `sent` one character is one byte.',
  responses: { 200: sentCookies },
  examples: [
    {
      name: 'values are on the wire as they are',
      expect: {
        status: 200,
        json: { count: 8 },
        wire: /Set-Cookie: comma=a,b; Path=\/\r\nSet-Cookie: utf8=\xc5\x9f\xc4\x9f; Path=\/\r\nSet-Cookie: empty=; Path=\/\r\nSet-Cookie: __Host-id=1; Secure; Path=\/\r\n/,
      },
    },
  ],
  handle: () => answerCookies(specialCookies),
});

/** The three forms of a date (RFC 9110 §5.6.7): two of them hold a comma, which a proxy may split at. */
const datedCookies = [
  `rfc1123=1; Expires=${FAR_DATE}; Path=/`,
  'rfc850=1; Expires=Wednesday, 21-Oct-37 07:28:00 GMT; Path=/',
  'asctime=1; Expires=Wed Oct 21 07:28:00 2037; Path=/',
];

const expires = endpoint({
  id: 'proxy-cookie-expires',
  group,
  methods: ['GET'],
  path: '/proxy-test/cookie/expires',
  summary: 'Sets cookies whose Expires holds a comma, which joining and splitting proxies trip over.',
  responses: { 200: sentCookies },
  examples: [
    {
      name: 'the old and the new form of a date',
      expect: {
        status: 200,
        wire: /Set-Cookie: rfc1123=1; Expires=Wed, 21 Oct 2037 07:28:00 GMT; Path=\/\r\nSet-Cookie: rfc850=1; Expires=Wednesday, 21-Oct-37 07:28:00 GMT; Path=\/\r\n/,
      },
    },
  ],
  handle: () => answerCookies(datedCookies),
});

const remove = endpoint({
  id: 'proxy-cookie-delete',
  group,
  methods: ['GET'],
  path: '/proxy-test/cookie/delete',
  summary: 'Makes the client forget the named cookie.',
  query: Type.Object({ name: Type.String({ maxLength: 256 }) }),
  responses: { 200: sentCookies, 400: problem('The name is missing or none that a cookie can have.') },
  examples: [
    {
      name: 'expired in every way',
      path: '/proxy-test/cookie/delete?name=k',
      expect: {
        status: 200,
        headers: { 'set-cookie': 'k=; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=0; Path=/' },
      },
    },
    {
      name: 'a name that no cookie can have',
      path: '/proxy-test/cookie/delete?name=a%3Bb',
      expect: { status: 400, headers: { 'set-cookie': null } },
    },
  ],
  handle: ({ query }) => answerCookies([expiredCookieField(query.name)]),
});

const SESSION_COOKIE = 'SESSIONID';

const session = endpoint({
  id: 'proxy-cookie-session',
  group,
  methods: ['GET'],
  path: '/proxy-test/cookie/session',
  summary: 'Begins a session by SESSIONID and counts its visits while the cookie comes back.',
  description:
    'The count is one over all processes of the service. A session lasts 30 minutes from its last visit.',
  responses: {
    200: json(
      '`id`, `new` and `count`.',
      Type.Object({ id: Type.String(), new: Type.Boolean(), count: Type.Integer() }),
    ),
  },
  examples: [
    {
      name: 'the first visit sets the cookie',
      expect: {
        status: 200,
        headers: { 'set-cookie': /^SESSIONID=[0-9a-f-]{36}; HttpOnly; Path=\/; SameSite=Lax$/ },
        json: { new: true, count: 1 },
      },
    },
    {
      name: 'an id we did not give out begins a new session',
      headers: ['Cookie', 'SESSIONID=made-up'],
      expect: {
        status: 200,
        headers: { 'set-cookie': /^SESSIONID=[0-9a-f-]{36};/ },
        json: { new: true, count: 1 },
      },
    },
  ],
  async handle({ request, services }) {
    const carried = cookiePairs(request.headers).find(([name]) => name === SESSION_COOKIE)?.[1];
    const { id, isNew, count } = await services.state.cookieSessions.visit(carried, services.random.uuid());
    const cookie = setCookieField({ name: SESSION_COOKIE, value: id, httpOnly: true, sameSite: 'Lax' });
    return reply.json({ id, new: isNew, count }, { headers: isNew ? ['Set-Cookie', cookie] : [] });
  },
});

const set = endpoint({
  id: 'proxy-cookie-set',
  group,
  methods: ['POST'],
  path: '/proxy-test/cookie/set',
  summary: 'Sets a list of cookies with all their attributes.',
  body: jsonBody(cookieListSchema),
  responses: { 200: sentCookies, 400: problem('The body is no list of cookies.') },
  examples: [
    {
      name: 'two cookies',
      headers: ['Content-Type', 'application/json'],
      body: '[{"name":"a","value":"1","secure":true,"path":"/x"},{"name":"b","value":"2","maxAge":60}]',
      expect: {
        status: 200,
        json: { count: 2, sent: ['a=1; Secure; Path=/x', 'b=2; Max-Age=60; Path=/'] },
        wire: /\r\nSet-Cookie: a=1; Secure; Path=\/x\r\nSet-Cookie: b=2; Max-Age=60; Path=\/\r\n/,
      },
    },
    {
      name: 'no list',
      headers: ['Content-Type', 'application/json'],
      body: '{}',
      expect: { status: 400, headers: { 'set-cookie': null } },
    },
  ],
  handle: ({ body }) => answerCookies(body.map(setCookieField)),
});

/** One field per cookie: they can never be joined, because a comma is no delimiter in them (RFC 6265 §3). */
function answerCookies(fields: readonly string[]): PlainAnswer {
  return reply.json(
    { count: fields.length, sent: fields },
    { headers: fields.flatMap((field) => ['Set-Cookie', field]) },
  );
}

export const proxyCookieHandling: readonly TestbedEndpoint[] = [
  multiple,
  pathDomain,
  attributes,
  secure,
  httpOnly,
  sameSite,
  echo,
  large,
  special,
  expires,
  remove,
  session,
  set,
];
