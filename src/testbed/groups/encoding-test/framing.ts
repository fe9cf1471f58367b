import { Type } from 'typebox';
import { reply } from '../../../kernel/catalogue/answer.ts';
import { anyType, problem } from '../../../kernel/catalogue/declarations.ts';
import { fault } from '../../../kernel/faults.ts';
import { codedAnswer, codingParam, labelOf, originalHeaders, writable } from '../../content/coded-answer.ts';
import { deterministicBlocks, sha256OfBlocks, writeCoded } from '../../content/coded-stream.ts';
import { encodeWhole, flushingWriter } from '../../content/codings.ts';
import { samples } from '../../content/encoding-samples.ts';
import { parseQualityList } from '../../content/negotiation.ts';
import { endpoint } from '../../endpoint.ts';
import { transferCoded, wrongLength } from '../../wire/coded-framing.ts';
import { textPattern, textSha256 } from './content.ts';

const original = samples.text;
const MiB = 1024 * 1024;

const chunked = endpoint({
  id: 'encoding-test-chunked',
  group: 'Encoding Test',
  methods: ['GET'],
  path: '/encoding-test/chunked/{coding}',
  summary: 'A coded stream without a length, flushed line by line: each line can be decoded when it comes.',
  params: Type.Object({ coding: codingParam() }),
  query: Type.Object({
    chunks: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 10 })),
    delay: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 60_000,
        default: 100,
        description: 'Milliseconds between two lines.',
      }),
    ),
  }),
  responses: { 200: anyType('The lines.'), 400: problem('A parameter is out of bounds.') },
  examples: [
    {
      name: 'three lines in gzip',
      path: '/encoding-test/chunked/gzip?chunks=3&delay=0',
      expect: {
        status: 200,
        headers: {
          'content-encoding': 'gzip',
          'transfer-encoding': 'chunked',
          'content-length': null,
          'x-original-length': '24',
          'x-original-sha256': '69fa0d4ddae9b4c1fa5a29503aa90fd3c3350e2b62f60e196d84b0ab6e8a4cd3',
        },
        decodedText: 'chunk 1\nchunk 2\nchunk 3\n',
      },
    },
    {
      name: 'two lines in Zstandard',
      path: '/encoding-test/chunked/zstd?chunks=2&delay=20',
      expect: { status: 200, headers: { 'content-encoding': 'zstd' }, decodedText: 'chunk 1\nchunk 2\n' },
    },
    {
      name: 'no chunks',
      path: '/encoding-test/chunked/br?chunks=0',
      expect: { status: 400, json: { detail: /chunks/ } },
    },
  ],
  handle: ({ params, query: { chunks = 10, delay = 100 }, services, exchange }) => {
    const coding = writable(params.coding);
    const label = labelOf(coding);
    const labels = label === undefined ? [] : ['Content-Encoding', label];
    const lines = Array.from({ length: chunks }, (_, index) => `chunk ${index + 1}\n`);
    return reply.stream(
      'text/plain; charset=utf-8',
      async (out) => {
        const coded = flushingWriter(coding, out);
        for (const [index, line] of lines.entries()) {
          if (index > 0) await services.clock.sleep(delay, exchange.signal);
          await coded.write(line);
        }
        await coded.end();
      },
      {
        headers: [
          ...labels,
          ...['Vary', 'Accept-Encoding', 'Cache-Control', 'no-store', 'X-Accel-Buffering', 'no'],
          ...originalHeaders(Buffer.from(lines.join(''))),
        ],
      },
    );
  },
});

