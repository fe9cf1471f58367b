import { Type } from 'typebox';
import { reply } from '../../kernel/catalogue/answer.ts';
import { json, problem, rawBody } from '../../kernel/catalogue/declarations.ts';
import type { Example } from '../../kernel/catalogue/endpoint.ts';
import { fault } from '../../kernel/faults.ts';
import { codings, codingsOf } from '../content/codings.ts';
import { describeDecodedBody, readDecodedBody } from '../echo/decoded-body.ts';
import { endpoint, type TestbedEndpoint } from '../endpoint.ts';

/** `merhaba dünya` and a newline, 15 bytes, in every coding. */
const coded = {
  gzip: 'H4sIAAAAAAAAA8tNLcpITEpUSDm8J68ykQsAn+0VQg8AAAA=',
  deflate: 'eJzLTS3KSExKVEg5vCevMpELADHzBiY=',
  'raw deflate': 'y00tykhMSlRIObwnrzKRCwA=',
  br: 'CweAbWVyaGFiYSBkw7xueWEKAw==',
  zstd: 'KLUv/SAPeQAAbWVyaGFiYSBkw7xueWEK',
  'gzip, then br': 'CxGAH4sIAAAAAAAAA8tNLcpITEpUSDm8J68ykQsAn+0VQg8AAAAD',
};

/** 64 bytes of Brotli that unpack to 70 MiB of zeros. */
const brotliBomb = 'z///fwAkAOKxQHLv//n//w+ABEAcFoDu/T////8BkACIwwLQvf/n//8/ABIAcVgAuvf/+f//BUACIA4LQPf+Cw==';

const fromBase64 = (text: string) => Buffer.from(text, 'base64');

const decodedSha256 = '8140e93b8c29da2d70d9f6bd6c9f19514cf1738606a21897b2e815562be33190';
const decoded = { decodedLength: 15, decodedSha256, text: 'merhaba dünya\n' };

const understood = (name: keyof typeof coded, contentEncoding: string, names: string[]): Example => ({
  name: `${name} is undone`,
  headers: ['Content-Type', 'text/plain; charset=utf-8', 'Content-Encoding', contentEncoding],
  body: fromBase64(coded[name]),
  expect: {
    status: 200,
    json: {
      contentEncoding: names,
      rawLength: fromBase64(coded[name]).length,
      charset: 'utf-8',
      ...decoded,
    },
  },
});

const echo = endpoint({
  id: 'encoding-test-request-echo',
  group: 'Request Encoding',
  spec: '1 §4.1',
  methods: ['POST'],
  path: '/encoding-test/request/echo',
  summary: 'Undoes the codings of Content-Encoding and tells both forms of the body: lengths, digests, text.',
  description:
    'Several codings are undone in reverse order. `deflate` is taken with and without its zlib header. ' +
    'An unknown coding is answered by 415 with the accepted ones (RFC 7694), corrupt content by 400, ' +
    'content that unpacks to more than the limit, or to more than a thousand times its size, by 413.',
  body: rawBody(),
  responses: {
    200: json('The body in both forms.'),
    400: problem('The content is not valid in its coding.'),
    413: problem('The content unpacks to too much.'),
    415: problem('The coding is unknown; Accept-Encoding says which are known.'),
  },
  examples: [
    {
      name: 'without a coding',
      headers: ['Content-Type', 'text/plain; charset=utf-8'],
      body: 'merhaba dünya\n',
      expect: {
        status: 200,
        json: { contentEncoding: [], rawLength: 15, rawSha256: decodedSha256, ...decoded },
      },
    },
    understood('gzip', 'gzip', ['gzip']),
    understood('deflate', 'deflate', ['deflate']),
    understood('raw deflate', 'deflate', ['deflate']),
    understood('br', 'br', ['br']),
    understood('zstd', 'ZSTD', ['zstd']),
    understood('gzip, then br', 'gzip, br', ['gzip', 'br']),
    {
      name: 'an unknown coding',
      headers: ['Content-Encoding', 'gzip, x-foo'],
      body: 'anything',
      expect: {
        status: 415,
        headers: { 'accept-encoding': 'gzip, deflate, br, zstd' },
        json: { status: 415, detail: /x-foo/ },
      },
    },
    {
      name: 'gzip that is cut off',
      headers: ['Content-Encoding', 'gzip'],
      body: fromBase64(coded.gzip).subarray(0, 20),
      expect: { status: 400, json: { status: 400, detail: /not valid gzip/ } },
    },
    {
      name: 'no gzip at all',
      headers: ['Content-Encoding', 'gzip'],
      body: 'plain text',
      expect: { status: 400, json: { status: 400, detail: /not valid gzip/ } },
    },
    {
      name: 'a bomb',
      headers: ['Content-Encoding', 'br'],
      body: fromBase64(brotliBomb),
      expect: { status: 413, json: { status: 413, detail: /larger than 10485760 bytes/ } },
    },
  ],
  handle: async (call) => {
    return reply.json(
      describeDecodedBody(await readDecodedBody(call), call.request.headers.first('content-type')),
    );
  },
});

