import { Type } from 'typebox';
import { json, noBody, problem } from '../../kernel/catalogue/declarations.ts';
import { fault } from '../../kernel/faults.ts';
import { dialectOf } from '../echo/httpbin-echo.ts';
import { endpoint, type TestbedCall, type TestbedEndpoint } from '../endpoint.ts';
import { authenticatedSchema, authMethods, loginParams } from './basic.endpoints.ts';
import { digestAlgorithmOf, type Qop } from './digest.ts';
import { type DigestOffer, digestAnswer } from './digest-exchange.ts';

const group = 'Authentication (httpbin)';
const description =
  'RFC 7616, with the cookies of httpbin: `stale_after` counts the uses of a nonce down, `fake` is asked back when `require-cookie` is set, `last_nonce` makes a nonce that failed stale. A nonce lives five minutes, each of its counts is good once.';

const qopParam = {
  qop: Type.String({ description: '`auth`, `auth-int`, or anything else to be offered both.' }),
};
const algorithmParam = {
  algorithm: Type.String({
    description: 'MD5, SHA-256, SHA-512 or SHA-512-256, each also with `-sess`; anything else means MD5.',
  }),
};
const staleAfterParam = {
  stale_after: Type.String({ description: 'How many requests a nonce serves; `never` for no end.' }),
};
const query = Type.Object({
  'require-cookie': Type.Optional(Type.String({ description: '1, t or true: the cookies must come back.' })),
  userhash: Type.Optional(
    Type.String({ description: '1, t or true: the challenge asks for hashed user names.' }),
  ),
});
const responses = {
  200: json('The proof is right.', authenticatedSchema),
  400: problem('The proof was made for another address.'),
  401: noBody('A challenge, `stale=TRUE` when only the nonce was wrong.'),
  403: json('The client does not return cookies.'),
};

interface DigestPath {
  readonly qop: string;
  readonly user: string;
  readonly passwd: string;
  readonly algorithm?: string;
  readonly stale_after?: string;
}