const contentLength = endpoint({
  id: 'encoding-test-content-length',
  group: 'Encoding Test',
  methods: ['GET'],
  path: '/encoding-test/content-length/{coding}',
  summary: 'Coded content under its exact Content-Length, which counts the coded bytes.',
  params: Type.Object({ coding: codingParam() }),
  responses: { 200: anyType('The text, coded.'), 400: problem('The coding is unknown.') },
  examples: [
    {
      name: 'in Brotli',
      path: '/encoding-test/content-length/br',
      expect: {
        status: 200,
        headers: {
          'content-encoding': 'br',
          'content-length': /^\d{2,3}$/,
          'transfer-encoding': null,
          'x-original-length': '2200',
        },
        decodedText: textPattern,
      },
    },
    {
      name: 'without a coding both lengths are the same',
      path: '/encoding-test/content-length/identity',
      expect: {
        status: 200,
        headers: { 'content-length': '2200', 'x-original-length': '2200' },
        length: 2200,
      },
    },
    { name: 'unknown coding', path: '/encoding-test/content-length/lzma', expect: { status: 400 } },
  ],
  handle: async ({ params }) => {
    const coding = writable(params.coding);
    const coded = await encodeWhole(coding, original.bytes);
    const headers = ['Content-Length', String(coded.length)];
    return codedAnswer({ original, coded, label: labelOf(coding), headers });
  },
});

const wrongContentLength = endpoint({
  id: 'encoding-test-wrong-length',
  group: 'Encoding Test',
  methods: ['GET'],
  path: '/encoding-test/wrong-length/{coding}',
  summary: 'Coded content whose Content-Length is off by delta bytes.',
  description:
    'A positive delta announces more than is sent before the connection closes. A negative one announces less ' +
    'and leaves bytes over, which can confuse a shared connection: a public service refuses it.',
  params: Type.Object({ coding: codingParam() }),
  query: Type.Object({
    delta: Type.Optional(Type.Integer({ minimum: -2200, maximum: MiB, default: 10 })),
  }),
  responses: {
    200: anyType('The text, coded, under a wrong length.'),
    400: problem('The length would be right, or less than nothing.'),
    403: problem('The service is public and delta is negative.'),
  },
  examples: [
    {
      name: 'ten bytes are missing when the connection closes',
      path: '/encoding-test/wrong-length/identity',
      expect: {
        status: 200,
        headers: { 'content-length': '2210', 'x-original-length': '2200' },
        wire: /vendi\.\n$/,
        ends: 'close',
      },
    },
    {
      name: 'two hundred bytes are left over',
      path: '/encoding-test/wrong-length/identity?delta=-200',
      expect: { headers: { 'content-length': '2000' }, wire: /\n40 [^\n]+\n$/, ends: 'close' },
    },
    {
      name: 'the true length is no test',
      path: '/encoding-test/wrong-length/gzip?delta=0',
      expect: { status: 400, json: { detail: /delta/ } },
    },
    {
      name: 'a length below zero cannot be said',
      path: '/encoding-test/wrong-length/gzip?delta=-2000',
      expect: { status: 400, json: { detail: /delta/ } },
    },
  ],
  handle: async ({ params, query: { delta = 10 }, request, services }) => {
    if (delta < 0 && services.settings.isPublic) {
      throw fault('feature.disabled', {
        feature: 'A length that is too small',
        reason: 'this service is public',
      });
    }
    const coding = writable(params.coding);
    const coded = await encodeWhole(coding, original.bytes);
    const declaredLength = coded.length + delta;
    if (delta === 0 || declaredLength < 0) {
      const rule = `must not be 0 and not less than -${coded.length}, the length of the coded body`;
      throw fault('parameter.invalid', { in: 'query', name: 'delta', rule });
    }
    const { headers } = codedAnswer({ original, coded, label: labelOf(coding) });
    return wrongLength({ body: coded, headers, isHead: request.method === 'HEAD' }, declaredLength);
  },
});

