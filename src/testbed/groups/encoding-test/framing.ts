import { Type } from 'typebox';
import { anyType, problem } from '../../../kernel/catalogue/declarations.ts';
import { fault } from '../../../kernel/faults.ts';
import {
  codedAnswer,
  codingParam,
  encodedAnswer,
  labelOf,
  originalHeaders,
  writable,
} from '../../content/coded-answer.ts';
import { encodeWhole } from '../../content/codings.ts';
import { samples } from '../../content/encoding-samples.ts';
import { parseQualityList } from '../../content/negotiation.ts';
import { endpoint } from '../../endpoint.ts';
import { refuseInPublic } from '../../public-mode.ts';
import { transferCoded, wrongLength } from '../../wire/coded-framing.ts';
import { textPattern, textSha256 } from './content.ts';

const original = samples.text;
const MiB = 1024 * 1024;

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
  handle: ({ params }) => encodedAnswer(original, writable(params.coding)),
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
    delta: Type.Integer({ minimum: -2200, maximum: MiB, default: 10 }),
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
  handle: async ({ params, query: { delta }, request, services }) => {
    if (delta < 0) refuseInPublic(services.settings, 'A length that is too small');
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

export const framingTests = [contentLength, wrongContentLength, transferEncoding];
