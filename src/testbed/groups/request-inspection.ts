import { hostname as machineName } from 'node:os';
import { Type } from 'typebox';
import { reply } from '../../kernel/catalogue/answer.ts';
import { binary, json, noBody, problem, rawBody, text } from '../../kernel/catalogue/declarations.ts';
import { fault } from '../../kernel/faults.ts';
import { version as platformVersion } from '../../kernel/version.ts';
import { sha256Hex } from '../content/integrity.ts';
import { echoHeaders, originOf, sortedJson } from '../echo/httpbin-echo.ts';
import { queryValue } from '../echo/meta.ts';
import { rawHeadBytes, rawHeadText } from '../echo/raw-head.ts';
import { endpoint, type TestbedEndpoint } from '../endpoint.ts';
import { JOURNAL_ID_PATTERN } from '../journal.ts';

const group = 'Request Inspection';
const stringMap = Type.Record(Type.String(), Type.String());

const ip = endpoint({
  id: 'ip',
  group,
  methods: ['GET'],
  path: '/ip',
  summary: 'Tells the address the request came from.',
  description:
    'X-Forwarded-For as it stands, else the peer of the connection. `?format=text` gives it as plain text.',
  responses: { 200: json('The address.', stringMap) },
  examples: [
    { name: 'the peer', expect: { status: 200, text: '{\n  "origin": "127.0.0.1"\n}\n' } },
    {
      name: 'what a proxy says, verbatim',
      headers: ['X-Forwarded-For', '203.0.113.7, 10.0.0.1'],
      expect: { json: { origin: '203.0.113.7, 10.0.0.1' } },
    },
    {
      name: 'go-httpbin dialect: the first of the forwarded addresses',
      headers: ['X-Forwarded-For', '203.0.113.7, 10.0.0.1', 'X-Test-Dialect', 'go'],
      expect: { json: { origin: '203.0.113.7' } },
    },
    { name: 'as text', path: '/ip?format=text', expect: { text: '127.0.0.1' } },
  ],
  handle: (call) => {
    const origin = originOf(call);
    return queryValue(call.request, 'format') === 'text' ? reply.text(origin) : sortedJson({ origin });
  },
});

const userAgent = endpoint({
  id: 'user-agent',
  group,
  spec: '1 §4.1',
  methods: ['GET'],
  path: '/user-agent',
  summary: 'Tells the User-Agent of the request.',
  responses: { 200: json('The User-Agent; empty when there was none.', stringMap) },
  examples: [
    {
      name: 'as sent',
      headers: ['User-Agent', 'example/1.0 (test)'],
      expect: { status: 200, text: '{\n  "user-agent": "example/1.0 (test)"\n}\n' },
    },
    { name: 'none', expect: { text: '{\n  "user-agent": ""\n}\n' } },
  ],
  handle: ({ request }) => sortedJson({ 'user-agent': request.headers.first('user-agent') ?? '' }),
});

const headers = endpoint({
  id: 'headers',
  group,
  methods: ['GET'],
  path: '/headers',
  summary: 'Tells the header fields of the request.',
  description:
    'Names in Title-Case, repeated fields joined by a comma. For bytes, order and casing see /raw.',
  responses: { 200: json('The header fields.') },
  examples: [
    {
      name: 'Title-Case and sorted',
      headers: [
        'Host',
        'a.example',
        'x-b3-traceid',
        'abc',
        'accept',
        'a/b',
        'Accept',
        'c/d',
        'Connection',
        'close',
      ],
      expect: {
        status: 200,
        text: '{\n  "headers": {\n    "Accept": "a/b,c/d",\n    "Connection": "close",\n    "Host": "a.example",\n    "X-B3-Traceid": "abc"\n  }\n}\n',
      },
    },
  ],
  handle: (call) => sortedJson({ headers: echoHeaders(call) }),
});

const hostname = endpoint({
  id: 'hostname',
  group,
  methods: ['GET'],
  path: '/hostname',
  summary: 'Tells which machine answered; in public mode its name stays hidden.',
  responses: { 200: json('The name.', stringMap) },
  examples: [{ name: 'a name', expect: { status: 200, json: { hostname: /./ } } }],
  handle: ({ services }) => reply.json({ hostname: services.settings.isPublic ? 'testbed' : machineName() }),
});

const version = endpoint({
  id: 'version',
  group,
  methods: ['GET'],
  path: '/version',
  summary: 'Tells the version of the service.',
  responses: { 200: json('The version.', stringMap) },
  examples: [{ name: 'the version', expect: { status: 200, text: '{\n  "version": "2026.04.1"\n}\n' } }],
  handle: () => reply.json({ version: platformVersion }),
});

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
      fields: [...head.headers.pairs()],
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

