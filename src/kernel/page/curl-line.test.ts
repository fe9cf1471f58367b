import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { curlLine, type ShownRequest } from './browser/curl-line.js';

const base = 'http://h:81';

const lines: ReadonlyArray<[name: string, request: ShownRequest, line: string]> = [
  ['a plain GET', { method: 'GET', target: '/get?a=1&b' }, `curl -i 'http://h:81/get?a=1&b'`],
  [
    'HEAD, after which curl must not wait for a body',
    { method: 'HEAD', target: '/get' },
    `curl -I 'http://h:81/get'`,
  ],
  ['another method', { method: 'PURGE', target: '/x' }, `curl -i -X PURGE 'http://h:81/x'`],
  [
    'fields, one of them empty',
    { method: 'GET', target: '/', headers: ['X-A', 'b c', 'X-Empty', ''] },
    `curl -i 'http://h:81/' -H 'X-A: b c' -H 'X-Empty;'`,
  ],
  [
    'fields that curl counts or decides by itself',
    {
      method: 'POST',
      target: '/',
      headers: ['Content-Type', 'a/b', 'Content-Length', '1', 'Connection', 'close'],
      body: 'x',
    },
    `curl -i 'http://h:81/' -H 'Content-Type: a/b' --data-raw 'x'`,
  ],
  [
    'a body without a type, which curl would call a form',
    { method: 'POST', target: '/', body: '@file' },
    `curl -i 'http://h:81/' -H 'Content-Type:' --data-raw '@file'`,
  ],
  [
    'a body with quotes and letters of any language',
    { method: 'PUT', target: '/', headers: ['Content-Type', 'a/b'], body: `it's "ş" \\ $x` },
    `curl -i -X PUT 'http://h:81/' -H 'Content-Type: a/b' --data-raw 'it'\\''s "ş" \\ $x'`,
  ],
  [
    'a body with line ends',
    { method: 'POST', target: '/', headers: ['Content-Type', 'a/b'], body: `a\r\n'b'\\\t\x01` },
    `curl -i 'http://h:81/' -H 'Content-Type: a/b' --data-raw $'a\\r\\n\\'b\\'\\\\\\t\\x01'`,
  ],
  [
    'bytes that are no text',
    { method: 'POST', target: '/', headers: ['Content-Type', 'a/b'], bodyBase64: 'AP8=' },
    `echo AP8= | base64 -d | curl -i 'http://h:81/' -H 'Content-Type: a/b' --data-binary @-`,
  ],
  [
    'dot segments, which curl would remove',
    { method: 'GET', target: '/a/%2E./b' },
    `curl -i --path-as-is 'http://h:81/a/%2E./b'`,
  ],
  [
    'a target that curl would take for a pattern',
    { method: 'GET', target: '/a?b[c]={d}' },
    `curl -i --request-target '/a?b[c]={d}' 'http://h:81/'`,
  ],
  [
    'raw bytes in the target and in a field',
    { method: 'GET', target: '/\xfe', headers: ['X-A', '\xe7'] },
    `curl -i --request-target $'/\\xfe' 'http://h:81/' -H $'X-A: \\xe7'`,
  ],
  [
    'a body framed by hand',
    {
      method: 'POST',
      target: '/100%',
      headers: ['Transfer-Encoding', 'chunked'],
      body: `1\r\n'\r\n0\r\n\r\n`,
    },
    `printf 'POST /100%% HTTP/1.1\\r\\nTransfer-Encoding: chunked\\r\\nHost: h:81\\r\\nConnection: close\\r\\n\\r\\n1\\r\\n'\\''\\r\\n0\\r\\n\\r\\n' | curl -sN telnet://h:81`,
  ],
];

describe('the curl line of', () => {
  for (const [name, request, line] of lines) {
    test(name, () => assert.equal(curlLine(request, base), line));
  }

  test('a body framed by hand, over TLS', () => {
    const request = {
      method: 'POST',
      target: '/',
      headers: ['Transfer-Encoding', 'chunked'],
      body: '0\r\n\r\n',
    };
    assert.match(curlLine(request, 'https://h'), / \| openssl s_client -quiet -connect h:443$/);
  });
});
