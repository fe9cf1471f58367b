import { Type } from 'typebox';
import { anyType, problem, rawBody } from '../../kernel/catalogue/declarations.ts';
import { answerBody } from '../echo/httpbin-echo.ts';
import { httpBinResponse } from '../echo/httpbin-response.ts';
import { endpoint, type TestbedCall, type TestbedEndpoint } from '../endpoint.ts';

const group = 'Anything';
const spec = '1 §4.1';
// The specification's eight, and any other method token besides.
const methods = ['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH', 'TRACE', 'ANY'];
const ALLOW = 'GET, HEAD, POST, PUT, DELETE, PATCH, OPTIONS, TRACE';

const responses = {
  200: anyType('The request, as it was understood.', httpBinResponse),
  400: problem('A body that is declared as JSON and is none, or a broken form (go dialect).'),
  413: problem('The body is larger than the service takes.'),
};

const anythingAtRoot = endpoint({
  id: 'anything',
  group,
  spec,
  methods,
  path: '/anything',
  summary: 'Echoes any request, whatever its method.',
  description: 'All nine members are always there. OPTIONS also tells what is allowed.',
  body: rawBody(),
  responses,
  examples: [
    {
      name: 'POST with a body',
      method: 'POST',
      path: '/anything?x=1',
      headers: ['Host', 'a.example', 'Connection', 'close'],
      body: '{"n":1}',
      expect: {
        status: 200,
        text: `{
  "args": {
    "x": "1"
  },
  "data": "{\\"n\\":1}",
  "files": {},
  "form": {},
  "headers": {
    "Connection": "close",
    "Content-Length": "7",
    "Host": "a.example"
  },
  "json": {
    "n": 1
  },
  "method": "POST",
  "origin": "127.0.0.1",
  "url": "http://a.example/anything?x=1"
}
`,
      },
    },
    {
      name: 'OPTIONS is echoed and names the methods',
      method: 'OPTIONS',
      expect: { status: 200, headers: { allow: ALLOW }, json: { method: 'OPTIONS', data: '' } },
    },
    { name: 'HEAD has the length but no body', method: 'HEAD', expect: { status: 200, length: 0 } },
    { name: 'TRACE', method: 'TRACE', expect: { status: 200, json: { method: 'TRACE' } } },
    { name: 'a method of one’s own', method: 'BREW', expect: { status: 200, json: { method: 'BREW' } } },
  ],
  handle: echoAnything,
});

const anythingBelow = endpoint({
  id: 'anything-path',
  group,
  spec,
  methods,
  path: '/anything/{path**}',
  summary: 'Echoes any request to any path below.',
  params: Type.Object({
    path: Type.String({ description: 'Anything at all; never decoded or normalised.' }),
  }),
  body: rawBody(),
  responses,
  examples: [
    {
      name: 'the path stays as it was sent',
      method: 'DELETE',
      path: '/anything/a//b/../%2e%2F;c=d?q=%20',
      headers: ['Host', 'a.example'],
      expect: {
        status: 200,
        json: {
          method: 'DELETE',
          url: 'http://a.example/anything/a//b/../%2e%2F;c=d?q=%20',
          args: { q: ' ' },
        },
      },
    },
    {
      name: 'raw bytes beyond ASCII are shown as a URL has them',
      path: '/anything/\xc5\x9f',
      headers: ['Host', 'a.example'],
      expect: { json: { url: 'http://a.example/anything/%C5%9F' } },
    },
    {
      name: 'a form in a request of an unusual method',
      method: 'QUERY',
      path: '/anything/search',
      headers: ['Content-Type', 'application/x-www-form-urlencoded'],
      body: 'a=1',
      expect: { json: { method: 'QUERY', form: { a: '1' } } },
    },
    {
      name: 'a form that cannot be taken apart',
      method: 'POST',
      path: '/anything/form',
      headers: ['Content-Type', 'multipart/form-data'],
      body: 'x',
      expect: { status: 200, json: { data: 'x', form: {}, method: 'POST' } },
    },
    {
      name: 'no JSON, in the go dialect',
      method: 'POST',
      path: '/anything/json?dialect=go',
      headers: ['Content-Type', 'application/json'],
      body: '{',
      expect: { status: 400, json: { status_code: 400, detail: /declared as JSON/ } },
    },
  ],
  handle: echoAnything,
});

async function echoAnything(call: TestbedCall) {
  const answer = await answerBody(call, { hasMethod: true });
  if (call.request.method === 'OPTIONS') answer.headers.push('Allow', ALLOW);
  return answer;
}

export const anything: readonly TestbedEndpoint[] = [anythingAtRoot, anythingBelow];
