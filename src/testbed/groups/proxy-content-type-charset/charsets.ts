import { Type } from 'typebox';
import { type PlainAnswer, reply } from '../../../kernel/catalogue/answer.ts';
import { anyType, problem, text } from '../../../kernel/catalogue/declarations.ts';
import type { Example } from '../../../kernel/catalogue/endpoint.ts';
import { type Charset, codePointName, encodeText } from '../../content/charsets.ts';
import { integrityHeaders } from '../../content/integrity.ts';
import { xmlEscape } from '../../content/xml.ts';
import { endpoint } from '../../endpoint.ts';

const base = '/proxy-test/content-type';
const sampleText = 'Türkçe: şğıİöüçŞĞÖÜÇ – €';

interface Variant {
  readonly charset: Charset;
  readonly hasBom?: boolean;
  /** The bytes of the sample text, made by an implementation that is not ours. */
  readonly hex: string;
  readonly unmappable: string | null;
  /** The bytes of 日本, for the charsets that were made for it. */
  readonly japaneseHex?: string;
}

const noTurkish = 'U+015F, U+011F, U+0131, U+0130, U+015E, U+011E';
const onlyAscii =
  'U+00FC, U+00E7, U+015F, U+011F, U+0131, U+0130, U+00F6, U+015E, U+011E, U+00D6, U+00DC, U+00C7, U+2013, U+20AC';
const utf8Hex = '54c3bc726bc3a7653a20c59fc49fc4b1c4b0c3b6c3bcc3a7c59ec49ec396c39cc38720e2809320e282ac';

const variants = {
  'utf-8': { charset: 'utf-8', hex: utf8Hex, unmappable: null },
  'utf-8-bom': { charset: 'utf-8', hasBom: true, hex: `efbbbf${utf8Hex}`, unmappable: null },
  'utf-16': {
    charset: 'utf-16',
    hex: 'feff005400fc0072006b00e70065003a0020015f011f0131013000f600fc00e7015e011e00d600dc00c700202013002020ac',
    unmappable: null,
  },
  'utf-16le': {
    charset: 'utf-16le',
    hex: '5400fc0072006b00e70065003a0020005f011f0131013001f600fc00e7005e011e01d600dc00c700200013202000ac20',
    unmappable: null,
  },
  'utf-32': {
    charset: 'utf-32',
    hex:
      '0000feff00000054000000fc000000720000006b000000e7000000650000003a000000200000015f0000011f00000131' +
      '00000130000000f6000000fc000000e70000015e0000011e000000d6000000dc000000c7000000200000201300000020000020ac',
    unmappable: null,
  },
  'iso-8859-1': {
    charset: 'iso-8859-1',
    hex: '54fc726be7653a203f3f3f3ff6fce73f3fd6dcc7203f203f',
    unmappable: `${noTurkish}, U+2013, U+20AC`,
  },
  'iso-8859-9': {
    charset: 'iso-8859-9',
    hex: '54fc726be7653a20fef0fdddf6fce7ded0d6dcc7203f203f',
    unmappable: 'U+2013, U+20AC',
  },
  'windows-1252': {
    charset: 'windows-1252',
    hex: '54fc726be7653a203f3f3f3ff6fce73f3fd6dcc720962080',
    unmappable: noTurkish,
  },
  'windows-1254': {
    charset: 'windows-1254',
    hex: '54fc726be7653a20fef0fdddf6fce7ded0d6dcc720962080',
    unmappable: null,
  },
  'us-ascii': {
    charset: 'us-ascii',
    hex: '543f726b3f653a203f3f3f3f3f3f3f3f3f3f3f3f203f203f',
    unmappable: onlyAscii,
  },
  shift_jis: {
    charset: 'shift_jis',
    hex: '543f726b3f653a203f3f3f3f3f3f3f3f3f3f3f3f203f203f',
    unmappable: onlyAscii,
    japaneseHex: '93fa967b',
  },
  gb18030: {
    charset: 'gb18030',
    hex:
      '54a8b9726b81308a34653a208130943681308e36813090338130903281308b32a8b981308a348130943581308e35' +
      '81308930813089358130873520a84320a2e3',
    unmappable: null,
    japaneseHex: 'c8d5b1be',
  },
} as const satisfies Record<string, Variant>;

