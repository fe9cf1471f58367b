import { Type } from 'typebox';
import { reply } from '../../../kernel/catalogue/answer.ts';
import { json, jsonBody, noBody } from '../../../kernel/catalogue/declarations.ts';
import { fault } from '../../../kernel/faults.ts';
import {
  issuedTokenView,
  revokeInput,
  type Token,
  type TokenInput,
  tokenInput,
  tokenView,
} from '../../../model/token.ts';
import type { Stored } from '../../../store/contract.ts';
import { endpoint, type ManagerCall, type ManagerEndpoint } from '../../endpoint.ts';
import { ACCESS_TOKEN, sending, signedIn } from '../../resources/examples.ts';
import { listParameters, listQueryOf } from '../../resources/paging.ts';
import { type IssuedToken, isExpired } from './token-service.ts';

const own = { group: 'Tokens', access: 'token', errors: 'newer' } as const;
const byId = { ...own, params: Type.Object({ id: Type.String() }) } as const;
const NOT_KEPT = ['Cache-Control', 'no-store'];

/** What people do with their own tokens. Those of others are not there for them. */
export const tokenEndpoints: readonly ManagerEndpoint[] = [
  endpoint({
    ...own,
    id: 'token-list',
    spec: '2 §5',
    methods: ['GET'],
    path: '/apiops/tokens/',
    summary: 'Lists the tokens of the caller, without their values.',
    query: Type.Object(listParameters(['createdAt', 'name', 'expiresAt', 'lastUsedAt'])),
    responses: {
      200: json('A page of the list.', Type.Object({ items: Type.Array(tokenView), total: Type.Integer() })),
    },
    examples: [
      {
        name: 'own tokens',
        ...signedIn,
        expect: { status: 200, json: { items: [{ current: true }], total: 1 } },
      },
      {
        name: 'an order that is none',
        path: '/apiops/tokens/?sort=hash,asc',
        ...signedIn,
        expect: { status: 400, json: { errorKey: 'VALIDATION_FAILED', message: /^query parameter sort / } },
      },
    ],
    handle: async (call) => {
      const { caller, query, services } = call;
      const { documents, total } = await services.tokens.page(caller.userId, listQueryOf<Token>(query));
      return reply.json({ items: documents.map((token) => viewOf(call, token)), total });
    },
  }),
  endpoint({
    ...own,
    id: 'token-create',
    spec: '2 §5',
    methods: ['POST'],
    path: '/apiops/tokens/',
    summary: 'Makes a token with a name. Its value is shown this once.',
    body: jsonBody(tokenInput),
    responses: { 201: json('The token with its value.', issuedTokenView) },
    examples: [
      {
        name: 'one that expires',
        ...sending({ name: 'build server', expiresAt: '2999-12-31T23:59:59Z' }),
        expect: {
          status: 201,
          headers: { 'cache-control': 'no-store' },
          json: { name: 'build server', expiresAt: '2999-12-31T23:59:59.000Z', token: /^gh_pat_[\w-]{43}$/ },
        },
      },
      {
        name: 'one that would have expired',
        ...sending({ name: 'late', expiresAt: '2001-01-01T00:00:00Z' }),
        expect: {
          status: 400,
          json: { errorKey: 'VALIDATION_FAILED', message: 'At /expiresAt: must be a time to come.' },
        },
      },
    ],
    handle: async (call) => {
      const { body, caller, services } = call;
      const expiresAt = expiryOf(body, services.clock.now());
      const issued = await services.tokens.issueNamed(caller.userId, body.name, expiresAt);
      await record(call, 'ISSUE', issued.stored);
      return shownOnce(call, issued, 201);
    },
  }),
  endpoint({
    ...byId,
    id: 'token-regenerate',
    spec: '2 §3',
    methods: ['POST'],
    path: '/apiops/tokens/{id}/regenerate/',
    summary: 'Gives a token a new value for as long again; the old value is refused from now on.',
    responses: { 200: json('The token with its new value.', issuedTokenView) },
    examples: [
      {
        name: 'a token of nobody',
        path: '/apiops/tokens/000000000000000000000000/regenerate/',
        ...signedIn,
        expect: { status: 404, json: { errorKey: 'TOKEN_NOT_FOUND', message: 'Token was not found!' } },
      },
    ],
    handle: async (call) => {
      const { params, caller, services } = call;
      const issued = await services.tokens.regenerate(caller.userId, params.id);
      await record(call, 'REGENERATE', issued.stored);
      return shownOnce(call, issued, 200);
    },
  }),
  endpoint({
    ...own,
    id: 'token-revoke',
    spec: '2 §3',
    methods: ['POST'],
    path: '/apiops/tokens/revoke/',
    summary: 'Revokes a token by its value, whoever it belongs to; other tokens stay valid.',
    body: jsonBody(revokeInput),
    responses: { 204: noBody('It is refused from now on.') },
    examples: [
      { name: 'the very token', ...sending({ token: ACCESS_TOKEN }), expect: { status: 204, length: 0 } },
      {
        name: 'an unknown value',
        ...sending({ token: 'gh_pat_unknown' }),
        expect: { status: 404, json: { errorKey: 'TOKEN_NOT_FOUND' } },
      },
    ],
    handle: async (call) => {
      await record(call, 'REVOKE', await call.services.tokens.revoke(call.body.token));
      return reply.empty(204);
    },
  }),
  endpoint({
    ...byId,
    id: 'token-delete',
    methods: ['DELETE'],
    path: '/apiops/tokens/{id}/',
    summary: 'Deletes a token of the caller.',
    responses: { 204: noBody('It is refused from now on.') },
    examples: [
      {
        name: 'a token of nobody',
        path: '/apiops/tokens/000000000000000000000000/',
        ...signedIn,
        expect: { status: 404, json: { errorKey: 'TOKEN_NOT_FOUND' } },
      },
    ],
    handle: async (call) => {
      const { params, caller, services } = call;
      await record(call, 'DELETE', await services.tokens.remove(caller.userId, params.id));
      return reply.empty(204);
    },
  }),
];

