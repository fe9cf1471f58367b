import { Type } from 'typebox';
import { reply } from '../../../kernel/catalogue/answer.ts';
import { anyType, noBody, problem, text } from '../../../kernel/catalogue/declarations.ts';
import type { Expectation } from '../../../kernel/catalogue/endpoint.ts';
import { endpoint } from '../../endpoint.ts';
import { type EdgeAnswerName, edgeAnswer, edgeAnswerNames, edgeAnswers } from '../../wire/edge-answers.ts';

const group = 'Client/Edge Case Test';

const answersOnTheWire: Readonly<Record<EdgeAnswerName, Expectation>> = {
  '204-with-content-length': {
    status: 204,
    wire: /^HTTP\/1\.1 204 No Content\r\nContent-Length: 5\r\n[^\0]*\r\n\r\n$/,
  },
  'no-reason-phrase': { status: 200, wire: /^HTTP\/1\.1 200 \r\n/, text: 'ok\n' },
  'odd-field-lines': { status: 200, wire: /\r\nCONTENT-LENGTH: \t 3 \t\r\n/, text: 'ok\n' },
  'odd-chunk-sizes': { status: 200, wire: /\r\n0000000A\r\n0123/, text: '0123456789abcdefghijk' },
  'http-1.0': {
    status: 200,
    wire: /^HTTP\/1\.0 200 OK\r\n/,
    text: 'This body ends where the connection does.\n',
  },
  'same-length-twice': { status: 200, wire: /Content-Length: 3\r\nContent-Length: 3\r\n/, text: 'ok\n' },
};

const wireTests = edgeAnswerNames.map((name) =>
  endpoint({
    id: `edge-${name.replace('.', '-')}`,
    group,
    methods: ['GET'],
    path: `/edge/${name}`,
    summary: edgeAnswers[name].tests,
    responses: name.startsWith('204') ? { 204: noBody('Nothing.') } : { 200: anyType('A short body.') },
    examples: [{ name: 'byte for byte', expect: { ends: 'close', ...answersOnTheWire[name] } }],
    handle: ({ request }) => edgeAnswer(name, request.method === 'HEAD'),
  }),
);

const longHeaderLine = endpoint({
  id: 'edge-long-header-line',
  group,
  methods: ['GET'],
  path: '/edge/long-header-line',
  summary: 'One header line of the given length: how long a line does the client take?',
  query: Type.Object({
    bytes: Type.Integer({ minimum: 1, maximum: 1024 * 1024, default: 16_384 }),
  }),
  responses: { 200: text('How long the line is.'), 400: problem('The length is out of bounds.') },
  examples: [
    {
      name: 'sixteen KiB',
      expect: { status: 200, headers: { 'x-long': /^x{16384}$/ }, text: 'X-Long has 16384 bytes.\n' },
    },
    {
      name: 'too long',
      path: '/edge/long-header-line?bytes=2000000',
      expect: { status: 400, json: { detail: /bytes/ } },
    },
  ],
  handle: ({ query: { bytes } }) => {
    return reply.text(`X-Long has ${bytes} bytes.\n`, { headers: ['X-Long', 'x'.repeat(bytes)] });
  },
});

const manyHeaderLines = endpoint({
  id: 'edge-many-header-lines',
  group,
  methods: ['GET'],
  path: '/edge/many-header-lines',
  summary: 'As many header lines as asked for: how many does the client take?',
  query: Type.Object({ count: Type.Integer({ minimum: 1, maximum: 10_000, default: 200 }) }),
  responses: { 200: text('How many lines there are.'), 400: problem('The count is out of bounds.') },
  examples: [
    {
      name: 'two hundred',
      expect: {
        status: 200,
        headers: { 'x-line-1': '1', 'x-line-200': '200', 'x-line-201': null },
        text: '200 lines\n',
      },
    },
    {
      name: 'none',
      path: '/edge/many-header-lines?count=0',
      expect: { status: 400, json: { detail: /count/ } },
    },
  ],
  handle: ({ query: { count } }) => {
    const headers = Array.from({ length: count }, (_, index) => [
      `X-Line-${index + 1}`,
      String(index + 1),
    ]).flat();
    return reply.text(`${count} lines\n`, { headers });
  },
});

const oddValues = endpoint({
  id: 'edge-header-values',
  group,
  methods: ['GET'],
  path: '/edge/header-values',
  summary:
    'Header values that are legal and rare: empty, bytes above 0x7F, a tab inside, quotes, a very long token.',
  responses: { 200: text('A short body.') },
  examples: [
    {
      name: 'as they stand on the wire',
      expect: {
        status: 200,
        headers: { 'x-quoted': '"a, b; c=\\"d\\""', 'x-comment': 'token (a comment)' },
        wire: /\r\nX-Empty: ?\r\nX-Latin-1: \xfcber\r\nX-Utf-8: \xc5\x9feker\r\nX-Tab: a\tb\r\n/,
      },
    },
  ],
  handle: () =>
    reply.text('ok\n', {
      headers: [
        ...['X-Empty', '', 'X-Latin-1', '\xfcber', 'X-Utf-8', Buffer.from('şeker').toString('latin1')],
        ...['X-Tab', 'a\tb', 'X-Quoted', '"a, b; c=\\"d\\""', 'X-Comment', 'token (a comment)'],
      ],
    }),
});

