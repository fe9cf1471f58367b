import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ManualClock } from '../../../kernel/testing/manual-clock.ts';
import {
  ADMIN_PASSWORD,
  type ManagerAnswer,
  type StartedManager,
  startManager,
} from '../../testing/start-manager.ts';

const FORM = 'application/x-www-form-urlencoded';
const clock = new ManualClock();
let manager: StartedManager;

before(async () => {
  manager = await startManager({ clock });
});
after(() => manager.close());

const post = (body: string, headers: Record<string, string> = {}, path = '/apiops/auth/token') =>
  manager.request('POST', path, { token: null, body, headers: { 'content-type': FORM, ...headers } });

const form = (fields: Record<string, string>) => new URLSearchParams(fields).toString();

const signIn = (client_id: string, client_secret: string) =>
  post(form({ grant_type: 'client_credentials', client_id, client_secret }));

const newUser = (name: string, password = 'long enough') =>
  manager.services.users.create({ name, password, fullName: '', email: '', enabled: true, roles: [] });

const setSecurity = async (values: object) => {
  const { settings } = manager.services;
  await settings.put('security', { ...(await settings.read('security')).values, ...values });
};

async function reasonsOf(userName: string): Promise<string[]> {
  const { rows } = await manager.services.journals.list('login', { userName }, { offset: 0, limit: 100 });
  return rows.map(({ value }) => (value as unknown as { reason: string }).reason);
}

describe('a right request', () => {
  for (const path of ['/apiops/auth/token', '/apiops/auth/token/']) {
    test(`gets a token at ${path}, and the token works`, async () => {
      const body = form({
        grant_type: 'client_credentials',
        client_id: 'admin',
        client_secret: ADMIN_PASSWORD,
      });
      const { status, json, headers } = await post(body, { accept: 'application/json' }, path);
      assert.equal(status, 200);
      assert.deepEqual(Object.keys(json), ['access_token', 'token_type', 'expires_in']);
      assert.match(json.access_token, /^gh_pat_[A-Za-z0-9_-]{43}$/);
      assert.deepEqual([json.token_type, json.expires_in], ['Bearer', 3600]);
      assert.equal(headers.get('cache-control'), 'no-store');
      assert.equal(headers.get('set-cookie'), null);
      const { text } = await manager.request('GET', '/apiops/test/hello/World/', {
        token: json.access_token,
      });
      assert.equal(text, 'Hello World');
    });
  }

  test('may name a charset, any order of fields, and fields that mean nothing here', async () => {
    const body = `client_secret=${encodeURIComponent(ADMIN_PASSWORD)}&scope=all&client_id=admin&grant_type=client_credentials`;
    assert.equal((await post(body, { 'content-type': `${FORM}; charset=UTF-8` })).status, 200);
  });

  test('may hold letters of every alphabet and every sign', async () => {
    await newUser('Şükrü 李', 'ğ&=+% \u{1F511} şifre');
    assert.equal((await signIn('Şükrü 李', 'ğ&=+% \u{1F511} şifre')).status, 200);
  });

  test('leaves expires_in out for a token that never expires', async () => {
    await setSecurity({ tokenLifetimeSeconds: 0 });
    const { status, json } = await signIn('admin', ADMIN_PASSWORD);
    assert.deepEqual([status, Object.keys(json)], [200, ['access_token', 'token_type']]);
    await setSecurity({ tokenLifetimeSeconds: 60 });
    assert.equal((await signIn('admin', ADMIN_PASSWORD)).json.expires_in, 60);
    await setSecurity({ tokenLifetimeSeconds: 3600 });
  });

  test('gets a token beside those the account has', async () => {
    const one = (await signIn('admin', ADMIN_PASSWORD)).json.access_token;
    const other = (await signIn('admin', ADMIN_PASSWORD)).json.access_token;
    assert.notEqual(one, other);
    for (const token of [one, other])
      assert.equal((await manager.request('GET', '/apiops/test/healthcheck/', { token })).status, 200);
  });

  test('is judged by the form alone: HTTP Basic, the query and cookies are ignored', async () => {
    const basic = `Basic ${btoa(`admin:${ADMIN_PASSWORD}`)}`;
    const right = form({ client_id: 'admin', client_secret: ADMIN_PASSWORD });
    const withBasic = await post('grant_type=client_credentials', { authorization: basic });
    assert.deepEqual([withBasic.status, withBasic.json.error], [400, 'invalid_request']);
    const inQuery = await post('grant_type=client_credentials', {}, `/apiops/auth/token?${right}`);
    assert.deepEqual([inQuery.status, inQuery.json.error], [400, 'invalid_request']);
    const body = form({ grant_type: 'client_credentials', client_id: 'nobody', client_secret: 'x' });
    assert.equal((await post(body, { authorization: basic, cookie: 'session=1' })).status, 401);
  });
});

