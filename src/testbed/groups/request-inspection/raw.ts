import { reply } from '../../../kernel/catalogue/answer.ts';
import { binary, json, problem, rawBody, text } from '../../../kernel/catalogue/declarations.ts';
import { sha256Hex } from '../../content/integrity.ts';
import { rawHeadBytes, rawHeadText } from '../../echo/raw-head.ts';
import { endpoint, type TestbedEndpoint } from '../../endpoint.ts';

const group = 'Request Inspection';

const rawEcho = endpoint({
  id: 'raw',
  group,
  methods: ['ANY'],
  path: '/raw',
  summary: 'Gives back the bytes of the request head, exactly as they arrived.',
  description:
    'Request line, header order, casing, duplicates and white space as on the wire, up to and with the empty line. ' +
    'HTTP/2 has no such bytes; there its fields are listed in their order. The framing of the body is told by /raw/json.',
  body: rawBody(),
  responses: { 200: binary('The head.', 'message/http') },
  examples: [
    {
      name: 'every byte, also odd spacing and casing',
      method: 'GET',
      path: '/raw?a=%7E',
      headers: ['hOST', 'a.example', 'X-Odd', '  two  spaces ', 'x-odd', 'again', 'Connection', 'close'],
      expect: {
        status: 200,
        headers: { 'content-type': 'message/http' },
        text: /^GET \/raw\?a=%7E HTTP\/1\.1\r\nhOST: a\.example\r\nX-Odd: {3}two {2}spaces \r\nx-odd: again\r\nConnection: close\r\n\r\n$/,
      },
    },
    {
      name: 'any method; the body is not repeated',
      method: 'FROB',
      headers: ['Host', 'a.example', 'Content-Length', '3', 'Connection', 'close'],
      body: 'abc',
      expect: {
        text: 'FROB /raw HTTP/1.1\r\nHost: a.example\r\nContent-Length: 3\r\nConnection: close\r\n\r\n',
      },
    },
  ],
  handle: ({ exchange }) => reply.bytes(rawHeadBytes(exchange.head), 'message/http'),
});

const rawJson = endpoint({
  id: 'raw-json',
  group,
  methods: ['ANY'],
  path: '/raw/json',
  summary:
    'Describes the request as it was framed: fields in order, chunk sizes, trailers, digest of the body.',
  body: rawBody(),
  responses: {
    200: json('The request, byte by byte.'),
    413: problem('The body is larger than the service takes.'),
  },
  examples: [
    {
      name: 'chunks and trailers as the client framed them',
      method: 'POST',
      headers: [
        'Host',
        'a.example',
        'Transfer-Encoding',
        'chunked',
        'tRAILER',
        'x-sum',
        'Connection',
        'close',
      ],
      body: '3\r\nabc\r\n2\r\nde\r\n0\r\nX-Sum: 5\r\n\r\n',
      expect: {
        status: 200,
        json: {
          httpVersion: '1.1',
          fields: [
            ['Host', 'a.example'],
            ['Transfer-Encoding', 'chunked'],
            ['tRAILER', 'x-sum'],
            ['Connection', 'close'],
          ],
          head: 'POST /raw/json HTTP/1.1\r\nHost: a.example\r\nTransfer-Encoding: chunked\r\ntRAILER: x-sum\r\nConnection: close\r\n\r\n',
          body: {
            framing: 'chunked',
            length: 5,
            sha256: '36bbe50ed96841d10443bcb670d6554f0a34b761be67ec9c4a8ad2c0c44ca42c',
            chunkSizes: [3, 2],
            trailers: [['X-Sum', '5']],
          },
        },
      },
    },
  ],
  handle: async ({ exchange, services }) => {
    const { head, body, connection, requestNo } = exchange;
    const bytes = await body.bytes(services.settings.limits.maxBodyBytes);
    return reply.json({
      method: head.method,
      target: head.target,
      httpVersion: head.version,
      // On HTTP/2 with the pseudo-header fields, whose order tells clients apart.
      fields: head.http2Fields ? pairsOf(head.http2Fields) : [...head.headers.pairs()],
      head: rawHeadText(head),
      body: {
        framing: body.framing,
        length: bytes.length,
        sha256: sha256Hex(bytes),
        chunkSizes: body.chunkSizes,
        trailers: pairsOf(body.trailers),
      },
      connection: { id: connection.id, requestNo },
    });
  },
});

const dumpRequest = endpoint({
  id: 'dump-request',
  group,
  methods: ['ANY'],
  path: '/dump/request',
  summary: 'Gives back head and body of the request as plain text.',
  description: 'The head byte by byte, then the content of the body without its chunk framing.',
  body: rawBody(),
  responses: { 200: text('The request.'), 413: problem('The body is larger than the service takes.') },
  examples: [
    {
      name: 'head and body',
      method: 'PUT',
      headers: ['Host', 'a.example', 'content-length', '5', 'Connection', 'close'],
      body: 'hello',
      expect: {
        status: 200,
        headers: { 'x-content-type-options': 'nosniff' },
        text: 'PUT /dump/request HTTP/1.1\r\nHost: a.example\r\ncontent-length: 5\r\nConnection: close\r\n\r\nhello',
      },
    },
  ],
  handle: async ({ exchange, services }) => {
    const content = await exchange.body.bytes(services.settings.limits.maxBodyBytes);
    const dump = Buffer.concat([rawHeadBytes(exchange.head), content]);
    return reply.bytes(dump, 'text/plain; charset=utf-8', { headers: ['X-Content-Type-Options', 'nosniff'] });
  },
});

function pairsOf(flat: readonly string[]): Array<[string, string]> {
  const pairs: Array<[string, string]> = [];
  for (let index = 0; index < flat.length; index += 2) pairs.push([flat[index]!, flat[index + 1]!]);
  return pairs;
}

/** The request byte by byte. */
export const rawEndpoints: readonly TestbedEndpoint[] = [rawEcho, rawJson, dumpRequest];
