import { Type } from 'typebox';
import { reply } from '../../../kernel/catalogue/answer.ts';
import { json } from '../../../kernel/catalogue/declarations.ts';
import { decodedBytes } from '../../../kernel/catalogue/query.ts';
import { decodeText } from '../../content/charsets.ts';
import { reportUnicode, reportUrl, spellingOf } from '../../content/url-report.ts';
import { endpoint, type TestbedEndpoint } from '../../endpoint.ts';
import { group, urlEndpoint, urlHeaders, urlReportSchema } from './url-endpoint.ts';

const UNICODE = '/proxy-test/url/unicode/';

const unicode = urlEndpoint({
  name: 'unicode',
  spec: '1 §4.6',
  path: `${UNICODE}**`,
  summary: 'Tells the letters of the rest of the path: bytes, code points, normal form, spelling.',
  examples: [
    {
      name: 'percent-encoded UTF-8',
      path: `${UNICODE}%C5%9F%E4%B8%AD`,
      expect: {
        status: 200,
        json: {
          rawPath: `${UNICODE}%C5%9F%E4%B8%AD`,
          decodedPath: `${UNICODE}ş中`,
          unicode: {
            text: 'ş中',
            isUtf8: true,
            spelling: 'percent-encoded',
            codePoints: ['U+015F', 'U+4E2D'],
          },
        },
      },
    },
    {
      name: 'raw UTF-8 bytes in the request line',
      path: `${UNICODE}\xc5\x9f`,
      expect: {
        status: 200,
        json: { rawPath: `${UNICODE}\xc5\x9f`, unicode: { text: 'ş', spelling: 'raw', bytesHex: 'c59f' } },
      },
    },
    {
      name: 'a decomposed letter stays decomposed',
      path: `${UNICODE}s%CC%A7`,
      expect: {
        status: 200,
        json: { unicode: { codePoints: ['U+0073', 'U+0327'], isNfc: false, isNfd: true } },
      },
    },
    {
      name: 'bytes that are no UTF-8',
      path: `${UNICODE}%FE`,
      expect: { status: 200, json: { unicode: { isUtf8: false, bytesHex: 'fe' } } },
    },
  ],
  further: ({ rawPath }) => ({ unicode: reportUnicode(rawPath.slice(UNICODE.length)) }),
});

const LETTERS = 'şığüöıç';
// The same letters in ISO-8859-9, which old clients and proxies still write.
const LETTERS_ISO_8859_9 = '%FE%FD%F0%FC%F6%FD%E7';
const TURKISH = '/proxy-test/url/tr/';

const turkish = urlEndpoint({
  name: 'tr',
  spec: '1 §4.6',
  path: `${TURKISH}${LETTERS}`,
  aliases: [`${TURKISH}${LETTERS_ISO_8859_9}`],
  summary: 'Takes Turkish letters as UTF-8 or ISO-8859-9, raw or percent-encoded, and tells which it was.',
  examples: [
    {
      name: 'percent-encoded UTF-8',
      path: `${TURKISH}%C5%9F%C4%B1%C4%9F%C3%BC%C3%B6%C4%B1%C3%A7`,
      expect: {
        status: 200,
        json: {
          encoding: 'utf-8',
          spelling: 'percent-encoded',
          text: LETTERS,
          decodedPath: `${TURKISH}${LETTERS}`,
        },
      },
    },
    {
      name: 'raw UTF-8 bytes',
      path: `${TURKISH}\xc5\x9f\xc4\xb1\xc4\x9f\xc3\xbc\xc3\xb6\xc4\xb1\xc3\xa7`,
      expect: { status: 200, json: { encoding: 'utf-8', spelling: 'raw', text: LETTERS } },
    },
    {
      name: 'percent-encoded ISO-8859-9, small hex digits',
      path: `${TURKISH}%fe%fd%f0%fc%f6%fd%e7`,
      expect: { status: 200, json: { encoding: 'iso-8859-9', spelling: 'percent-encoded', text: LETTERS } },
    },
    {
      name: 'raw ISO-8859-9 bytes',
      path: `${TURKISH}\xfe\xfd\xf0\xfc\xf6\xfd\xe7`,
      expect: { status: 200, json: { encoding: 'iso-8859-9', spelling: 'raw', text: LETTERS } },
    },
    {
      name: 'other letters are another path',
      path: `${TURKISH}%C5%9F`,
      expect: { status: 404, json: { status: 404 } },
    },
  ],
  further({ rawPath }) {
    const raw = rawPath.slice(TURKISH.length);
    const bytes = decodedBytes(raw);
    const asUtf8 = decodeText(bytes, 'utf-8');
    const encoding = asUtf8.isValid ? 'utf-8' : 'iso-8859-9';
    const { text } = decodeText(bytes, encoding);
    return { encoding, spelling: spellingOf(raw), text, decodedPath: `${TURKISH}${text}` };
  },
});

const encodeTest = endpoint({
  id: 'proxy-url-encode-test',
  group,
  spec: '1 §4.6',
  methods: ['GET'],
  path: '/proxy-test/url/encode-test',
  summary: 'Tells how a value of the query arrived, and how it is written in each way of encoding.',
  query: Type.Object({ value: Type.String({ default: 'çğıöşü éñß Ωж' }) }),
  headers: urlHeaders,
  responses: { 200: json('The report with `value`, `raw`, `spelling` and `encodings`.', urlReportSchema) },
  examples: [
    {
      name: 'the default text',
      expect: {
        status: 200,
        json: {
          value: 'çğıöşü éñß Ωж',
          raw: null,
          spelling: 'none',
          encodings: { percent: /^%C3%A7%C4%9F%C4%B1/ },
        },
      },
    },
    {
      name: 'a space and a letter',
      path: '/proxy-test/url/encode-test?value=a+%c5%9f',
      expect: {
        status: 200,
        json: {
          value: 'a ş',
          raw: 'a+%c5%9f',
          spelling: 'percent-encoded',
          encodings: { percent: 'a%20%C5%9F', form: 'a+%C5%9F', utf8Hex: '6120c59f' },
        },
      },
    },
    {
      name: 'raw bytes in the query',
      path: '/proxy-test/url/encode-test?value=\xc5\x9f',
      expect: { status: 200, json: { value: 'ş', raw: '\xc5\x9f', spelling: 'raw' } },
    },
  ],
  handle({ request, query: { value } }) {
    const raw = /(?:^|&)value=([^&]*)/.exec(request.rawQuery ?? '')?.[1] ?? null;
    return reply.json({
      ...reportUrl(request),
      value,
      raw,
      spelling: spellingOf(raw ?? ''),
      encodings: {
        percent: encodeURIComponent(value),
        form: new URLSearchParams({ value }).toString().slice('value='.length),
        utf8Hex: Buffer.from(value).toString('hex'),
      },
    });
  },
});

/** Addresses with letters beyond ASCII. */
export const letterEndpoints: readonly TestbedEndpoint[] = [unicode, turkish, encodeTest];
