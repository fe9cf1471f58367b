import { reply } from '../../kernel/catalogue/answer.ts';
import { text } from '../../kernel/catalogue/declarations.ts';
import { drip, streamHeaders } from '../content/streaming.ts';
import { endpoint, type TestbedEndpoint } from '../endpoint.ts';

const group = 'Client/Edge Case Test';
const lineCount = 10;
const intervalMs = 100;
const textType = 'text/plain; charset=utf-8';

const lines = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => `line ${from + index + 1} of ${lineCount}\n`).join('');

const streamPlain = endpoint({
  id: 'stream-plain',
  group,
  spec: '1 §4.2',
  methods: ['GET'],
  path: '/stream/plain',
  summary: 'Ten lines of text, a tenth of a second apart.',
  responses: { 200: text('The lines.') },
  examples: [
    {
      name: 'ten lines',
      expect: {
        status: 200,
        headers: { 'content-type': textType, 'content-length': null, 'cache-control': 'no-store' },
        text: /^line 1 of 10\n(?:line \d of 10\n){8}line 10 of 10\n$/,
      },
    },
  ],
  handle: (call) =>
    reply.stream(
      textType,
      (out) => drip(out, { count: lineCount, durationMs: lineCount * intervalMs, piece: lines }, call),
      { headers: streamHeaders },
    ),
});

const chunks = ['A chunked ', 'stream of ', 'chunks without ', 'extensions.\n'];

const chunkedStream = endpoint({
  id: 'response-chunked-stream',
  group,
  spec: '1 §4.2',
  methods: ['GET'],
  path: '/response/chunked/stream',
  summary: 'A text in four chunks without extensions, and no trailer.',
  responses: { 200: text('The text.') },
  examples: [
    {
      name: 'four chunks',
      expect: {
        status: 200,
        headers: { 'transfer-encoding': 'chunked', 'content-length': null },
        text: 'A chunked stream of chunks without extensions.\n',
        wire: /\r\n\r\na\r\nA chunked \r\na\r\nstream of \r\nf\r\nchunks without \r\nc\r\nextensions\.\n\r\n0\r\n\r\n$/,
      },
    },
  ],
  handle: () =>
    reply.stream(
      textType,
      async (out) => {
        for (const chunk of chunks) await out.write(chunk);
      },
      { headers: streamHeaders },
    ),
});

/** The streams of the group; the rest of it stands in client-edge-case-test.ts. */
export const clientEdgeCaseStreams: readonly TestbedEndpoint[] = [streamPlain, chunkedStream];
