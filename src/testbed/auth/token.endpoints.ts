import { Type } from 'typebox';
import { type PlainAnswer, reply } from '../../kernel/catalogue/answer.ts';
import { json, noBody, problem } from '../../kernel/catalogue/declarations.ts';
import { sortedJson } from '../echo/httpbin-echo.ts';
import { endpoint, type TestbedCall, type TestbedEndpoint } from '../endpoint.ts';
import { isSameSecret } from './authorization.ts';
import { authMethods } from './basic.endpoints.ts';
import { bearerToken } from './bearer-token.ts';
import { cookieValue } from './cookie-value.ts';
import { refused } from './refused.ts';

const group = 'Authentication (httpbin)';

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
        name: 'no token, in the go dialect',
        path: '/bearer?dialect=go',
        expect: {
          status: 401,
          headers: { 'www-authenticate': 'Bearer' },
          text: '{\n  "status_code": 401,\n  "error": "Unauthorized"\n}\n',
        },
      },
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
      return refused(call, 401, ['WWW-Authenticate', `ApiKey in="${place}", name="${name}"`]);
    },
  }),
];

function bearerAnswer(call: TestbedCall, scope: string | undefined): PlainAnswer {
  const token = bearerToken(call);
  const refuse = (status: number, challenge: string) =>
    refused(call, status, ['WWW-Authenticate', challenge]);
  if (token === undefined) return refuse(401, 'Bearer');
  if (token === 'expired') {
    return refuse(401, 'Bearer error="invalid_token", error_description="The token has expired"');
  }
  if (token === 'insufficient' && scope !== undefined) {
    return refuse(403, `Bearer error="insufficient_scope", scope="${scope}"`);
  }
  return sortedJson({ authenticated: true, token, ...(scope !== undefined && { scope }) });
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
