import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { maskedArguments, maskedVariables } from './secret-masking.ts';

describe('variables', () => {
  const secretNames = [
    'GATEHOUSE_ADMIN_PASSWORD',
    'GATEHOUSE_MASTER_KEY',
    'DB_PASSWD',
    'MYSQL_PWD',
    'client_secret',
    'NPM_TOKEN',
    'AWS_SECRET_ACCESS_KEY',
    'apiKey',
    'GOOGLE_APPLICATION_CREDENTIALS',
    'HTTP_AUTHORIZATION',
    'SSH_PASSPHRASE',
    'SENTRY_DSN',
    'SESSION_COOKIE',
  ];
  for (const name of secretNames) {
    test(`${name} is masked by its name`, () => {
      assert.deepEqual(maskedVariables({ [name]: 'anything' }), { [name]: '******' });
    });
  }

  const harmless: Array<[name: string, value: string]> = [
    ['PWD', '/srv'],
    ['OLDPWD', '/'],
    ['PATH', '/usr/bin:/bin'],
    ['LANG', 'C.UTF-8'],
    ['GATEHOUSE_DATABASE_URL', 'mongodb://host:27017/gatehouse?replicaSet=rs0'],
    ['NO_PROXY', 'localhost,127.0.0.1'],
    ['EMAIL', 'ada@example.org'],
  ];
  for (const [name, value] of harmless) {
    test(`${name} stays as it is`, () => {
      assert.deepEqual(maskedVariables({ [name]: value }), { [name]: value });
    });
  }

  const byForm: Array<[what: string, value: string, shown: string]> = [
    ['user and password of a URL', 'mongodb://ada:s3cret@host/db', 'mongodb://******@host/db'],
    ['a password alone', 'redis://:s3cret@host:6379', 'redis://******@host:6379'],
    ['a user alone, which may be a token', 'https://ghp_abc@github.com/x', 'https://******@github.com/x'],
    ['several hosts', 'a://u:p@h1,b://u:p@h2', 'a://******@h1,b://******@h2'],
    ['a member of a query', 'https://h/?a=1&access_token=abc&b=2', 'https://h/?a=1&access_token=******&b=2'],
    [
      'a connection string',
      'Server=h;User=ada;Password=s3 cret;Db=x',
      'Server=h;User=ada;Password=******;Db=x',
    ],
    ['a flag', '--max-old-space-size=4096 --api-key=abc', '--max-old-space-size=4096 --api-key=******'],
    ['a bearer token', 'Bearer abcdef123456', 'Bearer ******'],
    ['basic credentials', 'basic YWRhOnNlY3JldA==', 'basic ******'],
    ['a JSON web token', 'x eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc y', 'x ****** y'],
    ['a private key', '-----BEGIN EC PRIVATE KEY-----\nMHc\n-----END EC PRIVATE KEY-----', '******'],
  ];
  for (const [what, value, shown] of byForm) {
    test(`${what} is masked by its form`, () => {
      assert.deepEqual(maskedVariables({ SOMETHING: value }), { SOMETHING: shown });
    });
  }

  test('the value of one secret is masked wherever it is repeated', () => {
    assert.deepEqual(maskedVariables({ A_TOKEN: 'tok-123456', WHERE: 'x/tok-123456/y' }), {
      A_TOKEN: '******',
      WHERE: 'x/******/y',
    });
  });

  test('a secret within another leaves nothing behind', () => {
    const shown = maskedVariables({ A_KEY: 'abcdef', B_KEY: 'abcdefghij', C: 'abcdefghij' });
    assert.equal(shown.C, '******');
  });

  test('what is told to be secret is masked too', () => {
    assert.deepEqual(maskedVariables({ A: 'id 0123456789' }, ['0123456789']), { A: 'id ******' });
  });

  test('short values of secrets are not looked for elsewhere', () => {
    assert.equal(maskedVariables({ A_KEY: '1', B: '10.0.0.1' }).B, '10.0.0.1');
  });

  test('a long text takes no time', () => {
    const begunAtMs = performance.now();
    maskedVariables({ A: 'aB3+'.repeat(50_000), B: 'key'.repeat(50_000), C: 'a.'.repeat(50_000) });
    assert.ok(performance.now() - begunAtMs < 1000);
  });

  test('an empty secret is shown to be empty', () => {
    assert.deepEqual(maskedVariables({ A_TOKEN: '' }), { A_TOKEN: '' });
  });
});

describe('arguments', () => {
  const cases: Array<[given: string[], shown: string[]]> = [
    [
      ['worker', '--port', '8091'],
      ['worker', '--port', '8091'],
    ],
    [
      ['--token', 'abc'],
      ['--token', '******'],
    ],
    [['--token=abc'], ['--token=******']],
    [
      ['--token', '--port', '1'],
      ['--token', '--port', '1'],
    ],
    [
      ['--database-url', 'mongodb://a:b@h'],
      ['--database-url', 'mongodb://******@h'],
    ],
    [
      ['-H', 'Authorization: Bearer abcdefgh'],
      ['-H', 'Authorization: Bearer ******'],
    ],
  ];
  for (const [given, shown] of cases) {
    test(`${given.join(' ')}`, () => assert.deepEqual(maskedArguments(given), shown));
  }
});
