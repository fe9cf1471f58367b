import { Type } from 'typebox';
import { reply } from '../../../kernel/catalogue/answer.ts';
import { anyType, binary, json, noBody, problem, redirect } from '../../../kernel/catalogue/declarations.ts';
import { fault } from '../../../kernel/faults.ts';
import { integrityHeaders } from '../../content/integrity.ts';
import { patternBytes } from '../../content/python-random.ts';
import { dialectOf } from '../../echo/httpbin-echo.ts';
import { endpoint, type TestbedEndpoint } from '../../endpoint.ts';
import { responseHeadersAnswer } from '../../status/response-headers.ts';
import { statusAnswer } from '../../status/status-answer.ts';
import { chooseStatus } from '../../status/status-choice.ts';
import { notModifiedWithBody } from '../../wire/not-modified-with-body.ts';

const group = 'Status & Cache';
const spec = '1 §4.2';

const status = endpoint({
  id: 'status',
  group,
  spec,
  methods: ['GET', 'PUT', 'POST', 'DELETE', 'PATCH'],
  path: '/status/{codes}',
  summary: 'Answers with the status asked for, or with one of several by chance.',
  description:
    '`/status/503`, `/status/200,503` or weighted `/status/200:0.9,503:0.1`. Codes from 200 to 999 are sent as they ' +
    'are; 1xx comes as an interim answer before a 200. 301, 302, 303, 305, 307, 401, 402, 406, 407 and 418 bring ' +
    'the headers and bodies that httpbin gives them.',
  params: Type.Object({
    codes: Type.String({ description: 'Codes with optional weights, separated by commas.' }),
  }),
  responses: {
    200: anyType('The status asked for.'),
    302: redirect('To /redirect/1, as 301, 303, 305 and 307.'),
    400: problem('Not a status code.'),
  },
  examples: [
    { name: 'one code', path: '/status/503', expect: { status: 503, length: 0 } },
    {
      name: 'a weight of 0 is never chosen',
      path: '/status/200:0,418:1,500:0',
      expect: {
        status: 418,
        text: /teapot/,
        headers: { 'x-more-info': 'http://tools.ietf.org/html/rfc2324' },
      },
    },
    {
      name: 'a redirect leads somewhere',
      method: 'POST',
      path: '/status/307',
      expect: { status: 307, headers: { location: '/redirect/1' } },
    },
    {
      name: 'a challenge',
      path: '/status/401',
      expect: { status: 401, headers: { 'www-authenticate': 'Basic realm="Fake Realm"' } },
    },
    {
      name: 'not acceptable says what would be',
      path: '/status/406',
      expect: {
        status: 406,
        json: { accept: ['image/webp', 'image/svg+xml', 'image/jpeg', 'image/png', 'image/*'] },
      },
    },
    {
      name: 'a code nobody has defined',
      path: '/status/799',
      expect: { status: 799, wire: /^HTTP\/1\.1 799 / },
    },
    { name: 'no content', path: '/status/204', expect: { status: 204, headers: { 'content-length': null } } },
    {
      name: 'an interim answer, then the final one',
      path: '/status/103',
      expect: { wire: /^HTTP\/1\.1 103 Early Hints\r\n\r\nHTTP\/1\.1 200 OK\r\n/ },
    },
    {
      name: 'a special path with another method',
      method: 'PUT',
      path: '/status/304',
      expect: { status: 304 },
    },
    { name: 'not a number', path: '/status/abc', expect: { status: 400, json: { name: 'codes' } } },
    { name: 'not a weight', path: '/status/200:x,500', expect: { status: 400, json: { name: 'codes' } } },
    { name: 'weights that choose nothing', path: '/status/200:0,500:0', expect: { status: 400 } },
    { name: 'too small', path: '/status/99', expect: { status: 400 } },
    {
      name: 'go-httpbin dialect ends at 599',
      path: '/status/600?dialect=go',
      expect: { status: 400, json: { status_code: 400, error: 'Bad Request' } },
    },
  ],
  handle: (call) => {
    const { params, services, exchange } = call;
    const chosen = chooseStatus(params.codes, () => services.random.float());
    const dialect = dialectOf(call);
    if (chosen === 101) throw refusedCode('must not be 101: nobody asked for another protocol');
    if (dialect === 'go' && chosen > 599) throw refusedCode('must be status codes between 100 and 599');
    if (chosen >= 200) return statusAnswer(chosen, dialect);
    exchange.sendInterim(chosen);
    return statusAnswer(200, dialect);
  },
});

const notModified = endpoint({
  id: 'status-304',
  group,
  spec,
  methods: ['GET'],
  path: '/status/304',
  summary: 'Answers 304 with a validator and no body.',
  responses: { 200: noBody('Declared by the specification; never sent.'), 304: noBody('Not modified.') },
  examples: [
    {
      name: 'no body, no length',
      expect: { status: 304, length: 0, headers: { etag: '"testbed-304"', 'content-length': null } },
    },
  ],
  handle: () => reply.empty(304, ['ETag', ETAG_304, 'Cache-Control', 'max-age=0, must-revalidate']),
});

