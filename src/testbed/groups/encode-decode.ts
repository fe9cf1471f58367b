import { Type } from 'typebox';
import { reply } from '../../kernel/catalogue/answer.ts';
import { json, jsonBody, problem } from '../../kernel/catalogue/declarations.ts';
import { fault } from '../../kernel/faults.ts';
import { decodeBase64, utf8Text } from '../content/base64.ts';
import { endpoint, type TestbedEndpoint } from '../endpoint.ts';

const group = 'Encode/Decode';
const outcome = Type.Object({ input: Type.String(), output: Type.String() });
const asJson = ['Content-Type', 'application/json'];

const encode = endpoint({
  id: 'base64-enc',
  group,
  spec: '1 §4.4',
  methods: ['POST'],
  path: '/api/enc/',
  summary: 'Encodes a JSON string as base64.',
  body: jsonBody(Type.String(), { description: 'The text; its UTF-8 bytes are encoded.' }),
  responses: {
    200: json('The text and its base64.', outcome),
    400: problem('The body is no JSON string.'),
    413: problem('The body is too large.'),
    415: problem('The body is not JSON.'),
  },
  examples: [
    {
      name: 'UTF-8',
      headers: asJson,
      body: '"merhaba dünya"',
      expect: { status: 200, json: { input: 'merhaba dünya', output: 'bWVyaGFiYSBkw7xueWE=' } },
    },
    {
      name: 'without the trailing slash',
      path: '/api/enc',
      headers: asJson,
      body: '""',
      expect: { status: 200, json: { input: '', output: '' } },
    },
    { name: 'no string', headers: asJson, body: '{"a":1}', expect: { status: 400 } },
    { name: 'no JSON', headers: asJson, body: 'merhaba', expect: { status: 400 } },
    { name: 'no body', expect: { status: 400 } },
  ],
  handle: ({ body }) => reply.json({ input: body, output: Buffer.from(body, 'utf8').toString('base64') }),
});

const decode = endpoint({
  id: 'base64-dec',
  group,
  spec: '1 §4.4',
  methods: ['POST'],
  path: '/api/dec/',
  summary: 'Decodes the base64 of a JSON string.',
  description: 'Takes both alphabets, padded or not. What is inside must be UTF-8 text.',
  body: jsonBody(Type.String(), { description: 'The base64.' }),
  responses: {
    200: json('The base64 and its text.', outcome),
    400: problem('The body is no JSON string, or no base64 of a text.'),
    413: problem('The body is too large.'),
    415: problem('The body is not JSON.'),
  },
  examples: [
    {
      name: 'UTF-8',
      headers: asJson,
      body: '"bWVyaGFiYSBkw7xueWE="',
      expect: { status: 200, json: { input: 'bWVyaGFiYSBkw7xueWE=', output: 'merhaba dünya' } },
    },
    {
      name: 'no base64',
      headers: asJson,
      body: '"b*d"',
      expect: { status: 400, json: { detail: /is not base64/ } },
    },
    { name: 'a cut base64', headers: asJson, body: '"YWJjZ"', expect: { status: 400 } },
    {
      name: 'bytes that are no text',
      headers: asJson,
      body: '"/w=="',
      expect: { status: 400, json: { detail: /UTF-8/ } },
    },
    { name: 'no body', expect: { status: 400 } },
  ],
  handle: ({ body }) => {
    const bytes = decodeBase64(body, { isPaddingOptional: true });
    if (!bytes) throw fault('body.invalid', { pointer: '', rule: 'is not base64' });
    const output = utf8Text(bytes);
    if (output === undefined)
      throw fault('body.invalid', { pointer: '', rule: 'does not decode to UTF-8 text' });
    return reply.json({ input: body, output });
  },
});

export const encodeDecode: readonly TestbedEndpoint[] = [encode, decode];
