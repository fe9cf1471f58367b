import { Type } from 'typebox';
import { reply } from '../../../kernel/catalogue/answer.ts';
import { int32, json, problem } from '../../../kernel/catalogue/declarations.ts';
import { endpoint, type TestbedEndpoint } from '../../endpoint.ts';

const group = 'Proxy Header Passthrough';

const large = endpoint({
  id: 'proxy-headers-large',
  group,
  methods: ['GET'],
  path: '/proxy-test/headers/large',
  summary: 'Answers with one field of the given size.',
  query: Type.Object({
    size: int32({ default: 8192, minimum: 0, maximum: 65536, description: 'Bytes of its value.' }),
    name: Type.String({ default: 'X-Large', pattern: '^[Xx]-[A-Za-z0-9-]{1,100}$' }),
  }),
  responses: {
    200: json('`name`, `size`, and the size of the header section that arrived.'),
    400: problem('The size is out of bounds, or the name is none that begins with X-.'),
  },
  examples: [
    {
      name: '8 KiB unless told',
      expect: { status: 200, headers: { 'x-large': /^x{8192}$/ }, json: { name: 'X-Large', size: 8192 } },
    },
    {
      name: 'size and name are given',
      path: '/proxy-test/headers/large?size=3&name=X-Small',
      expect: { status: 200, headers: { 'x-small': 'xxx', 'x-large': null } },
    },
    {
      name: 'too large',
      path: '/proxy-test/headers/large?size=65537',
      expect: { status: 400, json: { detail: /size must be at most 65536/ } },
    },
  ],
  handle({ query, exchange }) {
    const { size, name } = query;
    const receivedHeadBytes = exchange.head.wireBytes?.length ?? null;
    return reply.json({ name, size, receivedHeadBytes }, { headers: [name, 'x'.repeat(size)] });
  },
});

const many = endpoint({
  id: 'proxy-headers-many',
  group,
  methods: ['GET'],
  path: '/proxy-test/headers/many',
  summary: 'Answers with many fields, X-Many-0001 and so on, and tells how many arrived.',
  query: Type.Object({ count: int32({ default: 100, minimum: 0, maximum: 2000 }) }),
  responses: {
    200: json('`sent` and `received`.'),
    400: problem('The count is out of bounds.'),
    431: problem('More fields arrived than the listener takes.'),
  },
  examples: [
    {
      name: 'a hundred unless told',
      expect: {
        status: 200,
        headers: { 'x-many-0001': '1', 'x-many-0100': '100', 'x-many-0101': null },
        json: { sent: 100 },
      },
    },
    {
      name: 'three arrive beside Host and Connection',
      path: '/proxy-test/headers/many?count=0',
      headers: ['X-1', '', 'X-2', '', 'X-3', ''],
      expect: { status: 200, headers: { 'x-many-0001': null }, json: { sent: 0, received: 5 } },
    },
  ],
  handle({ query, request }) {
    const { count } = query;
    const fields = Array.from({ length: count }, (_, index) => [
      `X-Many-${String(index + 1).padStart(4, '0')}`,
      String(index + 1),
    ]);
    return reply.json({ sent: count, received: request.headers.size }, { headers: fields.flat() });
  },
});

/** Fields that are allowed and that proxies nevertheless trip over. */
const specialFields: ReadonlyArray<{ name: string; value: string; what: string }> = [
  { name: 'X-Empty', value: '', what: 'no value at all' },
  { name: 'X-Latin1', value: 'caf\xe9 \xa3', what: 'obs-text: bytes of ISO-8859-1 (RFC 9110 §5.5)' },
  { name: 'X-Utf8', value: Buffer.from('ş ğ ✓').toString('latin1'), what: 'bytes of UTF-8' },
  {
    name: 'Content-Disposition',
    value: 'attachment; filename="a.txt"; filename*=UTF-8\'\'%C5%9F.txt',
    what: 'an extended parameter of RFC 8187',
  },
  { name: 'X-Tab', value: 'a\tb', what: 'a tab inside the value' },
  { name: 'X-Trailing-Spaces', value: 'value   ', what: 'spaces behind the value, which are not part of it' },
  { name: 'X_Underscore', value: '1', what: 'an underscore in the name, which some servers drop' },
  { name: 'X.Odd!Name~', value: '1', what: 'a token of unusual characters' },
  {
    name: 'X-Quoted',
    value: '"a, \\"b\\"; c"',
    what: 'commas, quotes and semicolons inside a quoted string',
  },
  { name: `X-${'long-name-'.repeat(20)}end`, value: '1', what: 'a name of 205 characters' },
];

