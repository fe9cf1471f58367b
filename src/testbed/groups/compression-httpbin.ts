import { Type } from 'typebox';
import { type PlainAnswer, reply } from '../../kernel/catalogue/answer.ts';
import { int32, json, problem } from '../../kernel/catalogue/declarations.ts';
import { fault } from '../../kernel/faults.ts';
import { type Coding, codings, encodeRawDeflate, encodeWhole, levelBounds } from '../content/codings.ts';
import { chooseCoding } from '../content/negotiation.ts';
import { echoHeaders, originOf, sortedJson } from '../echo/httpbin-echo.ts';
import { endpoint, type TestbedCall, type TestbedEndpoint } from '../endpoint.ts';

const group = 'Compression (httpbin)';
const maxLayers = 8;

type Compressing = Exclude<Coding, 'identity'>;

/** httpbin's object: a member that names the coding, and who asked how. */
function shownRequest(call: TestbedCall, extra: object): Buffer {
  const { body } = sortedJson({
    ...extra,
    headers: echoHeaders(call),
    method: call.request.method,
    origin: originOf(call),
  });
  return Buffer.from(body as string);
}

function codedAnswer(bytes: Buffer, contentEncoding: string | undefined): PlainAnswer {
  const headers = ['Vary', 'Accept-Encoding'];
  if (contentEncoding !== undefined) headers.unshift('Content-Encoding', contentEncoding);
  return reply.bytes(bytes, 'application/json', { headers });
}

const levelOf = ([lowest, highest]: readonly [number, number]) =>
  Type.Optional(int32({ minimum: lowest, maximum: highest, description: 'How hard the coder tries.' }));

interface CodingEntry {
  readonly coding: Compressing;
  readonly path: string;
  readonly aliases?: readonly string[];
  readonly spec?: string;
  /** The member that httpbin names this coding by. */
  readonly flag: string;
}

function alwaysCoded({ coding, path, aliases, spec, flag }: CodingEntry): TestbedEndpoint {
  const levels = levelBounds[coding];
  return endpoint({
    id: `compression-${coding}`,
    group,
    ...(spec ? { spec } : {}),
    ...(aliases ? { aliases } : {}),
    methods: ['GET'],
    path,
    summary: `JSON in ${coding}, whatever Accept-Encoding says.`,
    query: Type.Object({ level: levelOf(levels) }),
    responses: { 200: json(`The request, in ${coding}.`), 400: problem('The level is not valid.') },
    examples: [
      {
        name: 'coded',
        expect: {
          status: 200,
          headers: {
            'content-encoding': coding,
            'content-type': 'application/json',
            'content-length': /^\d+$/,
            vary: 'Accept-Encoding',
          },
          decodedText: new RegExp(
            `^(?=.*"${flag}": true)\\{\\n.*"headers": \\{.*\\},\\n  "method": "GET",\\n  "origin": "127.*\\n\\}\\n$`,
            's',
          ),
        },
      },
      {
        name: 'also when it was refused',
        path: `${path}?level=${levels[1]}`,
        headers: ['Accept-Encoding', 'identity'],
        expect: {
          status: 200,
          headers: { 'content-encoding': coding },
          decodedText: /"Accept-Encoding": "identity"/,
        },
      },
      {
        name: 'no such level',
        path: `${path}?level=99`,
        expect: { status: 400, json: { detail: /level must be at most/ } },
      },
    ],
    handle: async (call) =>
      codedAnswer(await encodeWhole(coding, shownRequest(call, { [flag]: true }), call.query), coding),
  });
}

