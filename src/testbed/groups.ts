/** The groups of the test service, as tags of its OpenAPI document: name and purpose. */
export const testbedGroups = [
  {
    name: 'Proxy Body Integrity',
    description: 'large body, binary, empty body, multipart, form-urlencoded echo',
  },
  { name: 'Proxy Header Passthrough', description: 'hop-by-hop, duplicate, large, many, custom header echo' },
  { name: 'Status & Cache', description: 'status code, cache, ETag, response header endpoints' },
  {
    name: 'Proxy Cookie Handling',
    description: 'multiple Set-Cookie, path/domain, Secure/HttpOnly/SameSite, cookie echo',
  },
  {
    name: 'Client Certificate',
    description: 'reads client certificate information from headers and returns it',
  },
  {
    name: 'File Upload/Download',
    description: 'multipart upload, download (jpg, pdf, txt, bin), encoding variants',
  },
  { name: 'HTTP Methods', description: 'httpbin-compatible method endpoints that echo the request' },
  { name: 'Dynamic Data', description: 'random bytes, stream, delay, drip, range, UUID, base64, links' },
  { name: 'Response Formats', description: 'HTML, JSON, XML, robots.txt, UTF-8' },
  { name: 'Request Charset Test', description: 'request body charset and encoding echo' },
  { name: 'Cookies', description: 'read, write, delete cookies' },
  { name: 'BadSSL Info', description: 'information on 40 TLS scenarios' },
  { name: 'Certificate Download', description: 'certificate, keystore, truststore and proto file download' },
  {
    name: 'Proxy Content-Type & Charset',
    description:
      'charset variants (UTF-8, ISO-8859-9, windows-1254), content negotiation, no Content-Type, multipart/mixed',
  },
  {
    name: 'Proxy CORS',
    description: 'preflight OPTIONS, Access-Control-* passthrough, credentials, wildcard vs specific origin',
  },
  { name: 'SSE (Server-Sent Events)', description: 'event streams with gzip, deflate, br, zstd encodings' },
  {
    name: 'Proxy Connection & Redirect',
    description: 'redirect Location rewrite, backend error handling, 502/503/504 simulation',
  },
  { name: 'Client/Edge Case Test', description: 'gzip bomb, 304 with body, chunked stream, vary' },
  { name: 'User CRUD', description: 'in-memory user CRUD' },
  { name: 'Redirects', description: 'redirect chains and redirect-to' },
  { name: 'Compression (httpbin)', description: 'gzip, deflate, brotli, zstd' },
  { name: 'contact', description: 'contact API' },
  { name: 'Authentication (httpbin)', description: 'Basic, Digest, Bearer' },
  {
    name: 'Request Encoding',
    description: 'request body decompression echo driven by the Content-Encoding header',
  },
  { name: 'Echo', description: 'request, header and multipart echo with decompression' },
  {
    name: 'Proxy Timeout & Slow Response',
    description: 'slow header, slow body, configurable delay, read timeout, partial body',
  },
  { name: 'Test Utilities', description: 'hello, patch, helloWait, multipleHeaders' },
  { name: 'Encode/Decode', description: 'base64 encode and decode' },
  {
    name: 'Proxy Security Test',
    description:
      'safe XML parse, XSS reflection (escaped/raw), rate-limit simulation, RFC 7807 problem detail',
  },
  { name: 'Anything', description: 'catch-all echo for any method and path' },
  {
    name: 'Encoding Test',
    description:
      'Content-Encoding tests: text, json, corrupted, chained, no-transform, vary, 304/206, chunked, large, content-length, transfer-encoding, q-value, download',
  },
  { name: 'Images', description: 'PNG, JPEG, SVG, WebP' },
  {
    name: 'Authentication (Custom)',
    description: 'header, base64, query param, path param, body, form, x-www-form authentication',
  },
  {
    name: 'Proxy URL Handling',
    description:
      'Turkish/Unicode characters, double encoding, long URL, path traversal, query order, fragment',
  },
  {
    name: 'Proxy HTTP Methods',
    description: 'HEAD (no body, Content-Length present), OPTIONS (Allow header), TRACE, PATCH echo',
  },
  { name: 'Request Inspection', description: 'returns request headers, IP and User-Agent' },
] as const;
