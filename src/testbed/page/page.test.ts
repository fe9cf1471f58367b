import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Type } from 'typebox';
import { reply } from '../../kernel/catalogue/answer.ts';
import { int32, json, noBody } from '../../kernel/catalogue/declarations.ts';
import { promisesOf } from '../../kernel/page/expectation-text.ts';
import { html, Markup, prose } from '../../kernel/page/html.ts';
import { rulesOf, typeText } from '../../kernel/page/schema-text.ts';
import { testbedCatalogue } from '../catalogue.ts';
import { endpoint, type TestbedEndpoint } from '../endpoint.ts';
import { testbedGroups } from '../groups.ts';
import { defaultSettings, type TestbedSettings } from '../settings.ts';
import { createPage } from './page.ts';

const sample = endpoint({
  id: 'sample',
  group: 'B',
  methods: ['PUT', 'ANY'],
  path: '/sample/{n}',
  summary: 'Shows `<b>` & more.',
  params: Type.Object({ n: int32({ minimum: 1, maximum: 9, description: 'How many.' }) }),
  query: Type.Object({ mode: Type.Optional(Type.Enum(['fast', 'slow'], { default: 'fast' })) }),
  responses: { 200: json('All.'), 401: noBody('Who?') },
  examples: [
    { name: 'one', path: '/sample/1?q="', expect: { status: 200, json: { ok: /^y\// } } },
    { name: 'for tests only', path: '/sample/77', shown: false, expect: { status: 200 } },
  ],
  handle: () => reply.empty(),
});

function pageOf(catalogue: readonly TestbedEndpoint[], settings: Partial<TestbedSettings> = {}) {
  const groups = [
    { name: 'B', description: 'second' },
    { name: 'A & Co', description: 'first' },
    { name: 'C', description: 'has nothing' },
  ];
  return createPage({ groups, catalogue, settings: { ...defaultSettings, ...settings } });
}

describe('the page', () => {
  const markup = pageOf([sample, { ...sample, id: 'other', group: 'A & Co' }]).html('http://h');

  test('lists groups by name, without those that have no endpoint', () => {
    const headings = [...markup.matchAll(/<h2 id="(group-[^"]+)">([^<]+)</g)].map(([, id, name]) => [
      id,
      name,
    ]);
    assert.deepEqual(headings, [
      ['group-a-co', 'A &amp; Co'],
      ['group-b', 'B'],
    ]);
  });

  test('shows an endpoint and its curl lines without scripts, and nothing unescaped', () => {
    assert.ok(markup.includes('Shows <code>&lt;b&gt;</code> &amp; more.'));
    assert.ok(
      markup.includes('curl -i -X PUT --request-target &#39;/sample/1?q=&quot;&#39; &#39;http://h/&#39;'),
    );
    assert.ok(!markup.includes('/sample/77'), 'an example that is only a test');
  });

  test('has no code and no style of its own, and names no other origin', () => {
    assert.doesNotMatch(markup, /<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc="assets\/)/);
    assert.doesNotMatch(markup, /(?:src|href)="(?:https?:)?\/\//);
  });

  test('lists every endpoint of the test service', () => {
    const whole = createPage({
      groups: testbedGroups,
      catalogue: testbedCatalogue,
      settings: defaultSettings,
    });
    const listed = [...whole.html('http://h').matchAll(/<details class="endpoint" id="\/([^"]+)"/g)];
    assert.deepEqual(listed.map(([, id]) => id).sort(), testbedCatalogue.map(({ id }) => id).sort());
  });

  test('tells the settings in force', () => {
    const { limits } = defaultSettings;
    const settings = {
      dialect: 'go' as const,
      isPublic: true,
      hasOverlay: false,
      limits: { ...limits, maxBodyBytes: 1536, maxDelayMs: 1500 },
    };
    const told = pageOf([sample], settings).html('http://h');
    assert.match(told, /The control overlay is switched off here/);
    assert.match(told, /<dt>Public mode<\/dt><dd>On:/);
    assert.match(told, /Answers follow go-httpbin/);
    assert.match(told, /<dt>Request body<\/dt><dd>1\.5 KiB<\/dd>/);
    assert.match(told, /<dt>Delay<\/dt><dd>1\.5 s<\/dd>/);
  });

  test('is made anew for another address', () => {
    const page = pageOf([sample]);
    for (let index = 0; index < 20; index++)
      assert.ok(page.html(`http://h${index}`).includes(`'http://h${index}/'`.replaceAll("'", '&#39;')));
  });
});

describe('an opened endpoint', () => {
  const markup = pageOf([sample]).endpointHtml('sample', 'http://h')!;

  test('shows parameters with place, type, default and rule', () => {
    assert.match(
      markup,
      /<code>n<\/code> <span class="required">required<\/span><\/td>\n<td>path<\/td><td>integer \(int32\)<\/td>/,
    );
    assert.match(markup, /1 to 9<p>How many\.<\/p>/);
    assert.match(
      markup,
      /<td>one of<\/td><td><code>fast<\/code><\/td>\n<td><code>fast<\/code>, <code>slow<\/code>/,
    );
  });

  test('shows what an example promises', () => {
    assert.match(markup, /<dt>JSON holds<\/dt><dd>\{ &quot;ok&quot;: \/\^y\\\/\/ \}<\/dd>/);
  });

  test('has a form with a field for each parameter, and takes any method where the endpoint does', () => {
    for (const name of ['method', 'target', 'path:n', 'query:mode', 'headers', 'body']) {
      assert.ok(markup.includes(`name="${name}"`), name);
    }
    assert.match(markup, /<input name="method" spellcheck="false" value="PUT">/);
  });

  test('sends no cookies where the browser would ask for a password', () => {
    assert.match(markup, /name="hasCredentials">/);
    const { 401: _, ...responses } = sample.responses;
    const open = pageOf([{ ...sample, responses }]).endpointHtml('sample', 'http://h')!;
    assert.match(open, /name="hasCredentials" checked>/);
  });

  test('is nothing for an id that does not exist', () => {
    assert.equal(pageOf([sample]).endpointHtml('nonesuch', 'http://h'), undefined);
  });
});

describe('in words', () => {
  const schemas: ReadonlyArray<[schema: object, type: string, rules: string[]]> = [
    [int32(), 'integer (int32)', []],
    [Type.Integer({ minimum: 0, maximum: 10 }), 'integer', ['0 to 10']],
    [Type.Number({ exclusiveMinimum: 0, multipleOf: 2 }), 'number', ['more than 0', 'a multiple of 2']],
    [
      Type.String({ minLength: 3, maxLength: 3, pattern: '^a' }),
      'string',
      ['exactly 3 characters', 'matches ^a'],
    ],
    [Type.Array(Type.String(), { minItems: 1 }), 'list of string', ['at least 1 items']],
    [Type.Union([Type.Literal('a'), Type.Literal('b')]), 'one of', []],
    [Type.Union([Type.Integer(), Type.String()]), 'integer or string', []],
    [Type.Unknown(), 'any', []],
  ];
  for (const [schema, type, rules] of schemas) {
    test(`${JSON.stringify(schema)} is ${type}`, () => {
      assert.equal(typeText(schema), type);
      assert.deepEqual(rulesOf(schema), rules);
    });
  }

  test('an expectation names all it looks at', () => {
    const promises = promisesOf({
      status: 200,
      headers: { etag: '"1"', server: null, date: /GMT$/ },
      text: '',
      length: 0,
      ends: 'reset',
      notBeforeMs: 20,
    });
    assert.deepEqual(
      promises.map(({ subject, text }) => `${subject}: ${text}`),
      [
        'etag: "1"',
        'server: absent',
        'date: matches /GMT$/',
        'body: empty',
        'length: 0 bytes',
        'connection: reset',
        'not before: 20 ms',
      ],
    );
  });
});

describe('markup', () => {
  test('escapes values, keeps markup, joins lists and leaves nothing out but nothing', () => {
    const made = html`<p title="${`"'`}">${['a<', html`<i>${0}</i>`, undefined, false]}&amp;</p>`;
    assert.equal(made.text, '<p title="&quot;&#39;">a&lt;<i>0</i>&amp;</p>');
    assert.ok(made instanceof Markup);
  });

  test('prose has code between backticks', () => {
    assert.equal(html`${prose('use `<x>`.')}`.text, 'use <code>&lt;x&gt;</code>.');
  });
});
