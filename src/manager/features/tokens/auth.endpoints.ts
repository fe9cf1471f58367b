import { Type } from 'typebox';
import { reply } from '../../../kernel/catalogue/answer.ts';
import { json } from '../../../kernel/catalogue/declarations.ts';
import { endpoint, type ManagerEndpoint } from '../../endpoint.ts';
import { readTokenRequest } from './token-form.ts';

const tokenRequest = Type.Object(
  {
    grant_type: Type.Literal('client_credentials'),
    client_id: Type.String({ description: 'the user name' }),
    client_secret: Type.String({ description: 'the password' }),
  },
  { $id: 'TokenRequest' },
);

const tokenResponse = Type.Object(
  {
    access_token: Type.String(),
    token_type: Type.Literal('Bearer'),
    expires_in: Type.Optional(Type.Integer({ description: 'seconds; absent when the token never expires' })),
  },
  { $id: 'TokenResponse' },
);

const form = ['Content-Type', 'application/x-www-form-urlencoded'];

export const authEndpoints: readonly ManagerEndpoint[] = [
  endpoint({
    id: 'auth-token',
    group: 'Tokens',
    spec: '2 §4.1',
    methods: ['POST'],
    path: '/apiops/auth/token',
    aliases: ['/apiops/auth/token/'],
    summary: 'Issues a personal access token for a user name and its password.',
    description:
      'The body is a form. An unknown user, a wrong password, a locked and a disabled account get one and the same answer; the login journal has the reason.',
    access: 'open',
    errors: 'oauth',
    body: { required: true, content: { 'application/x-www-form-urlencoded': tokenRequest } },
    responses: {
      200: json('The token.', tokenResponse),
      400: json('The request is wrong.'),
      401: json('The credentials are not right, or the account may not sign in.'),
      429: json('Too many attempts from this address or under this name.'),
    },
    examples: [
      {
        name: 'another grant type',
        headers: form,
        body: 'grant_type=password&client_id=admin&client_secret=x',
        expect: {
          status: 400,
          json: {
            error: 'unsupported_grant_type',
            error_description: 'GrantType value must be client_credentials!',
          },
        },
      },
      {
        name: 'wrong credentials',
        headers: form,
        body: 'grant_type=client_credentials&client_id=nobody&client_secret=wrong',
        expect: {
          status: 401,
          json: {
            error: 'unauthorized_client',
            error_description: 'Bad credentials',
            status: 'FAILURE',
            resultMessage: 'Bad credentials',
          },
        },
      },
      {
        name: 'JSON is no form',
        headers: ['Content-Type', 'application/json'],
        body: '{"grant_type":"client_credentials"}',
        expect: { status: 400, json: { error: 'invalid_request', error_description: /not JSON/ } },
      },
    ],
    handle: async ({ request, exchange, services }) => {
      const { signIn, settings, tokens, journals } = services;
      const { clientId, clientSecret } = await readTokenRequest(exchange);
      const { peerAddress: sourceAddress } = request;
      const user = await signIn.check({ userName: clientId, password: clientSecret, sourceAddress });
      const { tokenLifetimeSeconds } = await settings.get('security');
      const expires = tokenLifetimeSeconds > 0;
      const { value, stored } = await tokens.issueAtSignIn(
        user.id,
        expires ? tokenLifetimeSeconds * 1000 : undefined,
      );
      const { createdAt, expiresAt } = stored.value;
      await journals.token({
        userName: user.value.name,
        sourceAddress,
        action: 'ISSUE',
        result: 'SUCCESS',
        tokenId: stored.id,
        issuedAt: new Date(createdAt).toISOString(),
        ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt).toISOString() }),
      });
      return reply.json(
        {
          access_token: value,
          token_type: 'Bearer',
          ...(expires && { expires_in: tokenLifetimeSeconds }),
        },
        { headers: ['Cache-Control', 'no-store', 'Pragma', 'no-cache'] },
      );
    },
  }),
];
