import { Type } from 'typebox';
import { anyType, problem } from '../../../kernel/catalogue/declarations.ts';
import { fault } from '../../../kernel/faults.ts';
import { codedAnswer, compressingParam } from '../../content/coded-answer.ts';
import { encodeWhole, levelBounds } from '../../content/codings.ts';
import { samples } from '../../content/encoding-samples.ts';
import { brotliWithWindow, zstdWithWindow } from '../../content/window-size.ts';
import { endpoint } from '../../endpoint.ts';
import { textPattern, textSha256 } from './content.ts';

const original = samples.text;

const level = endpoint({
  id: 'encoding-test-level',
  group: 'Encoding Test',
  methods: ['GET'],
  path: '/encoding-test/level/{coding}/{level}',
  summary: 'Content coded with a given effort: gzip and deflate 0 to 9, br 0 to 11, zstd 1 to 22.',
  params: Type.Object({ coding: compressingParam(), level: Type.Integer({ minimum: 0, maximum: 22 }) }),
  responses: { 200: anyType('The text, coded.'), 400: problem('The coding has no such level.') },
  examples: [
    {
      name: 'gzip of level 0 stores: eighteen bytes around it and five before the text',
      path: '/encoding-test/level/gzip/0',
      expect: {
        status: 200,
        headers: { 'content-encoding': 'gzip', 'content-length': '2223', 'x-original-sha256': textSha256 },
        decodedText: textPattern,
      },
    },
    {
      name: 'the highest of Brotli',
      path: '/encoding-test/level/br/11',
      expect: {
        status: 200,
        headers: { 'content-encoding': 'br', 'x-coding-level': '11' },
        decodedText: textPattern,
      },
    },
    {
      name: 'gzip has no level 10',
      path: '/encoding-test/level/gzip/10',
      expect: { status: 400, json: { detail: /level must be between 0 and 9/ } },
    },
  ],
  handle: async ({ params }) => {
    const [lowest, highest] = levelBounds[params.coding];
    if (params.level < lowest || params.level > highest) {
      const rule = `must be between ${lowest} and ${highest} for ${params.coding}`;
      throw fault('parameter.invalid', { in: 'path', name: 'level', rule });
    }
    const coded = await encodeWhole(params.coding, original.bytes, { level: params.level });
    return codedAnswer({
      original,
      coded,
      label: params.coding,
      headers: ['X-Coding-Level', String(params.level)],
    });
  },
});

const zstdWindow = endpoint({
  id: 'encoding-test-window-zstd',
  group: 'Encoding Test',
  methods: ['GET'],
  path: '/encoding-test/window/zstd',
  summary:
    'Zstandard whose frame asks for a window of 2^log bytes; RFC 9659 lets clients refuse more than 2^23.',
  query: Type.Object({ log: Type.Integer({ minimum: 10, maximum: 31, default: 27 }) }),
  responses: { 200: anyType('The text in Zstandard.'), 400: problem('There is no such window.') },
  examples: [
    {
      name: '128 MiB unless told otherwise',
      expect: {
        status: 200,
        headers: { 'content-encoding': 'zstd', 'x-window-log': '27', 'x-original-sha256': textSha256 },
        wire: /\r\n\r\n\x28\xb5\x2f\xfd\x00\x88/,
        decodedText: textPattern,
      },
    },
    {
      name: 'the largest window every client takes',
      path: '/encoding-test/window/zstd?log=23',
      expect: { status: 200, wire: /\r\n\r\n\x28\xb5\x2f\xfd\x00\x68/, decodedText: textPattern },
    },
    {
      name: 'too large',
      path: '/encoding-test/window/zstd?log=32',
      expect: { status: 400, json: { detail: /log/ } },
    },
  ],
  handle: async ({ query: { log } }) => {
    const coded = await zstdWithWindow(original.bytes, log);
    return codedAnswer({ original, coded, label: 'zstd', headers: ['X-Window-Log', String(log)] });
  },
});

const brotliWindow = endpoint({
  id: 'encoding-test-window-br',
  group: 'Encoding Test',
  methods: ['GET'],
  path: '/encoding-test/window/br',
  summary: 'Brotli with a window of 2^lgwin - 16 bytes.',
  query: Type.Object({ lgwin: Type.Integer({ minimum: 10, maximum: 24, default: 24 }) }),
  responses: { 200: anyType('The text in Brotli.'), 400: problem('There is no such window.') },
  examples: [
    {
      name: 'the largest, named by the lowest four bits of the first byte',
      expect: {
        status: 200,
        headers: { 'content-encoding': 'br', 'x-window-log': '24', 'x-original-sha256': textSha256 },
        wire: /\r\n\r\n[\x0f\x1f\x2f\x3f\x4f\x5f\x6f\x7f\x8f\x9f\xaf\xbf\xcf\xdf\xef\xff]/,
        decodedText: textPattern,
      },
    },
    {
      name: 'the smallest',
      path: '/encoding-test/window/br?lgwin=10',
      expect: { status: 200, wire: /\r\n\r\n[\x21\xa1]/, decodedText: textPattern },
    },
    {
      name: 'too small',
      path: '/encoding-test/window/br?lgwin=9',
      expect: { status: 400, json: { detail: /lgwin/ } },
    },
  ],
  handle: async ({ query: { lgwin } }) => {
    const coded = await brotliWithWindow(original.bytes, lgwin);
    return codedAnswer({ original, coded, label: 'br', headers: ['X-Window-Log', String(lgwin)] });
  },
});

const dictionary = endpoint({
  id: 'encoding-test-dictionary',
  group: 'Encoding Test',
  methods: ['GET'],
  path: '/encoding-test/dictionary',
  summary: 'Compression dictionary transport (RFC 9842: dcb, dcz) is named here and not implemented.',
  responses: { 501: problem('Always.') },
  examples: [
    {
      name: 'asked for',
      headers: [
        'Accept-Encoding',
        'dcz, dcb',
        'Available-Dictionary',
        ':pZGm1Av0IEBKARczz7exkNYsZb8LzaMrV7J32a2fFG4=:',
      ],
      expect: {
        status: 501,
        headers: { vary: 'Accept-Encoding, Available-Dictionary' },
        json: { status: 501, detail: /dcb and dcz/ },
      },
    },
  ],
  handle: () => {
    throw fault(
      'encoding.not-implemented',
      {
        coding: 'pair dcb and dcz',
        reason: 'Node has no Brotli or Zstandard with a shared dictionary for both',
      },
      ['Vary', 'Accept-Encoding, Available-Dictionary'],
    );
  },
});

export const parameterTests = [level, zstdWindow, brotliWindow, dictionary];
