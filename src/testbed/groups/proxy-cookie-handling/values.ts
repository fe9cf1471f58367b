import { Type } from 'typebox';
import { int32, problem } from '../../../kernel/catalogue/declarations.ts';
import { setCookieField } from '../../content/cookies.ts';
import { endpoint, type TestbedEndpoint } from '../../endpoint.ts';
import { answerCookies, sentCookies } from './answer-cookies.ts';

const group = 'Proxy Cookie Handling';

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
  'rfc1123=1; Expires=Wed, 21 Oct 2037 07:28:00 GMT; Path=/',
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

/** Cookies whose values are long or easily damaged. */
export const cookieValueEndpoints: readonly TestbedEndpoint[] = [large, special, expires];
