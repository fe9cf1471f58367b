import { Type } from 'typebox';
import { type PlainAnswer, reply } from '../../kernel/catalogue/answer.ts';
import { json, noBody, problem } from '../../kernel/catalogue/declarations.ts';
import { dialectOf, sortedJson } from '../echo/httpbin-echo.ts';
import { endpoint, type TestbedCall, type TestbedEndpoint } from '../endpoint.ts';
import { isSameSecret, parseAuthorization } from './authorization.ts';
import { authMethods } from './basic.endpoints.ts';
import { cookieValue } from './cookie-value.ts';
import { type JwtKeys, type JwtReading, jwkSet, readJwt, signJwt } from './jwt.ts';

const group = 'Authentication (httpbin)';

const DEFAULT_LIFETIME_SECONDS = 3600;

// {"alg":"HS256","typ":"JWT"} . {"sub":"alice"}, signed with `password`; and one that calls itself unsigned.
const signedForAlice =
  'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJhbGljZSJ9.vQqhL1ObsQOt3qN20EJXpJkTGad46kCNd1XoFyFok1k';
const unsigned = 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbGljZSIsImV4cCI6MX0.';

export const tokenEndpoints: readonly TestbedEndpoint[] = [
  endpoint({
    id: 'bearer',
    group,
    methods: authMethods,
    path: '/bearer',
    summary: 'Asks for a bearer token; any token is let in.',
    description:
      'Two tokens are refused as RFC 6750 §3.1 says: `expired` always, `insufficient` when a scope is asked for.',
    query: Type.Object({
      scope: Type.Optional(Type.String({ maxLength: 200, pattern: '^[\\x21\\x23-\\x5B\\x5D-\\x7E ]*$' })),
    }),
    responses: {
      200: json('There is a token.'),
      401: noBody('There is none, or it is `expired`.'),
      403: noBody('The token lacks the scope.'),
    },
    examples: [
      {
        name: 'a token',
        headers: ['Authorization', 'Bearer abc'],
        expect: { status: 200, text: '{\n  "authenticated": true,\n  "token": "abc"\n}\n' },
      },
      { name: 'no token', expect: { status: 401, length: 0, headers: { 'www-authenticate': 'Bearer' } } },
      {
        name: 'an expired token',
        headers: ['Authorization', 'Bearer expired'],
        expect: { status: 401, headers: { 'www-authenticate': /^Bearer error="invalid_token"/ } },
      },
      {
        name: 'a token without the scope',
        path: '/bearer?scope=read%20write',
        headers: ['Authorization', 'Bearer insufficient'],
        expect: {
          status: 403,
          headers: { 'www-authenticate': 'Bearer error="insufficient_scope", scope="read write"' },
        },
      },
    ],
    handle: (call) => bearerAnswer(call, call.query.scope),
  }),
  endpoint({
    id: 'jwt',
    group,
    methods: authMethods,
    path: '/jwt',
    summary: 'Decodes and verifies a JSON Web Token.',
    description:
      'Takes the token as bearer token or as `token`. HS256 is verified with the password of the service, RS256 and ES256 with the keys at /jwks.json. A refusal names every rule the token breaks: exp, nbf, iat, aud, iss, alg, alg none, kid, crit, signature, malformed.',
    query: Type.Object({
      token: Type.Optional(Type.String()),
      aud: Type.Optional(Type.String({ description: 'The audience that the token must name.' })),
      iss: Type.Optional(Type.String({ description: 'The issuer that the token must name.' })),
      leeway: Type.Optional(
        Type.Integer({
          default: 0,
          minimum: 0,
          maximum: 86_400,
          description: 'Seconds by which clocks may differ.',
        }),
      ),
    }),
    responses: {
      200: json('The token is good.'),
      400: problem('A parameter breaks its rule.'),
      401: json('There is no token, or it is refused: `reasons` says why.'),
    },
    examples: [
      {
        name: 'a good token',
        headers: ['Authorization', `Bearer ${signedForAlice}`],
        expect: {
          status: 200,
          json: { valid: true, reasons: [], header: { alg: 'HS256' }, payload: { sub: 'alice' } },
        },
      },
      {
        name: 'unsigned and expired, for somebody else',
        path: `/jwt?aud=me&token=${unsigned}`,
        expect: {
          status: 401,
          headers: {
            'www-authenticate': 'Bearer error="invalid_token", error_description="alg none, exp, aud"',
          },
          json: { valid: false, reasons: ['alg none', 'exp', 'aud'], payload: { sub: 'alice', exp: 1 } },
        },
      },
      {
        name: 'no token',
        expect: {
          status: 401,
          headers: { 'www-authenticate': 'Bearer' },
          json: { valid: false, reasons: ['missing'] },
        },
      },
      {
        name: 'a leeway that is no number',
        path: '/jwt?leeway=x',
        expect: { status: 400, json: { name: 'leeway' } },
      },
    ],
    handle: async (call) => {
      const { token = bearerToken(call), aud: audience, iss: issuer, leeway = 0 } = call.query;
      if (token === undefined) {
        return reply.json(
          { valid: false, reasons: ['missing'] },
          { status: 401, headers: ['WWW-Authenticate', 'Bearer'] },
        );
      }
      const nowSeconds = Math.floor(call.services.clock.now() / 1000);
      const expected = { nowSeconds, leewaySeconds: leeway, audience, issuer };
      return jwtAnswer(readJwt(token, await jwtKeys(call), expected));
    },
  }),
  endpoint({
    id: 'jwt-issue',
    group,
    methods: ['GET'],
    path: '/jwt/issue',
    summary: 'Makes a token that /jwt accepts, or one that it refuses for a reason you choose.',
    query: Type.Object({
      alg: Type.Optional(
        Type.Union([Type.Literal('RS256'), Type.Literal('ES256'), Type.Literal('HS256')], {
          default: 'RS256',
        }),
      ),
      sub: Type.Optional(Type.String({ default: 'user' })),
      aud: Type.Optional(Type.String()),
      iss: Type.Optional(Type.String()),
      expires_in: Type.Optional(
        Type.Integer({
          default: DEFAULT_LIFETIME_SECONDS,
          minimum: -86_400_000,
          maximum: 86_400_000,
          description: 'Seconds; below zero for a token that is expired already.',
        }),
      ),
      not_before: Type.Optional(
        Type.Integer({ minimum: -86_400_000, maximum: 86_400_000, description: 'Seconds from now.' }),
      ),
    }),
    responses: { 200: json('The token and what it says.'), 400: problem('A parameter breaks its rule.') },
    examples: [
      {
        name: 'ES256 for an audience',
        path: '/jwt/issue?alg=ES256&aud=me',
        expect: {
          status: 200,
          json: { token: /^[\w-]+\.[\w-]+\.[\w-]{86}$/, alg: 'ES256', payload: { sub: 'user', aud: 'me' } },
        },
      },
      {
        name: 'an algorithm we do not sign by',
        path: '/jwt/issue?alg=none',
        expect: { status: 400, json: { name: 'alg' } },
      },
    ],
    handle: async (call) => {
      const {
        alg = 'RS256',
        sub = 'user',
        aud,
        iss,
        expires_in: lifetime = DEFAULT_LIFETIME_SECONDS,
      } = call.query;
      const iat = Math.floor(call.services.clock.now() / 1000);
      const notBefore = call.query.not_before;
      const nbf = notBefore === undefined ? undefined : iat + notBefore;
      const payload = definedOnly({ iss, sub, aud, iat, nbf, exp: iat + lifetime });
      return reply.json({ token: signJwt(alg, payload, await jwtKeys(call)), alg, payload });
    },
  }),
  endpoint({
    id: 'jwks',
    group,
    methods: ['GET'],
    path: '/jwks.json',
    aliases: ['/.well-known/jwks.json'],
    summary: 'The public keys that tokens are verified with, as a JWK Set.',
    description: 'Made anew whenever the service starts; the same in all its processes.',
    responses: { 200: { description: 'The keys.', content: { 'application/jwk-set+json': Type.Unknown() } } },
    examples: [
      {
        name: 'one key for RS256, one for ES256',
        expect: {
          status: 200,
          headers: { 'content-type': 'application/jwk-set+json' },
          text: /"kty": "RSA"[\s\S]*"kid": "rsa-1"[\s\S]*"crv": "P-256"[\s\S]*"kid": "ec-1"/,
        },
      },
    ],
    handle: async (call) => {
      const set = jwkSet(await call.services.state.authKeys.signingKeys());
      return reply.bytes(`${JSON.stringify(set, null, 2)}\n`, 'application/jwk-set+json');
    },
  }),
  endpoint({
    id: 'api-key',
    group,
    methods: authMethods,
    path: '/api-key',
    summary: 'Asks for an API key in a header, the query or a cookie.',
    description:
      'Without `key` the password of the service is the key. Its default name is `X-Api-Key` in a header, else `api_key`.',
    query: Type.Object({
      in: Type.Optional(
        Type.Union([Type.Literal('header'), Type.Literal('query'), Type.Literal('cookie')], {
          default: 'header',
        }),
      ),
      name: Type.Optional(
        Type.String({ minLength: 1, maxLength: 100, pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$" }),
      ),
      key: Type.Optional(Type.String({ minLength: 1, description: 'The key that is let in.' })),
    }),
    responses: {
      200: json('The key is right.'),
      400: problem('A parameter breaks its rule.'),
      401: noBody('Another key, or none.'),
    },
    examples: [
      {
        name: 'in a header',
        headers: ['X-Api-Key', 'password'],
        expect: { status: 200, json: { authenticated: true, in: 'header', name: 'X-Api-Key' } },
      },
      {
        name: 'in a cookie of another name',
        path: '/api-key?in=cookie&name=k&key=s3',
        headers: ['Cookie', 'a=b; k=s3'],
        expect: { status: 200, json: { authenticated: true, in: 'cookie', name: 'k' } },
      },
      {
        name: 'a wrong key in the query',
        path: '/api-key?in=query&api_key=nope',
        expect: {
          status: 401,
          length: 0,
          headers: { 'www-authenticate': 'ApiKey in="query", name="api_key"' },
        },
      },
      {
        name: 'a place that does not exist',
        path: '/api-key?in=body',
        expect: { status: 400, json: { name: 'in' } },
      },
    ],
    handle: (call) => {
      const { in: place = 'header', key = call.services.settings.authPassword } = call.query;
      const name = call.query.name ?? (place === 'header' ? 'X-Api-Key' : 'api_key');
      const given = keyIn(call, place, name);
      if (given !== undefined && isSameSecret(given, key)) {
        return reply.json({ authenticated: true, in: place, name });
      }
      return reply.empty(401, ['WWW-Authenticate', `ApiKey in="${place}", name="${name}"`]);
    },
  }),
];

function bearerAnswer(call: TestbedCall, scope: string | undefined): PlainAnswer {
  const token = bearerToken(call);
  const refuse = (status: number, challenge: string) => reply.empty(status, ['WWW-Authenticate', challenge]);
  if (token === undefined) return refuse(401, 'Bearer');
  if (token === 'expired') {
    return refuse(401, 'Bearer error="invalid_token", error_description="The token has expired"');
  }
  if (token === 'insufficient' && scope !== undefined) {
    return refuse(403, `Bearer error="insufficient_scope", scope="${scope}"`);
  }
  return sortedJson({ authenticated: true, token, ...(scope !== undefined && { scope }) });
}

/** httpbin takes whatever follows the scheme; go-httpbin only a single word. */
function bearerToken(call: TestbedCall): string | undefined {
  const authorization = parseAuthorization(call.request.headers.first('authorization'));
  if (authorization?.scheme !== 'bearer' || authorization.rest === '') return undefined;
  if (dialectOf(call) === 'go' && /\s/.test(authorization.rest)) return undefined;
  return authorization.rest;
}

async function jwtKeys({ services }: TestbedCall): Promise<JwtKeys> {
  return { secret: services.settings.authPassword, signingKeys: await services.state.authKeys.signingKeys() };
}

function jwtAnswer({ isValid, reasons, header, payload }: JwtReading): PlainAnswer {
  const body = { valid: isValid, reasons, header, payload };
  if (isValid) return reply.json(body);
  const challenge = `Bearer error="invalid_token", error_description="${reasons.join(', ')}"`;
  return reply.json(body, { status: 401, headers: ['WWW-Authenticate', challenge] });
}

function keyIn(
  { request }: TestbedCall,
  place: 'header' | 'query' | 'cookie',
  name: string,
): string | undefined {
  if (place === 'header') return request.headers.first(name.toLowerCase());
  if (place === 'cookie') return cookieValue(request.headers, name);
  return request.queryPairs.find(([key]) => key === name)?.[1];
}

function definedOnly(members: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
