import type { PlainAnswer } from '../../../kernel/catalogue/answer.ts';
import { reply } from '../../../kernel/catalogue/answer.ts';
import { binary } from '../../../kernel/catalogue/declarations.ts';
import type { Expectation } from '../../../kernel/catalogue/endpoint.ts';
import { integrityHeaders } from '../../content/integrity.ts';
import { endpoint } from '../../endpoint.ts';

interface Format {
  readonly name: string;
  readonly summary: string;
  readonly contentType: string;
  /** The smallest body that is valid and says something. */
  readonly body: string | Buffer;
  readonly expect: Expectation;
}

const hex = (digits: string) => Buffer.from(digits.replaceAll(' ', ''), 'hex');

const everyByte = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
const problemBody = {
  type: 'https://example.test/problems/out-of-credit',
  title: 'You do not have enough credit.',
  status: 200,
  detail: 'Your balance is 30, but that costs 50.',
};

const formats: readonly Format[] = [
  {
    name: 'binary',
    summary: 'All 256 bytes in order.',
    contentType: 'application/octet-stream',
    body: everyByte,
    expect: { hex: everyByte.toString('hex'), length: 256 },
  },
  {
    name: 'problem',
    summary: 'Problem details (RFC 9457), here under a 200: the type is what is tested.',
    contentType: 'application/problem+json',
    body: `${JSON.stringify(problemBody, null, 2)}\n`,
    expect: { json: { type: 'https://example.test/problems/out-of-credit', status: 200 } },
  },
  {
    name: 'ndjson',
    summary: 'Three JSON values, one per line.',
    contentType: 'application/x-ndjson',
    body: '{"n":1}\n{"n":2}\n{"n":3}\n',
    expect: { text: '{"n":1}\n{"n":2}\n{"n":3}\n' },
  },
  {
    name: 'event',
    summary: 'A whole event stream of one event.',
    contentType: 'text/event-stream',
    body: 'id: 1\nevent: greeting\ndata: merhaba\n\n',
    expect: { text: 'id: 1\nevent: greeting\ndata: merhaba\n\n' },
  },
  {
    name: 'wasm',
    summary: 'The empty WebAssembly module: magic number and version.',
    contentType: 'application/wasm',
    body: hex('0061736d 01000000'),
    expect: { hex: '0061736d01000000' },
  },
  {
    name: 'msgpack',
    summary: 'MessagePack of {"ok": true, "n": 42}.',
    contentType: 'application/vnd.msgpack',
    body: hex('82 a26f6b c3 a16e 2a'),
    expect: { hex: '82a26f6bc3a16e2a' },
  },
  {
    name: 'cbor',
    summary: 'CBOR (RFC 8949) of {"ok": true, "n": 42}.',
    contentType: 'application/cbor',
    body: hex('a2 626f6b f5 616e 182a'),
    expect: { hex: 'a2626f6bf5616e182a' },
  },
];

const wholeBodies = formats.map(({ name, summary, contentType, body, expect }) =>
  endpoint({
    id: `content-type-${name}`,
    group: 'Proxy Content-Type & Charset',
    methods: ['GET'],
    path: `/proxy-test/content-type/${name}`,
    summary,
    responses: { 200: binary('The body.', contentType) },
    examples: [
      {
        name: 'type and bytes are exact',
        expect: {
          status: 200,
          headers: { 'content-type': contentType, 'x-body-sha256': /^[0-9a-f]{64}$/ },
          ...expect,
        },
      },
    ],
    handle: () => reply.bytes(body, contentType, { headers: integrityHeaders(body) }),
  }),
);

const grpc = endpoint({
  id: 'content-type-grpc',
  group: 'Proxy Content-Type & Charset',
  methods: ['GET'],
  path: '/proxy-test/content-type/grpc',
  summary: 'One gRPC message (field 1 = "ok") in its five-byte frame, ended by the trailer grpc-status.',
  responses: { 200: binary('The framed message.', 'application/grpc+proto') },
  examples: [
    {
      name: 'frame and trailers',
      expect: {
        status: 200,
        headers: { 'content-type': 'application/grpc+proto', trailer: 'grpc-status, grpc-message' },
        hex: '00000000040a026f6b',
        wire: /\r\n0\r\ngrpc-status: 0\r\ngrpc-message: OK\r\n\r\n$/,
      },
    },
  ],
  handle: (): PlainAnswer => {
    const frame = hex('00 00000004 0a026f6b');
    return reply.stream(
      'application/grpc+proto',
      async (out) => {
        await out.write(frame);
        await out.end(['grpc-status', '0', 'grpc-message', 'OK']);
      },
      { headers: ['Trailer', 'grpc-status, grpc-message', ...integrityHeaders(frame)] },
    );
  },
});

export const formatTests = [...wholeBodies, grpc];