const ETAG_304 = '"testbed-304"';

const notModifiedBody = endpoint({
  id: 'status-304-with-body',
  group,
  spec,
  methods: ['GET'],
  path: '/status/304-with-body',
  summary: 'Answers 304 and then sends a body all the same, which no correct server does.',
  description:
    'A client must end the answer with its head (RFC 9112 §6.3). The connection is closed afterwards.',
  responses: {
    200: noBody('Declared by the specification; never sent.'),
    304: noBody('Not modified, with bytes that do not belong there.'),
    505: problem('HTTP/2 cannot say this.'),
  },
  examples: [
    {
      name: 'the bytes are really there',
      expect: {
        status: 304,
        wire: /^HTTP\/1\.1 304 Not Modified\r\nETag: "testbed-304"\r\n(?:[^\r\n]+\r\n)*Content-Length: 47\r\n(?:[^\r\n]+\r\n)*\r\nThis body follows a 304, where none may stand\.\n$/,
        ends: 'close',
      },
    },
  ],
  handle: () => notModifiedWithBody(ETAG_304, 'This body follows a 304, where none may stand.\n'),
});

const partialContent = endpoint({
  id: 'status-206',
  group,
  spec,
  methods: ['GET'],
  path: '/status/206',
  summary: 'Answers 206 with the first 100 of 1000 bytes, whether a range was asked for or not.',
  responses: {
    200: noBody('Declared by the specification; never sent.'),
    206: binary('Bytes 0-99 of 1000.'),
  },
  examples: [
    {
      name: 'bytes 0-99 of 1000',
      expect: {
        status: 206,
        headers: { 'content-range': 'bytes 0-99/1000', 'content-length': '100', 'accept-ranges': 'bytes' },
        text: `${'abcdefghijklmnopqrstuvwxyz'.repeat(3)}abcdefghijklmnopqrstuv`,
      },
    },
  ],
  handle: () => {
    const part = patternBytes(100);
    return reply.bytes(part, 'application/octet-stream', {
      status: 206,
      headers: [
        ...['Content-Range', 'bytes 0-99/1000', 'Accept-Ranges', 'bytes', 'ETag', '"testbed-206"'],
        ...integrityHeaders(part),
      ],
    });
  },
});

const responseHeaders = endpoint({
  id: 'response-headers',
  group,
  spec,
  methods: ['GET', 'POST'],
  path: '/response-headers',
  summary: 'Sends every query parameter back as a header field.',
  description:
    'Repeated parameters become repeated lines. The body lists all of them and its own Content-Length. A Content-Type ' +
    'of your own replaces ours. Content-Length and Transfer-Encoding are refused: they would break the answer.',
  responses: { 200: json('The header fields of this very answer.'), 400: problem('Not a header field.') },
  examples: [
    {
      name: 'the body knows its own length',
      path: '/response-headers?X-B=1&X-A=%C5%9F&X-B=2',
      expect: {
        status: 200,
        headers: { 'x-b': '1, 2', 'x-a': '\xc5\x9f', 'content-length': '116' },
        text: '{\n  "Content-Length": "116",\n  "Content-Type": "application/json",\n  "X-A": "ş",\n  "X-B": [\n    "1",\n    "2"\n  ]\n}\n',
      },
    },
    {
      name: 'markup in another type stays harmless',
      method: 'POST',
      path: '/response-headers?Content-Type=text/html&X=%3Cscript%3E',
      expect: {
        headers: { 'content-type': 'text/html', x: '<script>' },
        text: /"X": "\\u003cscript\\u003e"/,
      },
    },
    {
      name: 'go-httpbin dialect: lists, and no length',
      path: '/response-headers?X=1',
      headers: ['X-Test-Dialect', 'go'],
      expect: {
        text: '{\n  "Content-Type": [\n    "application/json"\n  ],\n  "X": [\n    "1"\n  ]\n}\n',
      },
    },
    {
      name: 'line breaks are refused',
      path: '/response-headers?X=a%0d%0aSet-Cookie:%20b',
      expect: { status: 400, headers: { 'set-cookie': null }, json: { name: 'X' } },
    },
    {
      name: 'a length of one’s own is refused',
      path: '/response-headers?content-length=1',
      expect: { status: 400, json: { name: 'content-length' } },
    },
    { name: 'not a header name', path: '/response-headers?a%20b=1', expect: { status: 400 } },
  ],
  handle: responseHeadersAnswer,
});

function refusedCode(rule: string) {
  return fault('parameter.invalid', { in: 'path', name: 'codes', rule });
}

/** Answers that are about their status and header fields. */
export const statusEndpoints: readonly TestbedEndpoint[] = [
  status,
  notModified,
  notModifiedBody,
  partialContent,
  responseHeaders,
];
