import { Type } from 'typebox';
import { anyType, problem } from '../../../kernel/catalogue/declarations.ts';
import { codedAnswer, codingParam, compressingParam, labelOf, writable } from '../../content/coded-answer.ts';
import { type Coding, codingsOf, encodeWhole } from '../../content/codings.ts';
import { corrupted, corruptions } from '../../content/corruption.ts';
import { samples } from '../../content/encoding-samples.ts';
import { endpoint } from '../../endpoint.ts';
import { textPattern, textSha256 } from './content.ts';

const original = samples.text;

const corruptedContent = endpoint({
  id: 'encoding-test-corrupted',
  group: 'Encoding Test',
  methods: ['GET'],
  path: '/encoding-test/corrupted/{coding}',
  summary: 'Coded content that is broken in one named way, with a true length and a true label.',
  params: Type.Object({ coding: compressingParam() }),
  query: Type.Object({ kind: Type.Enum([...corruptions], { default: 'truncated' }) }),
  responses: {
    200: anyType('Content that cannot be decoded, or not to what X-Original-Sha256 says.'),
    400: problem('No such coding or kind, or bad-crc of Brotli, which has no checksum.'),
  },
  examples: [
    {
      name: 'a gzip magic number that is none',
      path: '/encoding-test/corrupted/gzip?kind=bad-header',
      expect: {
        status: 200,
        headers: {
          'content-encoding': 'gzip',
          'x-original-sha256': textSha256,
          'x-corruption': 'bad-header',
        },
        wire: /\r\n\r\n\x00\x8b\x08/,
      },
    },
    {
      name: 'no bytes at all',
      path: '/encoding-test/corrupted/br?kind=empty',
      expect: {
        status: 200,
        headers: { 'content-encoding': 'br', 'content-length': '0', 'x-original-length': '2200' },
        length: 0,
      },
    },
    {
      name: 'a whole Zstandard frame, then garbage',
      path: '/encoding-test/corrupted/zstd?kind=garbage-tail',
      expect: {
        status: 200,
        headers: { 'content-encoding': 'zstd' },
        wire: /\r\n\r\n\x28\xb5\x2f\xfd[\s\S]+garbage after the end$/,
      },
    },
    {
      name: 'cut off in the middle unless told otherwise',
      path: '/encoding-test/corrupted/deflate',
      expect: { status: 200, headers: { 'x-corruption': 'truncated' }, wire: /\r\n\r\n\x78\x9c/ },
    },
    {
      name: 'Brotli has no checksum',
      path: '/encoding-test/corrupted/br?kind=bad-crc',
      expect: { status: 400, json: { detail: /kind cannot be bad-crc for br/ } },
    },
    {
      name: 'no such kind',
      path: '/encoding-test/corrupted/gzip?kind=rotten',
      expect: { status: 400, json: { detail: /kind/ } },
    },
  ],
  handle: async ({ params, query: { kind } }) => {
    const coded = await corrupted(params.coding, original.bytes, kind);
    return codedAnswer({ original, coded, label: params.coding, headers: ['X-Corruption', kind] });
  },
});

const mislabelled = endpoint({
  id: 'encoding-test-mislabelled',
  group: 'Encoding Test',
  methods: ['GET'],
  path: '/encoding-test/mislabelled/{declared}/{actual}',
  summary: 'Content in one coding that is labelled as another.',
  params: Type.Object({ declared: codingParam(), actual: codingParam() }),
  responses: { 200: anyType('The mislabelled content.'), 400: problem('A coding is unknown.') },
  examples: [
    {
      name: 'Zstandard that claims to be gzip',
      path: '/encoding-test/mislabelled/gzip/zstd',
      expect: {
        status: 200,
        headers: { 'content-encoding': 'gzip', 'x-actual-encoding': 'zstd', 'x-original-sha256': textSha256 },
        wire: /\r\n\r\n\x28\xb5\x2f\xfd/,
      },
    },
    {
      name: 'plain text that claims to be Brotli',
      path: '/encoding-test/mislabelled/br/identity',
      expect: { status: 200, headers: { 'content-encoding': 'br' }, text: textPattern, sha256: textSha256 },
    },
    { name: 'unknown coding', path: '/encoding-test/mislabelled/gzip/lzma', expect: { status: 400 } },
  ],
  handle: async ({ params }) => {
    const actual = writable(params.actual);
    const coded = await encodeWhole(actual, original.bytes);
    return codedAnswer({ original, coded, label: params.declared, headers: ['X-Actual-Encoding', actual] });
  },
});

