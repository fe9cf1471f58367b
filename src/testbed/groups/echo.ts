import { reply } from '../../kernel/catalogue/answer.ts';
import { anyType, json, problem, rawBody } from '../../kernel/catalogue/declarations.ts';
import { contentTypeOf } from '../content/charsets.ts';
import { integrityHeaders } from '../content/integrity.ts';
import { describeDecodedBody, readDecodedBody } from '../echo/decoded-body.ts';
import { echoMultipart } from '../echo/described-parts.ts';
import { headersByName, pairsOf, proxyEchoOf } from '../echo/proxy-echo.ts';
import { endpoint, type TestbedEndpoint } from '../endpoint.ts';

const gzippedHello = Buffer.from('H4sIAAAAAAAAA6tWykjNyclXslIqzy/KSVGqBQDRQQnYEQAAAA==', 'base64');

const decodingFaults = {
  400: problem('The content is not valid in its coding.'),
  413: problem('The body is too large, or unpacks to too much.'),
  415: problem('The coding is unknown.'),
};

const request = endpoint({
  id: 'echo-request',
  group: 'Echo',
  spec: '1 §4.1',
  methods: ['POST'],
  path: '/echo/request',
  summary: 'Describes the whole request; the body with its codings undone, and parsed when it is JSON.',
  body: rawBody(),
  responses: { 200: json('The request.'), ...decodingFaults },
  examples: [
    {
      name: 'JSON in gzip',
      path: '/echo/request?a=1&a=2',
      headers: [
        'Content-Type',
        'application/json',
        'Content-Encoding',
        'gzip',
        'X-Twice',
        'one',
        'x-twice',
        'two',
      ],
      body: gzippedHello,
      expect: {
        status: 200,
        json: {
          method: 'POST',
          rawPath: '/echo/request',
          query: [
            ['a', '1'],
            ['a', '2'],
          ],
          headers: { 'x-twice': ['one', 'two'] },
          body: {
            contentType: 'application/json',
            contentEncoding: ['gzip'],
            rawLength: 37,
            decodedLength: 17,
            text: '{"hello":"world"}',
            json: { hello: 'world' },
          },
        },
      },
    },
    {
      name: 'a body that is no text is shown in base64',
      headers: ['Content-Type', 'application/octet-stream'],
      body: Buffer.from([0, 255, 128]),
      expect: { status: 200, json: { body: { decodedLength: 3, base64: 'AP+A' } } },
    },
    {
      name: 'no body',
      expect: {
        status: 200,
        json: { body: { contentType: null, rawLength: 0, decodedLength: 0, text: '' } },
      },
    },
    {
      name: 'corrupt gzip',
      headers: ['Content-Encoding', 'gzip'],
      body: 'plain',
      expect: { status: 400, json: { status: 400, detail: /gzip/ } },
    },
  ],
  handle: async (call) => {
    const body = await readDecodedBody(call);
    const contentType = call.request.headers.first('content-type');
    const described = describeDecodedBody(body, contentType);
    const parsed = isJson(contentType) ? { json: parseJson(body.decoded) } : {};
    return reply.json({
      ...proxyEchoOf(call, body.raw),
      body: { contentType: contentType ?? null, ...described, ...parsed },
    });
  },
});

const raw = endpoint({
  id: 'echo-request-raw',
  group: 'Echo',
  spec: '1 §4.1',
  methods: ['POST'],
  path: '/echo/request/raw',
  summary:
    'The body back, byte for byte, under its own Content-Type and Content-Encoding; nothing is decoded.',
  body: rawBody(),
  responses: { 200: anyType('The same bytes.'), 413: problem('The body is too large.') },
  examples: [
    {
      name: 'gzip stays gzip',
      headers: ['Content-Type', 'application/json', 'Content-Encoding', 'gzip'],
      body: gzippedHello,
      expect: {
        status: 200,
        headers: {
          'content-type': 'application/json',
          'content-encoding': 'gzip',
          'content-length': '37',
          'x-content-type-options': 'nosniff',
        },
        hex: gzippedHello.toString('hex'),
        decodedText: '{"hello":"world"}',
      },
    },
    {
      name: 'bytes without a type stay without one',
      body: Buffer.from([0, 13, 10, 255]),
      expect: { status: 200, headers: { 'content-type': null, 'content-encoding': null }, hex: '000d0aff' },
    },
    {
      name: 'chunks are put together',
      headers: ['Transfer-Encoding', 'chunked', 'Content-Type', 'text/x-odd; Charset="UTF-8"'],
      body: '3\r\nabc\r\n2;ext=1\r\nde\r\n0\r\n\r\n',
      expect: { status: 200, headers: { 'content-type': 'text/x-odd; Charset="UTF-8"' }, text: 'abcde' },
    },
  ],
  handle: async ({ request, exchange, services }) => {
    const bytes = await exchange.body.bytes(services.settings.limits.maxBodyBytes);
    const contentEncoding = request.headers.get('content-encoding');
    return reply.bytes(bytes, request.headers.first('content-type'), {
      headers: [
        ...(contentEncoding === undefined ? [] : ['Content-Encoding', contentEncoding]),
        // A body sent back must never be taken for a page of this service.
        'X-Content-Type-Options',
        'nosniff',
        ...integrityHeaders(bytes),
      ],
    });
  },
});

