import { Type } from 'typebox';
import { reply } from '../../../kernel/catalogue/answer.ts';
import { json, problem, rawBody, text } from '../../../kernel/catalogue/declarations.ts';
import { childElements, parseXml, type XmlElement } from '../../content/xml.ts';
import { type XmlAttackName, xmlAttacks } from '../../content/xml-attacks.ts';
import { endpoint, type TestbedEndpoint } from '../../endpoint.ts';

const GROUP = 'Proxy Security Test';
const BASE = '/proxy-test/security';
const SAFE_XML = { maxBytes: 1024 * 1024, maxDepth: 100, maxNodes: 100_000 };

const safeParse = endpoint({
  id: 'xml-safe-parse',
  group: GROUP,
  spec: '1 §4.6',
  methods: ['POST'],
  path: `${BASE}/xml/safe-parse`,
  summary: 'Parses XML that nobody vouches for, and refuses what is dangerous.',
  description: 'No DOCTYPE, no entities but the five of XML, at most 100 levels, 100,000 nodes and 1 MiB.',
  body: rawBody('application/xml', 'text/xml'),
  responses: {
    200: json('What the document consists of.'),
    400: problem('Not well-formed, or dangerous.'),
    413: problem('Too large.'),
  },
  examples: [
    {
      name: 'a good document',
      body: '<a xmlns="urn:x" k="v"><b><c/></b><b/></a>',
      expect: {
        status: 200,
        json: { wellFormed: true, root: 'a', elements: 4, attributes: 1, depth: 3, namespaces: ['urn:x'] },
      },
    },
    {
      name: 'a DOCTYPE',
      body: xmlAttacks['billion-laughs'].document,
      expect: { status: 400, json: { type: '/problems/xml.doctype-forbidden' } },
    },
    {
      name: 'an undeclared entity',
      body: '<a>&secret;</a>',
      expect: { status: 400, json: { type: '/problems/xml.malformed' } },
    },
    {
      name: 'nested too deep',
      body: xmlAttacks['deep-nesting'].document,
      expect: { status: 400, json: { type: '/problems/xml.too-deep' } },
    },
    { name: 'nothing', body: '', expect: { status: 400, json: { detail: /XML/ } } },
  ],
  handle: async ({ exchange }) => {
    const root = parseXml(await exchange.body.bytes(SAFE_XML.maxBytes), SAFE_XML);
    return reply.json({ wellFormed: true, root: root.name, ...censusOf(root) });
  },
});

/** Counts what a document consists of. The parser bounds its depth. */
function censusOf(root: XmlElement) {
  const namespaces = new Set<string>();
  let [elements, attributes, depth] = [0, 0, 0];
  const visit = (element: XmlElement, level: number) => {
    elements++;
    depth = Math.max(depth, level);
    attributes += Object.keys(element.attributes).filter((name) => !/^xmlns(:|$)/.test(name)).length;
    if (element.namespace !== '') namespaces.add(element.namespace);
    for (const child of childElements(element)) visit(child, level + 1);
  };
  visit(root, 1);
  return { elements, attributes, depth, namespaces: [...namespaces] };
}

const attackNames = Object.keys(xmlAttacks) as XmlAttackName[];

const xxeCheck = endpoint({
  id: 'xml-xxe-check',
  group: GROUP,
  methods: ['GET'],
  path: `${BASE}/xml/xxe-check`,
  summary: 'Sample documents that hurt a careless XML parser, to be sent through a WAF.',
  query: Type.Object({
    kind: Type.Union(
      attackNames.map((name) => Type.Literal(name)),
      { default: 'external-file' },
    ),
  }),
  responses: { 200: text('The document, as text.') },
  examples: [
    {
      name: 'an external entity',
      expect: {
        status: 200,
        headers: { 'content-type': 'text/plain; charset=utf-8' },
        text: '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/hostname">]>\n<a>&x;</a>\n',
      },
    },
    {
      name: 'unknown kind',
      path: `${BASE}/xml/xxe-check?kind=none`,
      expect: { status: 400, json: { detail: /kind must be one of external-file/ } },
    },
  ],
  handle: ({ query }) => {
    const { does, document } = xmlAttacks[query.kind];
    return reply.text(document, { headers: ['X-Test-Attack', does] });
  },
});

const jsonDeep = endpoint({
  id: 'json-deep',
  group: GROUP,
  methods: ['GET'],
  path: `${BASE}/json/deep`,
  summary: 'JSON nested as deep as wanted.',
  query: Type.Object({ depth: Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1000 }) }),
  responses: { 200: json('Arrays in arrays.') },
  examples: [
    { name: 'three deep', path: `${BASE}/json/deep?depth=3`, expect: { status: 200, text: '[[[]]]\n' } },
    {
      name: 'not deep at all',
      path: `${BASE}/json/deep?depth=0`,
      expect: { status: 400, json: { detail: /depth must be at least 1/ } },
    },
  ],
  handle: ({ query: { depth } }) =>
    reply.bytes(`${'['.repeat(depth)}${']'.repeat(depth)}\n`, 'application/json'),
});

const jsonDuplicateKeys = endpoint({
  id: 'json-duplicate-keys',
  group: GROUP,
  methods: ['GET'],
  path: `${BASE}/json/duplicate-keys`,
  summary: 'JSON whose object has the same key three times.',
  description:
    'Parsers disagree whether the first or the last one counts (RFC 8259 §4), and filters are passed that way.',
  responses: { 200: json('An object with a repeated key.') },
  examples: [
    {
      name: 'three roles',
      expect: { status: 200, text: '{"role":"user","role":"admin","rol\\u0065":"root"}\n' },
    },
  ],
  handle: () => reply.bytes('{"role":"user","role":"admin","rol\\u0065":"root"}\n', 'application/json'),
});

export const hostileDocumentEndpoints: readonly TestbedEndpoint[] = [
  safeParse,
  xxeCheck,
  jsonDeep,
  jsonDuplicateKeys,
];