const transferEncoding = endpoint({
  id: 'encoding-test-transfer-encoding',
  group: 'Encoding Test',
  methods: ['GET'],
  path: '/encoding-test/transfer-encoding/{coding}',
  summary: 'Coding hop by hop: `Transfer-Encoding: gzip, chunked` for a client whose TE takes it.',
  params: Type.Object({ coding: Type.Enum(['gzip', 'deflate']) }),
  headers: Type.Object({ te: Type.Optional(Type.String()) }),
  responses: {
    200: anyType('The text, coded for this hop only.'),
    400: problem('The coding is unknown.'),
    406: problem('TE does not allow the coding.'),
  },
  examples: [
    {
      name: 'asked for by TE',
      path: '/encoding-test/transfer-encoding/gzip',
      headers: ['TE', 'gzip;q=0.5'],
      expect: {
        status: 200,
        headers: {
          'transfer-encoding': 'gzip, chunked',
          'content-encoding': null,
          'x-original-sha256': textSha256,
          vary: 'Accept-Encoding',
        },
        wire: /\r\n\r\n40\r\n\x1f\x8b\x08[\s\S]+\r\n0\r\n\r\n$/,
        ends: 'close',
      },
    },
    {
      name: 'not asked for',
      path: '/encoding-test/transfer-encoding/gzip',
      headers: ['TE', 'trailers, gzip;q=0'],
      expect: { status: 406, json: { status: 406, detail: /TE/ } },
    },
    { name: 'no transfer coding', path: '/encoding-test/transfer-encoding/br', expect: { status: 400 } },
  ],
  handle: async ({ params: { coding }, request }) => {
    const allowed = parseQualityList(request.headers.get('te') ?? '');
    const isAllowed = allowed.some(
      ({ value, quality }) => quality > 0 && (value === coding || value === `x-${coding}`),
    );
    if (!isAllowed)
      throw fault('negotiation.not-acceptable', { offered: `${coding} as a transfer coding (TE)` });
    const coded = await encodeWhole(coding, original.bytes);
    const headers = [
      'Content-Type',
      original.contentType,
      'Vary',
      'Accept-Encoding',
      ...originalHeaders(original.bytes),
    ];
    return transferCoded({ body: coded, headers, isHead: request.method === 'HEAD' }, coding);
  },
});

const large = endpoint({
  id: 'encoding-test-large',
  group: 'Encoding Test',
  methods: ['GET'],
  path: '/encoding-test/large/{coding}',
  summary: 'A large body that depends on nothing but its size, coded while it is sent.',
  description: 'Blocks of 65 536 letters a-z, each beginning with its own offset in 16 digits.',
  params: Type.Object({ coding: codingParam() }),
  query: Type.Object({
    size: Type.Optional(
      Type.Integer({
        minimum: 0,
        default: 10 * MiB,
        description: 'Bytes of the content; the service has a limit.',
      }),
    ),
  }),
  responses: { 200: anyType('The content, streamed.'), 400: problem('The size is above the limit.') },
  examples: [
    {
      name: 'a hundred thousand bytes in Zstandard',
      path: '/encoding-test/large/zstd?size=100000',
      expect: {
        status: 200,
        headers: {
          'content-encoding': 'zstd',
          'transfer-encoding': 'chunked',
          'x-original-length': '100000',
          'x-original-sha256': '9f2c7caf242a43a6bcedcb55b1964ecd504198655b34d0c228e7e2180e0ee672',
        },
        decodedText: /^0000000000000000qrst[a-z]+0000000000065536[a-z]+$/,
      },
    },
    {
      name: 'without a coding the length is known',
      path: '/encoding-test/large/identity?size=20',
      expect: { status: 200, headers: { 'content-length': '20' }, text: '0000000000000000qrst' },
    },
    {
      name: 'too large',
      path: '/encoding-test/large/gzip?size=99999999999',
      expect: { status: 400, json: { detail: /size/ } },
    },
  ],
  handle: async ({ params, query: { size = 10 * MiB }, services }) => {
    const coding = writable(params.coding);
    const { maxStreamBytes } = services.settings.limits;
    if (size > maxStreamBytes) {
      throw fault('parameter.invalid', { in: 'query', name: 'size', rule: `must be <= ${maxStreamBytes}` });
    }
    const label = labelOf(coding);
    const framing = label === undefined ? ['Content-Length', String(size)] : ['Content-Encoding', label];
    const sha256 = await sha256OfBlocks(deterministicBlocks(size));
    return reply.stream(
      'text/plain; charset=us-ascii',
      async (out) => {
        await writeCoded(coding, deterministicBlocks(size), out);
      },
      {
        headers: [
          ...framing,
          ...['Vary', 'Accept-Encoding', 'X-Original-Length', String(size), 'X-Original-Sha256', sha256],
        ],
      },
    );
  },
});

export const framingTests = [chunked, contentLength, wrongContentLength, transferEncoding, large];
