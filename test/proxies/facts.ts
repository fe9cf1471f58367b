/** What is certain of a proxy in every version, by its command: check → verdict. A miss means that a check went blind. */
export const facts: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = {
  nginx: {
    'headers.underscore': /^lost$/,
    'headers.host': /^backend’s address$/,
    'body.json': /^refused: 413$/,
    'body.streamed': /^buffered$/,
    'method.trace': /^refused: 405$/,
    'redirect.backend-host': /^the client’s host/,
    'slow.unhinted': /^held back$/,
  },
  haproxy: {
    'headers.case': /^lower case$/,
    'headers.host': /^unchanged$/,
    'headers.forwarding': /^none$/,
    'response.case': /^lower case$/,
    'trailers.request': /^unchanged$/,
  },
  caddy: {
    'headers.case': /^Title-Case$/,
    'headers.forwarding': /x-forwarded-for/,
    'headers.spoofed': /^replaced$/,
    'headers.host': /^unchanged$/,
    'connection.pooled': /^shared$/,
  },
  apache2: {
    'headers.forwarding': /x-forwarded-server/,
    'headers.host': /^backend’s address$/,
    'headers.lines': /^joined$/,
    'url.encoded-slash': /^refused: 404$/,
    'redirect.backend-host': /^the client’s host$/,
  },
};