const unlabelled = endpoint({
  id: 'encoding-test-unlabelled',
  group: 'Encoding Test',
  methods: ['GET'],
  path: '/encoding-test/unlabelled/{coding}',
  summary: 'Coded content without a Content-Encoding: nobody may undo it.',
  params: Type.Object({ coding: codingParam() }),
  responses: { 200: anyType('The coded content.'), 400: problem('The coding is unknown.') },
  examples: [
    {
      name: 'gzip nobody told about',
      path: '/encoding-test/unlabelled/gzip',
      expect: {
        status: 200,
        headers: { 'content-encoding': null, 'x-actual-encoding': 'gzip', 'x-original-sha256': textSha256 },
        wire: /\r\n\r\n\x1f\x8b\x08/,
      },
    },
    { name: 'unknown coding', path: '/encoding-test/unlabelled/lzma', expect: { status: 400 } },
  ],
  handle: async ({ params }) => {
    const actual = writable(params.coding);
    const coded = await encodeWhole(actual, original.bytes);
    return codedAnswer({ original, coded, label: undefined, headers: ['X-Actual-Encoding', actual] });
  },
});

const unknown = endpoint({
  id: 'encoding-test-unknown',
  group: 'Encoding Test',
  methods: ['GET'],
  path: '/encoding-test/unknown',
  summary: 'Plain text under a coding that does not exist.',
  responses: { 200: anyType('Text, labelled x-foo.') },
  examples: [
    {
      name: 'x-foo',
      expect: {
        status: 200,
        headers: { 'content-encoding': 'x-foo' },
        text: textPattern,
        sha256: textSha256,
      },
    },
  ],
  handle: () => codedAnswer({ original, coded: original.bytes, label: 'x-foo' }),
});

const CODING = '(gzip|deflate|br|zstd|identity)';

const chained = endpoint({
  id: 'encoding-test-chained',
  group: 'Encoding Test',
  methods: ['GET'],
  path: '/encoding-test/chained/{codings}',
  summary: 'Several codings one over the other, named in the order they were applied.',
  params: Type.Object({
    codings: Type.String({
      pattern: `^${CODING}(,${CODING}){1,4}$`,
      description: 'Two to five codings, joined by commas.',
    }),
  }),
  responses: {
    200: anyType('The content in all these codings.'),
    400: problem('The list is not understood.'),
  },
  examples: [
    {
      name: 'gzip, then Brotli',
      path: '/encoding-test/chained/gzip,br',
      expect: {
        status: 200,
        headers: { 'content-encoding': 'gzip, br', 'x-original-sha256': textSha256 },
        decodedText: textPattern,
      },
    },
    {
      name: 'three of them',
      path: '/encoding-test/chained/deflate,zstd,gzip',
      expect: {
        status: 200,
        headers: { 'content-encoding': 'deflate, zstd, gzip' },
        wire: /\r\n\r\n\x1f\x8b/,
        decodedText: textPattern,
      },
    },
    {
      name: 'one is no chain',
      path: '/encoding-test/chained/gzip',
      expect: { status: 400, json: { detail: /codings/ } },
    },
  ],
  handle: async ({ params }) => {
    const applied = codingsOf(params.codings);
    return codedAnswer({ original, coded: await encodeChain(applied), label: labelOf(...applied) });
  },
});

const double = endpoint({
  id: 'encoding-test-double',
  group: 'Encoding Test',
  methods: ['GET'],
  path: '/encoding-test/double/{coding}',
  summary: 'The same coding twice, and labelled twice.',
  params: Type.Object({ coding: compressingParam() }),
  responses: { 200: anyType('The content, coded twice.'), 400: problem('The coding is unknown.') },
  examples: [
    {
      name: 'gzip of gzip',
      path: '/encoding-test/double/gzip',
      expect: { status: 200, headers: { 'content-encoding': 'gzip, gzip' }, decodedText: textPattern },
    },
    { name: 'unknown coding', path: '/encoding-test/double/lzma', expect: { status: 400 } },
  ],
  handle: async ({ params: { coding } }) => {
    return codedAnswer({
      original,
      coded: await encodeChain([coding, coding]),
      label: labelOf(coding, coding),
    });
  },
});

const hiddenChain = endpoint({
  id: 'encoding-test-chained-hidden',
  group: 'Encoding Test',
  methods: ['GET'],
  path: '/encoding-test/chained-hidden/{coding}',
  summary: 'The same coding twice under one label: undoing the label leaves coded bytes.',
  params: Type.Object({ coding: compressingParam() }),
  responses: {
    200: anyType('The content, coded twice and labelled once.'),
    400: problem('The coding is unknown.'),
  },
  examples: [
    {
      name: 'one layer of deflate is left',
      path: '/encoding-test/chained-hidden/deflate',
      expect: {
        status: 200,
        headers: { 'content-encoding': 'deflate', 'x-actual-encoding': 'deflate, deflate' },
        decodedText: /^\x78/,
      },
    },
    { name: 'unknown coding', path: '/encoding-test/chained-hidden/lzma', expect: { status: 400 } },
  ],
  handle: async ({ params: { coding } }) => {
    return codedAnswer({
      original,
      coded: await encodeChain([coding, coding]),
      label: coding,
      headers: ['X-Actual-Encoding', `${coding}, ${coding}`],
    });
  },
});

async function encodeChain(applied: readonly Coding[]): Promise<Buffer> {
  let coded = original.bytes;
  for (const coding of applied) coded = await encodeWhole(coding, coded);
  return coded;
}

export const faultyTests = [corruptedContent, mislabelled, unlabelled, unknown, chained, double, hiddenChain];
