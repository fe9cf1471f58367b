import { Type } from 'typebox';
import { type PlainAnswer, reply } from '../../kernel/catalogue/answer.ts';
import { json, jsonBody, problem } from '../../kernel/catalogue/declarations.ts';
import { fault } from '../../kernel/faults.ts';
import {
  basicCredentials,
  isSameLogin,
  textOfHeader,
  type UserAndPassword,
  userAndPassword,
} from '../auth/authorization.ts';
import { submittedPairs } from '../content/submitted-pairs.ts';
import { endpoint, type TestbedCall, type TestbedEndpoint } from '../endpoint.ts';
import { userSchema } from './user-crud.ts';

const group = 'Authentication (Custom)';
const description =
  'Credentials are `username` and `password`; the service lets in one user, `user` with `password` unless started otherwise. The answer is declared as a JSON string, as the specification has it: its body is a JSON text, `{"result":"SUCCESS","username":…,"roles":[…]}` or `{"result":"FAIL"}`.';

const responses = {
  200: json('SUCCESS, with the name and the roles.', Type.String({ contentMediaType: 'application/json' })),
  400: problem('A credential is missing.'),
  401: json('FAIL: the credentials are wrong.', Type.String({ contentMediaType: 'application/json' })),
};
const stringMap = Type.Object({}, { additionalProperties: Type.String() });

const SUCCESS =
  '{\n  "result": "SUCCESS",\n  "username": "user",\n  "roles": [\n    "account",\n    "finance",\n    "hr"\n  ]\n}\n';
const FAIL = '{\n  "result": "FAIL"\n}\n';
const boundary = ['Content-Type', 'multipart/form-data; boundary=XX'];
const urlencoded = ['Content-Type', 'application/x-www-form-urlencoded'];

