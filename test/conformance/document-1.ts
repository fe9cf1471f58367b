/** Document 1, the HTTP test service, restated as data: what is listed there must exist here, exactly. */

export interface DeclaredParameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly type: 'string' | 'int32' | 'int64' | 'array' | 'map';
  readonly isRequired: boolean;
  readonly default?: unknown;
}

export interface DeclaredOperations {
  readonly section: string;
  readonly methods: readonly string[];
  readonly paths: readonly string[];
  readonly parameters?: readonly DeclaredParameter[];
  /** Media types of the declared request body. */
  readonly body?: readonly string[];
  /** Declared statuses; 200 alone unless given. */
  readonly statuses?: readonly number[];
  /** Media type and, where named, schema of the 200 (or 201) answer. */
  readonly answer?: { readonly type: string; readonly schema?: string };
}

const path = (name: string, type: DeclaredParameter['type']): DeclaredParameter => ({
  name,
  in: 'path',
  type,
  isRequired: true,
});
const query = (name: string, type: DeclaredParameter['type'], fallback?: unknown): DeclaredParameter => ({
  name,
  in: 'query',
  type,
  isRequired: false,
  default: fallback,
});
const required = (name: string, type: DeclaredParameter['type']): DeclaredParameter => ({
  name,
  in: 'query',
  type,
  isRequired: true,
});

const EIGHT = ['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH', 'TRACE'];
const FIVE = ['GET', 'PUT', 'POST', 'DELETE', 'PATCH'];
const GET = ['GET'];
const POST = ['POST'];

const httpBinResponse = { type: '*/*', schema: 'HttpBinResponse' };
const jsonObject = { type: 'application/json' };
const jsonString = { type: 'application/json' };