const special = endpoint({
  id: 'proxy-headers-special',
  group,
  methods: ['GET'],
  path: '/proxy-test/headers/special',
  summary: 'Answers with fields that are allowed and easily damaged: empty, Latin-1, UTF-8, tab, odd names.',
  responses: { 200: json('What was sent, each with the bytes of its value in hex.') },
  examples: [
    {
      name: 'the bytes are on the wire',
      expect: {
        status: 200,
        wire: /\r\nX-Empty: \r\nX-Latin1: caf\xe9 \xa3\r\nX-Utf8: \xc5\x9f \xc4\x9f \xe2\x9c\x93\r\n/,
        headers: { x_underscore: '1', 'x.odd!name~': '1' },
      },
    },
    {
      name: 'and stand in the body in hex',
      expect: { status: 200, text: /"name": "X-Latin1",\s+"valueHex": "636166e920a3"/ },
    },
  ],
  handle() {
    const sent = specialFields.map(({ name, value, what }) => ({
      name,
      valueHex: Buffer.from(value, 'latin1').toString('hex'),
      what,
    }));
    return reply.json({ sent }, { headers: specialFields.flatMap(({ name, value }) => [name, value]) });
  },
});

const altSvc = endpoint({
  id: 'proxy-headers-alt-svc',
  group,
  methods: ['GET'],
  path: '/proxy-test/headers/alt-svc',
  aliases: ['/alt-svc'],
  summary: 'Advertises another service by Alt-Svc: does the proxy pass on, replace or drop it?',
  description:
    'The service itself speaks no HTTP/3. To test a client with it, put a proxy that does in front and advertise its port.',
  query: Type.Object({
    protocol: Type.Union([Type.Literal('h3'), Type.Literal('h2'), Type.Literal('clear')], { default: 'h3' }),
    port: Type.Integer({ minimum: 1, maximum: 65_535, default: 443 }),
    maxAge: Type.Integer({ minimum: 0, maximum: 31_536_000, default: 60, description: 'Seconds.' }),
  }),
  responses: { 200: json('What was sent.'), 400: problem('A parameter is not valid.') },
  examples: [
    {
      name: 'HTTP/3',
      expect: {
        status: 200,
        headers: { 'alt-svc': 'h3=":443"; ma=60' },
        json: { sent: 'h3=":443"; ma=60' },
      },
    },
    {
      name: 'HTTP/2 on another port',
      path: '/alt-svc?protocol=h2&port=8443&maxAge=5',
      expect: { status: 200, headers: { 'alt-svc': 'h2=":8443"; ma=5' } },
    },
    {
      name: 'forget what was advertised',
      path: '/proxy-test/headers/alt-svc?protocol=clear',
      expect: { status: 200, headers: { 'alt-svc': 'clear' } },
    },
    {
      name: 'no port',
      path: '/alt-svc?port=0',
      expect: { status: 400, json: { detail: /port must be at least 1/ } },
    },
  ],
  handle: ({ query: { protocol, port, maxAge } }) => {
    const sent = protocol === 'clear' ? 'clear' : `${protocol}=":${port}"; ma=${maxAge}`;
    return reply.json({ sent }, { headers: ['Alt-Svc', sent] });
  },
});

const securityFields: Readonly<Record<string, string>> = {
  'Strict-Transport-Security': 'max-age=63072000; includeSubDomains; preload',
  'Content-Security-Policy': "default-src 'self'; frame-ancestors 'none'",
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'strict-origin-when-cross-origin',
  'Permissions-Policy': 'geolocation=(), camera=(self)',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

const security = endpoint({
  id: 'proxy-headers-security',
  group,
  methods: ['GET'],
  path: '/proxy-test/headers/security',
  summary: 'Answers with the security fields a proxy must pass on unchanged.',
  responses: { 200: json('`sent`: the fields and their values.') },
  examples: [
    {
      name: 'fields and body agree',
      expect: {
        status: 200,
        headers: Object.fromEntries(
          Object.entries(securityFields).map(([name, value]) => [name.toLowerCase(), value]),
        ),
        json: { sent: securityFields },
      },
    },
  ],
  handle: () => reply.json({ sent: securityFields }, { headers: Object.entries(securityFields).flat() }),
});

/** Invented values: nothing of the machine this runs on. */
const revealingFields: Readonly<Record<string, string>> = {
  Server: 'backend/9.9 (test)',
  'X-Powered-By': 'test-runtime/9.9',
  'X-AspNet-Version': '9.9.9',
  'X-Internal-Host': 'backend-7.internal.test',
  'X-Internal-Trace': 'secret-route-42',
};

const removeCheck = endpoint({
  id: 'proxy-headers-remove-check',
  group,
  methods: ['GET'],
  path: '/proxy-test/headers/remove-check',
  summary: 'Answers with fields that a gateway at the border should strip.',
  responses: { 200: json('`shouldBeRemoved`: the fields and their invented values.') },
  examples: [
    {
      name: 'the backend reveals itself',
      expect: {
        status: 200,
        headers: { server: 'backend/9.9 (test)', 'x-internal-host': 'backend-7.internal.test' },
        json: { shouldBeRemoved: revealingFields },
      },
    },
  ],
  handle: () =>
    reply.json({ shouldBeRemoved: revealingFields }, { headers: Object.entries(revealingFields).flat() }),
});

/** Endpoints whose answers carry fields that are hard to pass on. */
export const responseFieldEndpoints: readonly TestbedEndpoint[] = [
  large,
  many,
  special,
  altSvc,
  security,
  removeCheck,
];
