/** The groups, statements and errors of document 1, and what proves each of them here. */

/** Endpoint groups: name and declared purpose. */
export const groups: ReadonlyArray<readonly [name: string, purpose: string]> = [
  ['Proxy Body Integrity', 'large body, binary, empty body, multipart, form-urlencoded echo'],
  ['Proxy Header Passthrough', 'hop-by-hop, duplicate, large, many, custom header echo'],
  ['Status & Cache', 'status code, cache, ETag, response header endpoints'],
  ['Proxy Cookie Handling', 'multiple Set-Cookie, path/domain, Secure/HttpOnly/SameSite, cookie echo'],
  ['Client Certificate', 'reads client certificate information from headers and returns it'],
  ['File Upload/Download', 'multipart upload, download (jpg, pdf, txt, bin), encoding variants'],
  ['HTTP Methods', 'httpbin-compatible method endpoints that echo the request'],
  ['Dynamic Data', 'random bytes, stream, delay, drip, range, UUID, base64, links'],
  ['Response Formats', 'HTML, JSON, XML, robots.txt, UTF-8'],
  ['Request Charset Test', 'request body charset and encoding echo'],
  ['Cookies', 'read, write, delete cookies'],
  ['BadSSL Info', 'information on 40 TLS scenarios'],
  ['Certificate Download', 'certificate, keystore, truststore and proto file download'],
  [
    'Proxy Content-Type & Charset',
    'charset variants (UTF-8, ISO-8859-9, windows-1254), content negotiation, no Content-Type, multipart/mixed',
  ],
  ['Proxy CORS', 'preflight OPTIONS, Access-Control-* passthrough, credentials, wildcard vs specific origin'],
  ['SSE (Server-Sent Events)', 'event streams with gzip, deflate, br, zstd encodings'],
  [
    'Proxy Connection & Redirect',
    'redirect Location rewrite, backend error handling, 502/503/504 simulation',
  ],
  ['Client/Edge Case Test', 'gzip bomb, 304 with body, chunked stream, vary'],
  ['User CRUD', 'in-memory user CRUD'],
  ['Redirects', 'redirect chains and redirect-to'],
  ['Compression (httpbin)', 'gzip, deflate, brotli, zstd'],
  ['contact', 'contact API'],
  ['Authentication (httpbin)', 'Basic, Digest, Bearer'],
  ['Request Encoding', 'request body decompression echo driven by the Content-Encoding header'],
  ['Echo', 'request, header and multipart echo with decompression'],
  ['Proxy Timeout & Slow Response', 'slow header, slow body, configurable delay, read timeout, partial body'],
  ['Test Utilities', 'hello, patch, helloWait, multipleHeaders'],
  ['Encode/Decode', 'base64 encode and decode'],
  [
    'Proxy Security Test',
    'safe XML parse, XSS reflection (escaped/raw), rate-limit simulation, RFC 7807 problem detail',
  ],
  ['Anything', 'catch-all echo for any method and path'],
  [
    'Encoding Test',
    'Content-Encoding tests: text, json, corrupted, chained, no-transform, vary, 304/206, chunked, large, content-length, transfer-encoding, q-value, download',
  ],
  ['Images', 'PNG, JPEG, SVG, WebP'],
  [
    'Authentication (Custom)',
    'header, base64, query param, path param, body, form, x-www-form authentication',
  ],
  [
    'Proxy URL Handling',
    'Turkish/Unicode characters, double encoding, long URL, path traversal, query order, fragment',
  ],
  ['Proxy HTTP Methods', 'HEAD (no body, Content-Length present), OPTIONS (Allow header), TRACE, PATCH echo'],
  ['Request Inspection', 'returns request headers, IP and User-Agent'],
];

/** What later parts bring. A row leaves this list when it is proven and never returns. */
export const open = {
  groups: [] as readonly string[],
};

export type Proof =
  | { readonly endpoint: string; readonly example: string }
  | { readonly file: string; readonly test: string };

export interface Statement {
  readonly section: string;
  readonly says: string;
  readonly provenBy: readonly Proof[];
}

const example = (endpoint: string, name: string): Proof => ({ endpoint, example: name });
const inFile = (file: string, test: string): Proof => ({ file, test });