const journalParams = Type.Object({ id: Type.String({ pattern: JOURNAL_ID_PATTERN }) });
const recorded = {
  path: '/get?x=1',
  headers: ['Host', 'a.example', 'X-Test-Journal', 'example', 'Connection', 'close'],
};

const journals = endpoint({
  id: 'journals',
  group,
  methods: ['GET'],
  path: '/journal',
  summary: 'Lists the journals there are. Not in public mode, where an id is a secret of its client.',
  responses: { 200: json('Ids and counts.'), 403: problem('The service runs in public mode.') },
  examples: [
    {
      name: 'one journal',
      setUp: [recorded, { path: '/ip?__journal=other' }],
      expect: {
        status: 200,
        json: {
          droppedIds: 0,
          journals: [
            { id: 'example', count: 1 },
            { id: 'other', count: 1 },
          ],
        },
      },
    },
    {
      name: 'an id that is none',
      path: '/get',
      headers: ['X-Test-Journal', 'a b'],
      expect: { status: 400, json: { name: 'X-Test-Journal' } },
    },
  ],
  handle: async ({ services }) => {
    if (services.settings.isPublic) {
      throw fault('feature.disabled', { feature: 'The list of journals', reason: 'the service is public' });
    }
    return reply.json(await services.state.journal.list());
  },
});

const journal = endpoint({
  id: 'journal',
  group,
  methods: ['GET'],
  path: '/journal/{id}',
  summary: 'Tells every request that carried this journal id: when, on which connection, with which head.',
  description:
    'A request is recorded when it carries `X-Test-Journal: <id>` or `?__journal=<id>`. It shows retries, reused ' +
    'connections and requests that were smuggled. Old entries make room for new ones and are counted in `dropped`.',
  params: journalParams,
  responses: { 200: json('The entries, oldest first.'), 404: problem('Nothing is recorded under this id.') },
  examples: [
    {
      name: 'what arrived',
      path: '/journal/example',
      setUp: [
        recorded,
        { method: 'POST', path: '/nowhere', headers: ['X-Test-Journal', 'example'], body: 'abc' },
      ],
      expect: {
        status: 200,
        json: {
          id: 'example',
          count: 2,
          dropped: 0,
          entries: [
            {
              no: 1,
              at: /^\d{4}-\d\d-\d\dT/,
              method: 'GET',
              target: '/get?x=1',
              requestNo: 1,
              rawHead:
                'GET /get?x=1 HTTP/1.1\r\nHost: a.example\r\nX-Test-Journal: example\r\nConnection: close\r\n\r\n',
              bodyLength: 0,
            },
            { no: 2, method: 'POST', target: '/nowhere', bodyFraming: 'length', bodyLength: 3 },
          ],
        },
      },
    },
    { name: 'nothing there', path: '/journal/unheard-of', expect: { status: 404 } },
    { name: 'an id that is none', path: '/journal/a%20b', expect: { status: 400, json: { name: 'id' } } },
  ],
  handle: async ({ params, services }) => {
    const view = await services.state.journal.read(params.id);
    if (!view) throw fault('journal.not-found', { id: params.id });
    const entries = view.entries.map(({ atMs, ...entry }) => ({
      ...entry,
      at: new Date(atMs).toISOString(),
    }));
    return reply.json({ ...view, entries }, { headers: ['Cache-Control', 'no-store'] });
  },
});

const journalDelete = endpoint({
  id: 'journal-delete',
  group,
  methods: ['DELETE'],
  path: '/journal/{id}',
  summary: 'Forgets a journal.',
  params: journalParams,
  responses: { 204: noBody('Forgotten.'), 404: problem('Nothing is recorded under this id.') },
  examples: [
    { name: 'forgotten', path: '/journal/example', setUp: [recorded], expect: { status: 204, length: 0 } },
    { name: 'nothing there', path: '/journal/unheard-of', expect: { status: 404 } },
  ],
  handle: async ({ params, services }) => {
    if (!(await services.state.journal.forget(params.id)))
      throw fault('journal.not-found', { id: params.id });
    return reply.empty(204);
  },
});

function pairsOf(flat: readonly string[]): Array<[string, string]> {
  const pairs: Array<[string, string]> = [];
  for (let index = 0; index < flat.length; index += 2) pairs.push([flat[index]!, flat[index + 1]!]);
  return pairs;
}

export const requestInspection: readonly TestbedEndpoint[] = [
  ip,
  userAgent,
  headers,
  hostname,
  version,
  rawEcho,
  rawJson,
  dumpRequest,
  journals,
  journal,
  journalDelete,
];
