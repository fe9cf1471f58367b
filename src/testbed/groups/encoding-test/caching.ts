import { Type } from 'typebox';
import type { PlainAnswer } from '../../../kernel/catalogue/answer.ts';
import { anyType, noBody, problem } from '../../../kernel/catalogue/declarations.ts';
import {
  codingHeaders,
  codingParam,
  encodedAnswer,
  originalHeaders,
  writable,
} from '../../content/coded-answer.ts';
import { type Coding, encodeWhole } from '../../content/codings.ts';
import { samples } from '../../content/encoding-samples.ts';
import { sha256Hex } from '../../content/integrity.ts';
import { chooseCoding } from '../../content/negotiation.ts';
import { rangedAnswer } from '../../content/ranged.ts';
import { endpoint, type TestbedCall } from '../../endpoint.ts';
import { textPattern, textSha256 } from './content.ts';

const original = samples.text;
const contentTag = sha256Hex(original.bytes).slice(0, 16);

const noTransform = endpoint({
  id: 'encoding-test-no-transform',
  group: 'Encoding Test',
  methods: ['GET'],
  path: '/encoding-test/no-transform/{coding}',
  summary: 'Coded content that no proxy may recode (Cache-Control: no-transform) under a strong entity tag.',
  params: Type.Object({ coding: codingParam() }),
  responses: { 200: anyType('The content, to be left as it is.'), 400: problem('The coding is unknown.') },
  examples: [
    {
      name: 'identity stays identity, even for a client that takes gzip',
      path: '/encoding-test/no-transform/identity',
      headers: ['Accept-Encoding', 'gzip'],
      expect: {
        status: 200,
        headers: { 'cache-control': 'no-transform', 'content-encoding': null, etag: /^"[^"]+"$/ },
        sha256: textSha256,
      },
    },
    {
      name: 'gzip stays gzip',
      path: '/encoding-test/no-transform/gzip',
      expect: {
        status: 200,
        headers: { 'cache-control': 'no-transform', 'content-encoding': 'gzip', etag: /^"[^"]+-gzip"$/ },
        decodedText: textPattern,
      },
    },
    { name: 'unknown coding', path: '/encoding-test/no-transform/lzma', expect: { status: 400 } },
  ],
  handle: ({ params }) => {
    const coding = writable(params.coding);
    return encodedAnswer(original, coding, {
      headers: ['Cache-Control', 'no-transform', 'ETag', etagOf(coding)],
    });
  },
});

interface VaryCase {
  readonly path: string;
  readonly summary: string;
  readonly vary: readonly string[];
  /** What the field reads as when its lines are joined; null when there is none. */
  readonly seen: string | null;
}

const varyCases: readonly VaryCase[] = [
  {
    path: '/encoding-test/vary',
    summary: 'Negotiated content that says so: a cache must keep one copy per coding.',
    vary: ['Accept-Encoding'],
    seen: 'Accept-Encoding',
  },
  {
    path: '/encoding-test/vary/missing',
    summary:
      'Negotiated content that forgets to say so: a cache may give gzip to a client that cannot read it.',
    vary: [],
    seen: null,
  },
  {
    path: '/encoding-test/vary/star',
    summary: 'Negotiated content with `Vary: *`: no stored copy may be reused.',
    vary: ['*'],
    seen: '*',
  },
  {
    path: '/encoding-test/vary/multiple',
    summary: 'Negotiated content whose Vary comes in two lines, in mixed case.',
    vary: ['accept-encoding, Accept', 'ACCEPT-LANGUAGE'],
    seen: 'accept-encoding, Accept, ACCEPT-LANGUAGE',
  },
];

const varyTests = varyCases.map(({ path, summary, vary, seen }) =>
  endpoint({
    id: path.slice(1).replaceAll('/', '-'),
    group: 'Encoding Test',
    methods: ['GET'],
    path,
    summary,
    responses: { 200: anyType('Text, in the coding the client likes best.') },
    examples: [
      {
        name: 'with gzip',
        headers: ['Accept-Encoding', 'gzip'],
        expect: {
          status: 200,
          headers: {
            vary: seen,
            'content-encoding': 'gzip',
            'cache-control': 'max-age=60',
            'x-original-sha256': textSha256,
          },
          decodedText: textPattern,
        },
      },
      {
        name: 'the same address without a coding',
        headers: ['Accept-Encoding', 'identity'],
        expect: { status: 200, headers: { vary: seen, 'content-encoding': null }, sha256: textSha256 },
      },
    ],
    handle: ({ request }) => {
      const offered = ['gzip', 'br', 'zstd', 'deflate', 'identity'] as const;
      const coding = chooseCoding(request.headers.get('accept-encoding'), offered).chosen ?? 'identity';
      return encodedAnswer(original, coding, {
        vary,
        headers: ['Cache-Control', 'max-age=60', 'ETag', etagOf(coding)],
      });
    },
  }),
);