export const statements: readonly Statement[] = [
  {
    section: '§1',
    says: 'the description is served as OpenAPI 3.1.0',
    provenBy: [
      inFile('test/conformance/document-1.test.ts', 'the description is OpenAPI 3.1.0, version 2026.04.1'),
    ],
  },
  {
    section: '§1',
    says: 'the local listener uses port 10090',
    provenBy: [
      inFile('test/e2e/command-line.test.ts', 'the test service listens on port 10090 unless told otherwise'),
    ],
  },
  {
    section: '§1',
    says: 'information on 40 TLS scenarios names port, certificate and TLS version',
    provenBy: [
      inFile(
        'src/testbed/groups/badssl-info.test.ts',
        'there are 40 scenarios, each with its port, certificate and TLS version',
      ),
    ],
  },
  {
    section: '§1',
    says: 'TLS and certificate scenarios are live',
    provenBy: [
      inFile('src/testbed/groups/badssl-info.test.ts', 'all of them run'),
      inFile('src/testbed/tls/live-scenarios.test.ts', 'a strict client ends as the table says'),
      inFile(
        'src/testbed/groups/certificate-download/certificate-download.test.ts',
        'every store opens with the password that its answer names',
      ),
    ],
  },
  {
    section: '§1',
    says: 'SOAP, WebSocket and gRPC scenarios are offered',
    provenBy: [
      example('soap-echo', 'SOAP 1.2 with an action'),
      example('ws-echo', 'text, binary and a ping come back'),
      inFile('src/testbed/grpc/echo-service.test.ts', 'testservice.v1.Echo'),
    ],
  },
  {
    section: '§1, §3',
    says: 'the user store is in memory and is emptied by a restart',
    provenBy: [
      inFile('test/e2e/restart.test.ts', 'users are gone after a restart'),
      example('users-clear', 'nobody is left'),
    ],
  },
  {
    section: '§2',
    says: 'the single-file upload needs id, token and file',
    provenBy: [
      inFile('src/testbed/groups/file-upload-download.test.ts', 'id, token and file are all required'),
    ],
  },
  {
    section: '§4 rule 3',
    says: '** means any remaining path',
    provenBy: [inFile('src/kernel/catalogue/router.test.ts', '**')],
  },
  {
    section: '§5',
    says: 'custom authentication takes a urlencoded form, a query map or a User body',
    provenBy: [
      example('authenticate-with-x-www-form', 'right'),
      example('authenticate-with-form', 'in the query'),
      example('authenticate-with-body', 'right'),
    ],
  },
  {
    section: '§6',
    says: 'event streams in the encoding named by the suffix',
    provenBy: [
      example('sse', 'two events'),
      example('sse-zstd', 'two events'),
      example('sse-gzip', 'two events'),
      example('sse-deflate', 'two events'),
      example('sse-br', 'two events'),
    ],
  },
  {
    section: '§7',
    says: 'contact not found is 404 on get, update and delete',
    provenBy: [
      example('contact-get', 'nobody, answered in XML'),
      example('contact-find', 'nobody'),
      example('contact-update', 'nobody'),
      example('contact-delete', 'nobody'),
    ],
  },
  {
    section: '§7',
    says: 'contact update with an invalid identifier is 400',
    provenBy: [example('contact-update', 'an id that is no integer')],
  },
  {
    section: '§7',
    says: 'contact update that fails validation is 405',
    provenBy: [example('contact-update', 'a phone number that is none')],
  },
  {
    section: '§7',
    says: 'contact create with invalid input is 400',
    provenBy: [example('contact-create', 'a blank name, answered in XML')],
  },
  {
    section: '§7',
    says: 'contact create when it already exists is 409',
    provenBy: [example('contact-create', 'it exists already')],
  },
  {
    section: '§7',
    says: 'the status endpoint answers with the status in its path',
    provenBy: [example('status', 'one code'), example('status', 'a code nobody has defined')],
  },
  {
    section: '§7',
    says: 'the proxy connection group simulates 502, 503 and 504',
    provenBy: [
      example('connection-502', 'comes from the backend'),
      example('connection-503', 'comes from the backend'),
      example('connection-504', 'comes from the backend'),
    ],
  },
];
