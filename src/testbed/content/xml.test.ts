import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../../kernel/faults.ts';
import { leastMs } from '../../kernel/testing/least-time.ts';
import { childElements, parseXml, textContent, writeXml, xmlElement, xmlEscape } from './xml.ts';

const hasKey = (key: string) => (error: unknown) => error instanceof Fault && error.key === key;
const limits = { maxBytes: 2000, maxDepth: 5, maxNodes: 20 };

test('elements, attributes, text, CDATA and the five entities are read', () => {
  const root = parseXml(
    Buffer.from(
      '\ufeff<?xml version="1.0"?><!-- c --><a:r xmlns:a="urn:x" k="&lt;1"><b>x &amp; <![CDATA[<y>]]></b>&#x15f;</a:r>',
    ),
  );
  assert.equal(root.name, 'a:r');
  assert.equal(root.localName, 'r');
  assert.equal(root.namespace, 'urn:x');
  assert.deepEqual(root.attributes, { 'xmlns:a': 'urn:x', k: '<1' });
  assert.equal(textContent(root), 'x & <y>ş');
  assert.deepEqual(childElements(root).map(textContent), ['x & <y>']);
});

test('UTF-16 with a byte order mark is read', () => {
  const bytes = Buffer.from('\ufeff<r>ş</r>', 'utf16le');
  assert.equal(textContent(parseXml(bytes)), 'ş');
  assert.equal(textContent(parseXml(bytes.swap16())), 'ş');
});

test('what could harm is refused', async (t) => {
  const laughs = `<!DOCTYPE l [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><l>&b;</l>`;
  const cases: Array<[name: string, document: string | Buffer, key: string]> = [
    [
      'an external entity',
      '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><r>&x;</r>',
      'xml.doctype-forbidden',
    ],
    ['entity expansion', laughs, 'xml.doctype-forbidden'],
    ['an unknown entity', '<r>&nbsp;</r>', 'xml.malformed'],
    ['too deep', '<a>'.repeat(6), 'xml.too-deep'],
    ['too many elements', `<r>${'<a/>'.repeat(20)}</r>`, 'xml.too-many-nodes'],
    [
      'too many attributes',
      `<r ${Array.from({ length: 20 }, (_, index) => `a${index}=""`).join(' ')}/>`,
      'xml.too-many-nodes',
    ],
    ['too large', `<r>${'x'.repeat(2000)}</r>`, 'xml.too-large'],
    ['a mismatched tag', '<a></b>', 'xml.malformed'],
    ['an unclosed tag', '<a>', 'xml.malformed'],
    ['an unbound prefix', '<p:a/>', 'xml.malformed'],
    ['nothing', '', 'xml.malformed'],
    ['bytes that are not UTF-8', Buffer.from([0x3c, 0x61, 0xff, 0x3e]), 'xml.malformed'],
  ];
  for (const [name, document, key] of cases) {
    await t.test(name, () => assert.throws(() => parseXml(document, limits), hasKey(key)));
  }
});

test('a bomb is refused in milliseconds', async () => {
  const bomb = '<a>'.repeat(1_000_000);
  const tookMs = await leastMs(() => assert.throws(() => parseXml(bomb), hasKey('xml.too-deep')));
  assert.ok(tookMs < 100, `${tookMs} ms`);
});

test('a written document reads back as it was', () => {
  const root = xmlElement('r', [
    xmlElement('empty'),
    xmlElement('t', [' a<b&"\'>\r\n '], { k: 'x"y' }),
    xmlElement('mixed', ['one ', xmlElement('b', ['two']), ' three']),
  ]);
  const written = writeXml(root);
  assert.equal(
    written,
    '<?xml version="1.0" encoding="UTF-8"?>\n<r>\n  <empty/>\n  <t k="x&quot;y"> a&lt;b&amp;&quot;&apos;&gt;&#13;\n </t>\n  <mixed>one <b>two</b> three</mixed>\n</r>\n',
  );
  const [, text, mixed] = childElements(parseXml(written));
  assert.equal(textContent(text!), ' a<b&"\'>\r\n ');
  assert.equal(textContent(mixed!), 'one two three');
});

test('characters XML cannot hold become U+FFFD', () => {
  assert.equal(xmlEscape('a\u0000b\ud800c\uffff'), 'a\ufffdb\ufffdc\ufffd');
});
