import { Type } from 'typebox';
import { reply } from '../../kernel/catalogue/answer.ts';
import { json, jsonBody, problem, redirect } from '../../kernel/catalogue/declarations.ts';
import {
  type CookieAttributes,
  cookieListSchema,
  cookiePairs,
  cookieText,
  expiredCookieField,
  setCookieField,
} from '../content/cookies.ts';
import { cookiesOfQuery } from '../content/cookies-of-query.ts';
import { dialectOf, schemeOf, sortedJson } from '../echo/httpbin-echo.ts';
import { queryValue } from '../echo/meta.ts';
import { setMember } from '../echo/sorted-json.ts';
import { endpoint, type TestbedCall, type TestbedEndpoint } from '../endpoint.ts';

const group = 'Cookies';

// Cookies of web analytics that come along with a browser; hidden like the headers of proxies.
const analyticsCookies: ReadonlySet<string> = new Set([
  '__utma',
  '__utmb',
  '__utmz',
  '_gauges_unique',
  '_gauges_unique_day',
  '_gauges_unique_hour',
  '_gauges_unique_month',
  '_gauges_unique_year',
]);

const list = endpoint({
  id: 'cookies',
  group,
  methods: ['GET'],
  path: '/cookies',
  summary: 'Tells the cookies of the request.',
  description:
    'Of equal names the first counts. Analytics cookies are hidden unless `?show_env` is given. In the go dialect the ' +
    'last counts and nothing is hidden.',
  responses: { 200: json('The cookies by name.') },
  examples: [
    {
      name: 'sorted, quotes undone',
      headers: ['Cookie', 'b="x\\054y"; a=1; a=2; __utma=hidden'],
      expect: { status: 200, text: '{\n  "cookies": {\n    "a": "1",\n    "b": "x,y"\n  }\n}\n' },
    },
    {
      name: 'show_env shows all',
      path: '/cookies?show_env',
      headers: ['Cookie', '__utma=shown'],
      expect: { json: { cookies: { __utma: 'shown' } } },
    },
    {
      name: 'go-httpbin dialect',
      path: '/cookies?dialect=go',
      headers: ['Cookie', 'a=1; a=2; __utma=shown'],
      expect: { json: { cookies: { a: '2', __utma: 'shown' } } },
    },
    { name: 'none', expect: { text: '{\n  "cookies": {}\n}\n' } },
  ],
  handle: (call) => {
    const { request } = call;
    const isGo = dialectOf(call) === 'go';
    const showsAll = isGo || queryValue(request, 'show_env') !== undefined;
    const cookies: Record<string, string> = {};
    for (const [name, sent] of cookiePairs(request.headers)) {
      if ((!isGo && Object.hasOwn(cookies, name)) || (!showsAll && analyticsCookies.has(name))) continue;
      setMember(cookies, name, cookieText(sent));
    }
    return sortedJson({ cookies });
  },
});

const raw = endpoint({
  id: 'cookies-raw',
  group,
  methods: ['GET'],
  path: '/cookies/raw',
  summary: 'Tells the Cookie fields as they were sent, line by line.',
  description: 'On HTTP/2 each crumb of a split Cookie field is a line of its own (RFC 9113 §8.2.3).',
  responses: { 200: json('Lines, pairs in order, names sent more than once.') },
  examples: [
    {
      name: 'two lines, one name twice',
      headers: ['Cookie', 'a=b;  c="d"', 'cookie', 'a=e'],
      expect: {
        status: 200,
        json: {
          raw: ['a=b;  c="d"', 'a=e'],
          pairs: [
            ['a', 'b'],
            ['c', '"d"'],
            ['a', 'e'],
          ],
          duplicates: ['a'],
        },
      },
    },
    { name: 'none', expect: { json: { raw: [], pairs: [], duplicates: [] } } },
  ],
  handle: ({ request }) => {
    const pairs = cookiePairs(request.headers);
    const names = pairs.map(([name]) => name);
    const duplicates = new Set(names.filter((name, index) => names.indexOf(name) !== index));
    return reply.json({ raw: request.headers.all('cookie'), pairs, duplicates: [...duplicates] });
  },
});

