import { Type } from 'typebox';
import { type PlainAnswer, reply } from '../../kernel/catalogue/answer.ts';
import { json, noBody } from '../../kernel/catalogue/declarations.ts';
import { dialectOf, sortedJson } from '../echo/httpbin-echo.ts';
import { endpoint, type TestbedEndpoint } from '../endpoint.ts';
import { basicCredentials, isSameLogin, type UserAndPassword } from './authorization.ts';
import { refused } from './refused.ts';

const group = 'Authentication (httpbin)';
export const authMethods = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH'];

export const loginParams = {
  user: Type.String({ description: 'The user name that is let in.' }),
  passwd: Type.String({ description: 'The password that is asked for.' }),
};

/** What httpbin says of whoever got in. */
export const authenticatedSchema = Type.Object({ authenticated: Type.Boolean(), user: Type.String() });

const authenticated = json('The credentials are right.', authenticatedSchema);
// user:passwd and user:wrong
const right = ['Authorization', 'Basic dXNlcjpwYXNzd2Q='];
const wrong = ['Authorization', 'Basic dXNlcjp3cm9uZw=='];
const success = '{\n  "authenticated": true,\n  "user": "user"\n}\n';

export const basicEndpoints: readonly TestbedEndpoint[] = [
  endpoint({
    id: 'basic-auth',
    group,
    methods: authMethods,
    path: '/basic-auth/{user}/{passwd}',
    summary: 'Asks for the given user and password by Basic authentication.',
    params: Type.Object(loginParams),
    responses: { 200: authenticated, 401: noBody('Other credentials, or none.') },
    examples: [
      {
        name: 'right password',
        path: '/basic-auth/user/passwd',
        headers: right,
        expect: { status: 200, text: success },
      },
      {
        name: 'wrong password',
        path: '/basic-auth/user/passwd',
        headers: wrong,
        expect: { status: 401, length: 0, headers: { 'www-authenticate': 'Basic realm="Fake Realm"' } },
      },
      {
        name: 'go-httpbin says who was refused',
        path: '/basic-auth/user/passwd?dialect=go',
        method: 'PUT',
        headers: wrong,
        expect: { status: 401, json: { authenticated: false, authorized: false, user: 'user' } },
      },
    ],
    handle: (call) => {
      const given = basicCredentials(call.request.headers.first('authorization'));
      const isIn = isSameLogin(given, loginOf(call.params));
      if (dialectOf(call) === 'go') return goAnswer(isIn, given);
      return isIn ? admitted(call.params.user) : reply.empty(401, basicChallenge());
    },
  }),
  endpoint({
    id: 'hidden-basic-auth',
    group,
    methods: authMethods,
    path: '/hidden-basic-auth/{user}/{passwd}',
    summary: 'The same, but pretends not to exist: 404 instead of a challenge.',
    params: Type.Object(loginParams),
    responses: { 200: authenticated, 404: noBody('Other credentials, or none.') },
    examples: [
      {
        name: 'right password',
        path: '/hidden-basic-auth/user/passwd',
        headers: right,
        expect: { status: 200, text: success },
      },
      {
        name: 'no credentials',
        path: '/hidden-basic-auth/user/passwd',
        expect: { status: 404, length: 0, headers: { 'www-authenticate': null } },
      },
      {
        name: 'no credentials, in the go dialect',
        path: '/hidden-basic-auth/user/passwd?dialect=go',
        expect: { status: 404, json: { status_code: 404, error: 'Not Found' } },
      },
    ],
    handle: (call) => {
      const given = basicCredentials(call.request.headers.first('authorization'));
      const isIn = isSameLogin(given, loginOf(call.params));
      if (dialectOf(call) === 'go' && isIn) return goAnswer(isIn, given);
      return isIn ? admitted(call.params.user) : refused(call, 404);
    },
  }),
  endpoint({
    id: 'basic-auth-utf8',
    group,
    methods: authMethods,
    path: '/basic-auth-utf8/{user}/{passwd}',
    summary: 'Basic authentication that asks for UTF-8 credentials.',
    description:
      'The challenge says `charset="UTF-8"` (RFC 7617 §2.1); both sides are compared in Unicode form C.',
    params: Type.Object(loginParams),
    responses: { 200: authenticated, 401: noBody('Other credentials, or none.') },
    examples: [
      {
        name: 'a Turkish user, composed differently on both sides',
        path: '/basic-auth-utf8/u%CC%88mit/%C5%9Fifre',
        headers: ['Authorization', `Basic ${Buffer.from('ümit:şifre').toString('base64')}`],
        expect: { status: 200, json: { authenticated: true, user: 'ümit' } },
      },
      {
        name: 'the challenge names the charset',
        path: '/basic-auth-utf8/user/passwd',
        expect: {
          status: 401,
          headers: { 'www-authenticate': 'Basic realm="Fake Realm", charset="UTF-8"' },
        },
      },
    ],
    handle: ({ request, params }) => {
      const given = basicCredentials(request.headers.first('authorization'));
      const login = composed(loginOf(params));
      const isIn = isSameLogin(given && composed(given), login);
      return isIn ? admitted(login.user) : reply.empty(401, basicChallenge(', charset="UTF-8"'));
    },
  }),
  endpoint({
    id: 'proxy-auth',
    group,
    methods: authMethods,
    path: '/proxy-auth/{user}/{passwd}',
    summary: 'Asks as a proxy would: 407 and Proxy-Authenticate.',
    description:
      'Reads Proxy-Authorization. A gateway in between must not consume the field it did not ask for.',
    params: Type.Object(loginParams),
    responses: { 200: authenticated, 407: noBody('Other credentials, or none.') },
    examples: [
      {
        name: 'right password',
        path: '/proxy-auth/user/passwd',
        headers: ['Proxy-Authorization', right[1]!],
        expect: { status: 200, text: success },
      },
      {
        name: 'credentials for the origin do not count',
        path: '/proxy-auth/user/passwd',
        headers: right,
        expect: {
          status: 407,
          length: 0,
          headers: { 'proxy-authenticate': 'Basic realm="Fake Realm"', 'www-authenticate': null },
        },
      },
    ],
    handle: ({ request, params }) => {
      const given = basicCredentials(request.headers.first('proxy-authorization'));
      if (isSameLogin(given, loginOf(params))) return admitted(params.user);
      return reply.empty(407, ['Proxy-Authenticate', 'Basic realm="Fake Realm"']);
    },
  }),
];

function loginOf({ user, passwd }: { user: string; passwd: string }): UserAndPassword {
  return { user, password: passwd };
}

function composed({ user, password }: UserAndPassword): UserAndPassword {
  return { user: user.normalize('NFC'), password: password.normalize('NFC') };
}

function basicChallenge(suffix = ''): string[] {
  return ['WWW-Authenticate', `Basic realm="Fake Realm"${suffix}`];
}

function admitted(user: string): PlainAnswer {
  return sortedJson({ authenticated: true, user });
}

function goAnswer(isIn: boolean, given: UserAndPassword | undefined): PlainAnswer {
  const body = { authenticated: isIn, authorized: isIn, user: given?.user ?? '' };
  return sortedJson(body, isIn ? {} : { status: 401, headers: basicChallenge() });
}
