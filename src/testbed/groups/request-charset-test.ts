import { reply } from '../../kernel/catalogue/answer.ts';
import { json, problem, rawBody, text } from '../../kernel/catalogue/declarations.ts';
import type { Example } from '../../kernel/catalogue/endpoint.ts';
import { type CharsetReport, refuseInvalid, reportCharset } from '../content/charset-report.ts';
import { type Charset, codePointName, detectBom, encodeText } from '../content/charsets.ts';
import { integrityHeaders } from '../content/integrity.ts';
import { readDecodedBody } from '../echo/decoded-body.ts';
import { endpoint, type TestbedEndpoint } from '../endpoint.ts';

// The answer spells out every byte and character, which is no use beyond this.
const MAX_SPELLED_BYTES = 64 * 1024;

const hex = (digits: string) => Buffer.from(digits.replaceAll(' ', ''), 'hex');

const echo = endpoint({
  id: 'request-charset-echo',
  group: 'Request Charset Test',
  spec: '1 §4.1',
  methods: ['POST'],
  path: '/encoding-test/request-charset/echo',
  summary: 'Decodes the body by the charset of Content-Type, else by its byte-order mark, else as UTF-8.',
  description:
    'Tells what was declared, what the bytes give away, what was used, and every sequence that stands for no ' +
    'character with its offset. A Content-Encoding is undone first. Bytes and code points are spelled out for ' +
    'bodies up to 64 KiB.',
  body: rawBody('text/plain'),
  responses: {
    200: json('The text and what is known about its charset.'),
    413: problem('The body is too large.'),
    415: problem('The charset is unknown.'),
  },
  examples: [
    {
      name: 'Turkish in ISO-8859-9',
      headers: ['Content-Type', 'text/plain; charset=ISO-8859-9'],
      body: hex('fe f0 fd dd'),
      expect: {
        status: 200,
        json: {
          declared: 'iso-8859-9',
          detected: null,
          used: 'iso-8859-9',
          valid: true,
          isMislabelled: false,
          text: 'şğıİ',
          codePoints: ['U+015F', 'U+011F', 'U+0131', 'U+0130'],
          bytesHex: 'fef0fddd',
          byteLength: 4,
          invalid: [],
        },
      },
    },
    {
      name: 'UTF-8 that claims to be ISO-8859-1',
      headers: ['Content-Type', 'text/plain; charset=ISO-8859-1'],
      body: 'ü',
      expect: {
        status: 200,
        json: { detected: 'utf-8', used: 'iso-8859-1', text: 'Ã¼', isMislabelled: true, bytesHex: 'c3bc' },
      },
    },
    {
      name: 'ISO-8859-9 that claims to be UTF-8, found by its offset',
      headers: ['Content-Type', 'text/plain; charset=utf-8'],
      body: hex('61 62 fe'),
      expect: {
        status: 200,
        json: { valid: false, isMislabelled: true, text: 'ab\uFFFD', invalid: [{ offset: 2, hex: 'fe' }] },
      },
    },
    {
      name: 'a byte-order mark decides where nothing is declared',
      headers: ['Content-Type', 'text/plain'],
      body: hex('fffe 5f01'),
      expect: {
        status: 200,
        json: {
          declared: null,
          bom: 'utf-16le',
          used: 'utf-16le',
          text: 'ş',
          bytesHex: 'fffe5f01',
          byteLength: 4,
        },
      },
    },
    {
      name: 'UTF-8 where nothing says otherwise',
      body: '€',
      expect: {
        status: 200,
        json: { declared: null, bom: null, used: 'utf-8', text: '€', codePoints: ['U+20AC'] },
      },
    },
    {
      name: 'an unknown charset',
      headers: ['Content-Type', 'text/plain; charset=klingon'],
      body: 'x',
      expect: { status: 415, json: { status: 415, detail: /klingon/ } },
    },
  ],
  handle: async (call) => {
    const { decoded: bytes } = await readDecodedBody(call);
    return reply.json(describe(bytes, reportCharset(bytes, call.request.headers.first('content-type'))));
  },
});

function describe(bytes: Buffer, { declared, bom, detected, used, decoded, isMislabelled }: CharsetReport) {
  const isSpelled = bytes.length <= MAX_SPELLED_BYTES;
  return {
    declared,
    bom,
    detected,
    used,
    valid: decoded.isValid,
    isMislabelled,
    text: decoded.text,
    codePoints: isSpelled ? Array.from(decoded.text, codePointName) : null,
    bytesHex: isSpelled ? bytes.toString('hex') : null,
    byteLength: bytes.length,
    invalid: decoded.invalid,
  };
}