export const operations: readonly DeclaredOperations[] = [
  // Echo and inspection
  { section: '§4.1', methods: EIGHT, paths: ['/anything'], answer: httpBinResponse },
  {
    section: '§4.1',
    methods: EIGHT,
    paths: ['/anything/{path}'],
    parameters: [path('path', 'string')],
    answer: httpBinResponse,
  },
  { section: '§4.1', methods: ['PUT'], paths: ['/put'], answer: httpBinResponse },
  { section: '§4.1', methods: POST, paths: ['/post'], answer: httpBinResponse },
  { section: '§4.1', methods: ['PATCH'], paths: ['/patch'], answer: httpBinResponse },
  { section: '§4.1', methods: EIGHT, paths: ['/proxy-test/methods/echo'] },
  { section: '§4.1', methods: ['PATCH'], paths: ['/proxy-test/methods/patch-echo'] },
  { section: '§4.1', methods: ['GET', 'OPTIONS'], paths: ['/proxy-test/methods/options-test'] },
  { section: '§4.1', methods: ['GET', 'HEAD'], paths: ['/proxy-test/methods/head-test'] },
  { section: '§4.1', methods: ['GET', 'OPTIONS'], paths: ['/proxy-test/cors/preflight'] },
  { section: '§4.1', methods: ['POST', 'OPTIONS'], paths: ['/proxy-test/cors/preflight-post'] },
  { section: '§4.1', methods: GET, paths: ['/user-agent'], answer: jsonObject },
  { section: '§4.1', methods: ['GET', 'POST'], paths: ['/encoding-test/request/echo-headers'] },
  {
    section: '§4.1',
    methods: POST,
    paths: [
      '/encoding-test/request/echo',
      '/encoding-test/request-charset/echo',
      '/encoding-test/request-charset/echo-windows-1252',
      '/encoding-test/request-charset/echo-utf8',
      '/encoding-test/request-charset/echo-iso8859-9',
      '/encoding-test/request-charset/echo-iso8859-1',
      '/echo/request',
      '/echo/request/raw',
    ],
    body: [],
  },
  { section: '§4.1', methods: POST, paths: ['/echo/multipart'], body: ['multipart/form-data'] },
  { section: '§4.1', methods: POST, paths: ['/echo/headers'] },

  // Status, headers, redirects, dynamic data
  { section: '§4.2', methods: ['GET', 'POST'], paths: ['/response-headers'], answer: jsonObject },
  { section: '§4.2', methods: FIVE, paths: ['/status/{codes}'], parameters: [path('codes', 'string')] },
  { section: '§4.2', methods: GET, paths: ['/status/304', '/status/304-with-body', '/status/206'] },
  {
    section: '§4.2',
    methods: FIVE,
    paths: ['/redirect-to'],
    parameters: [required('url', 'string'), query('status_code', 'int32', 302)],
  },
  {
    section: '§4.2',
    methods: GET,
    paths: ['/redirect/{n}', '/relative-redirect/{n}', '/stream/{n}', '/stream-bytes/{n}'],
    parameters: [path('n', 'int32')],
  },
  {
    section: '§4.2',
    methods: FIVE,
    paths: ['/delay/{delay}'],
    parameters: [path('delay', 'int32')],
    answer: jsonObject,
  },
  { section: '§4.2', methods: GET, paths: ['/uuid'], answer: jsonObject },
  {
    section: '§4.2',
    methods: GET,
    paths: [
      '/stream-bytes/{n}/zstd',
      '/stream-bytes/{n}/gzip',
      '/stream-bytes/{n}/deflate',
      '/stream-bytes/{n}/br',
    ],
    parameters: [path('n', 'int32')],
  },
  { section: '§4.2', methods: GET, paths: ['/range/{numbytes}'], parameters: [path('numbytes', 'int32')] },
  { section: '§4.2', methods: GET, paths: ['/range/10kb/gzip', '/zstd'] },
  {
    section: '§4.2',
    methods: GET,
    paths: ['/xml', '/v2/application.wadl'],
    answer: { type: 'application/xml' },
  },
  { section: '§4.2', methods: GET, paths: ['/robots.txt'], answer: { type: 'text/plain' } },
  { section: '§4.2', methods: GET, paths: ['/vary/wildcard', '/vary/none'] },
  { section: '§4.2', methods: GET, paths: ['/stream/plain', '/response/plain', '/response/chunked/stream'] },
  { section: '§4.2', methods: GET, paths: ['/sse', '/sse/zstd', '/sse/gzip', '/sse/deflate', '/sse/br'] },

  // Contacts
  {
    section: '§4.3',
    methods: GET,
    paths: ['/openapi/contacts/{contactId}'],
    parameters: [path('contactId', 'int64')],
    statuses: [200, 404],
    answer: { type: 'application/json', schema: 'Contact' },
  },
  {
    section: '§4.3',
    methods: ['PUT'],
    paths: ['/openapi/contacts/{contactId}'],
    parameters: [path('contactId', 'int64')],
    body: ['application/json', 'application/xml'],
    statuses: [200, 400, 404, 405],
  },
  {
    section: '§4.3',
    methods: ['DELETE'],
    paths: ['/openapi/contacts/{contactId}'],
    parameters: [path('contactId', 'int64')],
    statuses: [200, 404],
  },
  {
    section: '§4.3',
    methods: GET,
    paths: ['/openapi/contacts'],
    parameters: [required('id', 'int64')],
    statuses: [200, 404],
    answer: { type: 'application/xml', schema: 'Contact' },
  },
  {
    section: '§4.3',
    methods: POST,
    paths: ['/openapi/contacts'],
    body: ['application/json', 'application/xml'],
    statuses: [201, 400, 409],
    answer: { type: 'application/json', schema: 'Contact' },
  },

  // Users
  { section: '§4.4', methods: GET, paths: ['/api/user/'], answer: jsonObject },
  { section: '§4.4', methods: POST, paths: ['/api/user/'], body: ['application/json'], answer: jsonObject },
  {
    section: '§4.4',
    methods: ['DELETE'],
    paths: ['/api/user/'],
    answer: { type: 'application/json', schema: 'User' },
  },
  {
    section: '§4.4',
    methods: ['GET', 'DELETE'],
    paths: ['/api/user/{id}'],
    parameters: [path('id', 'int64')],
    answer: jsonObject,
  },
  {
    section: '§4.4',
    methods: ['PUT', 'PATCH'],
    paths: ['/api/user/{id}'],
    parameters: [path('id', 'int64')],
    body: ['application/json'],
    answer: jsonObject,
  },
  {
    section: '§4.4',
    methods: POST,
    paths: ['/api/enc/', '/api/dec/'],
    body: ['application/json'],
    answer: jsonObject,
  },

  // Files
  {
    section: '§4.5',
    methods: POST,
    paths: ['/test/multipart'],
    body: ['multipart/form-data'],
    answer: jsonString,
  },
  {
    section: '§4.5',
    methods: POST,
    paths: ['/test/multipartMultiple'],
    parameters: [required('files', 'array')],
    answer: { type: 'application/json', schema: 'UploadFileResponse' },
  },
  {
    section: '§4.5',
    methods: POST,
    paths: ['/test/fileUpload'],
    body: ['application/json'],
    answer: jsonString,
  },
  {
    section: '§4.5',
    methods: GET,
    paths: ['/test/downloadFile/{fileName}'],
    parameters: [path('fileName', 'string')],
  },
  {
    section: '§4.5',
    methods: POST,
    paths: ['/proxy-test/body/multipart/echo'],
    parameters: [required('params', 'map'), query('files', 'array')],
    body: ['multipart/form-data'],
  },

  // Proxy body, URL, timeout, security, utilities
  {
    section: '§4.6',
    methods: POST,
    paths: [
      'large-json/verify',
      'large-json/echo',
      'form/echo',
      'empty/echo',
      'empty/204',
      'binary/verify',
      'binary/echo',
    ].map((name) => `/proxy-test/body/${name}`),
    body: [],
  },
  {
    section: '§4.6',
    methods: GET,
    paths: [
      'unicode/**',
      'semicolon/**',
      'double-encoded/**',
      'tr/şığüöıç',
      'query-order',
      'path/sub/deep',
      'path/safe',
      'long',
      'echo',
    ].map((name) => `/proxy-test/url/${name}`),
  },
  {
    section: '§4.6',
    methods: GET,
    paths: ['/proxy-test/url/encode-test'],
    parameters: [query('value', 'string', /[^\x00-\x7f]/)],
  },
  {
    section: '§4.6',
    methods: GET,
    paths: ['/proxy-test/timeout/slow-header', '/proxy-test/timeout/slow-first-byte'],
    parameters: [query('delay', 'int64', 5000)],
  },
  {
    section: '§4.6',
    methods: GET,
    paths: ['/proxy-test/timeout/slow-body'],
    parameters: [query('chunkDelay', 'int64', 1000), query('chunks', 'int32', 10)],
  },
  {
    section: '§4.6',
    methods: GET,
    paths: ['/proxy-test/timeout/slow-body-with-length'],
    parameters: [query('chunkDelay', 'int64', 1000), query('chunks', 'int32', 5)],
  },
  { section: '§4.6', methods: GET, paths: ['/proxy-test/timeout/incomplete'] },
  {
    section: '§4.6',
    methods: GET,
    paths: ['/proxy-test/timeout/delay'],
    parameters: [query('ms', 'int64', 3000)],
  },
  {
    section: '§4.6',
    methods: POST,
    paths: ['/proxy-test/security/xml/safe-parse'],
    body: ['application/xml'],
  },
  {
    section: '§4.6',
    methods: GET,
    paths: ['/proxy-test/security/xss/raw'],
    parameters: [query('input', 'string', /<script>/)],
  },
  { section: '§4.6', methods: GET, paths: ['/test/test/hello', '/test/multipleHeaders'] },
  {
    section: '§4.6',
    methods: GET,
    paths: ['/test/test/helloWait'],
    parameters: [required('waitTimeInMillis', 'int64')],
  },
  { section: '§4.6', methods: ['PATCH'], paths: ['/test/test/patch'] },

  // Authentication (custom)
  {
    section: '§4.7',
    methods: POST,
    paths: ['/auth/authenticateWithXWwwForm'],
    body: ['application/x-www-form-urlencoded'],
    answer: jsonString,
  },
  {
    section: '§4.7',
    methods: POST,
    paths: ['/auth/authenticateWithForm'],
    parameters: [required('paramMap', 'map')],
    answer: jsonString,
  },
  {
    section: '§4.7',
    methods: POST,
    paths: ['/auth/authenticateWithBody'],
    body: ['application/json'],
    answer: jsonString,
  },
];
