import { Type } from 'typebox';
import { reply } from '../../kernel/catalogue/answer.ts';
import { json, jsonBody, problem } from '../../kernel/catalogue/declarations.ts';
import { cookieListSchema, cookiePairs, expiredCookieField, setCookieField } from '../content/cookies.ts';
import { endpoint, type TestbedEndpoint } from '../endpoint.ts';
import { answerCookies, sentCookies } from './proxy-cookie-handling/answer-cookies.ts';
import { cookieAttributeEndpoints } from './proxy-cookie-handling/attributes.ts';
import { cookieValueEndpoints } from './proxy-cookie-handling/values.ts';

const group = 'Proxy Cookie Handling';

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
  handle: ({ body }) => answerCookies(body.map((cookie) => setCookieField(cookie))),
});

export const proxyCookieHandling: readonly TestbedEndpoint[] = [
  ...cookieAttributeEndpoints,
  ...cookieValueEndpoints,
  echo,
  remove,
  session,
  set,
];
