import { Type } from 'typebox';
import { reply } from '../../../kernel/catalogue/answer.ts';
import { anyType, json, problem } from '../../../kernel/catalogue/declarations.ts';
import type { Example } from '../../../kernel/catalogue/endpoint.ts';
import { endpoint, type TestbedEndpoint } from '../../endpoint.ts';
import { overlayControls } from '../../overlay.ts';
import {
  answerUpTo,
  headerOverflow,
  type WireFault,
  type WireFaultName,
  wireFault,
  wireFaults,
  writeAndEnd,
} from '../../wire/faults.ts';

const GROUP = 'Proxy Connection & Redirect';
const BASE = '/proxy-test/connection';
const BROKEN = anyType('An answer no correct server gives; the connection ends with it. HTTP/1.1 only.');

/** Endpoints that are one fault of the table each: path → fault. */
const faultPaths: Readonly<Record<string, WireFaultName>> = {
  'empty-reply': 'empty-reply',
  garbage: 'garbage',
  'bad-status-line': 'bad-status-line',
  'bad-version': 'bad-version',
  'no-headers-end': 'no-headers-end',
  'content-length/short': 'short-length',
  'content-length/long': 'long-length',
  'content-length/negative': 'negative-length',
  'content-length/duplicate': 'duplicate-length',
  'content-length/mismatch-te': 'length-and-chunked',
  'content-length/missing': 'no-length',
  'chunked/valid': 'valid-chunks',
  'chunked/bad-size': 'bad-chunk',
  'chunked/no-terminator': 'no-last-chunk',
  'chunked/extension': 'chunk-extension',
  'chunked/huge-chunk': 'huge-chunk',
  'chunked/trailers': 'chunk-trailers',
  'chunked/tiny': 'tiny-chunks',
  'garbage-after-end': 'garbage-after-end',
  'body-after-204': 'body-after-204',
  'unsolicited-101': 'unsolicited-101',
  'interim-storm': 'interim-storm',
};

const tabledFaults = Object.entries(faultPaths).map(([path, name]) => {
  const { does }: WireFault = wireFaults[name];
  return endpoint({
    id: `connection-${path.replace('/', '-')}`,
    group: GROUP,
    methods: ['GET'],
    path: `${BASE}/${path}`,
    summary: `An answer that ${does}.`,
    responses: { 200: BROKEN, 403: problem('The fault is switched off.') },
    examples: [exactBytes(name)],
    handle: ({ services }) => wireFault(name, services.settings),
  });
});

const doubleResponse = endpoint({
  id: 'connection-double-response',
  group: GROUP,
  methods: ['GET'],
  path: `${BASE}/double-response`,
  summary: 'Two final answers to one request.',
  description:
    'Desynchronises a proxy that shares its upstream connections; only where unsafe answers are allowed.',
  responses: { 200: BROKEN, 403: problem('Unsafe answers are not allowed.') },
  examples: [
    {
      name: 'refused unless unsafe answers are allowed',
      expect: { status: 403, json: { title: 'Forbidden', detail: /double-response is switched off/ } },
    },
  ],
  handle: ({ services }) => wireFault('double-response', services.settings),
});

const headerKinds = ['no-colon', 'nul', 'space-before-colon', 'obs-fold', 'bare-lf'] as const;

const badHeader = endpoint({
  id: 'connection-bad-header',
  group: GROUP,
  methods: ['GET'],
  path: `${BASE}/bad-header`,
  summary: 'A header section that breaks one rule of RFC 9112 §5.',
  query: Type.Object({
    kind: Type.Union(
      headerKinds.map((kind) => Type.Literal(kind)),
      { default: 'no-colon', description: 'Which rule is broken.' },
    ),
  }),
  responses: { 200: BROKEN },
  examples: [
    { ...exactBytes('header-no-colon'), path: `${BASE}/bad-header` },
    { ...exactBytes('header-nul'), path: `${BASE}/bad-header?kind=nul` },
    {
      name: 'unknown kind',
      path: `${BASE}/bad-header?kind=polite`,
      expect: { status: 400, json: { detail: /kind must be one of no-colon/ } },
    },
  ],
  handle: ({ query, services }) => wireFault(`header-${query.kind}`, services.settings),
});