const required = endpoint({
  id: 'encoding-test-request-coding',
  group: 'Request Encoding',
  methods: ['POST'],
  path: '/encoding-test/request/{coding}',
  summary: 'Takes a body in exactly this coding and refuses every other.',
  params: Type.Object({ coding: Type.Enum([...codings]) }),
  body: rawBody(),
  responses: {
    200: json('The body in both forms.'),
    400: problem('The content is not valid in its coding.'),
    413: problem('The content unpacks to too much.'),
    415: problem('Content-Encoding names something else.'),
  },
  examples: [
    {
      name: 'zstd where zstd is required',
      path: '/encoding-test/request/zstd',
      headers: ['Content-Encoding', 'zstd'],
      body: fromBase64(coded.zstd),
      expect: { status: 200, json: { contentEncoding: ['zstd'], ...decoded } },
    },
    {
      name: 'a plain body where none must be coded',
      path: '/encoding-test/request/identity',
      body: 'merhaba dünya\n',
      expect: { status: 200, json: { contentEncoding: [], ...decoded } },
    },
    {
      name: 'gzip where br is required',
      path: '/encoding-test/request/br',
      headers: ['Content-Encoding', 'gzip'],
      body: fromBase64(coded.gzip),
      expect: {
        status: 415,
        headers: { 'accept-encoding': 'br' },
        json: { status: 415, detail: /exactly br, not gzip/ },
      },
    },
    {
      name: 'no coding where gzip is required',
      path: '/encoding-test/request/gzip',
      body: 'plain',
      expect: { status: 415, headers: { 'accept-encoding': 'gzip' } },
    },
    {
      name: 'no such coding',
      path: '/encoding-test/request/lzma',
      expect: { status: 400, json: { detail: /coding/ } },
    },
  ],
  handle: async (call) => {
    const { coding } = call.params;
    const received = call.request.headers.get('content-encoding') ?? 'identity';
    if (codingsOf(received).join(', ') !== coding) {
      throw fault('encoding.required', { coding, received }, ['Accept-Encoding', coding]);
    }
    return reply.json(
      describeDecodedBody(await readDecodedBody(call), call.request.headers.first('content-type')),
    );
  },
});

/** The fields that say how a body is coded or framed, or how the answer may be. */
const encodingFields = [
  'accept-encoding',
  'accept-charset',
  'content-encoding',
  'content-type',
  'content-length',
  'content-digest',
  'transfer-encoding',
  'te',
  'trailer',
  'expect',
];

const echoHeaders = endpoint({
  id: 'encoding-test-request-echo-headers',
  group: 'Request Encoding',
  spec: '1 §4.1',
  methods: ['GET', 'POST'],
  path: '/encoding-test/request/echo-headers',
  summary: 'The header fields about codings and framing as they arrived, one value per line sent.',
  responses: { 200: json('Those fields, and how the body was framed.') },
  examples: [
    {
      name: 'what a client accepts',
      headers: ['Accept-Encoding', 'gzip', 'accept-encoding', 'br;q=0.5', 'X-Other', 'left out'],
      expect: {
        status: 200,
        json: { headers: { 'accept-encoding': ['gzip', 'br;q=0.5'], 'x-other': undefined }, framing: 'none' },
      },
    },
    {
      name: 'a chunked body, which is not decoded',
      method: 'POST',
      headers: ['Transfer-Encoding', 'chunked', 'Content-Encoding', 'x-foo'],
      body: '5\r\nhello\r\n0\r\n\r\n',
      expect: {
        status: 200,
        json: {
          headers: { 'transfer-encoding': ['chunked'], 'content-encoding': ['x-foo'] },
          framing: 'chunked',
          receivedLength: 5,
        },
      },
    },
  ],
  handle: async ({ request, exchange, services }) => {
    await exchange.body.discard(services.settings.limits.maxBodyBytes);
    const present = encodingFields.filter((name) => request.headers.has(name));
    return reply.json({
      headers: Object.fromEntries(present.map((name) => [name, request.headers.all(name)])),
      framing: exchange.body.framing,
      receivedLength: exchange.body.receivedLength,
    });
  },
});

export const requestEncoding: readonly TestbedEndpoint[] = [echo, required, echoHeaders];
