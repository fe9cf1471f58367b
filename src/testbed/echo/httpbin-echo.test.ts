import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { RequestView } from '../../kernel/catalogue/request-view.ts';
import { Fault } from '../../kernel/faults.ts';
import { FakeExchange, type FakeRequest } from '../../kernel/testing/fake-exchange.ts';
import type { TestbedCall } from '../endpoint.ts';
import type { TestbedServices } from '../services.ts';
import { defaultSettings, type TestbedSettings } from '../settings.ts';
import {
  answerBody,
  answerGet,
  dialectOf,
  echoBody,
  echoGet,
  echoHeaders,
  echoWith,
  urlOf,
} from './httpbin-echo.ts';
import { parseJsonExactly, sortedJsonText } from './sorted-json.ts';
import { titleCase } from './title-case.ts';

function callOf(request: FakeRequest, settings: Partial<TestbedSettings> = {}): TestbedCall {
  const exchange = new FakeExchange(request);
  const services = { settings: { ...defaultSettings, ...settings } } as TestbedServices;
  return {
    request: new RequestView(exchange),
    exchange,
    services,
    params: {},
    query: {},
    body: undefined,
    caller: undefined,
  };
}

describe('args', () => {
  const cases: Array<[query: string, args: object]> = [
    ['', {}],
    ['a=1', { a: '1' }],
    ['a=1&a=2&a=3', { a: ['1', '2', '3'] }],
    ['a', { a: '' }],
    ['=x', { '': 'x' }],
    ['a=%C5%9F+x', { a: 'ş x' }],
    ['constructor=1&toString=2', { constructor: '1', toString: '2' }],
  ];
  for (const [query, args] of cases) {
    test(`?${query} is ${JSON.stringify(args)}`, () => {
      assert.deepEqual(echoGet(callOf({ target: `/get?${query}` })).args, args);
    });
  }

  test('a parameter called __proto__ is a parameter like any other', () => {
    const { body } = answerGet(callOf({ target: '/get?__proto__=x&__proto__=y' }));
    assert.match(body as string, /"__proto__": \[\n {6}"x",\n {6}"y"\n {4}\]/);
  });

  test('are sorted also when there are many', () => {
    const names = Array.from({ length: 60 }, (_, index) => `p${String((index * 37) % 60).padStart(2, '0')}`);
    const { args } = echoGet(
      callOf({ target: `/get?${names.map((name) => `${name}=${name}`).join('&')}&p00=again` }),
    );
    assert.deepEqual(Object.keys(args as object), names.toSorted());
    assert.deepEqual((args as Record<string, unknown>).p00, ['p00', 'again']);
    assert.equal((args as Record<string, unknown>).p59, 'p59');
  });
});

describe('headers', () => {
  test('names are in Title-Case by the rule that a letter after a non-letter is a capital', () => {
    const cases = {
      'content-TYPE': 'Content-Type',
      'x-b3-traceid': 'X-B3-Traceid',
      sha256sum: 'Sha256Sum',
      a_b: 'A_B',
    };
    for (const [sent, shown] of Object.entries(cases)) assert.equal(titleCase(sent), shown);
  });

  test('names beyond what the cache holds are still right', () => {
    for (let index = 0; index < 2000; index++) assert.equal(titleCase(`x-name-${index}`), `X-Name-${index}`);
  });

  test('duplicates are joined by a comma, cookies by a semicolon', () => {
    const headers = ['A', '1', 'cookie', 'x=1', 'a', '2', 'Cookie', 'y=2', 'A', '3'];
    assert.deepEqual(echoHeaders(callOf({ headers })), { A: '1,2,3', Cookie: 'x=1; y=2' });
  });

  test('what proxies add is hidden unless show_env is asked for', () => {
    const headers = ['Via', 'p', 'X-REAL-IP', '1', 'X-Forwarded-Host', 'kept', 'X-Request-Id', '7'];
    assert.deepEqual(echoHeaders(callOf({ headers })), { 'X-Forwarded-Host': 'kept' });
    assert.equal(Object.keys(echoHeaders(callOf({ headers, target: '/?show_env' }))).length, 4);
    assert.equal(Object.keys(echoHeaders(callOf({ headers, target: '/?dialect=go' }))).length, 4);
  });

  test('bytes beyond ASCII are Latin-1 in httpbin and UTF-8 in Go', () => {
    const headers = ['X', '\xc5\x9f'];
    assert.deepEqual(echoHeaders(callOf({ headers })), { X: '\xc5\x9f' });
    assert.deepEqual(echoHeaders(callOf({ headers, target: '/?dialect=go' })), { X: ['ş'] });
  });
});

