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
  groups: ['Certificate Download'],
  statements: ['§1 TLS and certificate scenarios are live', '§1 SOAP, WebSocket and gRPC scenarios'],
};

export type Proof =
  | { readonly endpoint: string; readonly example: string }
  | { readonly file: string; readonly test: string };

export interface Statement {
  readonly section: string;
  readonly says: string;
  readonly provenBy: readonly Proof[];
}

export const statements: readonly Statement[] = [];
