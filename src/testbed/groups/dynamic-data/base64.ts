import { Type } from 'typebox';
import { type PlainAnswer, reply } from '../../../kernel/catalogue/answer.ts';
import { anyType, html, problem } from '../../../kernel/catalogue/declarations.ts';
import { fault } from '../../../kernel/faults.ts';
import { decodeBase64, utf8Text } from '../../content/base64.ts';
import { xmlEscape } from '../../content/xml.ts';
import { dialectOf } from '../../echo/httpbin-echo.ts';
import { endpoint, type TestbedCall, type TestbedEndpoint } from '../../endpoint.ts';
import { isInertType } from '../../public-mode.ts';

const group = 'Dynamic Data';
const htmlType = 'text/html; charset=utf-8';
const textType = 'text/plain; charset=utf-8';

const params = Type.Object({ value: Type.String({ minLength: 1 }) });
const query = Type.Object({
  'content-type': Type.Optional(
    Type.String({
      pattern: '^[\\x20-\\x7e]+$',
      description: 'Type of the answer. What a browser would run as a page is escaped.',
    }),
  ),
});

/** httpbin's page shows the text as it is; a type the client chose, and a service on an open network, get it escaped. */
function answerText(
  call: TestbedCall,
  content: Buffer,
  asked: string | undefined,
  usual: string,
): PlainAnswer {
  const contentType = asked ?? usual;
  const isTrusted = asked === undefined && !call.services.settings.isPublic;
  if (isTrusted || isInertType(contentType)) return reply.bytes(content, contentType);
  return reply.bytes(xmlEscape(content.toString('utf8')), contentType);
}

function decoded(value: string): Buffer {
  const content = decodeBase64(value, { isPaddingOptional: true });
  if (!content) throw fault('parameter.invalid', { in: 'path', name: 'value', rule: 'must be base64' });
  return content;
}

const base64 = endpoint({
  id: 'base64',
  group,
  methods: ['GET'],
  path: '/base64/{value}',
  summary: 'Decodes base64 to a page.',
  description:
    "What is no base64, or no UTF-8 inside, gets httpbin's hint with 200. The go dialect answers plain text, and 400 to bad data.",
  params,
  query,
  responses: { 200: html('The text.'), 400: problem('No base64 (go dialect).') },
  examples: [
    {
      name: 'decoded',
      path: '/base64/R2F0ZWhvdXNl',
      expect: { status: 200, text: 'Gatehouse', headers: { 'content-type': htmlType } },
    },
    { name: 'URL-safe alphabet', path: '/base64/w7_Dvg==', expect: { status: 200, text: 'ÿþ' } },
    {
      name: 'no base64',
      path: '/base64/abc',
      expect: { status: 200, text: 'Incorrect Base64 data try: SFRUUEJJTiBpcyBhd2Vzb21l' },
    },
    {
      name: 'a chosen type that a browser would run is escaped',
      path: '/base64/PGI-?content-type=text/html',
      expect: { status: 200, text: '&lt;b&gt;', headers: { 'content-type': 'text/html' } },
    },
    {
      name: 'go dialect',
      path: '/base64/R2F0ZWhvdXNl?dialect=go',
      expect: { status: 200, text: 'Gatehouse', headers: { 'content-type': textType } },
    },
    { name: 'go dialect, no base64', path: '/base64/ab*c?dialect=go', expect: { status: 400 } },
  ],
  handle: (call) => {
    const { params, query } = call;
    const asked = query['content-type'];
    if (dialectOf(call) === 'go') return answerText(call, decoded(params.value), asked, textType);
    const content = decodeBase64(params.value);
    if (!content || utf8Text(content) === undefined) {
      return reply.bytes('Incorrect Base64 data try: SFRUUEJJTiBpcyBhd2Vzb21l', htmlType);
    }
    return answerText(call, content, asked, htmlType);
  },
});

const base64Decode = endpoint({
  id: 'base64-decode',
  group,
  methods: ['GET'],
  path: '/base64/decode/{value}',
  summary: 'Decodes base64 of either alphabet, padded or not.',
  params,
  query,
  responses: { 200: anyType('The decoded bytes.'), 400: problem('No base64.') },
  examples: [
    { name: 'decoded', path: '/base64/decode/AAECAw', expect: { status: 200, hex: '00010203' } },
    {
      name: 'with a type',
      path: '/base64/decode/e30?content-type=application/json',
      expect: { status: 200, json: {}, headers: { 'content-type': 'application/json' } },
    },
    {
      name: 'no base64',
      path: '/base64/decode/a',
      expect: { status: 400, json: { detail: 'path parameter value must be base64.' } },
    },
  ],
  handle: (call) => answerText(call, decoded(call.params.value), call.query['content-type'], textType),
});

const base64Encode = endpoint({
  id: 'base64-encode',
  group,
  methods: ['GET'],
  path: '/base64/encode/{value}',
  summary: 'Encodes a text as base64 with the URL-safe alphabet.',
  params,
  query,
  responses: { 200: anyType('The base64 text.') },
  examples: [
    { name: 'encoded', path: '/base64/encode/%C3%BF%C3%BE', expect: { status: 200, text: 'w7_Dvg==' } },
    {
      name: 'with a type',
      path: '/base64/encode/hi?content-type=application/json',
      expect: { status: 200, text: 'aGk=', headers: { 'content-type': 'application/json' } },
    },
  ],
  handle: (call) => {
    const encoded = Buffer.from(call.params.value).toString('base64');
    const text = Buffer.from(encoded.replaceAll('+', '-').replaceAll('/', '_'));
    return answerText(call, text, call.query['content-type'], textType);
  },
});

export const base64Texts: readonly TestbedEndpoint[] = [base64, base64Decode, base64Encode];