describe('url', () => {
  const cases: Array<[why: string, request: FakeRequest, url: string]> = [
    ['as asked for', { target: '/get?a=1&a=%7E', headers: ['Host', 'h:81'] }, 'http://h:81/get?a=1&a=%7E'],
    ['the usual port is left out', { target: '/', headers: ['Host', 'h:80'] }, 'http://h/'],
    ['an empty query is left out', { target: '/get?', headers: ['Host', 'h'] }, 'http://h/get'],
    [
      'an absolute target wins over Host',
      { target: 'http://a.b/c?d', headers: ['Host', 'h'] },
      'http://a.b/c?d',
    ],
    ['X-Forwarded-Proto', { headers: ['Host', 'h', 'X-Forwarded-Proto', 'https'] }, 'https://h/'],
    ['X-Forwarded-Protocol', { headers: ['Host', 'h', 'X-Forwarded-Protocol', 'https'] }, 'https://h/'],
    ['X-Forwarded-Ssl', { headers: ['Host', 'h', 'X-Forwarded-Ssl', 'on'] }, 'https://h/'],
    ['raw bytes are escaped', { target: '/\xfe?\xfe', headers: ['Host', 'h'] }, 'http://h/%FE?%FE'],
  ];
  for (const [why, request, url] of cases) test(why, () => assert.equal(urlOf(callOf(request)), url));
});

describe('the dialect', () => {
  test('comes from header, query or setting, in this order', () => {
    const go = { dialect: 'go' } as const;
    assert.equal(dialectOf(callOf({})), 'httpbin');
    assert.equal(dialectOf(callOf({}, go)), 'go');
    assert.equal(dialectOf(callOf({ target: '/?dialect=httpbin' }, go)), 'httpbin');
    assert.equal(
      dialectOf(callOf({ target: '/?dialect=go', headers: ['x-test-dialect', 'httpbin'] })),
      'httpbin',
    );
    assert.equal(dialectOf(callOf({ target: '/?dialect=klingon' })), 'httpbin');
  });

  test('go: the client is who the first of the trusted fields names', () => {
    const forwarded = ['X-Forwarded-For', '203.0.113.1, 10.0.0.1'];
    const originIn = (headers: string[]) => echoGet(callOf({ headers, target: '/?dialect=go' })).origin;
    assert.equal(originIn(forwarded), '203.0.113.1');
    assert.equal(originIn([...forwarded, 'True-Client-IP', '203.0.113.2']), '203.0.113.2');
    assert.equal(originIn([]), '192.0.2.1');
  });

  test('go: a form stays in data too', async () => {
    const headers = ['Content-Type', 'application/x-www-form-urlencoded', 'X-Test-Dialect', 'go'];
    const { data, form, method } = await echoBody(callOf({ method: 'POST', headers, body: 'a=1' }));
    assert.deepEqual({ data, form, method }, { data: 'a=1', form: { a: ['1'] }, method: 'POST' });
  });

  test('go: what is no text is a data URL in the URL-safe alphabet', async () => {
    const headers = ['Content-Type', 'application/x-thing', 'X-Test-Dialect', 'go'];
    const { data } = await echoBody(
      callOf({ method: 'POST', headers, body: Buffer.from([0xff, 0xfe, 0xfb]) }),
    );
    assert.equal(data, 'data:application/x-thing;base64,__77');
  });

  test('go: a body over 1 MiB is refused', async () => {
    const call = callOf({
      method: 'POST',
      headers: ['X-Test-Dialect', 'go'],
      body: Buffer.alloc(1024 * 1024 + 1),
    });
    await assert.rejects(echoBody(call), { status: 413 });
  });
});

