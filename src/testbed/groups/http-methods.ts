import { anyType, json, noBody, problem, rawBody } from '../../kernel/catalogue/declarations.ts';
import type { Example } from '../../kernel/catalogue/endpoint.ts';
import { answerBody, answerGet } from '../echo/httpbin-echo.ts';
import { httpBinResponse } from '../echo/httpbin-response.ts';
import { endpoint, type TestbedEndpoint } from '../endpoint.ts';

const group = 'HTTP Methods';

const get = endpoint({
  id: 'get',
  group,
  methods: ['GET'],
  path: '/get',
  summary: 'Echoes query, headers, origin and URL.',
  description:
    'Headers that proxies add (X-Forwarded-*, Via, …) are hidden unless `?show_env` is given. ' +
    '`?verbose=1` adds `_meta`: fields as sent, protocol, connection. `?dialect=go` answers as go-httpbin does.',
  responses: { 200: json('The request, as it was understood.') },
  examples: [
    {
      name: 'one value is a string, several are a list, names are sorted',
      path: '/get?b=2&a=1&b=3',
      headers: ['Host', 'testbed.example', 'x-sha256sum', 'one', 'X-SHA256SUM', 'two', 'Connection', 'close'],
      expect: {
        status: 200,
        headers: { 'content-type': 'application/json' },
        text: `{
  "args": {
    "a": "1",
    "b": [
      "2",
      "3"
    ]
  },
  "headers": {
    "Connection": "close",
    "Host": "testbed.example",
    "X-Sha256Sum": "one,two"
  },
  "origin": "127.0.0.1",
  "url": "http://testbed.example/get?b=2&a=1&b=3"
}
`,
      },
    },
    {
      name: 'what a proxy tells about the client decides origin and URL, and is hidden',
      headers: [
        ...['Host', 'testbed.example', 'X-Forwarded-For', '203.0.113.7, 10.0.0.1'],
        ...['X-Forwarded-Proto', 'https', 'Connection', 'close'],
      ],
      expect: {
        text: '{\n  "args": {},\n  "headers": {\n    "Connection": "close",\n    "Host": "testbed.example"\n  },\n  "origin": "203.0.113.7, 10.0.0.1",\n  "url": "https://testbed.example/get"\n}\n',
      },
    },
    {
      name: 'show_env shows the hidden headers',
      path: '/get?show_env=1',
      headers: ['Via', '1.1 proxy.example'],
      expect: { json: { args: { show_env: '1' }, headers: { Via: '1.1 proxy.example' } } },
    },
    {
      name: 'go-httpbin dialect: lists, and the method',
      path: '/get?a=1&dialect=go',
      headers: ['Host', 'testbed.example', 'X-Forwarded-For', '203.0.113.7, 10.0.0.1'],
      expect: {
        json: {
          args: { a: ['1'], dialect: ['go'] },
          headers: { Host: ['testbed.example'], 'X-Forwarded-For': ['203.0.113.7, 10.0.0.1'] },
          method: 'GET',
          origin: '203.0.113.7',
        },
      },
    },
    {
      name: 'verbose adds fields in their order and casing',
      path: '/get?verbose=1',
      headers: ['Host', 'testbed.example', 'x-OdD', 'a', 'Connection', 'close'],
      expect: {
        json: {
          _meta: {
            rawHeaders: [
              ['Host', 'testbed.example'],
              ['x-OdD', 'a'],
              ['Connection', 'close'],
            ],
            httpVersion: '1.1',
            connection: { requestNo: 1 },
          },
        },
      },
    },
    { name: 'another method', method: 'POST', expect: { status: 405, headers: { allow: /GET/ } } },
  ],
  handle: answerGet,
});

const head = endpoint({
  id: 'head',
  group,
  methods: ['HEAD'],
  path: '/head',
  summary: 'Answers HEAD, and only HEAD, with the headers of /get.',
  responses: { 200: noBody('The headers of the echo; its length without its bytes.') },
  examples: [
    {
      name: 'no body, but its length',
      headers: ['Host', 'a.example', 'Connection', 'close'],
      expect: {
        status: 200,
        headers: { 'content-type': 'application/json', 'content-length': '147' },
        length: 0,
      },
    },
    { name: 'GET is refused', method: 'GET', expect: { status: 405 } },
  ],
  handle: answerGet,
});

/** The methods that take a body answer alike. */
function bodyEcho(
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  examples: readonly Example[],
): TestbedEndpoint {
  const path = `/${method.toLowerCase()}`;
  return endpoint({
    id: method.toLowerCase(),
    group,
    ...(method === 'DELETE' ? {} : { spec: '1 §4.1' }),
    methods: [method],
    path,
    summary: `Echoes a ${method} with its body.`,
    description:
      'Forms are taken apart into `form` and `files`; any other body is `data`, and `json` where it parses. ' +
      'Bytes that are not UTF-8 come as a base64 data URL.',
    body: rawBody('application/json', 'application/x-www-form-urlencoded', 'multipart/form-data', '*/*'),
    responses: {
      200: anyType('The request, as it was understood.', httpBinResponse),
      400: problem('A body that is declared as JSON and is none, or a broken form (go dialect).'),
      413: problem('The body is larger than the service takes.'),
    },
    examples: [
      ...examples,
      {
        name: 'another method',
        method: 'GET',
        expect: { status: 405, headers: { allow: new RegExp(method) } },
      },
    ],
    handle: (call) => answerBody(call),
  });
}