const revalidated = endpoint({
  id: 'encoding-test-304',
  group: 'Encoding Test',
  methods: ['GET'],
  path: '/encoding-test/304/{coding}',
  summary: 'Coded content with an entity tag per coding; If-None-Match that names it is answered by 304.',
  params: Type.Object({ coding: codingParam() }),
  headers: Type.Object({ 'if-none-match': Type.Optional(Type.String()) }),
  responses: {
    200: anyType('The content.'),
    304: noBody('The client has it already.'),
    400: problem('The coding is unknown.'),
  },
  examples: [
    {
      name: 'first request',
      path: '/encoding-test/304/gzip',
      expect: {
        status: 200,
        headers: { etag: '"7d764509cc3753f6-gzip"', 'content-encoding': 'gzip', vary: 'Accept-Encoding' },
        decodedText: textPattern,
      },
    },
    {
      name: 'revalidated: Vary stays, the coding has nothing to describe',
      path: '/encoding-test/304/gzip',
      headers: ['If-None-Match', '"7d764509cc3753f6-gzip"'],
      expect: {
        status: 304,
        headers: { etag: '"7d764509cc3753f6-gzip"', vary: 'Accept-Encoding', 'content-encoding': null },
        wire: /\r\n\r\n$/,
      },
    },
    {
      name: 'If-None-Match compares weakly, in a list too',
      path: '/encoding-test/304/br',
      headers: ['If-None-Match', '"other", W/"7d764509cc3753f6-br"'],
      expect: { status: 304, headers: { etag: '"7d764509cc3753f6-br"' } },
    },
    {
      name: 'the tag of another coding does not match',
      path: '/encoding-test/304/br',
      headers: ['If-None-Match', '"7d764509cc3753f6-gzip"'],
      expect: { status: 200, headers: { 'content-encoding': 'br' }, decodedText: textPattern },
    },
    { name: 'unknown coding', path: '/encoding-test/304/lzma', expect: { status: 400 } },
  ],
  handle: async (call) => {
    const answer = await rangedCoded(call, writable(call.params.coding));
    return answer.status === 304 ? withoutField(answer, 'Content-Encoding') : answer;
  },
});

const partial = endpoint({
  id: 'encoding-test-206',
  group: 'Encoding Test',
  methods: ['GET'],
  path: '/encoding-test/206/{coding}',
  summary: 'Ranges of the coded representation (RFC 9110 §14.1.2 counts its bytes), with If-Range.',
  params: Type.Object({ coding: codingParam() }),
  headers: Type.Object({ range: Type.Optional(Type.String()), 'if-range': Type.Optional(Type.String()) }),
  responses: {
    200: anyType('The whole, coded.'),
    206: anyType('Part of the coded bytes.'),
    400: problem('The coding is unknown.'),
    416: noBody('The range lies outside of the coded bytes.'),
  },
  examples: [
    {
      name: 'the first three bytes of gzip are its magic number and method',
      path: '/encoding-test/206/gzip',
      headers: ['Range', 'bytes=0-2'],
      expect: {
        status: 206,
        headers: {
          'content-encoding': 'gzip',
          'content-range': /^bytes 0-2\/\d{3}$/,
          'x-original-length': '2200',
        },
        hex: '1f8b08',
      },
    },
    {
      name: 'the last four bytes of gzip are the length of the content',
      path: '/encoding-test/206/gzip',
      headers: ['Range', 'bytes=-4', 'If-Range', '"7d764509cc3753f6-gzip"'],
      expect: { status: 206, hex: '98080000' },
    },
    {
      name: 'If-Range with the tag of another coding gives the whole',
      path: '/encoding-test/206/gzip',
      headers: ['Range', 'bytes=-4', 'If-Range', '"7d764509cc3753f6-br"'],
      expect: { status: 200, headers: { 'content-range': null }, decodedText: textPattern },
    },
    {
      name: 'outside',
      path: '/encoding-test/206/identity',
      headers: ['Range', 'bytes=2200-'],
      expect: { status: 416, headers: { 'content-range': 'bytes */2200' } },
    },
    { name: 'unknown coding', path: '/encoding-test/206/lzma', expect: { status: 400 } },
  ],
  handle: (call) => rangedCoded(call, writable(call.params.coding)),
});

async function rangedCoded(call: TestbedCall, coding: Coding): Promise<PlainAnswer> {
  return rangedAnswer(call, await encodeWhole(coding, original.bytes), {
    contentType: original.contentType,
    etag: etagOf(coding),
    headers: [...codingHeaders(coding), ...originalHeaders(original.bytes)],
  });
}

/** One tag per coding: the representations differ in every byte (RFC 9110 §8.8.3.3). */
function etagOf(coding: Coding): string {
  return coding === 'identity' ? `"${contentTag}"` : `"${contentTag}-${coding}"`;
}

function withoutField(answer: PlainAnswer, name: string): PlainAnswer {
  const { headers } = answer;
  const isKept = (_: string, index: number) => headers[index - (index % 2)] !== name;
  return { ...answer, headers: headers.filter(isKept) };
}

export const cachingTests = [noTransform, ...varyTests, revalidated, partial];