type TokenCall = Pick<ManagerCall, 'caller' | 'services'>;

function viewOf({ caller, services }: TokenCall, { id, value }: Stored<Token>) {
  const { name, source, createdAt, expiresAt, lastUsedAt } = value;
  return {
    id,
    name,
    source,
    createdAt: timeText(createdAt),
    expiresAt: timeText(expiresAt),
    expired: isExpired(value, services.clock.now()),
    lastUsedAt: timeText(lastUsedAt),
    current: id === caller.tokenId,
  };
}

function shownOnce(call: TokenCall, { value, stored }: IssuedToken, status: number) {
  return reply.json({ ...viewOf(call, stored), token: value }, { status, headers: NOT_KEPT });
}

function record(
  { caller, services }: TokenCall,
  action: string,
  { id, value }: Stored<Token>,
): Promise<void> {
  const { name, createdAt, expiresAt } = value;
  return services.journals.token({
    userName: caller.userName,
    sourceAddress: caller.sourceAddress,
    action,
    result: 'SUCCESS',
    tokenId: id,
    ...(name !== undefined && { tokenName: name }),
    issuedAt: timeText(createdAt)!,
    ...(expiresAt !== undefined && { expiresAt: timeText(expiresAt) }),
  });
}

function expiryOf({ expiresAt }: TokenInput, now: number): number | undefined {
  if (expiresAt === undefined || expiresAt === null) return undefined;
  const at = Date.parse(expiresAt);
  // A comparison with NaN, of a time that does not exist, is false too.
  if (at > now) return at;
  throw fault('token.expiry-invalid', { pointer: '/expiresAt', rule: 'must be a time to come' });
}

function timeText(at: number | undefined): string | undefined {
  return at === undefined ? undefined : new Date(at).toISOString();
}