const set = endpoint({
  id: 'cookies-set',
  group,
  methods: ['GET'],
  path: '/cookies/set',
  summary: 'Sets a cookie for every query parameter and redirects to /cookies.',
  description:
    '`attr[Path]`, `attr[Domain]`, `attr[Max-Age]`, `attr[Expires]`, `attr[Secure]`, `attr[HttpOnly]`, ' +
    '`attr[SameSite]` and `attr[Partitioned]` are no cookies but attributes of all of them.',
  responses: { 302: redirect('To /cookies.'), 400: problem('A name or attribute that no cookie can have.') },
  examples: [
    {
      name: 'two cookies, two lines',
      path: '/cookies/set?k=v&n=a%20b%2C',
      expect: {
        status: 302,
        headers: { location: '/cookies' },
        wire: /\r\nSet-Cookie: k=v; Path=\/\r\nSet-Cookie: n="a b\\054"; Path=\/\r\n/,
      },
    },
    {
      name: 'of equal names the first counts',
      path: '/cookies/set?k=v&k=w',
      expect: { status: 302, headers: { 'set-cookie': 'k=v; Path=/' } },
    },
    {
      name: 'with attributes',
      path: '/cookies/set?k=v&attr[Secure]=true&attr[Path]=/x&attr[SameSite]=Lax',
      expect: { status: 302, headers: { 'set-cookie': 'k=v; Secure; Path=/x; SameSite=Lax' } },
    },
    {
      name: 'behind a proxy that ends TLS',
      path: '/cookies/set?k=v',
      headers: ['X-Forwarded-Proto', 'https'],
      expect: { status: 302, headers: { 'set-cookie': 'k=v; Secure; Path=/' } },
    },
    {
      name: 'line breaks stay inside the quotes',
      path: '/cookies/set?k=a%0d%0aX-Evil:%201',
      expect: { status: 302, headers: { 'set-cookie': 'k="a\\015\\012X-Evil: 1"; Path=/', 'x-evil': null } },
    },
    {
      name: 'a name that no cookie can have',
      path: '/cookies/set?a%20b=1',
      expect: { status: 400, json: { name: 'a b' } },
    },
    {
      name: 'an attribute that would inject another',
      path: '/cookies/set?a=1&attr[Path]=/;%20Domain=evil.example',
      expect: { status: 400 },
    },
  ],
  handle: (call) => {
    const { cookies, attributes } = cookiesOfQuery(call.request.queryPairs);
    const options = { ...defaultsOf(call), ...attributes };
    const firsts = new Map<string, string>();
    for (const [name, value] of cookies) if (!firsts.has(name)) firsts.set(name, value);
    return toCookies(
      [...firsts].map(([name, value]) => setCookieField({ ...options, name, value }, dialectOf(call))),
    );
  },
});

const setOne = endpoint({
  id: 'cookies-set-one',
  group,
  methods: ['GET'],
  path: '/cookies/set/{name}/{value}',
  summary: 'Sets one cookie and redirects to /cookies.',
  params: Type.Object({ name: Type.String(), value: Type.String() }),
  responses: { 302: redirect('To /cookies.'), 400: problem('A name that no cookie can have.') },
  examples: [
    {
      name: 'one cookie',
      path: '/cookies/set/k/v',
      expect: { status: 302, headers: { location: '/cookies', 'set-cookie': 'k=v; Path=/' } },
    },
    {
      name: 'go-httpbin dialect',
      path: '/cookies/set/k/v?dialect=go',
      expect: { headers: { 'set-cookie': 'k=v; Path=/; HttpOnly' } },
    },
    { name: 'a name that no cookie can have', path: '/cookies/set/k%3D/v', expect: { status: 400 } },
  ],
  handle: (call) => toCookies([setCookieField({ ...defaultsOf(call), ...call.params }, dialectOf(call))]),
});