const CRLF = '\r\n';
const multipart = (...parts: string[]) =>
  `${parts.map((part) => `--frontier${CRLF}${part}${CRLF}`).join('')}--frontier--${CRLF}`;

const post = bodyEcho('POST', [
  {
    name: 'JSON, numbers as they were written',
    headers: ['Host', 'a.example', 'Content-Type', 'application/json', 'Connection', 'close'],
    body: '{"b": [1.0, 12345678901234567890], "a": "ş"}',
    expect: {
      status: 200,
      text: `{
  "args": {},
  "data": "{\\"b\\": [1.0, 12345678901234567890], \\"a\\": \\"ş\\"}",
  "files": {},
  "form": {},
  "headers": {
    "Connection": "close",
    "Content-Length": "45",
    "Content-Type": "application/json",
    "Host": "a.example"
  },
  "json": {
    "a": "ş",
    "b": [
      1.0,
      12345678901234567890
    ]
  },
  "origin": "127.0.0.1",
  "url": "http://a.example/post"
}
`,
    },
  },
  {
    name: 'a urlencoded form',
    headers: ['Content-Type', 'application/x-www-form-urlencoded; charset=utf-8'],
    body: 'a=1+2&b=%C5%9F&a=3',
    expect: { json: { form: { a: ['1 2', '3'], b: 'ş' }, data: '', json: null, files: {} } },
  },
  {
    name: 'a multipart form; two files under one name are both kept',
    headers: ['Content-Type', 'multipart/form-data; boundary=frontier'],
    body: Buffer.from(
      multipart(
        `Content-Disposition: form-data; name="note"${CRLF}${CRLF}hello`,
        `Content-Disposition: form-data; name="f"; filename="a.txt"${CRLF}Content-Type: text/plain${CRLF}${CRLF}text`,
        `Content-Disposition: form-data; name="f"; filename="b.png"${CRLF}Content-Type: image/png${CRLF}${CRLF}\xff\x00`,
      ),
      'latin1',
    ),
    expect: {
      json: { form: { note: 'hello' }, files: { f: ['text', 'data:image/png;base64,/wA='] }, data: '' },
    },
  },
  {
    name: 'bytes that are not text',
    body: Buffer.from('fffe00', 'hex'),
    expect: { json: { data: 'data:application/octet-stream;base64,//4A', json: null } },
  },
  {
    name: 'a chunked body',
    headers: ['Transfer-Encoding', 'chunked'],
    body: `3${CRLF}[1,${CRLF}2${CRLF}2]${CRLF}0${CRLF}${CRLF}`,
    expect: { status: 200, json: { data: '[1,2]', json: [1, 2] } },
  },
  {
    name: 'go-httpbin dialect: JSON that does not parse',
    headers: ['X-Test-Dialect', 'go', 'Content-Type', 'application/json'],
    body: '{"a":',
    expect: { status: 400, json: { status_code: 400, error: 'Bad Request', detail: /JSON/ } },
  },
  {
    name: 'go-httpbin dialect: unknown types as a data URL',
    headers: ['X-Test-Dialect', 'go', 'Content-Type', 'image/png'],
    body: 'PNG',
    expect: { json: { data: 'data:image/png;base64,UE5H', json: null, method: 'POST' } },
  },
  {
    name: 'a multipart body without its boundary',
    headers: ['Content-Type', 'multipart/form-data'],
    body: 'x',
    expect: { status: 200, json: { data: 'x', form: {}, files: {} } },
  },
  {
    name: 'a multipart body without its boundary, in the go dialect',
    path: '/post?dialect=go',
    headers: ['Content-Type', 'multipart/form-data'],
    body: 'x',
    expect: { status: 400, json: { status_code: 400, detail: /not a well-formed multipart form/ } },
  },
  {
    name: 'verbose adds the digest of the body',
    path: '/post?verbose=1',
    body: 'abc',
    expect: {
      json: {
        _meta: {
          body: {
            length: 3,
            sha256: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
            framing: 'length',
          },
        },
      },
    },
  },
]);

const put = bodyEcho('PUT', [
  {
    name: 'text',
    body: 'hello',
    headers: ['Content-Type', 'text/plain'],
    expect: { status: 200, json: { data: 'hello', json: null, form: {}, files: {} } },
  },
]);

const patch = bodyEcho('PATCH', [
  {
    name: 'JSON whatever its type says',
    body: '{"a":null}',
    headers: ['Content-Type', 'application/merge-patch+json'],
    expect: { status: 200, json: { data: '{"a":null}', json: { a: null } } },
  },
]);

const remove = bodyEcho('DELETE', [
  {
    name: 'without a body',
    expect: { status: 200, json: { data: '', json: null, form: {}, files: {}, args: {} } },
  },
]);

export const httpMethods: readonly TestbedEndpoint[] = [get, head, post, put, patch, remove];