const rawDeflate = endpoint({
  id: 'compression-deflate-raw',
  group,
  methods: ['GET'],
  path: '/deflate/raw',
  summary: 'Deflate without the zlib header, labelled `deflate` as some old servers do.',
  query: Type.Object({ level: levelOf(levelBounds.deflate) }),
  responses: { 200: json('The request, in bare deflate.'), 400: problem('The level is not valid.') },
  examples: [
    {
      name: 'a stored block, so no zlib header is there',
      path: '/deflate/raw?level=0',
      expect: {
        status: 200,
        headers: { 'content-encoding': 'deflate' },
        text: /^\x01.{4}\{\n {2}"deflated": true,/s,
      },
    },
    { name: 'no such level', path: '/deflate/raw?level=10', expect: { status: 400 } },
  ],
  handle: async (call) =>
    codedAnswer(await encodeRawDeflate(shownRequest(call, { deflated: true }), call.query), 'deflate'),
});

const identity = endpoint({
  id: 'compression-identity',
  group,
  methods: ['GET'],
  path: '/identity',
  summary: 'The same JSON without any coding.',
  responses: { 200: json('The request.') },
  examples: [
    {
      name: 'not coded although asked for',
      headers: ['Accept-Encoding', 'gzip'],
      expect: { status: 200, headers: { 'content-encoding': null }, json: { identity: true, method: 'GET' } },
    },
  ],
  handle: (call) => codedAnswer(shownRequest(call, { identity: true }), undefined),
});

const layeredGzip = endpoint({
  id: 'compression-gzip-layers',
  group,
  methods: ['GET'],
  path: '/gzip/{n}',
  summary: 'gzip n times over, every layer named in Content-Encoding.',
  params: Type.Object({ n: int32({ minimum: 1, maximum: maxLayers, description: 'How many layers.' }) }),
  responses: { 200: json('The request, in n layers of gzip.'), 400: problem('n is not valid.') },
  examples: [
    {
      name: 'three layers',
      path: '/gzip/3',
      expect: {
        status: 200,
        headers: { 'content-encoding': 'gzip, gzip, gzip' },
        decodedText: /^\{\n {2}"gzipped": true,.*"layers": 3,/s,
      },
    },
    { name: 'too many', path: '/gzip/9', expect: { status: 400, json: { detail: /n must be at most 8/ } } },
  ],
  handle: async (call) => {
    const { n } = call.params;
    let bytes = shownRequest(call, { gzipped: true, layers: n });
    for (let layer = 0; layer < n; layer++) bytes = await encodeWhole('gzip', bytes);
    return codedAnswer(bytes, Array(n).fill('gzip').join(', '));
  },
});

const negotiated = endpoint({
  id: 'compressed',
  group,
  methods: ['GET'],
  path: '/compressed',
  aliases: ['/compress'],
  summary: 'JSON in the coding that Accept-Encoding prefers.',
  description: 'Among equals gzip, deflate, br, zstd. `algo` chooses without asking.',
  query: Type.Object({
    algo: Type.Optional(
      Type.Union(
        codings.map((coding) => Type.Literal(coding)),
        { description: 'The coding to use, whatever Accept-Encoding says.' },
      ),
    ),
  }),
  responses: {
    200: json('The request, and how the coding was chosen.'),
    400: problem('algo is no coding we know.'),
    406: problem('No coding we know is acceptable.'),
  },
  examples: [
    {
      name: 'the heaviest weight',
      headers: ['Accept-Encoding', 'gzip;q=0.5, zstd;q=0.9, br;q=0.1'],
      expect: { status: 200, headers: { 'content-encoding': 'zstd' }, decodedText: /"compressed": "zstd"/ },
    },
    {
      name: 'nothing asked for',
      expect: { status: 200, headers: { 'content-encoding': null }, json: { compressed: 'identity' } },
    },
    {
      name: 'chosen by name',
      path: '/compress?algo=br',
      expect: { status: 200, headers: { 'content-encoding': 'br' }, decodedText: /"compressed": "br"/ },
    },
    {
      name: 'nothing acceptable',
      headers: ['Accept-Encoding', '*;q=0'],
      expect: {
        status: 406,
        headers: { 'content-type': 'application/problem+json', vary: /Accept-Encoding/ },
      },
    },
    {
      name: 'no such coding',
      path: '/compressed?algo=lzma',
      expect: { status: 400, json: { detail: /algo/ } },
    },
  ],
  handle: async (call) => {
    const { chosen, ranked } = chooseCoding(call.request.headers.get('accept-encoding'), codings);
    const coding = (call.query.algo as Coding | undefined) ?? chosen;
    if (coding === undefined) {
      throw fault('negotiation.not-acceptable', { offered: codings.join(', ') }, ['Vary', 'Accept-Encoding']);
    }
    const content = shownRequest(call, { compressed: coding, ranked });
    const bytes = await encodeWhole(coding, content);
    return codedAnswer(bytes, coding === 'identity' ? undefined : coding);
  },
});

export const compressionHttpbin: readonly TestbedEndpoint[] = [
  alwaysCoded({ coding: 'gzip', path: '/gzip', flag: 'gzipped' }),
  alwaysCoded({ coding: 'deflate', path: '/deflate', flag: 'deflated' }),
  alwaysCoded({ coding: 'br', path: '/brotli', aliases: ['/br'], flag: 'brotli' }),
  alwaysCoded({ coding: 'zstd', path: '/zstd', flag: 'zstd', spec: '1 §4.2' }),
  rawDeflate,
  identity,
  layeredGzip,
  negotiated,
];