describe('a wrong request', () => {
  const credentials = 'client_id=admin&client_secret=x';
  const right = `grant_type=client_credentials&${credentials}`;
  const cases: [string, string, string, RegExp, Record<string, string>?][] = [
    [
      'another grant type',
      `grant_type=password&${credentials}`,
      'unsupported_grant_type',
      /^GrantType value must be client_credentials!$/,
    ],
    [
      'a grant type in other letters',
      `grant_type=Client_Credentials&${credentials}`,
      'unsupported_grant_type',
      /^GrantType/,
    ],
    ['no grant type', credentials, 'unsupported_grant_type', /^GrantType/],
    ['an empty grant type', `grant_type=&${credentials}`, 'unsupported_grant_type', /^GrantType/],
    [
      'a repeated grant type',
      `${right}&grant_type=client_credentials`,
      'invalid_request',
      /grant_type .*repeated/,
    ],
    [
      'no client_id',
      'grant_type=client_credentials&client_secret=x',
      'invalid_request',
      /client_id is required/,
    ],
    [
      'an empty client_id',
      'grant_type=client_credentials&client_id=&client_secret=x',
      'invalid_request',
      /client_id is required/,
    ],
    [
      'no client_secret',
      'grant_type=client_credentials&client_id=admin',
      'invalid_request',
      /client_secret is required/,
    ],
    ['a repeated client_id', `${right}&client_id=admin`, 'invalid_request', /client_id .*repeated/],
    ['a repeated client_secret', `${right}&client_secret=y`, 'invalid_request', /client_secret .*repeated/],
    [
      'JSON',
      '{"grant_type":"client_credentials"}',
      'invalid_request',
      /not JSON/,
      { 'content-type': 'application/json' },
    ],
    ['JSON that calls itself a form', '{"grant_type":"client_credentials"}', 'invalid_request', /not a form/],
    [
      'a multipart form',
      right,
      'invalid_request',
      /x-www-form-urlencoded/,
      { 'content-type': 'multipart/form-data; boundary=x' },
    ],
    ['plain text', right, 'invalid_request', /x-www-form-urlencoded/, { 'content-type': 'text/plain' }],
    ['an empty body', '', 'invalid_request', /not a form/],
    ['a broken escape', `${right}%2`, 'invalid_request', /not a form/],
    ['bytes that are no UTF-8', `${right}%ff`, 'invalid_request', /not a form/],
    ['a content coding', right, 'invalid_request', /Content-Encoding/, { 'content-encoding': 'gzip' }],
  ];
  for (const [name, body, error, description, headers] of cases) {
    test(`${name} is ${error}`, async () => {
      const { status, json, headers: answered } = await post(body, headers);
      assert.deepEqual([status, json.error, Object.keys(json)], [400, error, ['error', 'error_description']]);
      assert.match(json.error_description, description);
      assert.equal(answered.get('content-type'), 'application/json');
    });
  }

  test('no Content-Type at all is invalid_request', async () => {
    const response = await fetch(`http://127.0.0.1:${manager.port}/apiops/auth/token`, {
      method: 'POST',
      body: new Uint8Array(Buffer.from(right)),
    });
    assert.deepEqual(
      [response.status, ((await response.json()) as { error: string }).error],
      [400, 'invalid_request'],
    );
  });

  test('a body beyond the limit is refused in the same form', async () => {
    const { status, json } = await post(`${right}&more=${'x'.repeat(20_000)}`);
    assert.deepEqual([status, json.error], [413, 'invalid_request']);
  });

  test('what nobody foresaw is server_error, and its cause stands in the log alone', async () => {
    await using broken = await startManager();
    const { tokens } = broken.services;
    tokens.issueAtSignIn = () => Promise.reject(new Error('the disk sings'));
    const { status, json } = await broken.request('POST', '/apiops/auth/token', {
      token: null,
      headers: { 'content-type': FORM },
      body: form({ grant_type: 'client_credentials', client_id: 'admin', client_secret: ADMIN_PASSWORD }),
    });
    assert.equal(status, 500);
    assert.deepEqual(json, { error: 'server_error', error_description: 'An unexpected error occurred' });
    assert.equal(broken.errors.length, 1);
  });
});

