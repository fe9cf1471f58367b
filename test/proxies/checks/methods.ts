import { type CheckGroup, changed, type ProxyCheck, unchanged } from '../proxy-check.ts';
import { request } from '../request-bytes.ts';
import { judged, sameAnswer } from '../verdicts.ts';

const methodCheck = (id: string, asks: string, method: string): ProxyCheck => ({
  id: `method.${id}`,
  asks,
  request: request(method, '/proxy-test/verdict', [`X-Expect-Method: ${method}`]),
  direct: { status: 200, json: { ok: true, observed: { method } } },
  verdict: judged(['method'], ({ seen }) => `sent as ${seen}`),
});

export const httpMethods: CheckGroup = {
  name: 'Proxy HTTP Methods',
  checks: [
    methodCheck('patch', 'PATCH', 'PATCH'),
    methodCheck('propfind', 'PROPFIND', 'PROPFIND'),
    methodCheck('query', 'QUERY, a young method', 'QUERY'),
    methodCheck('unknown', 'an unknown method, BREW', 'BREW'),
    methodCheck('lower-case', '`get`, which is not GET', 'get'),
    methodCheck('punctuation', 'a method with punctuation, M-SEARCH', 'M-SEARCH'),
    {
      id: 'method.head',
      asks: 'HEAD has the length of GET and no content',
      request: request('HEAD', '/proxy-test/methods/head-test'),
      direct: { status: 200, headers: { 'content-length': /^[1-9]\d*$/ }, length: 0 },
      verdict: sameAnswer('Content-Length', 'Content-Type'),
    },
    {
      id: 'method.options',
      asks: 'OPTIONS and Allow',
      request: request('OPTIONS', '/proxy-test/methods/options-test'),
      direct: { status: 200, headers: { allow: /GET/ } },
      verdict: sameAnswer('Allow'),
    },
    {
      id: 'method.options-star',
      asks: 'OPTIONS *',
      request: request('OPTIONS', '*'),
      direct: { status: 200 },
      verdict: sameAnswer('Allow'),
    },
    {
      id: 'method.trace',
      asks: 'TRACE',
      request: request('TRACE', '/proxy-test/methods/echo', ['X-Probe: 1']),
      direct: { status: 200, headers: { 'content-type': 'message/http' }, text: /^TRACE \S+ HTTP\/1\.1\r\n/ },
      verdict: ({ answer }) => {
        if (!/^message\/http/.test(answer.header('content-type') ?? '')) return changed('another answer');
        return /\r\nx-probe: 1\r\n/i.test(answer.body.toString('latin1'))
          ? unchanged()
          : changed('fields lost');
      },
    },
  ],
};
