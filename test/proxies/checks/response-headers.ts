import { type CheckGroup, changed, type ProxyCheck, unchanged } from '../proxy-check.ts';
import { get } from '../request-bytes.ts';
import { linesOf, sameAnswer, sameFields, unlessChanged } from '../verdicts.ts';

const SECURITY = [
  'Strict-Transport-Security',
  'Content-Security-Policy',
  'X-Frame-Options',
  'X-Content-Type-Options',
  'Referrer-Policy',
  'Permissions-Policy',
  'Cross-Origin-Opener-Policy',
  'Cross-Origin-Embedder-Policy',
  'Cross-Origin-Resource-Policy',
];

/** One of the fields of `/proxy-test/headers/special`. */
function specialField(id: string, asks: string, name: string, bytes: string): ProxyCheck {
  return {
    id,
    asks,
    request: get('/proxy-test/headers/special'),
    direct: { status: 200, wire: new RegExp(`\\r\\n${RegExp.escape(name)}: ?${RegExp.escape(bytes)}\\r\\n`) },
    verdict: ({ answer }) => {
      const lines = linesOf(answer, name);
      if (lines.length === 0) return changed('lost');
      return lines.length === 1 && lines[0] === bytes.trim() ? unchanged() : changed('other value');
    },
  };
}

const large = (id: string, size: number): ProxyCheck => ({
  id,
  asks: `a field of ${size} bytes`,
  request: get(`/proxy-test/headers/large?size=${size}`),
  direct: { status: 200, headers: { 'x-large': new RegExp(`^x{${size}}$`) } },
  verdict: sameFields('X-Large'),
});

const many = (id: string, count: number): ProxyCheck => ({
  id,
  asks: `${count} fields`,
  request: get(`/proxy-test/headers/many?count=${count}`),
  direct: { status: 200, headers: { [`x-many-${String(count).padStart(4, '0')}`]: String(count) } },
  verdict: ({ answer }) => {
    const seen = answer.headers.filter(([name]) => /^x-many-\d{4}$/i.test(name)).length;
    return unlessChanged(seen === count ? [] : [`${count - seen} lost`]);
  },
});

export const responseHeaders: CheckGroup = {
  name: 'Proxy Header Passthrough: response',
  checks: [
    {
      id: 'response.case',
      asks: 'the case of field names',
      request: get('/proxy-test/headers/security'),
      direct: { status: 200, wire: /\r\nX-Frame-Options: DENY\r\n/ },
      verdict: ({ answer }) => {
        const names = answer.headers.map(([name]) => name);
        const other = SECURITY.filter((name) => !names.includes(name));
        if (other.length === 0) return unchanged();
        return changed(
          other.every((name) => names.includes(name.toLowerCase())) ? 'lower case' : 'other case',
        );
      },
    },
    {
      id: 'response.order',
      asks: 'the order of fields',
      request: get('/proxy-test/headers/security'),
      direct: {
        status: 200,
        wire: /Strict-Transport-Security: [\s\S]*Referrer-Policy: [\s\S]*Cross-Origin-Resource-Policy: /,
      },
      verdict: ({ answer }) => {
        const order = answer.headers.map(([name]) => name.toLowerCase());
        const places = SECURITY.map((name) => order.indexOf(name.toLowerCase()));
        return unlessChanged(
          places.every((place, index) => index === 0 || places[index - 1]! < place) ? [] : ['other order'],
        );
      },
    },
    {
      id: 'response.lines',
      asks: 'fields on several lines',
      request: get('/proxy-test/headers/duplicate'),
      direct: { status: 200, wire: /\r\nX-Dup: one\r\nX-Dup: two\r\nX-Dup: three\r\n/ },
      verdict: sameFields('X-Dup', 'Warning', 'Link'),
    },
    {
      id: 'response.security',
      asks: 'security fields',
      request: get('/proxy-test/headers/security'),
      direct: { status: 200, headers: { 'x-frame-options': 'DENY', 'x-content-type-options': 'nosniff' } },
      verdict: sameFields(...SECURITY),
    },
    {
      id: 'response.hop-by-hop',
      asks: 'hop-by-hop fields and those named in Connection (to be removed)',
      request: get('/proxy-test/headers/hop-by-hop'),
      direct: {
        status: 200,
        headers: { connection: /^X-Hop-Resp/, 'x-hop-resp': '1', 'keep-alive': 'timeout=5' },
      },
      directVerdict: 'all arrive',
      verdict: ({ answer }) => {
        const leaked = ['X-Hop-Resp', 'Keep-Alive'].filter((name) => answer.header(name) !== undefined);
        if (/X-Hop-Resp/i.test(answer.header('connection') ?? '')) leaked.unshift('Connection');
        if (leaked.length === 3) return unchanged('all arrive');
        return changed(leaked.length === 0 ? 'removed' : `passes on ${leaked.join(', ').toLowerCase()}`);
      },
    },
    {
      id: 'response.revealing',
      asks: 'fields that reveal the backend',
      request: get('/proxy-test/headers/remove-check'),
      direct: { status: 200, headers: { server: 'backend/9.9 (test)', 'x-powered-by': 'test-runtime/9.9' } },
      verdict: sameFields('Server', 'X-Powered-By', 'X-Internal-Host'),
    },
    {
      id: 'response.added',
      asks: 'fields the backend did not send',
      request: get('/proxy-test/headers/echo'),
      direct: { status: 200 },
      directVerdict: 'none',
      verdict: ({ answer, direct }) => {
        const added = answer.headers
          .map(([name]) => name.toLowerCase())
          .filter((name) => direct.header(name) === undefined);
        return added.length === 0 ? unchanged('none') : changed(`adds ${added.sort().join(', ')}`);
      },
    },
    large('response.large-3k', 3_000),
    large('response.large-8k', 8_192),
    large('response.large-40k', 40_000),
    many('response.many', 80),
    many('response.very-many', 300),
    specialField('response.empty', 'an empty value', 'X-Empty', ''),
    specialField('response.latin1', 'a value of Latin-1 bytes', 'X-Latin1', 'caf\xe9 \xa3'),
    specialField('response.utf8', 'a value of UTF-8 bytes', 'X-Utf8', '\xc5\x9f \xc4\x9f \xe2\x9c\x93'),
    specialField('response.tab', 'a tab inside a value', 'X-Tab', 'a\tb'),
    specialField('response.underscore', 'a name with an underscore', 'X_Underscore', '1'),
    specialField('response.odd-name', 'a name of unusual token characters', 'X.Odd!Name~', '1'),
    specialField('response.long-name', 'a name of 205 characters', `X-${'long-name-'.repeat(20)}end`, '1'),
    {
      id: 'response.error',
      asks: '503 of the backend with Retry-After',
      request: get('/proxy-test/connection/error/503?retryAfter=17'),
      direct: {
        status: 503,
        headers: { 'x-error-origin': 'backend', 'retry-after': '17' },
        json: { status: 503 },
      },
      verdict: sameAnswer('Retry-After', 'X-Error-Origin', 'Content-Type'),
    },
    {
      id: 'response.too-many',
      asks: '429 of the backend with Retry-After',
      request: get('/proxy-test/connection/error/429?retryAfter=5'),
      direct: { status: 429, headers: { 'retry-after': '5' }, json: { status: 429 } },
      verdict: sameAnswer('Retry-After', 'X-Error-Origin', 'Content-Type'),
    },
  ],
};