describe('who may not in', () => {
  test('unknown user, wrong password, locked and disabled get the same status, headers and bytes', async () => {
    const { users } = manager.services;
    for (const name of ['right-but-wrong', 'right-but-locked', 'right-but-disabled']) await newUser(name);
    await users.lock('right-but-locked');
    await users.setEnabled('right-but-disabled', false);
    const attempts: Record<string, [string, string]> = {
      'unknown user': ['right-but-unknown', 'long enough'],
      'wrong password': ['right-but-wrong', 'not this one'],
      locked: ['right-but-locked', 'long enough'],
      disabled: ['right-but-disabled', 'long enough'],
    };
    const answers: ManagerAnswer[] = [];
    for (const [reason, [name, password]] of Object.entries(attempts)) {
      answers.push(await signIn(name, password));
      assert.deepEqual(await reasonsOf(name), [reason]);
    }
    const [first, ...others] = answers;
    assert.equal(first!.status, 401);
    assert.deepEqual(first!.json, {
      error: 'unauthorized_client',
      error_description: 'Bad credentials',
      status: 'FAILURE',
      resultMessage: 'Bad credentials',
    });
    for (const other of others) {
      assert.deepEqual([other.status, other.text], [first!.status, first!.text]);
      assert.deepEqual(fields(other.headers), fields(first!.headers));
    }
  });

  test('names are told apart by case', async () => {
    assert.equal((await signIn('ADMIN', ADMIN_PASSWORD)).status, 401);
  });

  test('five failures in a row lock, for fifteen minutes; a success in between starts over', async () => {
    await newUser('failing');
    const fail = async (times: number) => {
      for (let time = 0; time < times; time++) assert.equal((await signIn('failing', 'wrong')).status, 401);
    };
    await fail(4);
    assert.equal((await signIn('failing', 'long enough')).status, 200);
    await fail(5);
    assert.equal((await signIn('failing', 'long enough')).status, 401);
    assert.ok((await reasonsOf('failing')).includes('locked'));
    clock.advance(15 * 60 * 1000 - 1);
    assert.equal((await signIn('failing', 'long enough')).status, 401);
    clock.advance(1);
    await fail(4);
    assert.equal((await signIn('failing', 'long enough')).status, 200);
  });

  test('attempts while locked make the lock no longer', async () => {
    await newUser('patient');
    for (let time = 0; time < 5; time++) await signIn('patient', 'wrong');
    clock.advance(10 * 60 * 1000);
    await signIn('patient', 'wrong');
    clock.advance(5 * 60 * 1000);
    assert.equal((await signIn('patient', 'long enough')).status, 200);
  });

  test('a lock without end lasts until somebody unlocks, but for administrators a quarter of an hour', async () => {
    await setSecurity({ lockAfterFailedSignIns: 1, lockSeconds: 0 });
    await newUser('lasting');
    await signIn('lasting', 'wrong');
    await signIn('admin', 'wrong');
    const year = 366 * 24 * 60 * 60 * 1000;
    assert.equal((await signIn('admin', ADMIN_PASSWORD)).status, 401);
    clock.advance(year);
    assert.equal((await signIn('lasting', 'long enough')).status, 401);
    assert.equal((await signIn('admin', ADMIN_PASSWORD)).status, 200);
    await manager.services.users.unlock('lasting');
    assert.equal((await signIn('lasting', 'long enough')).status, 200);
    await setSecurity({ lockAfterFailedSignIns: 5, lockSeconds: 900 });
  });

  test('guesses sent all at once get no further than guesses one by one', async () => {
    await newUser('burst');
    const guesses = Array.from({ length: 20 }, () => signIn('burst', 'wrong'));
    const last = signIn('burst', 'long enough');
    for (const { status } of await Promise.all(guesses)) assert.equal(status, 401);
    assert.equal((await last).status, 401);
    const wrong = (await reasonsOf('burst')).filter((reason) => reason === 'wrong password');
    assert.ok(wrong.length < 5 + 3, `${wrong.length} guesses were judged`);
  });

  test('right sign-ins at the same time all succeed', async () => {
    await newUser('parallel');
    const answers = await Promise.all(Array.from({ length: 8 }, () => signIn('parallel', 'long enough')));
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  });
});

function fields(headers: Headers): [string, string][] {
  return [...headers].filter(([name]) => name !== 'date');
}