interface ForcedCharset {
  readonly suffix: string;
  readonly charset: Charset;
  /** The name as the answer's Content-Type writes it. */
  readonly label: string;
  readonly examples: readonly Example[];
}

/** An example whose bytes must come back exactly as they went. */
const unchanged = (name: string, bytes: string, contentType: string, label: string): Example => ({
  name,
  headers: ['Content-Type', contentType],
  body: hex(bytes),
  expect: { status: 200, headers: { 'content-type': `text/plain; charset=${label}` }, hex: bytes },
});

const forcedCharsets: readonly ForcedCharset[] = [
  {
    suffix: 'utf8',
    charset: 'utf-8',
    label: 'UTF-8',
    examples: [
      unchanged('two, three and four bytes', 'c59f e282ac f09f9880', 'text/plain; charset=utf-8', 'UTF-8'),
      unchanged('a byte-order mark stays', 'efbbbf c3bc', 'text/plain', 'UTF-8'),
      {
        name: 'an overlong form is refused, and its place told',
        headers: ['Content-Type', 'text/plain; charset=utf-8'],
        body: hex('6161 c0af'),
        expect: { status: 400, json: { status: 400, detail: /not valid utf-8: bytes c0 at offset 2/ } },
      },
    ],
  },
  {
    suffix: 'iso8859-9',
    charset: 'iso-8859-9',
    label: 'ISO-8859-9',
    examples: [
      unchanged('the Turkish letters', 'd0 dd de f0 fd fe', 'text/plain; charset=iso-8859-9', 'ISO-8859-9'),
      unchanged('the control range, which is not that of windows-1254', '80 9f', 'text/plain', 'ISO-8859-9'),
      {
        name: 'a label that says otherwise is told',
        headers: ['Content-Type', 'text/plain; charset=utf-8'],
        body: hex('fe'),
        expect: {
          status: 200,
          headers: { 'x-declared-charset': 'utf-8', 'x-mislabelled': 'true' },
          hex: 'fe',
        },
      },
    ],
  },
  {
    suffix: 'iso8859-1',
    charset: 'iso-8859-1',
    label: 'ISO-8859-1',
    examples: [
      unchanged('letters and controls', 'e9 fc ff 00 7f 80 9f', 'text/plain; charset=latin1', 'ISO-8859-1'),
    ],
  },
  {
    suffix: 'windows-1252',
    charset: 'windows-1252',
    label: 'windows-1252',
    examples: [
      unchanged(
        'the euro sign and its neighbours',
        '80 8e 9f fc',
        'text/plain; charset=cp1252',
        'windows-1252',
      ),
      unchanged(
        'the five bytes without a character stay too',
        '81 8d 8f 90 9d',
        'text/plain',
        'windows-1252',
      ),
    ],
  },
];

const forcedEchoes = forcedCharsets.map(({ suffix, charset, label, examples }) =>
  endpoint({
    id: `request-charset-echo-${suffix}`,
    group: 'Request Charset Test',
    spec: '1 §4.1',
    methods: ['POST'],
    path: `/encoding-test/request-charset/echo-${suffix}`,
    summary: `Decodes the body as ${label}, whatever its label says, and answers in ${label}: the same bytes.`,
    body: rawBody('text/plain'),
    responses: { 200: text(`The text in ${label}.`), 400: problem(`The body is not valid ${label}.`) },
    examples,
    handle: async (call) => {
      const { decoded: bytes } = await readDecodedBody(call);
      const report = reportCharset(bytes, call.request.headers.first('content-type'), charset);
      refuseInvalid(report);
      const bom = bytes.subarray(0, bomLength(bytes, charset));
      const body = Buffer.concat([bom, encodeText(report.decoded.text, charset).bytes]);
      return reply.bytes(body, `text/plain; charset=${label}`, {
        headers: [
          ...(report.declared === null ? [] : ['X-Declared-Charset', report.declared]),
          'X-Mislabelled',
          String(report.isMislabelled),
          'X-Code-Points',
          String([...report.decoded.text].length),
          ...integrityHeaders(body),
        ],
      });
    },
  }),
);

function bomLength(bytes: Buffer, charset: Charset): number {
  const bom = detectBom(bytes);
  return bom?.charset === charset ? bom.length : 0;
}

export const requestCharsetTest: readonly TestbedEndpoint[] = [echo, ...forcedEchoes];