export const digestEndpoints: readonly TestbedEndpoint[] = [
  endpoint({
    id: 'digest-auth',
    group,
    methods: authMethods,
    path: '/digest-auth/{qop}/{user}/{passwd}',
    summary: 'Asks for user and password by Digest authentication with MD5.',
    description,
    params: Type.Object({ ...qopParam, ...loginParams }),
    query,
    responses,
    examples: [
      {
        name: 'the challenge',
        path: '/digest-auth/auth/user/passwd',
        expect: {
          status: 401,
          length: 0,
          headers: {
            'www-authenticate':
              /^Digest realm="testbed@localhost", nonce="[\w-]{43}", qop="auth", opaque="[0-9a-f]{20}", algorithm=MD5, stale=FALSE$/,
            'set-cookie': 'stale_after=never; Path=/, fake=fake_value; Path=/',
          },
        },
      },
      {
        name: 'a used-up nonce is stale',
        path: '/digest-auth/both/user/passwd',
        headers: [
          'Authorization',
          'Digest username="user", realm="testbed@localhost", nonce="n", uri="/digest-auth/both/user/passwd", response="0"',
          'Cookie',
          'stale_after=0; fake=fake_value',
        ],
        expect: {
          status: 401,
          headers: {
            'www-authenticate': /qop="auth, auth-int".*stale=TRUE$/,
            'set-cookie': 'stale_after=never; Path=/, fake=fake_value; Path=/, last_nonce=n; Path=/',
          },
        },
      },
      {
        name: 'the cookies must come back when that is asked for',
        path: '/digest-auth/auth/user/passwd?require-cookie=1',
        headers: [
          'Authorization',
          'Digest username="user", realm="r", nonce="n", uri="/", response="0"',
          'Cookie',
          'a=b',
        ],
        expect: { status: 403, json: { errors: ['missing cookie set on challenge'] } },
      },
      {
        name: 'a right proof for another address',
        path: '/digest-auth/auth/user/passwd',
        headers: [
          'Authorization',
          'Digest username="user", realm="testbed@localhost", nonce="n", uri="/elsewhere", response="0"',
        ],
        expect: { status: 400, json: { uri: '/elsewhere', target: '/digest-auth/auth/user/passwd' } },
      },
    ],
    handle: (call) => digestAnswer(call, offerOf(call, call.params)),
  }),
  endpoint({
    id: 'digest-auth-algorithm',
    group,
    methods: authMethods,
    path: '/digest-auth/{qop}/{user}/{passwd}/{algorithm}',
    summary: 'The same with an algorithm of your choice.',
    description,
    params: Type.Object({ ...qopParam, ...loginParams, ...algorithmParam }),
    query,
    responses,
    examples: [
      {
        name: 'SHA-512-256-sess with hashed user names',
        path: '/digest-auth/auth-int/user/passwd/sha-512-256-sess?userhash=true',
        expect: {
          status: 401,
          headers: {
            'www-authenticate':
              /qop="auth-int".*algorithm=SHA-512-256-sess, stale=FALSE, charset=UTF-8, userhash=true$/,
          },
        },
      },
      {
        name: 'an unknown algorithm means MD5',
        path: '/digest-auth/auth/user/passwd/CRC32',
        expect: { status: 401, headers: { 'www-authenticate': /algorithm=MD5/ } },
      },
      {
        name: 'go-httpbin refuses what it does not know',
        path: '/digest-auth/auth/user/passwd/SHA-512?dialect=go',
        expect: { status: 400, json: { status_code: 400 } },
      },
    ],
    handle: (call) => digestAnswer(call, offerOf(call, call.params)),
  }),
  endpoint({
    id: 'digest-auth-stale-after',
    group,
    methods: authMethods,
    path: '/digest-auth/{qop}/{user}/{passwd}/{algorithm}/{stale_after}',
    summary: 'The same with nonces that serve only so many requests.',
    description,
    params: Type.Object({ ...qopParam, ...loginParams, ...algorithmParam, ...staleAfterParam }),
    query,
    responses,
    examples: [
      {
        name: 'the cookie carries the count',
        path: '/digest-auth/auth/user/passwd/SHA-256/3',
        expect: {
          status: 401,
          headers: {
            'www-authenticate': /algorithm=SHA-256/,
            'set-cookie': 'stale_after=3; Path=/, fake=fake_value; Path=/',
          },
        },
      },
    ],
    handle: (call) => digestAnswer(call, offerOf(call, call.params)),
  }),
  endpoint({
    id: 'digest-auth-multi',
    group,
    methods: authMethods,
    path: '/digest-auth-multi/{user}/{passwd}',
    summary: 'Offers two digest challenges, SHA-256 before MD5.',
    description: 'A client takes the first one it can do (RFC 7616 §3.7).',
    params: Type.Object(loginParams),
    query,
    responses,
    examples: [
      {
        name: 'two lines, the better one first',
        path: '/digest-auth-multi/user/passwd',
        expect: {
          status: 401,
          wire: /WWW-Authenticate: Digest [^\r\n]*algorithm=SHA-256,[^\r\n]*\r\n[\s\S]*WWW-Authenticate: Digest [^\r\n]*algorithm=MD5,/i,
        },
      },
    ],
    handle: (call) => {
      const { user, passwd } = call.params;
      const offer = offerOf(call, { qop: 'auth', user, passwd });
      return digestAnswer(call, { ...offer, algorithms: ['SHA-256', 'MD5'] });
    },
  }),
];

function offerOf(call: TestbedCall, path: DigestPath): DigestOffer {
  const algorithm = digestAlgorithmOf(path.algorithm ?? 'MD5');
  if (dialectOf(call) === 'go') refuseUnknownToGo(path, algorithm);
  const qops: Qop[] = path.qop === 'auth' || path.qop === 'auth-int' ? [path.qop] : ['auth', 'auth-int'];
  return {
    login: { user: path.user, password: path.passwd },
    algorithms: [algorithm ?? 'MD5'],
    qops,
    staleAfter: path.stale_after ?? 'never',
    requiresCookie: isSet(call, 'require-cookie'),
    offersUserhash: isSet(call, 'userhash'),
  };
}

/** go-httpbin knows one quality of protection and two algorithms. */
function refuseUnknownToGo({ qop }: DigestPath, algorithm: string | undefined): void {
  if (qop !== 'auth') throw fault('parameter.invalid', { in: 'path', name: 'qop', rule: 'must be auth' });
  if (algorithm === 'MD5' || algorithm === 'SHA-256') return;
  throw fault('parameter.invalid', { in: 'path', name: 'algorithm', rule: 'must be one of MD5, SHA-256' });
}

/** httpbin's idea of a switch. */
function isSet({ request }: TestbedCall, name: string): boolean {
  const value = request.queryPairs.find(([key]) => key === name)?.[1] ?? '';
  return ['1', 't', 'true'].includes(value.toLowerCase());
}
