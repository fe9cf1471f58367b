import { Type } from 'typebox';
import { reply } from '../../../kernel/catalogue/answer.ts';
import { anyType, problem } from '../../../kernel/catalogue/declarations.ts';
import { fault } from '../../../kernel/faults.ts';
import { compressingParam } from '../../content/coded-answer.ts';
import { uniformBlocks, writeCoded } from '../../content/coded-stream.ts';
import { endpoint } from '../../endpoint.ts';
import { refuseInPublic } from '../../public-mode.ts';

const MiB = 1024 * 1024;

export const bomb = endpoint({
  id: 'bomb',
  group: 'Client/Edge Case Test',
  methods: ['GET'],
  path: '/bomb/{coding}',
  aliases: ['/proxy-test/security/bomb/{coding}'],
  summary:
    'A small answer that unpacks to `size` bytes of zeros: does the client or proxy bound what it unpacks?',
  description:
    'Streamed: the service itself never holds more than a few blocks. The trailers X-Coded-Length and X-Ratio tell ' +
    'how small it was. Switched off on public services.',
  params: Type.Object({ coding: compressingParam() }),
  query: Type.Object({
    size: Type.Integer({
      minimum: 1,
      default: 10 * MiB,
      description: 'Bytes once unpacked; the service has a limit.',
    }),
  }),
  responses: {
    200: anyType('Zeros, coded.'),
    400: problem('The size is above the limit.'),
    403: problem('This service is public.'),
  },
  examples: [
    {
      name: 'two million zeros in Brotli fit into a few bytes',
      path: '/bomb/br?size=2000000',
      expect: {
        status: 200,
        headers: {
          'content-encoding': 'br',
          'x-original-length': '2000000',
          trailer: 'X-Coded-Length, X-Ratio',
        },
        wire: /\r\n0\r\nX-Coded-Length: \d{1,3}\r\nX-Ratio: \d{4,6}\r\n\r\n$/,
        decodedText: /^\0+$/,
      },
    },
    {
      name: 'gzip reaches about a thousand to one',
      path: '/bomb/gzip?size=3000000',
      expect: { status: 200, wire: /\r\nX-Ratio: (9|10)\d\d\r\n\r\n$/, decodedText: /^\0+$/ },
    },
    {
      name: 'at home among the security probes too',
      path: '/proxy-test/security/bomb/deflate?size=1000',
      expect: { status: 200, headers: { 'content-encoding': 'deflate' }, decodedText: /^\0{1000}$/ },
    },
    {
      name: 'above the limit',
      path: '/bomb/zstd?size=99999999999',
      expect: { status: 400, json: { detail: /size must be <= \d+/ } },
    },
    { name: 'no such coding', path: '/bomb/identity', expect: { status: 400, json: { detail: /coding/ } } },
  ],
  handle: ({ params: { coding }, query: { size }, services }) => {
    refuseInPublic(services.settings, 'A bomb');
    const { limits } = services.settings;
    if (size > limits.maxBombBytes) {
      throw fault('parameter.invalid', {
        in: 'query',
        name: 'size',
        rule: `must be <= ${limits.maxBombBytes}`,
      });
    }
    return reply.stream(
      'application/octet-stream',
      async (out) => {
        const codedLength = await writeCoded(coding, uniformBlocks(size), out);
        const ratio = Math.round(size / codedLength);
        await out.end(['X-Coded-Length', String(codedLength), 'X-Ratio', String(ratio)]);
      },
      {
        headers: [
          ...['Content-Encoding', coding, 'X-Original-Length', String(size)],
          ...['Cache-Control', 'no-store', 'Trailer', 'X-Coded-Length, X-Ratio'],
        ],
      },
    );
  },
});
