import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { HeaderList } from '../../http1/header-list.ts';
import { cookiePairs, cookieText, expiredCookieField, setCookieField } from './cookies.ts';

describe('a Set-Cookie field', () => {
  const cases: Array<[value: string, field: string]> = [
    ['plain', 'k=plain; Path=/'],
    ['', 'k=; Path=/'],
    ['a=b&c', 'k=a=b&c; Path=/'],
    ['a b', 'k="a b"; Path=/'],
    ['a,b;c', 'k="a\\054b\\073c"; Path=/'],
    ['say "x\\y"', 'k="say \\"x\\\\y\\""; Path=/'],
    ['ş', 'k="\\305\\237"; Path=/'],
    ['a\r\nb', 'k="a\\015\\012b"; Path=/'],
  ];
  for (const [value, field] of cases) {
    test(`with the value ${JSON.stringify(value)}, which reading gives back`, () => {
      assert.equal(setCookieField({ name: 'k', value }), field);
      const [pair] = cookiePairs(new HeaderList(['Cookie', field.split('; Path')[0]!]));
      assert.equal(cookieText(pair![1]), value);
    });
  }

  test('has every attribute in one order', () => {
    const expires = '2030-01-01T00:00:00Z';
    assert.equal(
      setCookieField({
        name: 'k',
        value: 'v',
        path: '/p',
        domain: 'd',
        maxAge: 0,
        expires,
        secure: true,
        sameSite: 'Lax',
      }),
      'k=v; Domain=d; Expires=Tue, 01 Jan 2030 00:00:00 GMT; Max-Age=0; Secure; Path=/p; SameSite=Lax',
    );
  });

  test('that deletes', () => {
    assert.equal(expiredCookieField('k'), 'k=; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=0; Path=/');
  });

  for (const cookie of [
    { name: 'a b', value: '' },
    { name: '', value: '' },
    { name: 'k', value: '', path: '/;x' },
    { name: 'k', value: '', domain: 'a\r\nb' },
    { name: 'k', value: '', expires: 'soon' },
  ]) {
    test(`is refused for ${JSON.stringify(cookie)}`, () => {
      assert.throws(() => setCookieField(cookie), { key: 'cookie.invalid' });
    });
  }
});

test('pairs keep order, duplicates and bare names', () => {
  const headers = new HeaderList(['Cookie', ' a=1;b ; =x', 'cookie', 'a = 2']);
  assert.deepEqual(cookiePairs(headers), [
    ['a', '1'],
    ['b', ''],
    ['', 'x'],
    ['a', '2'],
  ]);
});
