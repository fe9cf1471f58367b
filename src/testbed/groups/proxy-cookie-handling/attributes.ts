import { Type } from 'typebox';
import { int32, problem } from '../../../kernel/catalogue/declarations.ts';
import { setCookieField } from '../../content/cookies.ts';
import { endpoint, type TestbedEndpoint } from '../../endpoint.ts';
import { answerCookies, sentCookies } from './answer-cookies.ts';

const group = 'Proxy Cookie Handling';

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

const attributeCookies = [
  setCookieField({ name: 'secure', value: '1', secure: true }),
  setCookieField({ name: 'httponly', value: '1', httpOnly: true }),
  setCookieField({ name: 'strict', value: '1', sameSite: 'Strict' }),
  setCookieField({ name: 'lax', value: '1', sameSite: 'Lax' }),
  setCookieField({ name: 'none', value: '1', sameSite: 'None', secure: true }),
  setCookieField({ name: 'lasting', value: '1', maxAge: 3600, expires: 'Wed, 21 Oct 2037 07:28:00 GMT' }),
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

/** Cookies on lines of their own, with every attribute there is. */
export const cookieAttributeEndpoints: readonly TestbedEndpoint[] = [
  multiple,
  pathDomain,
  attributes,
  secure,
  httpOnly,
  sameSite,
];
