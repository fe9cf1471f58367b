import { Type } from 'typebox';
import { type PlainAnswer, reply } from '../../kernel/catalogue/answer.ts';
import { json, problem } from '../../kernel/catalogue/declarations.ts';
import { endpoint, type TestbedCall, type TestbedEndpoint } from '../endpoint.ts';
import { authMethods } from './basic.endpoints.ts';
import { bearerToken } from './bearer-token.ts';
import { type JwtKeys, type JwtReading, jwkSet, readJwt, signJwt } from './jwt.ts';

const group = 'Authentication (httpbin)';
const DEFAULT_LIFETIME_SECONDS = 3600;

// {"alg":"HS256","typ":"JWT"} . {"sub":"alice"}, signed with `password`; and one that calls itself unsigned.
const signedForAlice =
  'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJhbGljZSJ9.vQqhL1ObsQOt3qN20EJXpJkTGad46kCNd1XoFyFok1k';
const unsigned = 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbGljZSIsImV4cCI6MX0.';

export const jwtEndpoints: readonly TestbedEndpoint[] = [
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
];

async function jwtKeys({ services }: TestbedCall): Promise<JwtKeys> {
  return { secret: services.settings.authPassword, signingKeys: await services.state.authKeys.signingKeys() };
}

function jwtAnswer({ isValid, reasons, header, payload }: JwtReading): PlainAnswer {
  const body = { valid: isValid, reasons, header, payload };
  if (isValid) return reply.json(body);
  const challenge = `Bearer error="invalid_token", error_description="${reasons.join(', ')}"`;
  return reply.json(body, { status: 401, headers: ['WWW-Authenticate', challenge] });
}

function definedOnly(members: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