const interim = endpoint({
  id: 'edge-interim-then-final',
  group,
  methods: ['GET'],
  path: '/edge/interim-then-final',
  summary: 'Interim answers before the final one; a client skips those it does not know (RFC 9110 §15.2).',
  query: Type.Object({
    status: Type.Integer({ minimum: 102, maximum: 199, default: 103 }),
    count: Type.Integer({ minimum: 1, maximum: 100, default: 1 }),
  }),
  responses: { 200: text('The final answer.'), 400: problem('A parameter is out of bounds.') },
  examples: [
    {
      name: 'early hints, then the answer',
      expect: {
        status: 200,
        wire: /^HTTP\/1\.1 103 [^\r\n]*\r\nLink: <\/style\.css>; rel=preload\r\n\r\nHTTP\/1\.1 200 OK\r\n/,
        text: 'final\n',
      },
    },
    {
      name: 'an interim status nobody knows, twice',
      path: '/edge/interim-then-final?status=155&count=2',
      expect: {
        status: 200,
        wire: /^(HTTP\/1\.1 155 [\s\S]*?\r\n\r\n){2}HTTP\/1\.1 200 OK\r\n/,
        text: 'final\n',
      },
    },
    {
      name: '101 is no interim answer but another protocol',
      path: '/edge/interim-then-final?status=101',
      expect: { status: 400, json: { detail: /status/ } },
    },
  ],
  handle: ({ query: { status, count }, exchange }) => {
    for (let sent = 0; sent < count; sent++)
      exchange.sendInterim(status, ['Link', '</style.css>; rel=preload']);
    return reply.text('final\n');
  },
});

const emptyChunked = endpoint({
  id: 'edge-empty-chunked',
  group,
  methods: ['GET'],
  path: '/edge/empty-chunked',
  summary: 'A chunked body of no bytes: the last chunk is the only one.',
  responses: { 200: text('Nothing.') },
  examples: [
    {
      name: 'only the last chunk',
      expect: {
        status: 200,
        headers: { 'transfer-encoding': 'chunked', 'content-length': null },
        length: 0,
        wire: /\r\n\r\n0\r\n\r\n$/,
      },
    },
  ],
  handle: () => reply.stream('text/plain; charset=utf-8', async () => {}),
});

const smallChunks = endpoint({
  id: 'edge-small-chunks',
  group,
  methods: ['GET'],
  path: '/edge/small-chunks',
  summary: 'Very many chunks of one byte each.',
  query: Type.Object({ count: Type.Integer({ minimum: 1, maximum: 100_000, default: 1000 }) }),
  responses: { 200: text('That many bytes a-z.'), 400: problem('The count is out of bounds.') },
  examples: [
    {
      name: 'twenty-eight of them',
      path: '/edge/small-chunks?count=28',
      expect: {
        status: 200,
        text: 'abcdefghijklmnopqrstuvwxyzab',
        wire: /\r\n\r\n1\r\na\r\n1\r\nb\r\n[\s\S]*1\r\nb\r\n0\r\n\r\n$/,
      },
    },
    {
      name: 'too many',
      path: '/edge/small-chunks?count=100001',
      expect: { status: 400, json: { detail: /count/ } },
    },
  ],
  handle: ({ query: { count } }) =>
    reply.stream('text/plain; charset=us-ascii', async (out) => {
      for (let index = 0; index < count; index++) await out.write(String.fromCharCode(0x61 + (index % 26)));
    }),
});

const trailers = endpoint({
  id: 'edge-trailers',
  group,
  methods: ['GET'],
  path: '/edge/trailers',
  summary: 'Fields after the content: announced, not announced, and twice.',
  responses: { 200: text('A short body.') },
  examples: [
    {
      name: 'behind the last chunk',
      expect: {
        status: 200,
        headers: { trailer: 'X-Announced' },
        text: 'content\n',
        wire: /\r\n0\r\nX-Announced: yes\r\nX-Surprise: yes\r\nX-Twice: 1\r\nX-Twice: 2\r\n\r\n$/,
      },
    },
  ],
  handle: () =>
    reply.stream(
      'text/plain; charset=utf-8',
      async (out) => {
        await out.write('content\n');
        await out.end(['X-Announced', 'yes', 'X-Surprise', 'yes', 'X-Twice', '1', 'X-Twice', '2']);
      },
      { headers: ['Trailer', 'X-Announced'] },
    ),
});

const unassignedStatus = endpoint({
  id: 'edge-unassigned-status',
  group,
  methods: ['GET'],
  path: '/edge/unassigned-status/{status}',
  summary:
    'A status nobody assigned, with a reason of its own: a client treats it as the x00 of its class (RFC 9110 §15).',
  params: Type.Object({ status: Type.Enum([299, 399, 499, 599].map(String)) }),
  responses: {
    299: text('Taken as 200.'),
    399: text('Taken as 300.'),
    400: problem('The status is not one of those.'),
    499: text('Taken as 400.'),
    599: text('Taken as 500.'),
  },
  examples: [
    {
      name: '299',
      path: '/edge/unassigned-status/299',
      expect: { status: 299, wire: /^HTTP\/1\.1 299 Nobody Assigned This\r\n/, text: 'status 299\n' },
    },
    {
      name: 'an assigned one',
      path: '/edge/unassigned-status/200',
      expect: { status: 400, json: { detail: /status/ } },
    },
  ],
  handle: ({ params: { status } }) => ({
    ...reply.text(`status ${status}\n`, { status: Number(status) }),
    reason: 'Nobody Assigned This',
  }),
});

export const legalOddities = [
  ...wireTests,
  longHeaderLine,
  manyHeaderLines,
  oddValues,
  interim,
  emptyChunked,
  smallChunks,
  trailers,
  unassignedStatus,
];