describe('bodies', () => {
  const bodyOf = (body: string | Buffer, contentType?: string) =>
    echoBody(callOf({ method: 'POST', body, headers: contentType ? ['Content-Type', contentType] : [] }));

  const cases: Array<[why: string, body: string | Buffer, type: string | undefined, expected: object]> = [
    ['JSON of any type', ' [1]', 'text/plain', { data: ' [1]', json: [1] }],
    ['a JSON scalar', '"x"', undefined, { data: '"x"', json: 'x' }],
    ['broken JSON', '{"a"', 'application/json', { data: '{"a"', json: null }],
    ['JSON behind a byte order mark', '\ufeff{}', undefined, { data: '\ufeff{}', json: null }],
    [
      'no UTF-8',
      Buffer.from([0xff]),
      'text/plain',
      { data: 'data:application/octet-stream;base64,/w==', json: null },
    ],
    [
      'a form',
      'a=1&a=2',
      'Application/X-WWW-Form-Urlencoded',
      { data: '', form: { a: ['1', '2'] }, json: null },
    ],
    [
      'a form that is cut off',
      '--B\r\nContent-Disposition: form-data; name="a"\r\n\r\n1',
      'multipart/form-data; boundary=B',
      { data: '--B\r\nContent-Disposition: form-data; name="a"\r\n\r\n1', form: {}, files: {}, json: null },
    ],
    ['a multipart form without a boundary', '{}', 'multipart/form-data', { data: '{}', form: {}, json: {} }],
    [
      'a type that only begins like a form',
      'a=1',
      'application/x-www-form-urlencodedx',
      { data: 'a=1', form: {} },
    ],
  ];
  for (const [why, body, type, expected] of cases) {
    test(why, async () => {
      const echo = await bodyOf(body, type);
      assert.deepEqual(Object.fromEntries(Object.keys(expected).map((key) => [key, echo[key]])), expected);
    });
  }

  test('the keys of the answer are sorted, also those inside json', async () => {
    const call = callOf({ method: 'POST', body: '[{"b":1,"a":{"d":1,"c":2}}]' });
    const { body } = await answerBody(call, { hasMethod: true });
    const keys = [...(body as string).matchAll(/^ {2}"(\w+)"/gm)].map(([, key]) => key);
    assert.deepEqual(keys, ['args', 'data', 'files', 'form', 'headers', 'json', 'method', 'origin', 'url']);
    assert.match(body as string, /"a": \{\s+"c": 2,\s+"d": 1\s+\},\s+"b": 1/);
  });

  test('numbers come back as they were written', () => {
    const text = '{"big":12345678901234567890,"exact":1.0,"small":-0,"tiny":1e-7}';
    const written = sortedJsonText(parseJsonExactly(text));
    assert.equal(written.replace(/\s/g, ''), text);
  });

  test('JSON nested too deep to be shown is refused', async () => {
    const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`;
    await assert.rejects(answerBody(callOf({ method: 'POST', body: deep })), (error: Fault) => {
      assert.ok(error instanceof Fault);
      return error.status === 400;
    });
  });

  test('indentation does not make a small body huge', () => {
    const wide = JSON.parse(`${'['.repeat(500)}${Array(50_000).fill(1).join(',')}${']'.repeat(500)}`);
    const text = sortedJsonText(wide);
    assert.ok(text.length < 200_000, `${text.length} characters`);
    assert.deepEqual(JSON.parse(text), wide);
  });
});

test('echoWith adds members of its own', () => {
  const echo = echoWith(callOf({ target: '/x', headers: ['Host', 'h'] }), { gzipped: true });
  assert.deepEqual(Object.keys(echo).sort(), ['args', 'gzipped', 'headers', 'origin', 'url']);
});

test('verbose tells what the plain answer hides, and is the only thing that does', async () => {
  const headers = ['x-B', '2', 'X-a', '1'];
  const { _meta } = await echoBody(
    callOf({ method: 'POST', target: '/post?verbose=1', headers, body: 'abc' }),
  );
  assert.deepEqual(_meta, {
    rawHeaders: [
      ['x-B', '2'],
      ['X-a', '1'],
    ],
    httpVersion: '1.1',
    tls: null,
    connection: { id: 'fake-1', requestNo: 1 },
    body: {
      length: 3,
      sha256: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
      framing: 'length',
    },
  });
  assert.equal('_meta' in (await echoBody(callOf({ method: 'POST', body: 'abc' }))), false);
});

describe('the text of /get that is written by hand', () => {
  const cases: Record<string, string[]> = {
    'nothing but Host': ['Host', 'a.example'],
    'names in any order and casing': ['x-b', '2', 'Accept', '*/*', 'X-A', '1', 'host', 'a'],
    'repeated fields': ['X-A', '1', 'x-a', '2', 'Cookie', 'a=1', 'Cookie', 'b=2'],
    'quotes, backslashes, tabs and controls': ['X-A', 'say "hi" \\ \t\x7f'],
    'bytes beyond ASCII': ['X-A', 'caf\xe9 \xff'],
    'hidden and forwarded fields': [
      'X-Forwarded-For',
      '1.2.3.4, "x"',
      'X-Forwarded-Proto',
      'https',
      'Via',
      'p',
    ],
    'odd names': ['__proto__', '1', "x-it's~ok", '2', 'constructor', '3'],
  };
  for (const [name, headers] of Object.entries(cases)) {
    test(`is what the object's text would be: ${name}`, () => {
      const call = callOf({ target: '/get', headers });
      assert.equal(answerGet(call).body, sortedJsonText(echoGet(call)));
    });
  }
});
