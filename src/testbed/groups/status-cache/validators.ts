import { Type } from 'typebox';
import { reply } from '../../../kernel/catalogue/answer.ts';
import { int32, json, noBody, problem } from '../../../kernel/catalogue/declarations.ts';
import { rangedAnswer } from '../../content/ranged.ts';
import { answerGet, dialectOf } from '../../echo/httpbin-echo.ts';
import { endpoint, type TestbedCall, type TestbedEndpoint } from '../../endpoint.ts';
import { entityTags } from '../../status/entity-tags.ts';

const group = 'Status & Cache';

const cache = endpoint({
  id: 'cache',
  group,
  methods: ['GET'],
  path: '/cache',
  summary: 'Answers 304 to any conditional request, else like /get with validators.',
  responses: {
    200: json('The echo, with Last-Modified and ETag.'),
    304: noBody('The request was conditional.'),
  },
  examples: [
    {
      name: 'with validators',
      headers: ['Host', 'a.example'],
      expect: {
        status: 200,
        headers: { etag: /^[0-9a-f]{32}$/, 'last-modified': / GMT$/ },
        json: { url: 'http://a.example/cache' },
      },
    },
    {
      name: 'conditional',
      headers: ['If-None-Match', 'whatever'],
      expect: { status: 304, length: 0, headers: { etag: null } },
    },
    { name: 'conditional by date', headers: ['If-Modified-Since', 'x'], expect: { status: 304 } },
  ],
  handle: (call) => {
    const { headers } = call.request;
    if (headers.has('if-modified-since') || headers.has('if-none-match')) return reply.empty(304);
    const answer = answerGet(call);
    const tag = call.services.random.uuid().replaceAll('-', '');
    const lastModified = new Date(call.services.clock.now()).toUTCString();
    answer.headers.push('Last-Modified', lastModified, 'ETag', dialectOf(call) === 'go' ? `"${tag}"` : tag);
    return answer;
  },
});

const cacheFor = endpoint({
  id: 'cache-for',
  group,
  methods: ['GET'],
  path: '/cache/{n}',
  summary: 'Answers like /get with `Cache-Control: public, max-age=n`.',
  params: Type.Object({ n: int32({ minimum: 0, description: 'Seconds.' }) }),
  responses: { 200: json('The echo.'), 400: problem('Not a number of seconds.') },
  examples: [
    {
      name: 'a minute',
      path: '/cache/60',
      expect: { status: 200, headers: { 'cache-control': 'public, max-age=60' }, json: { args: {} } },
    },
    { name: 'not a number', path: '/cache/soon', expect: { status: 400, json: { name: 'n' } } },
    { name: 'negative', path: '/cache/-1', expect: { status: 400, json: { name: 'n' } } },
  ],
  handle: (call) => {
    const answer = answerGet(call);
    answer.headers.push('Cache-Control', `public, max-age=${call.params.n}`);
    return answer;
  },
});

const etag = endpoint({
  id: 'etag',
  group,
  methods: ['GET'],
  path: '/etag/{etag}',
  summary: 'Answers as a resource with this ETag would: 200, 304 to If-None-Match, 412 to If-Match.',
  description:
    'The ETag is sent as it is written, without quotes unless it has them, as httpbin does; `?dialect=go` quotes it ' +
    'and answers ranges too.',
  params: Type.Object({ etag: Type.String({ pattern: '^(?:[!#-~]+|"[!#-~]*")$' }) }),
  responses: {
    200: json('The echo.'),
    304: noBody('If-None-Match names the ETag, or *.'),
    400: problem('Nothing an ETag may hold.'),
    412: noBody('If-Match names neither the ETag nor *.'),
  },
  examples: [
    {
      name: 'unconditional',
      path: '/etag/abc',
      headers: ['Host', 'a.example'],
      expect: { status: 200, headers: { etag: 'abc' }, json: { url: 'http://a.example/etag/abc' } },
    },
    {
      name: 'the client has it already',
      path: '/etag/abc',
      headers: ['If-None-Match', '"x", W/"abc"'],
      expect: { status: 304, headers: { etag: 'abc' }, length: 0 },
    },
    {
      name: 'the client wants another one',
      path: '/etag/abc',
      headers: ['If-Match', '"x", "y"'],
      expect: { status: 412, headers: { etag: null } },
    },
    {
      name: 'in quotes, as a correct ETag is',
      path: '/etag/%22abc%22',
      headers: ['If-Match', '"abc"'],
      expect: { status: 200, headers: { etag: '"abc"' } },
    },
    {
      name: 'in quotes, and the client has it already',
      path: '/etag/%22abc%22?dialect=go',
      headers: ['If-None-Match', '"abc"'],
      expect: { status: 304, headers: { etag: '"abc"' } },
    },
    { name: 'any will do', path: '/etag/abc', headers: ['If-Match', '*'], expect: { status: 200 } },
    {
      name: 'go-httpbin dialect: quoted, with ranges',
      path: '/etag/abc?dialect=go',
      headers: ['Range', 'bytes=0-3'],
      expect: { status: 206, headers: { etag: '"abc"', 'content-range': /^bytes 0-3\/\d+$/ }, text: '{\n  ' },
    },
    {
      name: 'a weak tag does not match strongly',
      path: '/etag/abc?dialect=go',
      headers: ['If-Match', 'W/"abc"'],
      expect: { status: 412 },
    },
    {
      name: 'nothing an ETag may hold',
      path: '/etag/a%0Ab',
      expect: { status: 400, json: { name: 'etag' } },
    },
  ],
  handle: (call) => (dialectOf(call) === 'go' ? goEtagAnswer(call) : etagAnswer(call, call.params.etag)),
});

function etagAnswer(call: TestbedCall, tag: string) {
  const { headers } = call.request;
  const noneMatch = entityTags(headers.get('if-none-match'));
  const bare = withoutQuotes(tag);
  if (noneMatch.includes(bare) || noneMatch.includes('*')) return reply.empty(304, ['ETag', tag]);
  const match = entityTags(headers.get('if-match'));
  if (match.length > 0 && !match.includes(bare) && !match.includes('*')) return reply.empty(412);
  const answer = answerGet(call);
  answer.headers.push('ETag', tag);
  return answer;
}

function goEtagAnswer(call: TestbedCall & { readonly params: { readonly etag: string } }) {
  const body = Buffer.from(answerGet(call).body as string);
  return rangedAnswer(call, body, {
    contentType: 'application/json',
    etag: `"${withoutQuotes(call.params.etag)}"`,
  });
}

function withoutQuotes(tag: string): string {
  return tag.startsWith('"') ? tag.slice(1, -1) : tag;
}

/** httpbin's echoes with validators and freshness. */
export const validatorEndpoints: readonly TestbedEndpoint[] = [cache, cacheFor, etag];