const remove = endpoint({
  id: 'cookies-delete',
  group,
  methods: ['GET'],
  path: '/cookies/delete',
  summary: 'Makes the client forget the cookies named by the query and redirects to /cookies.',
  responses: { 302: redirect('To /cookies.'), 400: problem('A name that no cookie can have.') },
  examples: [
    {
      name: 'expired in every way',
      path: '/cookies/delete?k',
      expect: {
        status: 302,
        headers: {
          location: '/cookies',
          'set-cookie': 'k=; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=0; Path=/',
        },
      },
    },
    { name: 'a name that no cookie can have', path: '/cookies/delete?a%3Bb', expect: { status: 400 } },
  ],
  handle: (call) => {
    const { cookies, attributes } = cookiesOfQuery(call.request.queryPairs);
    const options = { ...defaultsOf(call), ...attributes };
    return toCookies(cookies.map(([name]) => expiredCookieField(name, options, dialectOf(call))));
  },
});

const create = endpoint({
  id: 'cookies-create',
  group,
  methods: ['POST'],
  path: '/cookies',
  summary: 'Sets a list of cookies with all their attributes.',
  body: jsonBody(cookieListSchema),
  responses: { 200: json('What was set.'), 400: problem('Not a list of cookies.') },
  examples: [
    {
      name: 'every attribute',
      headers: ['Content-Type', 'application/json'],
      body: JSON.stringify([
        {
          ...{ name: 'a', value: '1', path: '/x', domain: 'a.example', maxAge: 60, secure: true },
          ...{ httpOnly: true, sameSite: 'None', partitioned: true, priority: 'High' },
        },
        { name: 'b', value: '2', expires: '2030-01-01T00:00:00Z' },
      ]),
      expect: {
        status: 200,
        wire: /\r\nSet-Cookie: a=1; Domain=a\.example; Max-Age=60; Secure; HttpOnly; Path=\/x; SameSite=None; Partitioned; Priority=High\r\nSet-Cookie: b=2; Expires=Tue, 01 Jan 2030 00:00:00 GMT; Path=\/\r\n/,
        json: { set: [/^a=1;/, /^b=2;/] },
      },
    },
    {
      name: 'no list',
      headers: ['Content-Type', 'application/json'],
      body: '{"name":"a"}',
      expect: { status: 400 },
    },
  ],
  handle: ({ body }) => {
    const fields = body.map((cookie) => setCookieField(cookie));
    return reply.json({ set: fields }, { headers: setCookieHeaders(fields) });
  },
});

const removeOne = endpoint({
  id: 'cookies-remove',
  group,
  methods: ['DELETE'],
  path: '/cookies/{name}',
  summary: 'Makes the client forget one cookie.',
  params: Type.Object({ name: Type.String() }),
  responses: { 200: json('What was forgotten.'), 400: problem('A name that no cookie can have.') },
  examples: [
    {
      name: 'forgotten',
      path: '/cookies/k',
      expect: {
        status: 200,
        headers: { 'set-cookie': 'k=; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=0; Path=/' },
        json: { deleted: 'k' },
      },
    },
    { name: 'a name that no cookie can have', path: '/cookies/a%20b', expect: { status: 400 } },
  ],
  handle: (call) => {
    const { name } = call.params;
    return reply.json(
      { deleted: name },
      { headers: ['Set-Cookie', expiredCookieField(name, defaultsOf(call), dialectOf(call))] },
    );
  },
});

/** What every cookie of this request gets: Secure where the client speaks TLS, and HttpOnly where go-httpbin is asked for. */
function defaultsOf(call: TestbedCall): CookieAttributes {
  return { secure: schemeOf(call.request) === 'https', httpOnly: dialectOf(call) === 'go' };
}

function toCookies(fields: readonly string[]) {
  return reply.redirect('/cookies', 302, setCookieHeaders(fields));
}

function setCookieHeaders(fields: readonly string[]): string[] {
  return fields.flatMap((field) => ['Set-Cookie', field]);
}

export const cookies: readonly TestbedEndpoint[] = [list, raw, set, setOne, remove, create, removeOne];