const overflow = endpoint({
  id: 'connection-header-overflow',
  group: GROUP,
  methods: ['GET'],
  path: `${BASE}/header-overflow`,
  summary: 'One header line of the given size.',
  query: Type.Object({
    size: Type.Integer({
      minimum: 1,
      maximum: 1024 * 1024,
      default: 131_072,
      description: 'Bytes of the value.',
    }),
  }),
  responses: { 200: BROKEN },
  examples: [
    {
      name: 'size as asked for',
      path: `${BASE}/header-overflow?size=9`,
      expect: { status: 200, headers: { 'x-overflow': 'xxxxxxxxx' }, text: 'ok', ends: 'close' },
    },
    {
      name: 'too large',
      path: `${BASE}/header-overflow?size=1048577`,
      expect: { status: 400, json: { detail: /size must be at most 1048576/ } },
    },
  ],
  handle: ({ query }) => reply.wire((socket) => writeAndEnd(socket, headerOverflow(query.size), 'close')),
});

const breakOffs = (['reset', 'close'] as const).map((ends) =>
  endpoint({
    id: `connection-${ends}`,
    group: GROUP,
    methods: ['GET'],
    path: `${BASE}/${ends}`,
    summary: ends === 'reset' ? 'Breaks the answer off by a TCP reset.' : 'Breaks the answer off by closing.',
    query: Type.Object({
      at: Type.Union(
        [Type.Literal('before-headers'), Type.Literal('after-headers'), Type.Literal('mid-body')],
        { default: 'before-headers', description: 'How far the answer gets.' },
      ),
      bytes: Type.Integer({
        minimum: 0,
        maximum: 1024 * 1024,
        default: 50,
        description:
          'Bytes of the body that are sent when it breaks in mid-body; at least twice as many are promised.',
      }),
    }),
    responses: { 200: BROKEN },
    examples: [
      { name: 'before any byte', expect: { wire: /^$/, ends } },
      {
        name: 'after the head',
        path: `${BASE}/${ends}?at=after-headers`,
        expect: { wire: /^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\n\r\n$/, ends },
      },
      {
        name: 'in the middle of the body',
        path: `${BASE}/${ends}?at=mid-body&bytes=7`,
        expect: { wire: /Content-Length: 100\r\n\r\nxxxxxxx$/, ends },
      },
      {
        name: 'unknown place',
        path: `${BASE}/${ends}?at=lunch`,
        expect: { status: 400, json: { detail: /at must be one of before-headers/ } },
      },
    ],
    handle: ({ query }) =>
      reply.wire((socket) => writeAndEnd(socket, answerUpTo(query.at, query.bytes), ends)),
  }),
);

const faultList = endpoint({
  id: 'connection-faults',
  group: GROUP,
  methods: ['GET'],
  path: `${BASE}/faults`,
  summary: 'Every fault by name, and the controls that ask for one on any endpoint.',
  description:
    'A fault listed here can be asked for on every endpoint of the service by `X-Test-Fault` or `__fault`.',
  responses: { 200: json('The faults and the controls of the overlay.') },
  examples: [
    {
      name: 'names, bytes and ends',
      expect: {
        status: 200,
        json: {
          controls: { delay: { header: 'X-Test-Delay', query: '__delay' } },
          faults: { reset: { ends: 'reset', bytes: 0, risk: 'contained' } },
        },
      },
    },
  ],
  handle: () =>
    reply.json({
      controls: overlayControls,
      faults: Object.fromEntries(
        Object.entries(wireFaults).map(
          ([name, { does, bytes, ends, risk = 'contained' }]: [string, WireFault]) => [
            name,
            { does: `An answer that ${does}.`, bytes: bytes.length, ends, risk },
          ],
        ),
      ),
    }),
});

export const faultEndpoints: readonly TestbedEndpoint[] = [
  faultList,
  ...breakOffs,
  ...tabledFaults,
  badHeader,
  overflow,
  doubleResponse,
];

/** An example that compares the whole answer, byte for byte. */
function exactBytes(name: WireFaultName): Example {
  const { bytes, ends, does } = wireFaults[name];
  return { name: does, expect: { wire: new RegExp(`^${RegExp.escape(bytes)}$`), ends } };
}