type VariantName = keyof typeof variants;
const variantNames = Object.keys(variants) as VariantName[];

const textQuery = () =>
  Type.String({ maxLength: 2000, default: sampleText, description: 'The text to be sent.' });

const textTests = variantNames.map((name) => {
  const { charset, hex, unmappable, japaneseHex }: Variant = variants[name];
  const ownText: readonly Example[] =
    japaneseHex === undefined
      ? []
      : [
          {
            name: 'a text of your own',
            path: `${base}/${name}?text=%E6%97%A5%E6%9C%AC`,
            expect: { status: 200, headers: { 'x-unmappable': null }, hex: japaneseHex },
          },
        ];
  return endpoint({
    id: `content-type-${name.replace('_', '-')}`,
    group: 'Proxy Content-Type & Charset',
    methods: ['GET'],
    path: `${base}/${name}`,
    summary: `Text in ${name}. Characters it does not have become ? and are listed in X-Unmappable.`,
    query: Type.Object({ text: textQuery() }),
    responses: { 200: text(`The text in ${charset}.`) },
    examples: [
      {
        name: 'the bytes are exact',
        expect: {
          status: 200,
          headers: {
            'content-type': `text/plain; charset=${charset}`,
            'x-charset-bytes': hex.slice(0, 64),
            'x-unmappable': unmappable,
          },
          hex,
        },
      },
      ...ownText,
    ],
    handle: ({ query }) => answerIn(name, 'text/plain', query.text),
  });
});

const variantParam = Type.Object({ charset: Type.Enum(variantNames) });

const jsonTest = endpoint({
  id: 'content-type-json-charset',
  group: 'Proxy Content-Type & Charset',
  methods: ['GET'],
  path: `${base}/json/{charset}`,
  summary: 'JSON in the given charset, which the media type does not provide for: a parser may refuse it.',
  params: variantParam,
  query: Type.Object({ text: textQuery() }),
  responses: { 200: anyType('JSON in that charset.'), 400: problem('The charset is unknown.') },
  examples: [
    {
      name: 'in ISO-8859-9',
      path: `${base}/json/iso-8859-9`,
      expect: {
        status: 200,
        headers: { 'content-type': 'application/json; charset=iso-8859-9', 'x-unmappable': 'U+2013, U+20AC' },
        hex: `7b2274657874223a22${variants['iso-8859-9'].hex}227d`,
      },
    },
    {
      name: 'in UTF-8',
      path: `${base}/json/utf-8?text=%22`,
      expect: { status: 200, json: { text: '"' }, text: '{"text":"\\""}' },
    },
    {
      name: 'unknown charset',
      path: `${base}/json/klingon`,
      expect: { status: 400, json: { detail: /charset/ } },
    },
  ],
  handle: ({ params, query }) => {
    return answerIn(params.charset, 'application/json', JSON.stringify({ text: query.text }));
  },
});

const xmlModes = ['match', 'missing', 'conflict'] as const;