export const authenticationCustom: readonly TestbedEndpoint[] = [
  endpoint({
    id: 'authenticate-with-header',
    group,
    methods: ['GET'],
    path: '/auth/authenticateWithHeader',
    summary: 'Credentials in the header fields `username` and `password`.',
    description,
    headers: Type.Object({ username: Type.String(), password: Type.String() }),
    responses,
    examples: [
      {
        name: 'right',
        headers: ['Username', 'user', 'Password', 'password'],
        expect: { status: 200, text: SUCCESS },
      },
      { name: 'wrong', headers: ['username', 'user', 'password', 'x'], expect: { status: 401, text: FAIL } },
      {
        name: 'no password',
        headers: ['username', 'user'],
        expect: { status: 400, json: { name: 'password' } },
      },
    ],
    handle: (call) => {
      const header = (name: string) => {
        const value = call.request.headers.first(name);
        if (value === undefined) throw missing('header', name);
        return textOfHeader(value);
      };
      return judged(call, { user: header('username'), password: header('password') });
    },
  }),
  endpoint({
    id: 'authenticate-with-base64',
    group,
    methods: ['GET'],
    path: '/auth/authenticateWithBase64',
    summary:
      'Credentials as Base64 of `username:password`, in Authorization (Basic) or in the header field `credentials`.',
    description,
    headers: Type.Object({
      credentials: Type.Optional(Type.String()),
      authorization: Type.Optional(Type.String()),
    }),
    responses,
    examples: [
      {
        name: 'in Authorization',
        headers: ['Authorization', 'Basic dXNlcjpwYXNzd29yZA=='],
        expect: { status: 200, text: SUCCESS },
      },
      {
        name: 'in credentials',
        headers: ['credentials', 'dXNlcjpwYXNzd29yZA=='],
        expect: { status: 200, text: SUCCESS },
      },
      { name: 'wrong', headers: ['credentials', 'dXNlcjp4'], expect: { status: 401, text: FAIL } },
      {
        name: 'not Base64',
        headers: ['credentials', '***'],
        expect: { status: 400, json: { name: 'credentials' } },
      },
    ],
    handle: (call) => {
      const { headers } = call.request;
      const given = headers.has('credentials')
        ? userAndPassword(headers.first('credentials')!.trim())
        : basicCredentials(headers.first('authorization'));
      if (!given) throw missing('header', 'credentials');
      return judged(call, given);
    },
  }),
  endpoint({
    id: 'authenticate-with-query-param',
    group,
    methods: ['GET'],
    path: '/auth/authenticateWithQueryParam',
    summary: 'Credentials in the query.',
    description,
    query: Type.Object({ username: Type.String(), password: Type.String() }),
    responses,
    examples: [
      {
        name: 'right',
        path: '/auth/authenticateWithQueryParam?username=user&password=password',
        expect: { status: 200, text: SUCCESS },
      },
      {
        name: 'wrong',
        path: '/auth/authenticateWithQueryParam?username=user&password=',
        expect: { status: 401, text: FAIL },
      },
      {
        name: 'no user',
        path: '/auth/authenticateWithQueryParam?password=password',
        expect: { status: 400, json: { name: 'username' } },
      },
    ],
    handle: (call) => judged(call, { user: call.query.username, password: call.query.password }),
  }),
  endpoint({
    id: 'authenticate-with-path-param',
    group,
    methods: ['GET'],
    path: '/auth/authenticateWithPathParam/{username}/{password}',
    summary: 'Credentials in the path.',
    description,
    params: Type.Object({ username: Type.String(), password: Type.String() }),
    responses,
    examples: [
      {
        name: 'right, percent-encoded',
        path: '/auth/authenticateWithPathParam/us%65r/password',
        expect: { status: 200, text: SUCCESS },
      },
      { name: 'wrong', path: '/auth/authenticateWithPathParam/user/x', expect: { status: 401, text: FAIL } },
    ],
    handle: (call) => judged(call, { user: call.params.username, password: call.params.password }),
  }),
  endpoint({
    id: 'authenticate-with-body',
    group,
    spec: '1 §4.7',
    methods: ['POST'],
    path: '/auth/authenticateWithBody',
    summary: 'Credentials in a User as JSON.',
    description,
    body: jsonBody(userSchema),
    responses: { ...responses, 415: problem('The body is not JSON.') },
    examples: [
      {
        name: 'right',
        body: '{"username":"user","password":"password"}',
        expect: { status: 200, text: SUCCESS },
      },
      { name: 'wrong', body: '{"username":"user","password":"x"}', expect: { status: 401, text: FAIL } },
      {
        name: 'no password',
        body: '{"username":"user"}',
        expect: { status: 400, json: { pointer: '', rule: "must have the member 'password'" } },
      },
      { name: 'a number', body: '{"username":1}', expect: { status: 400, json: { pointer: '/username' } } },
    ],
    handle: (call) => {
      const { username: user = absent('username'), password = absent('password') } = call.body;
      return judged(call, { user, password });
    },
  }),
  endpoint({
    id: 'authenticate-with-form',
    group,
    spec: '1 §4.7',
    methods: ['POST'],
    path: '/auth/authenticateWithForm',
    summary: 'Credentials as a map: in the query, or in a multipart or urlencoded form.',
    description,
    query: Type.Object({ paramMap: stringMap }),
    responses: { ...responses, 413: problem('The form is too large.') },
    examples: [
      {
        name: 'in the query',
        path: '/auth/authenticateWithForm?username=user&password=password',
        expect: { status: 200, text: SUCCESS },
      },
      {
        name: 'in a multipart form',
        headers: boundary,
        body: '--XX\r\nContent-Disposition: form-data; name="username"\r\n\r\nuser\r\n--XX\r\nContent-Disposition: form-data; name="password"\r\n\r\npassword\r\n--XX--\r\n',
        expect: { status: 200, text: SUCCESS },
      },
      {
        name: 'one here, one there',
        path: '/auth/authenticateWithForm?username=user',
        headers: urlencoded,
        body: 'password=password',
        expect: { status: 200, text: SUCCESS },
      },
      {
        name: 'wrong',
        path: '/auth/authenticateWithForm?username=user&password=x',
        expect: { status: 401, text: FAIL },
      },
      { name: 'nothing anywhere', expect: { status: 400, json: { name: 'username' } } },
    ],
    handle: judgedForm,
  }),
  endpoint({
    id: 'authenticate-with-x-www-form',
    group,
    spec: '1 §4.7',
    methods: ['POST'],
    path: '/auth/authenticateWithXWwwForm',
    summary: 'Credentials in an urlencoded form.',
    description,
    body: { required: true, content: { 'application/x-www-form-urlencoded': stringMap } },
    responses: { ...responses, 413: problem('The form is too large.') },
    examples: [
      {
        name: 'right',
        headers: urlencoded,
        body: 'username=user&password=password',
        expect: { status: 200, text: SUCCESS },
      },
      {
        name: 'wrong',
        headers: urlencoded,
        body: 'username=user&password=x',
        expect: { status: 401, text: FAIL },
      },
      {
        name: 'no password',
        headers: urlencoded,
        body: 'username=user',
        expect: { status: 400, json: { name: 'password' } },
      },
    ],
    handle: judgedForm,
  }),
];

async function judgedForm(call: TestbedCall): Promise<PlainAnswer> {
  const pairs = await submittedPairs(call);
  const value = (name: string) => {
    const pair = pairs.find(([key]) => key === name);
    if (!pair) throw missing('query or form', name);
    return pair[1];
  };
  return judged(call, { user: value('username'), password: value('password') });
}

function judged({ services }: TestbedCall, given: UserAndPassword): PlainAnswer {
  const { authUser: user, authPassword: password } = services.settings;
  if (!isSameLogin(given, { user, password })) return reply.json({ result: 'FAIL' }, { status: 401 });
  return reply.json({ result: 'SUCCESS', username: user, roles: ['account', 'finance', 'hr'] });
}

function missing(place: string, name: string) {
  return fault('parameter.missing', { in: place, name });
}

function absent(member: string): never {
  throw fault('body.invalid', { pointer: '', rule: `must have the member '${member}'` });
}
