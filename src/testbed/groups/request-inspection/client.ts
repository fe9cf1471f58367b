import { hostname as machineName } from 'node:os';
import { Type } from 'typebox';
import { reply } from '../../../kernel/catalogue/answer.ts';
import { json, problem } from '../../../kernel/catalogue/declarations.ts';
import { version as platformVersion } from '../../../kernel/version.ts';
import { dialectOf, echoHeaders, originOf, sortedJson } from '../../echo/httpbin-echo.ts';
import { endpoint, type TestbedEndpoint } from '../../endpoint.ts';

const group = 'Request Inspection';
const stringMap = Type.Record(Type.String(), Type.String());

const ip = endpoint({
  id: 'ip',
  group,
  methods: ['GET'],
  path: '/ip',
  summary: 'Tells the address the request came from.',
  description: 'X-Forwarded-For as it stands, else the peer of the connection.',
  query: Type.Object({ format: Type.Optional(Type.Enum(['json', 'text'], { default: 'json' })) }),
  responses: { 200: json('The address.', stringMap), 400: problem('No such format.') },
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
    {
      name: 'as text, in the go dialect',
      path: '/ip?format=text&dialect=go',
      expect: { text: '127.0.0.1\n' },
    },
    { name: 'no such format', path: '/ip?format=xml', expect: { status: 400, json: { name: 'format' } } },
  ],
  handle: (call) => {
    const origin = originOf(call);
    if (call.query.format !== 'text') return sortedJson({ origin });
    return reply.text(dialectOf(call) === 'go' ? `${origin}\n` : origin);
  },
});

const userAgent = endpoint({
  id: 'user-agent',
  group,
  spec: '1 §4.1',
  methods: ['GET'],
  path: '/user-agent',
  summary: 'Tells the User-Agent of the request.',
  responses: { 200: json('The User-Agent; null when there was none, empty in the go dialect.') },
  examples: [
    {
      name: 'as sent',
      headers: ['User-Agent', 'example/1.0 (test)'],
      expect: { status: 200, text: '{\n  "user-agent": "example/1.0 (test)"\n}\n' },
    },
    { name: 'none', expect: { text: '{\n  "user-agent": null\n}\n' } },
    {
      name: 'none, in the go dialect',
      path: '/user-agent?dialect=go',
      expect: { text: '{\n  "user-agent": ""\n}\n' },
    },
  ],
  handle: (call) => {
    const none = dialectOf(call) === 'go' ? '' : null;
    return sortedJson({ 'user-agent': call.request.headers.first('user-agent') ?? none });
  },
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

/** Who asked, with what, and who answers. */
export const clientEndpoints: readonly TestbedEndpoint[] = [ip, userAgent, headers, hostname, version];