const xmlTest = endpoint({
  id: 'content-type-xml-charset',
  group: 'Proxy Content-Type & Charset',
  methods: ['GET'],
  path: `${base}/xml/{charset}`,
  summary:
    'XML in the given charset; its own declaration agrees with Content-Type, is missing, or contradicts it.',
  description: 'Content-Type wins over the declaration (RFC 7303 §3), a byte-order mark over both.',
  params: variantParam,
  query: Type.Object({
    mode: Type.Enum([...xmlModes], { default: 'match' }),
    text: textQuery(),
  }),
  responses: { 200: anyType('XML in that charset.'), 400: problem('The charset or the mode is unknown.') },
  examples: [
    {
      name: 'the declaration agrees',
      path: `${base}/xml/windows-1254?text=%C5%9F`,
      expect: {
        status: 200,
        headers: { 'content-type': 'application/xml; charset=windows-1254' },
        wire: /\r\n\r\n<\?xml version="1\.0" encoding="windows-1254"\?><text>\xfe<\/text>$/,
      },
    },
    {
      name: 'no declaration',
      path: `${base}/xml/iso-8859-9?mode=missing&text=%C5%9F`,
      expect: { status: 200, wire: /\r\n\r\n<text>\xfe<\/text>$/ },
    },
    {
      name: 'the declaration contradicts',
      path: `${base}/xml/iso-8859-9?mode=conflict&text=%C5%9F`,
      expect: {
        status: 200,
        headers: { 'content-type': 'application/xml; charset=iso-8859-9' },
        wire: /encoding="utf-8"\?><text>\xfe<\/text>$/,
      },
    },
    {
      name: 'no such mode',
      path: `${base}/xml/utf-8?mode=x`,
      expect: { status: 400, json: { detail: /mode/ } },
    },
  ],
  handle: ({ params, query: { mode, text: content } }) => {
    const { charset } = variants[params.charset];
    const conflicting = charset === 'utf-8' ? 'iso-8859-9' : 'utf-8';
    const declared = mode === 'conflict' ? conflicting : charset;
    const declaration = mode === 'missing' ? '' : `<?xml version="1.0" encoding="${declared}"?>`;
    return answerIn(params.charset, 'application/xml', `${declaration}<text>${xmlEscape(content)}</text>`);
  },
});

const mislabelled = endpoint({
  id: 'content-type-mislabelled',
  group: 'Proxy Content-Type & Charset',
  methods: ['GET'],
  path: `${base}/mislabelled`,
  summary: 'Text in one charset under the label of another.',
  query: Type.Object({
    declared: Type.Enum(variantNames, { default: 'utf-8' }),
    actual: Type.Enum(variantNames, { default: 'iso-8859-9' }),
  }),
  responses: { 200: text('The mislabelled text.'), 400: problem('A charset is unknown.') },
  examples: [
    {
      name: 'ISO-8859-9 that claims to be UTF-8',
      expect: {
        status: 200,
        headers: { 'content-type': 'text/plain; charset=utf-8', 'x-actual-charset': 'iso-8859-9' },
        hex: variants['iso-8859-9'].hex,
      },
    },
    {
      name: 'UTF-8 that claims to be windows-1254',
      path: `${base}/mislabelled?declared=windows-1254&actual=utf-8`,
      expect: { status: 200, headers: { 'content-type': 'text/plain; charset=windows-1254' }, hex: utf8Hex },
    },
    {
      name: 'unknown charset',
      path: `${base}/mislabelled?actual=klingon`,
      expect: { status: 400, json: { detail: /actual/ } },
    },
  ],
  handle: ({ query: { declared, actual } }) => {
    const answer = answerIn(actual, 'text/plain', sampleText);
    answer.headers[1] = `text/plain; charset=${variants[declared].charset}`;
    answer.headers.push('X-Actual-Charset', variants[actual].charset);
    return answer;
  },
});

/** Text in one of the variants with everything that proves its bytes. */
function answerIn(name: VariantName, mediaType: string, content: string): PlainAnswer {
  const { bytes, unmappable } = encoded(content, name);
  const missing = unmappable.map(codePointName).join(', ');
  return reply.bytes(bytes, `${mediaType}; charset=${variants[name].charset}`, {
    headers: [
      'X-Charset-Bytes',
      bytes.toString('hex', 0, 32),
      ...(missing === '' ? [] : ['X-Unmappable', missing]),
      ...integrityHeaders(bytes),
    ],
  });
}

function encoded(content: string, name: VariantName) {
  const { charset, hasBom = false }: Variant = variants[name];
  return encodeText(hasBom ? `\uFEFF${content}` : content, charset);
}

export const charsetTests = [...textTests, jsonTest, xmlTest, mislabelled];
