import { reply } from '../../../kernel/catalogue/answer.ts';
import { json, problem, rawBody } from '../../../kernel/catalogue/declarations.ts';
import { reportCharset } from '../../content/charset-report.ts';
import { charsetOf, contentTypeOf } from '../../content/charsets.ts';
import { sha256Hex } from '../../content/integrity.ts';
import { sniffedType } from '../../content/sniffed-type.ts';
import { readDecodedBody } from '../../echo/decoded-body.ts';
import { endpoint } from '../../endpoint.ts';

// A longer text is described and not repeated.
const MAX_SHOWN_BYTES = 1024 * 1024;

export const echo = endpoint({
  id: 'content-type-echo',
  group: 'Proxy Content-Type & Charset',
  methods: ['POST'],
  path: '/proxy-test/content-type/echo',
  summary: 'The Content-Type as it came, as it is understood, and as the bytes look; the text decoded by it.',
  body: rawBody(),
  responses: {
    200: json('What was said about the body, and what it is.'),
    400: problem('The content is not valid in its coding.'),
    413: problem('The body is too large.'),
    415: problem('The Content-Encoding is unknown.'),
  },
  examples: [
    {
      name: 'a quoted charset and a parameter of its own',
      headers: ['Content-Type', 'TEXT/Plain; Charset="ISO-8859-9"; note="a;b"'],
      body: Buffer.from('fe656b6572', 'hex'),
      expect: {
        status: 200,
        json: {
          raw: ['TEXT/Plain; Charset="ISO-8859-9"; note="a;b"'],
          type: 'text/plain',
          params: { charset: 'ISO-8859-9', note: 'a;b' },
          charset: { declared: 'iso-8859-9', used: 'iso-8859-9', valid: true, isMislabelled: false },
          sniffedType: 'text/plain',
          length: 5,
          text: 'şeker',
        },
      },
    },
    {
      name: 'HTML that claims to be JSON',
      headers: ['Content-Type', 'application/json'],
      body: '<!doctype html><p>ş',
      expect: {
        status: 200,
        json: {
          type: 'application/json',
          sniffedType: 'text/html',
          charset: { used: 'utf-8' },
          text: '<!doctype html><p>ş',
        },
      },
    },
    {
      name: 'the field twice',
      headers: ['Content-Type', 'text/plain', 'Content-Type', 'text/html'],
      body: 'x',
      expect: { status: 200, json: { raw: ['text/plain', 'text/html'], type: 'text/plain' } },
    },
    {
      name: 'no field, and bytes that are no text',
      body: Buffer.from('89504e470d0a1a0aff', 'hex'),
      expect: {
        status: 200,
        json: {
          raw: [],
          type: null,
          params: {},
          sniffedType: 'image/png',
          charset: { valid: false },
          text: null,
        },
      },
    },
    {
      name: 'a charset nobody knows is reported, not refused',
      headers: ['Content-Type', 'text/plain; charset=klingon'],
      body: 'abc',
      expect: {
        status: 200,
        json: { charset: { declared: 'klingon', isKnown: false, used: 'utf-8' }, text: 'abc' },
      },
    },
    {
      name: 'corrupt gzip',
      headers: ['Content-Encoding', 'gzip'],
      body: 'x',
      expect: { status: 400, json: { detail: /gzip/ } },
    },
  ],
  handle: async (call) => {
    const { decoded: bytes } = await readDecodedBody(call);
    const raw = call.request.headers.all('content-type');
    const { type = null, params, charset } = contentTypeOf(raw[0]);
    const isKnown = charset === undefined || charsetOf(charset) !== undefined;
    const report = reportCharset(bytes, raw[0], isKnown ? undefined : 'utf-8');
    const isShown = report.decoded.isValid && bytes.length <= MAX_SHOWN_BYTES;
    return reply.json({
      raw,
      type,
      params: Object.fromEntries(params),
      charset: {
        declared: report.declared,
        isKnown,
        bom: report.bom,
        detected: report.detected,
        used: report.used,
        valid: report.decoded.isValid,
        isMislabelled: report.isMislabelled,
      },
      sniffedType: sniffedType(bytes),
      length: bytes.length,
      sha256: sha256Hex(bytes),
      text: isShown ? report.decoded.text : null,
    });
  },
});