const multipart = endpoint({
  id: 'echo-multipart',
  group: 'Echo',
  spec: '1 §4.1',
  methods: ['POST'],
  path: '/echo/multipart',
  summary:
    'Takes any multipart body apart: each part with headers, name, file name, length, digest and text, in order.',
  description: 'A Content-Encoding of the whole body is undone first.',
  body: rawBody('multipart/form-data', 'multipart/mixed', 'multipart/related'),
  responses: {
    200: json('The parts.'),
    400: problem('The body is malformed, or not valid in its coding.'),
    413: problem('The body is too large or has too many parts.'),
    415: problem('The body is not multipart, or its coding is unknown.'),
  },
  examples: [
    {
      name: 'a field and a file, the order kept',
      headers: ['Content-Type', 'multipart/form-data; boundary=frontier'],
      body:
        '--frontier\r\nContent-Disposition: form-data; name="file"; filename="x.txt"; filename*=UTF-8\'\'%C5%9F.txt\r\n' +
        'Content-Type: text/plain; charset=utf-8\r\nX-Own: yes\r\n\r\nşeker\r\n' +
        '--frontier\r\nContent-Disposition: form-data; name="token"\r\n\r\nabc\r\n--frontier--\r\n',
      expect: {
        status: 200,
        json: {
          type: 'multipart/form-data',
          boundary: 'frontier',
          parts: [
            {
              index: 0,
              headers: [
                ['Content-Disposition', /^form-data; name="file"/],
                ['Content-Type', 'text/plain; charset=utf-8'],
                ['X-Own', 'yes'],
              ],
              name: 'file',
              filename: 'ş.txt',
              contentType: 'text/plain; charset=utf-8',
              length: 6,
              sha256: '4df27cc2efa223d850f1449dfeeea6ab384c138c35f22dbef279248cf9ef236a',
              text: 'şeker',
            },
            { index: 1, name: 'token', filename: null, contentType: null, length: 3, text: 'abc' },
          ],
        },
      },
    },
    {
      name: 'the closing boundary is missing',
      headers: ['Content-Type', 'multipart/mixed; boundary=b'],
      body: '--b\r\n\r\nx',
      expect: { status: 400, json: { status: 400, detail: /closing boundary/ } },
    },
    {
      name: 'not multipart',
      headers: ['Content-Type', 'text/plain'],
      body: 'x',
      expect: { status: 415, json: { status: 415, detail: /multipart/ } },
    },
  ],
  handle: async (call) => reply.json(await echoMultipart(call)),
});

const headers = endpoint({
  id: 'echo-headers',
  group: 'Echo',
  spec: '1 §4.1',
  methods: ['POST'],
  path: '/echo/headers',
  summary:
    'The header fields as they came: by name, and as a list with order, casing and duplicates; trailers too.',
  responses: { 200: json('The fields.') },
  examples: [
    {
      name: 'order, casing and duplicates',
      headers: ['X-B', '1', 'x-a', '2', 'X-b', '3', 'Host', 'example.test', 'Connection', 'close'],
      expect: {
        status: 200,
        json: {
          count: 5,
          headers: { 'x-b': ['1', '3'], 'x-a': ['2'], host: ['example.test'] },
          rawHeaders: [
            ['X-B', '1'],
            ['x-a', '2'],
            ['X-b', '3'],
            ['Host', 'example.test'],
            ['Connection', 'close'],
          ],
          trailers: [],
        },
      },
    },
    {
      name: 'trailers after a chunked body',
      headers: ['Transfer-Encoding', 'chunked'],
      body: '1\r\nx\r\n0\r\nX-Checksum: 42\r\n\r\n',
      expect: { status: 200, json: { trailers: [['X-Checksum', '42']] } },
    },
  ],
  handle: async ({ request, exchange, services }) => {
    await exchange.body.discard(services.settings.limits.maxBodyBytes);
    return reply.json({
      count: request.headers.size,
      headers: headersByName(request.headers),
      rawHeaders: [...request.headers.pairs()],
      trailers: pairsOf(exchange.body.trailers),
    });
  },
});

function isJson(contentType: string | undefined): boolean {
  const { type = '' } = contentTypeOf(contentType);
  return type === 'application/json' || type.endsWith('+json');
}

/** Null when it is not JSON after all. */
function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return null;
  }
}

export const echo: readonly TestbedEndpoint[] = [request, raw, multipart, headers];
