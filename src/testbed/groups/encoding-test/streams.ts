import { Type } from 'typebox';
import { reply } from '../../../kernel/catalogue/answer.ts';
import { anyType, problem } from '../../../kernel/catalogue/declarations.ts';
import { fault } from '../../../kernel/faults.ts';
import { codingHeaders, codingParam, originalHeaders, writable } from '../../content/coded-answer.ts';
import { deterministicBlocks, sha256OfBlocks, writeCoded } from '../../content/coded-stream.ts';
import { flushingWriter } from '../../content/codings.ts';
import { allowedMs } from '../../delays.ts';
import { endpoint } from '../../endpoint.ts';
import { refuseInPublic } from '../../public-mode.ts';

const MiB = 1024 * 1024;

const chunked = endpoint({
  id: 'encoding-test-chunked',
  group: 'Encoding Test',
  methods: ['GET'],
  path: '/encoding-test/chunked/{coding}',
  summary: 'A coded stream without a length, flushed line by line: each line can be decoded when it comes.',
  params: Type.Object({ coding: codingParam() }),
  query: Type.Object({
    chunks: Type.Integer({ minimum: 1, maximum: 1000, default: 10 }),
    delay: Type.Integer({
      minimum: 0,
      maximum: 60_000,
      default: 100,
      description: 'Milliseconds between two lines.',
    }),
  }),
  responses: { 200: anyType('The lines.'), 400: problem('A parameter is out of bounds.') },
  examples: [
    {
      name: 'three lines in gzip',
      path: '/encoding-test/chunked/gzip?chunks=3&delay=0',
      expect: {
        status: 200,
        headers: {
          'content-encoding': 'gzip',
          'transfer-encoding': 'chunked',
          'content-length': null,
          'x-original-length': '24',
          'x-original-sha256': '69fa0d4ddae9b4c1fa5a29503aa90fd3c3350e2b62f60e196d84b0ab6e8a4cd3',
        },
        decodedText: 'chunk 1\nchunk 2\nchunk 3\n',
      },
    },
    {
      name: 'two lines in Zstandard',
      path: '/encoding-test/chunked/zstd?chunks=2&delay=20',
      expect: { status: 200, headers: { 'content-encoding': 'zstd' }, decodedText: 'chunk 1\nchunk 2\n' },
    },
    {
      name: 'longer than any answer may take',
      path: '/encoding-test/chunked/br?chunks=1000&delay=60000',
      expect: { status: 400, json: { detail: /delay/ } },
    },
    {
      name: 'no chunks',
      path: '/encoding-test/chunked/br?chunks=0',
      expect: { status: 400, json: { detail: /chunks/ } },
    },
  ],
  handle: ({ params, query: { chunks, delay }, services, exchange }) => {
    const coding = writable(params.coding);
    allowedMs(services, 'delay (times the pauses between the chunks)', delay * (chunks - 1));
    const lines = Array.from({ length: chunks }, (_, index) => `chunk ${index + 1}\n`);
    return reply.stream(
      'text/plain; charset=utf-8',
      async (out) => {
        const coded = flushingWriter(coding, out);
        for (const [index, line] of lines.entries()) {
          if (index > 0) await services.clock.sleep(delay, exchange.signal);
          await coded.write(line);
        }
        await coded.end();
      },
      {
        headers: [
          ...codingHeaders(coding),
          ...['Cache-Control', 'no-store', 'X-Accel-Buffering', 'no'],
          ...originalHeaders(Buffer.from(lines.join(''))),
        ],
      },
    );
  },
});

const DEFAULT_LARGE_BYTES = 10 * MiB;

const large = endpoint({
  id: 'encoding-test-large',
  group: 'Encoding Test',
  methods: ['GET'],
  path: '/encoding-test/large/{coding}',
  summary: 'A large body that depends on nothing but its size, coded while it is sent.',
  description: 'Blocks of 65 536 letters a-z, each beginning with its own offset in 16 digits.',
  params: Type.Object({ coding: codingParam() }),
  query: Type.Object({
    size: Type.Integer({
      minimum: 0,
      default: DEFAULT_LARGE_BYTES,
      description: 'Bytes of the content; the service has a limit.',
    }),
  }),
  responses: { 200: anyType('The content, streamed.'), 400: problem('The size is above the limit.') },
  examples: [
    {
      name: 'a hundred thousand bytes in Zstandard',
      path: '/encoding-test/large/zstd?size=100000',
      expect: {
        status: 200,
        headers: {
          'content-encoding': 'zstd',
          'transfer-encoding': 'chunked',
          'x-original-length': '100000',
          'x-original-sha256': '9f2c7caf242a43a6bcedcb55b1964ecd504198655b34d0c228e7e2180e0ee672',
        },
        decodedText: /^0000000000000000qrst[a-z]+0000000000065536[a-z]+$/,
      },
    },
    {
      name: 'without a coding the length is known',
      path: '/encoding-test/large/identity?size=20',
      expect: { status: 200, headers: { 'content-length': '20' }, text: '0000000000000000qrst' },
    },
    {
      name: 'too large',
      path: '/encoding-test/large/gzip?size=99999999999',
      expect: { status: 400, json: { detail: /size/ } },
    },
  ],
  handle: async ({ params, query: { size }, services }) => {
    const coding = writable(params.coding);
    // So regular a body shrinks to next to nothing: beyond the default size it is a bomb.
    if (size > DEFAULT_LARGE_BYTES)
      refuseInPublic(services.settings, `More than ${DEFAULT_LARGE_BYTES} bytes`);
    const { maxStreamBytes } = services.settings.limits;
    if (size > maxStreamBytes) {
      throw fault('parameter.invalid', { in: 'query', name: 'size', rule: `must be <= ${maxStreamBytes}` });
    }
    const length = coding === 'identity' ? ['Content-Length', String(size)] : [];
    const sha256 = await sha256OfBlocks(deterministicBlocks(size));
    return reply.stream(
      'text/plain; charset=us-ascii',
      async (out) => {
        await writeCoded(coding, deterministicBlocks(size), out);
      },
      {
        headers: [
          ...codingHeaders(coding),
          ...length,
          ...['X-Original-Length', String(size), 'X-Original-Sha256', sha256],
        ],
      },
    );
  },
});

export const streamTests = [chunked, large];
